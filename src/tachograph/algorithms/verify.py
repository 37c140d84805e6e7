"""Checks of results by the properties that define them, independent of how they were computed."""

from __future__ import annotations

import numpy as np

from ..errors import VerificationError
from ..graph.graph import Graph

__all__ = ["check_bfs"]


def _require(condition: bool, problem: str) -> None:
    if not condition:
        raise VerificationError(f"the result is wrong: {problem}; please report this")


def _arc_sources(graph: Graph) -> np.ndarray:
    return np.repeat(np.arange(graph.n), graph.degrees)


def check_bfs(
    graph: Graph, sources: np.ndarray, levels: np.ndarray, parents: np.ndarray, complete: bool
) -> None:
    """Levels and parents of a breadth-first search.

    1. Sources, and only they, have level 0 and are their own parents.
    2. A vertex has a parent if and only if it has a level; the parent is one level up, and there is
       an arc from it.
    3. If the search was not cut short, an arc out of a reached vertex leads at most one level down.
    """
    reached = levels >= 0
    roots = np.flatnonzero(levels == 0)
    _require(
        np.array_equal(roots, np.unique(sources)), "other vertices than the sources have level 0"
    )
    _require(bool((parents[roots] == roots).all()), "a source is not its own parent")
    _require(np.array_equal(reached, parents >= 0), "levels and parents disagree")
    others = np.flatnonzero(levels > 0)
    _require(
        bool((levels[parents[others]] == levels[others] - 1).all()), "a parent is not one level up"
    )
    source, target = _arc_sources(graph), graph.indices
    has_arc = np.zeros(graph.n, bool)
    has_arc[target[source == parents[target]]] = True
    _require(bool(has_arc[others].all()), "there is no arc from a parent")
    if complete:
        out = reached[source]
        _require(
            bool(reached[target[out]].all()), "a neighbour of a reached vertex was not reached"
        )
        down = levels[target[out]] - levels[source[out]]
        _require(int(down.max(initial=0)) <= 1, "an arc leads more than one level down")
