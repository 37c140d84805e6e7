"""What a superstep costs: python benchmarks/supersteps.py [--scale 20] [--rounds 5] [--record]

A Kronecker graph in two parts on two Dask workers with a thread each, beside the same algorithm on one
machine with one thread. They take turns; results are compared. A superstep should take at most 30 ms
and 1.5 times what the whole graph takes on one machine, by the number of supersteps (PageRank: what
one iteration takes).
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from record import rounded, show

import tachograph as tg
from tachograph.algorithms.result import Result
from tachograph.papers.reproduce import Table
from tachograph.scale.cluster import connect

FACTOR, SECONDS = 1.5, 0.03
ITERATIONS = 10


def pairs(
    graph: tg.Graph, weighted: tg.Graph, parts: Any, weighted_parts: Any, source: int
) -> dict[str, tuple[Callable[[], Result], Callable[[], Result], str]]:
    """What is compared: on one machine, in parts, and the name of what has to be the same."""
    pages: dict[str, Any] = {"tol": 1e-12, "max_iter": ITERATIONS}
    scale = tg.scale
    return {
        "bfs": (
            lambda: tg.bfs(graph, source, threads=1), lambda: scale.bfs(parts, source), "levels",
        ),
        "sssp": (
            lambda: tg.sssp(graph, source, threads=1), lambda: scale.sssp(parts, source),
            "distances",
        ),
        "sssp, weights 1 to 255": (
            lambda: tg.sssp(weighted, source, threads=1),
            lambda: scale.sssp(weighted_parts, source), "distances",
        ),
        "components": (
            lambda: tg.connected_components(graph, threads=1),
            lambda: scale.connected_components(parts), "labels",
        ),
        "mis": (
            lambda: tg.maximal_independent_set(graph, threads=1),
            lambda: scale.maximal_independent_set(parts), "mask",
        ),
        "pagerank": (
            lambda: tg.pagerank(graph, threads=1, **pages), lambda: scale.pagerank(parts, **pages),
            "scores",
        ),
    }  # fmt: skip


def same(task: str, name: str, one: Result, many: Result) -> bool:
    """Whether both found the same; iterations of PageRank differ, so only its largest scores count."""
    a, b = getattr(one, name), getattr(many, name)
    if task == "pagerank":
        return bool(np.abs(a - b).max() < 0.01 * a.max())
    return bool(np.array_equal(a, b))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="some of the algorithms, as bfs,mis")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    graph = tg.kronecker(given.scale, rng=1)
    weighted = tg.kronecker(given.scale, rng=1, weights=True)
    source = int(np.argmax(graph.degrees > 2))
    with tempfile.TemporaryDirectory() as place, connect(workers=2) as client, client.as_current():
        parts = tg.scale.partition(graph, parts=2, directory=Path(place) / "parts")
        others = tg.scale.partition(weighted, parts=2, directory=Path(place) / "weighted")
        todo = pairs(graph, weighted, parts, others, source)
        if given.only:
            todo = {name: todo[name] for name in given.only.split(",")}
        rows = measure(todo, given.rounds)
    columns = ["", "supersteps", "one machine, ms", "at most, ms", "measured, ms", "met"]
    title = f"A superstep on kron-{given.scale}, two workers"
    show("supersteps", [Table(title, columns, rows)], given.record)


def measure(todo: dict[str, Any], rounds: int) -> list[list[Any]]:
    """A row for each algorithm. The first round warms up."""
    alone: dict[str, list[float]] = {name: [] for name in todo}
    taken: dict[str, list[float]] = {name: [] for name in todo}
    steps: dict[str, int] = {}
    for turn in range(rounds + 1):
        for task, (on_one, in_parts, name) in todo.items():
            runs = [on_one, in_parts]
            results = [runs[k]() for k in ((0, 1) if turn % 2 else (1, 0))]
            one, many = results if turn % 2 else results[::-1]
            if not same(task, name, one, many):
                raise SystemExit(f"{task}: the results differ")
            steps[task] = len(many.trace)
            turns = one.iterations if task == "pagerank" else steps[task]
            if turn:
                alone[task].append(1e3 * one.seconds / turns)
                taken[task].append(1e3 * float(np.sum(many.trace["seconds"])) / steps[task])
    rows = []
    for task in todo:
        bar = FACTOR * statistics.median(alone[task]) + 1e3 * SECONDS
        met = "yes" if statistics.median(taken[task]) <= bar else "no"
        rows.append(
            [task, steps[task], rounded(alone[task]), *rounded([bar]), rounded(taken[task]), met]
        )
    return rows


if __name__ == "__main__":
    main()
