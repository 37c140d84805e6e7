"""Checks of results by the properties that define them, independent of how they were computed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..graph.graph import Graph
from ..util.errors import VerificationError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from .similar import SimilarResult
    from .similarity import SimilarityResult

CHECKED_PAIRS = 1000  # whose similarity is computed again
CHECKED_VERTICES = 16  # to which distances are computed again
SQUARED_ROWS = 4096  # of the adjacency matrix at a time, because its square is large


def _require(condition: bool | np.bool_, problem: str) -> None:
    if not condition:
        raise VerificationError(f"the result is wrong: {problem}; please report this")


def check_bfs(
    graph: Graph, sources: np.ndarray, levels: np.ndarray, parents: np.ndarray, complete: bool
) -> None:
    """Check levels and parents of a breadth-first search.

    1. Sources, and no other vertices, have level 0 and are their own parents.
    2. A vertex has a parent if and only if it has a level; the parent is one level up, and there is
       an arc from it.
    3. If the search was not cut short, an arc out of a reached vertex leads at most one level down.
    """
    reached = levels >= 0
    roots = np.flatnonzero(levels == 0)
    _require(
        np.array_equal(roots, np.unique(sources)), "other vertices than the sources have level 0"
    )
    _require((parents[roots] == roots).all(), "a source is not its own parent")
    _require(np.array_equal(reached, parents >= 0), "levels and parents disagree")
    others = np.flatnonzero(levels > 0)
    _require((levels[parents[others]] == levels[others] - 1).all(), "a parent is not one level up")
    source, target = graph.arc_sources(), graph.indices
    has_arc = np.zeros(graph.n, bool)
    has_arc[target[source == parents[target]]] = True
    _require(has_arc[others].all(), "there is no arc from a parent")
    if complete:
        out = reached[source]
        _require(reached[target[out]].all(), "a neighbour of a reached vertex was not reached")
        down = levels[target[out]] - levels[source[out]]
        _require(int(down.max(initial=0)) <= 1, "an arc leads more than one level down")


def check_sssp(
    graph: Graph,
    weights: np.ndarray,
    sources: np.ndarray,
    distances: np.ndarray,
    predecessors: np.ndarray,
    exact: bool = True,
    end: float = np.inf,
) -> None:
    """Check distances, up to ``end``, and predecessors of shortest or (``exact=False``) other paths.

    1. No arc offers a shorter path to a vertex than the one that was found (unless paths are
       approximate; with negative float weights, up to rounding), and sources have distance 0 or less.
    2. A vertex that was reached has a predecessor, and an arc from it whose weight is the difference of
       the distances (at most that on approximate paths); only a source at distance 0 is its own.
    3. From every vertex that was reached, predecessors lead to a source.
    """
    from ..kernels.sssp.cycles import SLACK

    source, target = graph.arc_sources(), graph.indices
    with np.errstate(over="ignore", invalid="ignore"):
        reach = distances[source] + weights
        off = distances[target] - reach
        rounded = weights.dtype.kind == "f" and weights.min(initial=0) < 0
        room = SLACK * (abs(reach) + abs(weights)) if rounded else 0
        tight = (source == predecessors[target]) & ((abs(off) if exact else -off) <= room)
        nearer = exact and ((off > room) & (reach <= end)).any()
    _require(not nearer, "an arc leads to a nearer place than known")
    _require((distances[sources] <= 0).all(), "a source is away from itself")
    reached = np.isfinite(distances)
    _require(not (distances[reached] > end).any(), "a vertex is beyond the end")
    _require(np.array_equal(reached, predecessors >= 0), "distances and predecessors disagree")
    ids = np.arange(graph.n)
    roots = ids[reached & (predecessors == ids)]
    _require((distances[roots] == 0).all(), "a vertex away from 0 has no predecessor")
    _require(np.isin(roots, sources).all(), "other vertices than the sources are roots")
    explained = np.zeros(graph.n, bool)
    explained[target[tight]] = explained[roots] = True
    _require(np.array_equal(explained, reached), "no arc explains a predecessor")
    ahead = np.where(reached, predecessors, ids)
    for _ in range(max(graph.n, 1).bit_length()):  # twice as far each time
        ahead = ahead[ahead]
    _require(np.isin(ahead[reached], roots).all(), "predecessors do not lead to a source")


def check_components(graph: Graph, labels: np.ndarray) -> None:
    """Check labels of weakly connected components.

    1. The ends of every arc have the same label.
    2. A label is the smallest id of the vertices that have it.
    3. All vertices with the same label are connected. (SciPy's own search counts the components; given
       1., the counts agree only if this holds.)
    """
    from scipy.sparse.csgraph import connected_components as scipy_components

    source, target = graph.arc_sources(), graph.indices
    _require((labels[source] == labels[target]).all(), "an arc joins two components")
    ids = np.arange(graph.n)
    _require((labels <= ids).all(), "a label is larger than an id that has it")
    _require((labels[labels] == labels).all(), "a label is not the id of a vertex that has it")
    if graph.n:
        count = scipy_components(_pattern(graph), directed=True, connection="weak")[0]
        _require(
            int((labels == ids).sum()) == count, "vertices with the same label are not connected"
        )


def _pattern(graph: Graph) -> csr_array:
    """Return the pairs with arcs, each once: with parallel ones SciPy's search is wrong or endless."""
    pairs = graph._replace(weights=None).to_scipy()
    pairs.sum_duplicates()
    return pairs


