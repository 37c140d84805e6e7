"""Checks of results by the properties that define them, independent of how they were computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..graph.graph import Graph
from ..util.errors import VerificationError

if TYPE_CHECKING:
    from .similarity import SimilarityResult

# fmt: off
__all__ = ["check_bfs", "check_components", "check_cut", "check_flow", "check_independent_set",
           "check_pagerank", "check_product", "check_similarity", "check_sssp", "check_triangles"]
# fmt: on

SAMPLE = 1000  # pairs whose similarity is computed again


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


def check_sssp(
    graph: Graph,
    weights: np.ndarray,
    sources: np.ndarray,
    distances: np.ndarray,
    predecessors: np.ndarray,
    exact: bool = True,
) -> None:
    """Distances and predecessors of shortest paths, or of paths that are not (``exact=False``).

    1. No arc leads to a vertex that is farther than the arc's source and weight allow; a source is at
       most at distance 0. (The first is not so where paths are approximate.)
       (Float weights below zero may miss by rounding, relative to the numbers.)
    2. Whoever is reached has a predecessor, and there is an arc from it that makes up the difference;
       only a source at distance 0 is its own. (Of an approximate path, it may save some way.)
    3. From every reached vertex, predecessors lead to a source.
    """
    from ..kernels.sssp.cycles import SLACK

    source, target = _arc_sources(graph), graph.indices
    with np.errstate(over="ignore", invalid="ignore"):
        reach = distances[source] + weights
        off = distances[target] - reach
        rounded = weights.dtype.kind == "f" and weights.min(initial=0) < 0
        room = SLACK * (abs(reach) + abs(weights)) if rounded else 0
        _require(not exact or not (off > room).any(), "an arc leads to a nearer place than known")
    _require(bool((distances[sources] <= 0).all()), "a source is away from itself")
    reached = np.isfinite(distances)
    _require(np.array_equal(reached, predecessors >= 0), "distances and predecessors disagree")
    ids = np.arange(graph.n)
    roots = ids[reached & (predecessors == ids)]
    _require(bool((distances[roots] == 0).all()), "a vertex away from 0 has no predecessor")
    _require(bool(np.isin(roots, sources).all()), "other vertices than the sources are roots")
    with np.errstate(invalid="ignore"):
        tight = (source == predecessors[target]) & ((abs(off) if exact else -off) <= room)
    explained = np.zeros(graph.n, bool)
    explained[target[tight]] = True
    explained[roots] = True
    _require(np.array_equal(explained, reached), "no arc explains a predecessor")
    ahead = np.where(reached, predecessors, ids)
    for _ in range(max(graph.n, 1).bit_length()):  # twice as far each time
        ahead = ahead[ahead]
    _require(bool(np.isin(ahead[reached], roots).all()), "predecessors do not lead to a source")


def check_components(graph: Graph, labels: np.ndarray) -> None:
    """Labels of weakly connected components.

    1. The ends of every arc have the same label.
    2. A label is the smallest id of the vertices that have it.
    3. From the vertex that gives a label, all vertices with that label are reached. (SciPy's own
       search counts the components; with 1. the counts agree only if this holds.)
    """
    from scipy.sparse.csgraph import connected_components as scipy_components

    source, target = _arc_sources(graph), graph.indices
    _require(bool((labels[source] == labels[target]).all()), "an arc joins two components")
    ids = np.arange(graph.n)
    _require(bool((labels <= ids).all()), "a label is larger than an id that has it")
    _require(
        bool((labels[labels] == labels).all()), "a label is not the id of a vertex that has it"
    )
    if graph.n:
        count = scipy_components(graph.to_scipy(), directed=True, connection="weak")[0]
        _require(int((labels == ids).sum()) == count, "two components that do not hang together")


def check_triangles(simple: Graph, count: int) -> None:
    """The number of triangles of a simple undirected graph.

    A triangle is a path of two edges whose ends are joined: summed over the entries of the adjacency
    matrix, its square counts each six times.
    """
    adjacency = simple.to_scipy()
    adjacency.data = np.ones(simple.arcs, np.int64)  # whatever the weights
    paths = 0
    for lo in range(0, simple.n, 4096):  # a few rows at a time: squares are large
        part = adjacency[lo : lo + 4096]
        paths += int((part @ adjacency).multiply(part).sum())
    _require(paths == 6 * count, f"there are {paths // 6} triangles, not {count}")


def check_product(graph: Graph, vector: np.ndarray, product: np.ndarray) -> None:
    """The product of the adjacency matrix and a vector, against SciPy's."""
    matrix = graph.to_scipy().astype(np.float64)
    room = 1e-9 * (abs(matrix) @ abs(vector))
    _require(bool((abs(matrix @ vector - product) <= room).all()), "SciPy's product is another one")


