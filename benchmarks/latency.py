"""What a call, a command and a trace cost: python benchmarks/latency.py [--cold] [--record]

- ``tg.bfs`` on a graph of 2,000 vertices, kernels loaded: median and 99th percentile, also with four
  threads, and with four threads made to work (a graph just large enough for a team).
- ``tacho run bfs`` on a small file, wall time: with kernels in the cache; with an empty cache if
  ``--cold`` is given (some ten seconds).
- The trace of BFS on a Kronecker graph: runs with and without it take turns; their ratio.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from record import rounded, show

import tachograph as tg
from tachograph.kernels.runtime.launch import threads_available
from tachograph.papers.reproduce import Table


def seconds(call: Callable[[], object]) -> float:
    begin = perf_counter()
    call()
    return perf_counter() - begin


def calls() -> Table:
    """Many short searches."""
    rows: list[list[Any]] = []
    small, team = tg.uniform(2000, 16, rng=1), tg.uniform(40_000, 32, rng=1)
    for name, graph, threads in (
        ("2,000 vertices", small, None),
        ("2,000 vertices, threads=4", small, 4),
        ("40,000 vertices, threads=4", team, 4),
    ):
        for s in range(20):
            tg.bfs(graph, s, threads=threads)
        times = sorted(
            seconds(lambda g=graph, s=s, t=threads: tg.bfs(g, s % g.n, threads=t))
            for s in range(2000)
        )
        used = int(tg.bfs(graph, 0, threads=threads).trace["threads"][0])
        rows.append([f"tg.bfs, {name}", *rounded([times[1000] * 1e3, times[1980] * 1e3]), used])
    return Table("A call", ["", "median ms", "99th percentile", "threads used"], rows)


def commands(cold: bool) -> Table:
    """The whole command, as a shell runs it."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "small.txt"
        tg.write(tg.road(40, 40, rng=1), path)
        command = [sys.executable, "-m", "tachograph", "run", "bfs", str(path), "--source", "0"]

        def run(**environment: str) -> None:
            subprocess.run(
                command, check=True, capture_output=True, env={**os.environ, **environment}
            )

        run()
        times = [seconds(run) for _ in range(7)]
        rows: list[list[Any]] = [["tacho run bfs, compiled before", rounded(times)]]
        if cold:
            taken = seconds(lambda: run(NUMBA_CACHE_DIR=str(Path(directory) / "empty")))
            rows.append(["tacho run bfs, with an empty cache", rounded([taken])])
    return Table("A command on a file of 1,600 vertices", ["", "seconds"], rows)


def trace(scale: int, rounds: int) -> Table:
    """Searches with and without a trace take turns, so that a slow minute is slow for both."""
    graph = tg.kronecker(scale, rng=1)
    source = int((graph.degrees > 2).argmax())
    times: dict[bool, list[float]] = {True: [], False: []}
    levels = set()
    for turn in range(rounds + 3):
        order = (True, False) if turn % 2 else (False, True)
        results = {kept: tg.bfs(graph, source, trace=kept) for kept in order}
        levels |= {r.levels.tobytes() for r in results.values()}
        if turn >= 3:  # the first warm up
            for kept, result in results.items():
                times[kept].append(result.seconds)
    assert len(levels) == 1
    ratio = statistics.median(times[True]) / statistics.median(times[False])
    low, _, high = statistics.quantiles(
        [a / b for a, b in zip(times[True], times[False], strict=True)], n=4
    )
    row = [f"bfs of kron-{scale}, {threads_available()} threads", *rounded([ratio, low, high])]
    columns = ["", "with over without", "a quarter below", "a quarter above"]
    return Table(f"A trace, {rounds} rounds in turns", columns, [row])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("--cold", action="store_true", help="also with an empty cache")
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--record", action="store_true", help="keep it in results")
    options = parser.parse_args()
    tables = [calls(), commands(options.cold), trace(options.scale, options.rounds)]
    show("latency", tables, options.record)


if __name__ == "__main__":
    main()
