"""Our whole calls beside GAPBS's kernels, on graphs that no constant and no model has seen.

    GAPBS=DIR python benchmarks/unseen.py                      all graphs to test, some minutes
    GAPBS=DIR python benchmarks/unseen.py dblp-2010 --rounds 3  other graphs, by name

It is the comparison of ``tacho bench``: candidates take turns of several runs in a row, and their
results must agree. Ratios are our time divided by that of GAPBS, so below 1 we are faster: of the
medians of turns, and of the shortest turns. Real graphs are used if $TACHOGRAPH_DATA has them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from harness import Table, main

from tachograph.decisions.graphs import graph_named, names_of, present
from tachograph.peers import bench
from tachograph.peers.gapbs import Gapbs
from tachograph.util.cores import threads_available

LEAST_EDGES, MOST_EDGES = 1e5, 1e7  # below, a call of Python takes longer than a kernel


def measure(*graphs: str, rounds: int = 5) -> Iterator[Table]:
    rows: dict[str, dict[str, bench.Row]] = {}
    tasks = [task for task in bench.TASKS if hasattr(Gapbs, task)]
    threads = threads_available()
    for name in graphs or present(names_of("times", "test")):
        graph = graph_named(name)
        if not graphs and not LEAST_EDGES <= graph.m <= MOST_EDGES:
            continue
        graph = graph.to_undirected() if graph.directed else graph
        with tempfile.TemporaryDirectory() as place:
            made = bench.rows(name, graph, threads, rounds, Path(place), peers=[Gapbs])
            rows[name] = {row.task: row for row in made if Gapbs.name in row.seconds}
    ratios: dict[str, Callable[[bench.Row], float]] = {
        "medians": lambda row: row.ratio(Gapbs.name),
        "shortest": lambda row: row.least_ratio(Gapbs.name),
    }
    found = {
        (task, of): [ratio(by_task[task]) for by_task in rows.values() if task in by_task]
        for task in tasks
        for of, ratio in ratios.items()
    }
    yield Table(
        "Our time divided by that of GAPBS, on graphs that nothing has seen",
        ["task", "of", "graphs", "geometric mean", "best", "worst"],
        [
            [task, of, len(r), float(np.exp(np.mean(np.log(r)))), min(r), max(r)]
            for (task, of), r in found.items()
            if r
        ],
    )
    cells: dict[str, Callable[[bench.Row], float]] = {
        "Graph by graph, of medians": ratios["medians"],
        "Our milliseconds, median": lambda row: 1e3 * row.median(bench.OURS),
    }
    for title, cell in cells.items():
        yield Table(
            title,
            ["graph", *tasks],
            [
                [name, *(cell(by_task[task]) if task in by_task else None for task in tasks)]
                for name, by_task in rows.items()
            ],
        )


if __name__ == "__main__":
    main(measure)