def check_strong_components(graph: Graph, labels: np.ndarray) -> None:
    """Check labels of strongly connected components.

    A label is the smallest id of the vertices that have it, and vertices have the same label where, and
    only where, SciPy's search gives them the same number.
    """
    from scipy.sparse.csgraph import connected_components as scipy_components

    ids = np.arange(graph.n)
    _require((labels <= ids).all(), "a label is larger than an id that has it")
    _require((labels[labels] == labels).all(), "a label is not the id of a vertex that has it")
    if graph.n:
        count, numbers = scipy_components(_pattern(graph), directed=True, connection="strong")
        _require(int((labels == ids).sum()) == count, "SciPy counts other components")
        _require((numbers == numbers[labels]).all(), "vertices do not reach each other")


def check_core_numbers(rows: list[Graph], cores: np.ndarray) -> None:
    """Check core numbers. ``rows`` are the graph and, if it is directed, its transpose.

    1. A vertex of core number k has at least k neighbours whose core number is not smaller, so it is in
       the k-core.
    2. It is not in the (k + 1)-core: it goes when vertices with k neighbours or fewer are removed until
       there are none.
    """
    sources = np.concatenate([g.arc_sources() for g in rows])
    targets = np.concatenate([g.indices for g in rows])
    n = cores.size
    up = np.bincount(sources[cores[targets] >= cores[sources]], minlength=n)
    _require((up >= cores).all(), "a vertex has too few neighbours of its core")
    degrees = np.bincount(sources, minlength=n)
    there = np.ones(n, bool)
    for k in np.unique(cores):
        while (gone := there & (degrees <= k)).any():
            there &= ~gone
            degrees = degrees - np.bincount(targets[gone[sources]], minlength=n)
            kept = there[sources]
            sources, targets = sources[kept], targets[kept]
        _require(not (there & (cores <= k)).any(), "a vertex is in a core of a higher number")


