"""Seconds of simulating accelerators, and simulated memory requests per second.

    python benchmarks/accelerators.py [--graph FILE] [--scale 16] [--rounds 3]

The graph (default: the data set soc-Slashdot0902, if it is here) runs connected components on AccuGraph
and HitGraph; a generated R-MAT graph with 86 edges for each of 2**SCALE vertices runs pagerank and
connected components on HitGraph. Everything is compiled before; times are of the whole call, medians of
all rounds. Peak memory is that of this process so far.
"""

from __future__ import annotations

import resource
import statistics
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from harness import Table, main, rounded

import tachograph as tg
from tachograph.simulation.exercises import EXERCISES

COLUMNS = ["graph", "run", "iterations", "requests", "s", "M requests/s", "simulated ms", "peak GB"]


def row(name: str, graph: tg.Graph, task: str, design: object, rounds: int) -> list[Any]:
    seconds = []
    for _ in range(rounds):
        begin = perf_counter()
        result = tg.simulate(task, graph, design, along_arcs=task == "wcc")
        seconds.append(perf_counter() - begin)
    took = statistics.median(seconds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    requests = int(result.memory.requests)
    numbers = rounded([took, requests / took / 1e6, result.seconds * 1e3, peak])
    return [name, f"{type(design).__name__} {task}", result.iterations, requests, *numbers]


def measure(graph: str = "", scale: int = 16, rounds: int = 3) -> Iterator[Table]:
    for exercise in EXERCISES.values():
        exercise.run()
    rows = []
    known = tg.datasets()["soc-Slashdot0902"]
    if graph or known.file is not None:
        given = tg.read(graph) if graph else tg.dataset(known.name)
        _ = given.transpose
        for design in (tg.AccuGraph(), tg.HitGraph()):
            rows.append(row(graph or known.name, given, "wcc", design, rounds))
    made = tg.kronecker(scale, 86, directed=True, simple=False, rng=1)
    _ = made.transpose
    design = tg.HitGraph(partition_size=max(1, tg.HitGraph().partition_size >> (21 - scale)))
    for task in ("pagerank", "wcc"):
        rows.append(row(f"rmat-{scale}-86", made, task, design, rounds))
    yield Table("Simulations", COLUMNS, rows)


if __name__ == "__main__":
    main(measure)
