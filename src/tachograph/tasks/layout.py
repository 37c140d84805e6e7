"""What is prepared once for a graph and shared by later runs: what it costs, and when it pays.

Searches that pull are faster with the neighbours of highest degree side by side; those of a directed
graph, and most tasks on one, need its arcs turned round. Both are a pass over the arcs, so their price
is so many of the look-ups that a probe of the graph has timed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from ..algorithms.result import Lazy
from ..decisions.times.model import KINDS, kind_of

if TYPE_CHECKING:
    from .candidate import Candidate, Choices
    from .question import Question

__all__ = ["add_layouts", "pays_after", "rank", "total"]

TURNED = (
    "bfs",
    "pagerank",
    "connected_components",
    "maximal_independent_set",
)  # need both directions
HUBS_LOOKUPS, TURNING_LOOKUPS = 0.5, 1.6  # of one thread, for each arc: what a pass over all takes
HUBS_SHARE = 0.93  # of a search's time on a graph with hubs, once they are known


def total(candidate: Candidate, runs: int) -> float:
    """Return the seconds of some runs and of what is prepared for them."""
    each = candidate.seconds
    return math.inf if each is None else candidate.once + runs * each


def pays_after(candidate: Candidate, others: list[Candidate]) -> int | None:
    """Return after how many runs a layout pays, against the same way without it; None: never."""
    plain = next(c for c in others if c.prepare is None and c.options == candidate.options)
    saved = (plain.seconds or 0.0) - (candidate.seconds or 0.0)
    more = candidate.once - plain.once
    return math.ceil(more / saved) if saved > 0 else None


def add_layouts(question: Question, found: Choices) -> None:
    """Add candidates with a layout of their own, and tell the price of what is missing."""
    graph, task = question.graph, question.task
    arc = graph.features.probe["nanoseconds"] * 1e-9
    turning = 0.0
    if task.name in TURNED and not graph.has_transpose:
        turning = TURNING_LOOKUPS * arc * graph.arcs
        found.ranked = [replace(c, once=turning) for c in found.ranked]
    if task.name != "bfs" or KINDS[kind_of(question.shape)] != "skewed":
        return
    from ..algorithms.bfs_on_host import find_hubs, has_hubs

    usual = next((c for c in found.ranked if c.name == task.ways[0].name), None)
    if usual is None or has_hubs(graph):
        return
    hubs = replace(
        usual,
        name="hubs first",
        reason="looks first at the neighbours of highest degree, which are found once",
        prediction=Lazy(lambda: usual.estimate.faster(1 / HUBS_SHARE, 1 / HUBS_SHARE)),
        once=turning + HUBS_LOOKUPS * arc * graph.arcs,
        prepare=lambda: find_hubs(graph),
    )
    found.ranked.append(hubs)


def rank(question: Question, found: Choices) -> None:
    """Put a layout of the first candidate before it, if all runs take fewer seconds with it."""
    runs, first = question.reuse or 1, found.ranked[0]
    layouts = [c for c in found.ranked if c.prepare is not None and c.options == first.options]
    best = min([first, *layouts], key=lambda c: total(c, runs))
    if best is not first:
        found.ranked = [best, *(c for c in found.ranked if c is not best)]
        found.reason = f"{runs:,} runs take less time in all with what it prepares once"