def check_communities(
    graph: Graph, labels: np.ndarray, count: int, modularity: float, resolution: float
) -> None:
    """Check communities.

    1. They are numbered by the smallest ids in them.
    2. Each is connected. (SciPy counts the components that remain without the edges between them.)
    3. The modularity is that of the definition: for each community, the share of the weight that is
       within it, less the square of the share of its strength.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components as scipy_components

    found, first = np.unique(labels, return_index=True)
    _require(np.array_equal(found, np.arange(count)), "labels are not 0, 1, ...")
    _require((np.diff(first) > 0).all(), "labels are not in the order of their smallest ids")
    source, target = graph.arc_sources(), graph.indices
    given = graph.weights
    weights = np.ones(graph.arcs) if given is None else given.astype(np.float64)
    weights = weights / max(weights.max(initial=0.0), np.finfo(np.float64).tiny)  # sums stay finite
    weights = np.where(source == target, 2 * weights, weights)  # a loop has two ends
    within = labels[source] == labels[target]
    if graph.n:
        ends = (source[within], target[within])
        inner = coo_array((np.ones(ends[0].size), ends), shape=(graph.n, graph.n))
        _require(scipy_components(inner, directed=False)[0] == count, "one is not connected")
    whole = weights.sum() or 1.0
    shares = np.bincount(labels[source], weights, minlength=count) / whole
    value = weights[within].sum() / whole - resolution * (shares * shares).sum()
    _require(abs(value - modularity) < 1e-7 * (1 + resolution), f"the modularity is {value}")


def check_distance_sums(
    graph: Graph,
    sources: np.ndarray,
    reached: np.ndarray,
    sums: np.ndarray | None,
    inverse: np.ndarray | None = None,
) -> None:
    """Compare sums over distances from ``sources`` with single searches to some vertices.

    ``sums`` are of distances, ``inverse`` of their reciprocals, as estimates from all vertices.
    """
    from .bfs import bfs

    back = graph.transpose
    scale = graph.n / max(sources.size, 1)
    for v in np.linspace(0, graph.n - 1, min(graph.n, CHECKED_VERTICES)).astype(np.int64).tolist():
        levels = bfs(back, v, trace=False).levels[sources].astype(np.int64)
        levels = levels[levels > 0]
        _require(levels.size == reached[v], f"{levels.size} sources reach vertex {v}")
        if sums is not None:
            _require(levels.sum() == sums[v], f"the distances to vertex {v} differ")
        if inverse is not None:
            wanted = scale * float((1 / levels).sum())
            _require(abs(wanted - inverse[v]) <= 1e-6 * (1 + wanted), f"vertex {v} has {wanted}")


def check_distances(
    graph: Graph, sources: np.ndarray, targets: np.ndarray, distances: np.ndarray
) -> None:
    """Compare distances, of pairs or as a matrix, with a search from each source."""
    from .bfs import bfs
    from .sssp import sssp

    for v in np.unique(sources).tolist():
        if graph.weights is None:
            found = np.asarray(bfs(graph, v, trace=False).levels)
        else:
            found = np.asarray(sssp(graph, v, trace=False).distances)
        mine = sources == v
        wanted = found[targets if distances.ndim == 2 else targets[mine]]
        # Sums of real weights depend on the order of a path's arcs.
        right = np.allclose(distances[mine], wanted, rtol=1e-9, atol=0)
        _require(right, f"distances from vertex {v} differ")


def check_betweenness(graph: Graph, sources: np.ndarray, total: np.ndarray) -> None:
    """Check sums of dependencies: a path over k arcs leads through k - 1 vertices on its way."""
    from .bfs import bfs

    _require((total >= 0).all(), "a dependency is negative")
    inside = 0
    for s in sources.tolist():
        levels = bfs(graph, s, trace=False).levels.astype(np.int64)
        inside += int((levels[levels > 0] - 1).sum())
    off = abs(float(total.sum()) - inside)
    _require(off <= 1e-9 * (1 + inside), f"paths have {inside} inner vertices, not {total.sum()}")


def check_triangles(simple: Graph, count: int) -> None:
    """Check the number of triangles of a simple undirected graph.

    A triangle is a path of two edges whose ends are joined. The sum of the square of the adjacency
    matrix over the entries of the matrix counts each triangle six times.
    """
    adjacency = simple.to_scipy()
    adjacency.data = np.ones(simple.arcs, np.int64)  # whatever the weights
    paths = 0
    for lo in range(0, simple.n, SQUARED_ROWS):
        part = adjacency[lo : lo + SQUARED_ROWS]
        paths += int((part @ adjacency).multiply(part).sum())
    _require(paths == 6 * count, f"there are {paths // 6} triangles, not {count}")


def check_product(graph: Graph, vector: np.ndarray, product: np.ndarray) -> None:
    """Compare the product of the adjacency matrix and a vector with SciPy's."""
    matrix = graph.to_scipy().astype(np.float64)
    room = 1e-9 * (abs(matrix) @ abs(vector))
    _require((abs(matrix @ vector - product) <= room).all(), "it is not SciPy's product")


