"""Algorithms beside peers, in one run: breadth-first search, components, PageRank, triangles.

    GAPBS=/path/to/gapbs python benchmarks/algorithms.py [--rounds 5] [--scale 20]

Graphs: Kronecker and uniform of the given scale and edge factor 16, and a 1500 x 1500 grid with 15 % of
its edges deleted. Candidates take turns. GAPBS (set $GAPBS to the directory of its binaries) reads the
same graph and reports its own trial times; ours are ``result.seconds``, with arrays allocated anew.
Counts of reached vertices, components and triangles must agree.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import tachograph as tg
from tachograph.kernels.runtime import threads_available

Candidates = dict[str, Callable[[], tuple[float, Any]]]


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    begin = perf_counter()
    answer = call()
    return perf_counter() - begin, answer


def gapbs(kernel: str, path: Path, *options: str) -> tuple[float, Any]:
    """The median of three trials that GAPBS reports for itself."""
    run = subprocess.run(
        [str(Path(os.environ["GAPBS"]) / kernel), "-f", str(path), "-n", "3", *options],
        check=True, capture_output=True, text=True,
        env={**os.environ, "OMP_NUM_THREADS": str(threads_available())},
    )  # fmt: skip
    trials = re.findall(r"Trial Time:\s*([\d.]+)", run.stdout)
    return statistics.median(float(t) for t in trials), None


def candidates(g: tg.Graph, path: Path) -> dict[str, Candidates]:
    """For each algorithm the ways to run it."""
    source = int(np.argmax(g.degrees > 2))
    same = {"tolerance": 1e-4, "max_iterations": 20}

    def ours(call: Callable[[], tg.Result], answer: Callable[[tg.Result], Any]) -> Any:
        def once() -> tuple[float, Any]:
            result = call()
            return result.seconds, answer(result)

        return once

    found: dict[str, Candidates] = {
        "breadth-first search": {
            "tachograph": ours(lambda: tg.bfs(g, source), lambda r: int((r.levels >= 0).sum()))
        },
        "components": {"tachograph": ours(lambda: tg.connected_components(g), lambda r: r.count)},
        "PageRank": {"tachograph": ours(lambda: tg.pagerank(g, **same), lambda r: None)},
        "triangles": {"tachograph": ours(lambda: tg.triangles(g), lambda r: r.count)},
    }
    if "GAPBS" in os.environ:
        found["breadth-first search"]["GAPBS"] = lambda: gapbs("bfs", path, "-r", str(source))
        found["components"]["GAPBS"] = lambda: gapbs("cc", path)
        found["PageRank"]["GAPBS"] = lambda: gapbs("pr", path, "-i", "20", "-t", "1e-4")
        found["triangles"]["GAPBS"] = lambda: gapbs("tc", path)
    from scipy.sparse import csgraph

    matrix = g.to_scipy()
    found["breadth-first search"]["SciPy"] = lambda: timed(
        lambda: csgraph.breadth_first_order(matrix, source, return_predecessors=False).size
    )
    found["components"]["SciPy"] = lambda: timed(
        lambda: int(csgraph.connected_components(matrix, directed=False)[0])
    )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scale", type=int, default=20)
    options = parser.parse_args()
    graphs = {
        f"kron-{options.scale}": tg.kronecker(options.scale, seed=1),
        f"urand-{options.scale}": tg.uniform(1 << options.scale, 16, seed=1),
        "road": tg.road(1500, 1500, seed=1),
    }
    print(f"{threads_available()} threads, {options.rounds} rounds; ms (ratio of ours to it)\n")
    print("| graph | algorithm | tachograph | GAPBS | SciPy |\n|---|---|---|---|---|")
    for name, g in graphs.items():
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "graph.sg"
            tg.write(g, path)
            for algorithm, ways in candidates(g, path).items():
                times: dict[str, list[float]] = {way: [] for way in ways}
                answers = set()
                for turn in range(options.rounds + 1):
                    for way, call in ways.items():
                        seconds, answer = call()
                        answers.add(answer)
                        if turn:  # the first round warms up
                            times[way].append(seconds)
                assert len(answers - {None}) <= 1, f"{algorithm}: {answers}"
                middle = {way: statistics.median(t) * 1e3 for way, t in times.items()}
                cells = [f"{middle['tachograph']:.1f}"]
                for way in ("GAPBS", "SciPy"):
                    ratio = f"({middle['tachograph'] / middle[way]:.2f})" if way in middle else ""
                    cells.append(f"{middle[way]:.1f} {ratio}" if way in middle else "")
                print(f"| {name} | {algorithm} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
