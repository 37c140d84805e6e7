"""Breadth-first search on the host: in the direction that a policy chooses, or timed in both."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import numpy as np

from ..decisions.direction.model import policy_named
from ..decisions.direction.walk import chooser_of
from ..graph.graph import Graph
from ..kernels.bfs import oracle, search
from ..kernels.bfs.hubs import hubs_of
from ..kernels.bfs.steps import smallest_parents
from ..kernels.runtime.launch import clock
from ..util.limits import was_cut
from .bfs import DIRECTIONS, BfsResult, Direction, workload
from .result import Run, Trace

__all__ = ["find_hubs", "has_hubs", "searched", "timed", "trace_of_both"]

#: Searches of a graph that have pulled before its hubs are found: that takes as long as three to
#: fifteen searches, and makes the later ones shorter by a tenth.
HUBS_AFTER_SEARCHES = 16


@dataclass
class _Known:
    """What earlier searches of a graph have left: how many of them pulled, and its hubs."""

    pulled: int = 0
    hubs: np.ndarray | None = None


_known: weakref.WeakKeyDictionary[Graph, _Known] = weakref.WeakKeyDictionary()


def has_hubs(graph: Graph) -> bool:
    """Return whether the hubs of a graph are known, so that searches that pull are shorter."""
    known = _known.get(graph)
    return known is not None and known.hubs is not None


def find_hubs(graph: Graph) -> np.ndarray:
    """Find the hubs of a graph now, for all later searches of it, if they are not known."""
    known = _known.get(graph) or _known.setdefault(graph, _Known())
    if known.hubs is None:
        known.hubs = hubs_of(graph.rows, graph.transpose.rows)
    return known.hubs


def searched(
    graph: Graph,
    sources: np.ndarray,
    direction: Direction,
    cutoff: int | None,
    target: int,
    deterministic: bool,
    traced: bool,
) -> BfsResult:
    """Search in the direction that a policy chooses at every level."""
    chooser = chooser_of(policy_named(direction), graph)
    rows, back_rows = graph.rows, graph.transpose.rows
    ends = {"cutoff": -1 if cutoff is None else cutoff, "target": target}
    known = _known.get(graph) or _known.setdefault(graph, _Known())
    begin = clock()
    why = ""
    if known.pulled == HUBS_AFTER_SEARCHES and known.hubs is None:
        from ..plots.numbers import seconds as in_words

        find_hubs(graph)
        why = f"{in_words(clock() - begin)} of its time found hubs, for later searches too"
    levels, parents, lines, workers = search.traverse(
        rows,
        back_rows,
        sources,
        chooser,
        directed=graph.directed,
        traced=traced,
        hubs=known.hubs,
        **ends,
    )
    if known.hubs is None and lines[:, 0].any():
        known.pulled += 1
    if deterministic and not was_cut():
        smallest_parents(back_rows, levels, parents)
    seconds = clock() - begin
    made: dict[str, np.ndarray] = {}
    features = workload(graph, made)

    def columns() -> dict[str, object]:
        made.update(zip(search.COLUMNS, lines.T, strict=True))
        made["direction"] = DIRECTIONS[made["direction"]]
        made["seconds"] = made.pop("nanoseconds") / 1e9
        made["deciding_seconds"] = made.pop("deciding_nanoseconds") / 1e9
        return {**made, "threads": workers, **features()}

    run = Run(seconds, Trace({}, more=columns), reason=why)
    return BfsResult(levels=levels, parents=parents, run=run)


def timed(graph: Graph, sources: np.ndarray, cutoff: int | None) -> BfsResult:
    """Time both directions at every level; the trace tells which was faster."""
    rows, back_rows = graph.rows, graph.transpose.rows
    begin = clock()
    known = _known.get(graph) or _Known()
    levels, parents, lines, (workers, _) = oracle.both(
        rows, back_rows, sources, hubs=known.hubs, cutoff=-1 if cutoff is None else cutoff
    )
    run = Run(clock() - begin, trace_of_both(graph, lines, workers))
    return BfsResult(levels=levels, parents=parents, run=run)


def trace_of_both(graph: Graph, lines: np.ndarray, workers: int) -> Trace:
    """Return the trace of a search in which both directions were timed."""
    measured = dict(zip(oracle.COLUMNS, lines.T, strict=True))
    push = measured["push_nanoseconds"] / 1e9
    pull = np.where(measured["pull_nanoseconds"] < 0, np.nan, measured["pull_nanoseconds"] / 1e9)
    faster = (pull < push).astype(np.int64)
    columns = {
        "direction": DIRECTIONS[faster],
        **{name: measured[name] for name in oracle.COLUMNS[:3]},
        "seconds": np.where(faster == 1, pull, push),
        "push_seconds": push,
        "pull_seconds": pull,
        "threads": workers,
    }
    return Trace(columns, more=workload(graph, measured))
