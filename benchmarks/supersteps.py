"""What a superstep costs: python benchmarks/supersteps.py [--scale 20] [--rounds 5]

A Kronecker graph in two parts on two Dask workers with a thread each, beside the same task on one
machine with one thread. They take turns; results are compared. A superstep should take at most 30 ms
and 1.5 times what the whole graph takes on one machine, by the number of supersteps (PageRank: what
one iteration takes). ``--only bfs,pagerank`` runs some of the tasks.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from harness import Table, main, rounded

import tachograph as tg
from tachograph.scale.cluster import connect

FACTOR, SECONDS = 1.5, 0.03  # what a superstep may take
COLUMNS = ["", "supersteps", "one machine, ms", "at most, ms", "measured, ms", "met"]


class Row(NamedTuple):
    """A task, the value that has to be the same, and its arguments."""

    name: str
    task: str
    value: str
    weighted: bool = False
    options: dict[str, Any] = {}  # noqa: RUF012 (never changed)


ROWS = (
    Row("bfs", "bfs", "levels"),
    Row("sssp", "sssp", "distances"),
    Row("sssp, weights 1 to 255", "sssp", "distances", weighted=True),
    Row("connected_components", "connected_components", "labels"),
    Row("maximal_independent_set", "maximal_independent_set", "mask"),
    Row("pagerank", "pagerank", "scores", options={"tol": 1e-12, "max_iter": 10}),
)


def same(row: Row, one: tg.Result, many: tg.Result) -> bool:
    """Compare; iterations of PageRank differ, so only its largest scores count."""
    a, b = getattr(one, row.value), getattr(many, row.value)
    if row.task == "pagerank":
        return bool(np.abs(a - b).max() < 0.01 * a.max())
    return bool(np.array_equal(a, b))


def measure(scale: int = 20, rounds: int = 5, only: str = "") -> Iterator[Table]:
    graphs = [tg.kronecker(scale, rng=1), tg.kronecker(scale, rng=1, weights=True)]
    source = int(np.argmax(graphs[0].degrees > 2))
    todo = [row for row in ROWS if not only or row.name in only.split(",")]
    with tempfile.TemporaryDirectory() as place, connect(workers=2) as client, client.as_current():
        parts = [
            tg.scale.partition(graph, parts=2, directory=Path(place) / str(graph.weighted))
            for graph in graphs
        ]
        rows = []
        for row in todo:
            pair = graphs[row.weighted], parts[row.weighted]
            rows.append(measured(row, *pair, source, rounds))
    yield Table(f"A superstep on kron-{scale}, two workers", COLUMNS, rows)


def measured(row: Row, graph: tg.Graph, parts: Any, source: int, rounds: int) -> list[Any]:
    """Time one task; the first round warms up."""
    given = [source] if row.task in ("bfs", "sssp") else []
    alone, taken = [], []
    for turn in range(rounds + 1):
        runs = [
            lambda: getattr(tg, row.task)(graph, *given, threads=1, **row.options),
            lambda: getattr(tg.scale, row.task)(parts, *given, **row.options),
        ]
        order = (0, 1) if turn % 2 else (1, 0)
        found = {k: runs[k]() for k in order}
        one, many = found[0], found[1]
        if not same(row, one, many):
            raise SystemExit(f"{row.name}: the results differ")
        steps = len(many.trace)
        turns = one.iterations if row.task == "pagerank" else steps
        if turn:
            alone.append(1e3 * one.seconds / turns)
            taken.append(1e3 * float(np.sum(many.trace["seconds"])) / steps)
    most = FACTOR * statistics.median(alone) + 1e3 * SECONDS
    met = "yes" if statistics.median(taken) <= most else "no"
    return [row.name, steps, rounded(alone), *rounded([most]), rounded(taken), met]


if __name__ == "__main__":
    main(measure)