def check_pagerank(
    graph: Graph, scores: np.ndarray, damping: float, jump: np.ndarray, change: float
) -> None:
    """Scores of PageRank.

    1. They are not negative and their sum is 1.
    2. One more iteration, done with SciPy, changes them by no more than the last one did.
    """
    _require(bool((scores >= 0).all()), "a score is negative")
    _require(abs(float(scores.sum()) - 1) < 1e-6, "the scores do not sum to 1")
    matrix = graph.to_scipy().astype(np.float64)
    out = matrix.sum(axis=1)
    share = np.divide(scores, out, out=np.zeros_like(scores), where=out > 0)
    lost = float(scores[out == 0].sum())
    again = damping * (matrix.T @ share + lost * jump) + (1 - damping) * jump
    _require(
        float(abs(again - scores).sum()) <= change * 1.0001 + 1e-12, "the scores do not settle"
    )


def check_similarity(graph: Graph, task: str, weighted: bool, found: SimilarityResult) -> None:
    """Compute the similarity of a sample of the pairs again, with dictionaries."""
    for at in np.linspace(0, found.values.size - 1, min(SAMPLE, found.values.size)).astype(int):
        u, v = int(found.source[at]), int(found.target[at])
        value = _similarity(task, *(_row(graph, x, weighted) for x in (u, v)))
        if abs(value - found.values[at]) > 1e-6 * max(1.0, abs(value)):
            raise VerificationError(
                f"the {task} similarity of {u} and {v} is {value}, not {found.values[at]}"
            )


def _row(graph: Graph, vertex: int, weighted: bool) -> dict[int, float]:
    lo, hi = graph.indptr[vertex : vertex + 2]
    weights = graph.weights[lo:hi].tolist() if weighted and graph.weights is not None else None
    ends = graph.indices[lo:hi].tolist()
    return dict(zip(ends, weights or [1.0] * len(ends), strict=True))


def _similarity(task: str, a: dict[int, float], b: dict[int, float]) -> float:
    both = a.keys() & b.keys()
    if task == "cosine":
        norms = sum(w * w for w in a.values()) * sum(w * w for w in b.values())
        return sum(a[x] * b[x] for x in both) / norms**0.5 if norms else 0.0
    common, one, other = sum(min(a[x], b[x]) for x in both), sum(a.values()), sum(b.values())
    whole = {"jaccard": one + other - common, "overlap": min(one, other)}
    divisor = whole.get(task, (one + other) / 2)
    return common / divisor if common else 0.0


def check_independent_set(graph: Graph, mask: np.ndarray) -> None:
    """A maximal independent set.

    1. No arc joins two different vertices of the set.
    2. Every other vertex has a neighbour in it, in either direction.
    """
    source, target = _arc_sources(graph), graph.indices
    joined = source != target
    source, target = source[joined], target[joined]
    _require(not (mask[source] & mask[target]).any(), "two vertices of the set are joined")
    covered = mask.copy()
    covered[source[mask[target]]] = True
    covered[target[mask[source]]] = True
    _require(bool(covered.all()), "a vertex could be added to the set")


def check_cut(
    graph: Graph, capacity: np.ndarray, source: int, sink: int, value: float, side: np.ndarray
) -> None:
    """A cut of that value.

    1. It parts the source from the sink.
    2. The arcs from the source's side to the other carry the value in all. (Floats: up to rounding.)

    No cut can carry less than what flows; so with :func:`check_flow` both are the best there are.
    """
    _require(bool(side[source]) and not bool(side[sink]), "the cut does not part source and sink")
    crossing = side[_arc_sources(graph)] & ~side[graph.indices]
    off = abs(float(capacity[crossing].sum()) - float(value))
    _require(off <= _rounding(capacity), "the cut carries something else than the value")


def check_flow(
    graph: Graph, capacity: np.ndarray, source: int, sink: int, value: float, flow: np.ndarray
) -> None:
    """A flow of that value.

    1. Along no arc flows less than nothing or more than it can carry.
    2. What comes to a vertex leaves it; the source gives the value, and the sink takes it.
    """
    room = _rounding(capacity)
    _require(bool((flow >= 0).all()), "the flow along an arc is negative")
    _require(bool((flow <= capacity + room).all()), "more flows along an arc than it can carry")
    net = np.zeros(graph.n, flow.dtype)
    np.add.at(net, _arc_sources(graph), flow)
    np.subtract.at(net, graph.indices, flow)
    net[source] -= value
    net[sink] += value
    _require(float(abs(net).max()) <= room, "a vertex does not pass on what it gets")


def _rounding(capacity: np.ndarray) -> float:
    """How far sums of capacities may be off: not at all if they are whole."""
    return 0.0 if capacity.dtype.kind == "i" else 1e-9 * float(capacity.sum())