def check_pagerank(
    graph: Graph, scores: np.ndarray, damping: float, jump: np.ndarray, change: float
) -> None:
    """Check scores of PageRank.

    1. They are not negative and their sum is 1.
    2. One more iteration, done with SciPy, changes them by no more than the last one did.
    """
    _require((scores >= 0).all(), "a score is negative")
    _require(abs(float(scores.sum()) - 1) < 1e-6, "the scores do not sum to 1")
    matrix = graph.to_scipy().astype(np.float64)
    out = matrix.sum(axis=1)
    share = np.divide(scores, out, out=np.zeros_like(scores), where=out > 0)
    lost = float(scores[out == 0].sum())
    again = damping * (matrix.T @ share + lost * jump) + (1 - damping) * jump
    _require(
        float(abs(again - scores).sum()) <= change * 1.0001 + 1e-12, "the scores do not settle"
    )


def check_similarity(
    graph: Graph, task: str, weighted: bool, found: SimilarityResult | SimilarResult
) -> None:
    """Compute the similarity of a sample of the pairs again, with dictionaries."""
    size = found.values.size
    counts = np.bincount(graph.indices, minlength=graph.n).tolist()
    for at in np.linspace(0, size - 1, min(CHECKED_PAIRS, size)).astype(int):
        u, v = int(found.source[at]), int(found.target[at])
        a, b = (_row(graph, x, weighted) for x in (u, v))
        if task == "adamic_adar":
            value = sum(1 / math.log(counts[w]) for w in a.keys() & b.keys() if counts[w] > 1)
        elif task == "resource_allocation":
            value = sum(1 / counts[w] for w in a.keys() & b.keys())
        else:
            value = _similarity(task, a, b)
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
    """Check a maximal independent set.

    1. No arc joins two different vertices of the set.
    2. Every other vertex has a neighbour in the set, in either direction.
    """
    source, target = graph.arc_sources(), graph.indices
    joined = source != target
    source, target = source[joined], target[joined]
    _require(not (mask[source] & mask[target]).any(), "two vertices of the set are joined")
    covered = mask.copy()
    covered[source[mask[target]]] = True
    covered[target[mask[source]]] = True
    _require(covered.all(), "a vertex could be added to the set")


def check_cut(
    graph: Graph, capacity: np.ndarray, source: int, sink: int, value: float, side: np.ndarray
) -> None:
    """Check a cut of that value.

    1. It separates the source from the sink.
    2. The capacities of the arcs from the source's side to the other sum to the value (floats: up to
       rounding).

    No flow exceeds the capacity of a cut, so with :func:`check_flow` both are optimal.
    """
    _require(side[source] and not side[sink], "the cut does not separate source and sink")
    crossing = side[graph.arc_sources()] & ~side[graph.indices]
    off = abs(float(capacity[crossing].sum()) - float(value))
    _require(off <= _rounding(capacity), "the capacity of the cut is not the value")


def check_flow(
    graph: Graph, capacity: np.ndarray, source: int, sink: int, value: float, flow: np.ndarray
) -> None:
    """Check a flow of that value.

    1. The flow along every arc is between 0 and its capacity.
    2. What flows into a vertex flows out of it; at the source and the sink, the difference is the
       value.
    """
    room = _rounding(capacity)
    _require((flow >= 0).all(), "the flow along an arc is negative")
    _require((flow <= capacity + room).all(), "the flow along an arc exceeds its capacity")
    net = np.zeros(graph.n, flow.dtype)
    np.add.at(net, graph.arc_sources(), flow)
    np.subtract.at(net, graph.indices, flow)
    net[source] -= value
    net[sink] += value
    _require(float(abs(net).max()) <= room, "the flow into a vertex is not the flow out of it")


def _rounding(capacity: np.ndarray) -> float:
    """Return the rounding error that sums of capacities may have: 0 if they are whole."""
    return 0.0 if capacity.dtype.kind == "i" else 1e-9 * float(capacity.sum())
