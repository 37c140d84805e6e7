"""ScalaBFS's GTEPS beside the published ones, on R-MAT graphs that are generated alike."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..decisions.graphs import graph_named
from ..graph.generate import kronecker
from ..graph.graph import Graph
from ..simulation.accelerators import Job, ScalaBFS
from ..simulation.accelerators.problem import Question
from ..simulation.accelerators.simulate import compare
from ..simulation.accelerators.validated import Cell as Validated
from ..util.executor import Local
from .published import published
from .reproduce import GRAPH_COLUMNS, Cell, Settings, Table, origin

__all__ = ["table_2", "validation"]

SCALE = 22
SMALL_SCALE = 14  # unless the full size is asked for
LARGEST_FACTOR = 32  # the graph with 64 edges for each vertex takes too much memory
COLUMNS = [
    *GRAPH_COLUMNS,
    "levels",
    "GTEPS here",
    "published",
    "error, %",
    "GB/s of the memory here",
]


def table_2(settings: Settings) -> Iterator[Table]:
    """ScalaBFS's rates on R-MAT graphs; only ``--full`` has those of the paper's size."""
    yield _table(settings)


def _graphs(settings: Settings) -> Iterator[tuple[str, Graph, str, float | None]]:
    """Yield graphs with their labels, what they are, and the published GTEPS."""
    for name in settings.graphs:
        yield name, graph_named(name).without_weights(), str(origin(name, "times")[0]), None
    scale = SCALE if settings.full else SMALL_SCALE
    for known, factor, theirs in () if settings.graphs else published("scalabfs", "table-2").rows:
        if int(str(factor)) <= LARGEST_FACTOR:
            label = str(known) if scale == SCALE else f"{known}, 1/{1 << (SCALE - scale)}"
            graph = kronecker(scale, int(str(factor)), rng=1)
            yield label, graph, "generated alike", float(str(theirs))


def _table(settings: Settings) -> Table:
    known = published("scalabfs", "table-2")
    rows: list[list[Cell]] = []
    for label, graph, kind, theirs in _graphs(settings):
        source = int(np.flatnonzero(graph.degrees)[0])
        job = Job(Question("bfs", source=source), ScalaBFS())
        ((_, done),) = compare(graph, [job], settings.executor or Local(1), label)
        ours = done["measures"]["GTEPS"] * graph.m / graph.arcs
        error = round(100 * abs(ours / theirs - 1), 1) if theirs and settings.full else None
        facts: list[Cell] = [done["iterations"], round(ours, 2), theirs, error]
        chosen = "clock" if theirs else ""
        rows.append([label, kind, chosen, *facts, round(done["gbps"], 1)])
    notes = [
        known.note,
        "the graphs are undirected and their edges count once, as in the table of the repository, "
        "though both directions are stored; the root is the first vertex with edges",
        "the clock is not published: it is the least that carries the published GB/s, so these cells "
        "are no independent test; which levels are pulled is not published either",
    ]
    if not settings.graphs:
        gone = [str(name) for name, factor, _ in known.rows if int(str(factor)) > LARGEST_FACTOR]
        notes.append(f"left out, because they take too much memory: {', '.join(gone)}")
    return Table("ScalaBFS, GTEPS (table 2 of its repository)", COLUMNS, rows, notes, "simulated")


def validation() -> Iterator[Validated]:
    """Yield the rows in full size as cells of ``validated.csv``."""
    for row in _table(Settings(full=True)).rows:
        cell = dict(zip(COLUMNS, row, strict=True))
        graph, kind, chosen = (str(cell[k]) for k in GRAPH_COLUMNS)
        ours, theirs = (float(str(cell[k])) for k in ("GTEPS here", "published"))
        yield Validated("ScalaBFS", "HBM2", "bfs", graph, kind, ours, theirs, chosen)
