"""Seconds of simulating accelerators, and simulated memory requests per second.

    python benchmarks/accelerators.py [GRAPH] [--scale 16] [--rounds 3] [--record]

GRAPH (default: the data set soc-Slashdot0902, if it is here) runs wcc on AccuGraph and HitGraph; a
generated R-MAT graph with 86 edges for each of 2**SCALE vertices runs pagerank and wcc on HitGraph.
Everything is compiled before; times are of the whole call, medians of all rounds. Peak memory is that
of this process so far.
"""

from __future__ import annotations

import argparse
import resource
import statistics
from time import perf_counter
from typing import Any

from record import rounded, show

import tachograph as tg
from tachograph.papers.reproduce import Table
from tachograph.simulation.exercises import EXERCISES


def row(name: str, graph: tg.Graph, algorithm: str, design: object, rounds: int) -> list[Any]:
    seconds = []
    for _ in range(rounds):
        begin = perf_counter()
        result = tg.simulate(algorithm, graph, design, along_arcs=algorithm == "wcc")
        seconds.append(perf_counter() - begin)
    took = statistics.median(seconds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    requests = int(result.memory.requests)
    return [name, f"{type(design).__name__} {algorithm}", result.iterations, requests,
            *rounded([took, requests / took / 1e6, result.seconds * 1e3, peak])]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graph", nargs="?")
    parser.add_argument("--scale", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--record", action="store_true", help="keep it in results")
    given = parser.parse_args()
    for exercise in EXERCISES.values():
        exercise()
    rows = []
    known = tg.datasets()["soc-Slashdot0902"]
    if given.graph or known.file is not None:
        name = given.graph or known.name
        graph = tg.read(name) if given.graph else tg.dataset(name)
        _ = graph.transpose
        for design in (tg.AccuGraph(), tg.HitGraph()):
            rows.append(row(name, graph, "wcc", design, given.rounds))
    graph = tg.kronecker(given.scale, 86, directed=True, simple=False, rng=1)
    _ = graph.transpose
    size = max(1, 256_000 >> (21 - given.scale))
    for algorithm in ("pagerank", "wcc"):
        design = tg.HitGraph(partition_size=size)
        rows.append(row(f"rmat-{given.scale}-86", graph, algorithm, design, given.rounds))
    columns = ["graph", "run", "iterations", "requests", "s", "M requests/s", "simulated ms",
               "peak GB"]  # fmt: skip
    show("accelerators", [Table("Simulations", columns, rows)], given.record)


if __name__ == "__main__":
    main()
