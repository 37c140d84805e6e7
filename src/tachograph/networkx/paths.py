"""NetworkX's searches and shortest paths: breadth-first, Dijkstra's, and with negative weights.

Most functions differ in where a search begins, its method, and what is made of the result; those are
rows of the tables below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

import networkx as nx
import numpy as np
import numpy.typing as npt

import tachograph as tg

from ..graph.graph import Graph
from ..kernels.paths.meeting import meeting_path, near_meeting_path
from ..kernels.paths.ordered import breadth_first
from ..util.errors import NegativeCycleError
from . import search
from .graph import Node, Query
from .search import Found, Paths, hops, near, negative, pred_lists, relaxed

T = TypeVar("T")
ByNode: TypeAlias = Mapping[Node, object]
Pairs: TypeAlias = Iterator[tuple[Node, Node]]
Answer: TypeAlias = Callable[[Query], object]
LOST_HERE = "Node {} is not found in the graph"


def _rows(q: Query) -> Graph:
    return q.G.weighted(q.weight)


def _checked(q: Query) -> Graph:
    if negative(g := _rows(q)):
        raise NotImplementedError("Dijkstra's algorithm with negative weights is left to NetworkX")
    return g


class Method(NamedTuple):
    """How to search, in which graph, and what NetworkX says, asked for lengths and for paths, of a
    source that is not in the graph and of a target that cannot be reached.
    """

    search: Callable[[Query, Graph, list[int], bool], Found]
    graph: Callable[[Query], Graph]
    lost: tuple[str, str]
    far: tuple[str, str] = ("", "")


HOPS = Method(hops, lambda q: q.G.rows, ("Source {} is not in G", "Source {} not in G"))
NEAR = Method(
    near,
    _checked,
    ("Node {} not found in graph",) * 2,
    ("Node {0} not reachable from {1}", "No path to {0}."),
)
RELAXED = Method(
    relaxed,
    _rows,
    ("Source {} not in G",) * 2,
    ("node {0} not reachable from {1}", "Target {0} cannot be reached from given sources"),
)


def _sources(method: Method, q: Query, paths: bool = True) -> list[int]:
    """Return the places of the sources, which must all be in the graph."""
    nodes = [q.source] if q.sources is None else list(q.sources)
    if not nodes:
        raise ValueError("sources must not be empty")
    return [q.G.place(node, method.lost[paths]) for node in nodes]


def _from_sources(method: Method, shape: Callable[[Found], T], q: Query) -> T:
    paths = shape is not Found.lengths
    places = _sources(method, q, paths)
    return shape(method.search(q, method.graph(q), places, paths))


def _from_all(method: Method, shape: Callable[[Found], T], q: Query) -> Iterator[tuple[Node, T]]:
    """Search from each node; weights that cannot be used are refused before the first search."""
    g, paths = method.graph(q), shape is not Found.lengths
    return ((node, shape(method.search(q, g, [at], paths))) for at, node in enumerate(q.G))


def _to_target(method: Method, shape: Callable[[Found], ByNode], q: Query) -> ByNode:
    """Search from the target, with every edge turned round."""
    g, paths = method.graph(q).transpose, shape is not Found.lengths
    lost = method.lost[paths]
    place = q.G.place(q.target, lost.replace("Source", "Target") if method is HOPS else lost)
    made = shape(method.search(q, g, [place], paths))
    return {node: cast("list[Node]", path)[::-1] for node, path in made.items()} if paths else made


def _to_one(method: Method, paths: bool, q: Query) -> tuple[object, object]:
    """Return the length of a path to the target, and the path."""
    if method is RELAXED and q.source == q.target:
        q.G.place(q.source, LOST_HERE if paths else NEAR.lost[0])
    sources, at = _sources(method, q, paths), q.G.find(q.target)
    if at in sources:
        return 0, [q.target]
    g = method.graph(q)
    found = near(q, g, sources, True, at) if method is NEAR else method.search(q, g, sources, True)
    reached = np.flatnonzero(found.order == at)
    if not reached.size:
        raise nx.NetworkXNoPath(method.far[paths].format(q.target, q.source))
    return found.distances[reached[0]].item(), found.path(at)


def _lengths_and_paths(method: Method, q: Query) -> tuple[object, object]:
    """Return all lengths and paths, or those of one target."""
    if q.target is None:
        return _from_sources(method, Found.both, q)
    return _to_one(method, True, q)


def _length(method: Method, q: Query) -> object:
    return _to_one(method, False, q)[0]


def _path(method: Method, q: Query) -> object:
    return _lengths_and_paths(method, q)[1]


def _shortest(shape: Callable[[Found], ByNode], q: Query) -> object:
    """Return paths or lengths by the method that is asked for, from and to what is given."""
    method = HOPS if q.weight is None else {"dijkstra": NEAR, "bellman-ford": RELAXED}[q.method]
    if q.source is None:
        return (_from_all if q.target is None else _to_target)(method, shape, q)
    if q.target is None:
        return _from_sources(method, shape, q)
    paths = shape is not Found.lengths
    if method is HOPS:
        path = bidirectional_shortest_path(q)
        return path if paths else len(path) - 1
    if paths and method is NEAR:
        return bidirectional_dijkstra(q)[1]
    return _to_one(method, paths, q)[paths]


shortest_path: Answer = partial(_shortest, Found.paths)
shortest_path_length: Answer = partial(_shortest, Found.lengths)
single_source_shortest_path: Answer = partial(_from_sources, HOPS, Found.paths)
single_source_shortest_path_length: Answer = partial(_from_sources, HOPS, Found.lengths)
single_target_shortest_path: Answer = partial(_to_target, HOPS, Found.paths)
single_target_shortest_path_length: Answer = partial(_to_target, HOPS, Found.lengths)
all_pairs_shortest_path: Answer = partial(_from_all, HOPS, Found.paths)
all_pairs_shortest_path_length: Answer = partial(_from_all, HOPS, Found.lengths)
multi_source_dijkstra: Answer = partial(_lengths_and_paths, NEAR)
single_source_dijkstra: Answer = multi_source_dijkstra
multi_source_dijkstra_path: Answer = partial(_from_sources, NEAR, Found.paths)
multi_source_dijkstra_path_length: Answer = partial(_from_sources, NEAR, Found.lengths)
single_source_dijkstra_path: Answer = multi_source_dijkstra_path
single_source_dijkstra_path_length: Answer = multi_source_dijkstra_path_length
dijkstra_path: Answer = partial(_path, NEAR)
dijkstra_path_length: Answer = partial(_length, NEAR)
all_pairs_dijkstra: Answer = partial(_from_all, NEAR, Found.both)
all_pairs_dijkstra_path: Answer = partial(_from_all, NEAR, Found.paths)
all_pairs_dijkstra_path_length: Answer = partial(_from_all, NEAR, Found.lengths)
single_source_bellman_ford: Answer = partial(_lengths_and_paths, RELAXED)
single_source_bellman_ford_path: Answer = partial(_from_sources, RELAXED, Found.paths)
single_source_bellman_ford_path_length: Answer = partial(_from_sources, RELAXED, Found.lengths)
bellman_ford_path: Answer = partial(_path, RELAXED)
bellman_ford_path_length: Answer = partial(_length, RELAXED)
all_pairs_bellman_ford_path: Answer = partial(_from_all, RELAXED, Found.paths)
all_pairs_bellman_ford_path_length: Answer = partial(_from_all, RELAXED, Found.lengths)


def _search(q: Query) -> Found:
    """Search from a node that a traversal begins at."""
    place = q.G.place(q.source, "The node {} is not in the graph.", nx.NetworkXError)
    return hops(q, q.G.rows, [place])


def _tree(q: Query) -> tuple[list[Node], list[Node]]:
    """Return parents and children of a search's tree, in the order of the search."""
    found = _search(q)
    met = found.order[1:]
    return q.G.named(found.parent[met]), q.G.named(met)


def bfs_edges(q: Query) -> Pairs:
    yield from zip(*_tree(q), strict=True)


generic_bfs_edges = bfs_edges


def bfs_tree(q: Query) -> nx.DiGraph[Any]:
    tree = nx.DiGraph()
    tree.add_node(q.source)
    tree.add_edges_from(bfs_edges(q))
    return tree


def bfs_predecessors(q: Query) -> Pairs:
    parents, children = _tree(q)
    yield from zip(children, parents, strict=True)


def bfs_successors(q: Query) -> Iterator[tuple[Node, list[Node]]]:
    found = _search(q)
    children = found.order[1:]
    if not children.size:
        yield q.source, []
        return
    parents = found.parent[children]
    begins = np.flatnonzero(np.diff(parents, prepend=-1))
    nodes = q.G.named(children)
    ends = [*begins[1:].tolist(), len(nodes)]
    for parent, a, b in zip(q.G.named(parents[begins]), begins.tolist(), ends, strict=True):
        yield parent, nodes[a:b]


def bfs_layers(q: Query) -> Iterator[list[Node]]:
    G, rows = q.G, q.G.rows
    given = cast(Iterable[Node], [q.sources] if q.sources in G else q.sources)
    first = list(set(given))
    lost = "The node {} is not in the graph."
    places = search.as_sources(rows, (G.place(node, lost, nx.NetworkXError) for node in first))
    order, _, ends = breadth_first(rows.rows, places, rows.n)
    if first:
        yield first
    nodes = G.named(order)
    for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        yield nodes[a:b]


def descendants_at_distance(q: Query) -> set[Node]:
    q.cutoff = q.distance
    found = _search(q)
    return set(q.G.named(found.order[found.distances == q.distance]))


def _ends(q: Query) -> tuple[int, int]:
    source = q.G.place(q.source, "Source {} is not in G")
    return source, q.G.place(q.target, "Target {} is not in G")


def bidirectional_shortest_path(q: Query) -> list[Node]:
    rows = q.G.rows
    path = meeting_path(rows.rows, rows.transpose.rows, *_ends(q))
    if not path:
        raise nx.NetworkXNoPath(f"No path between {q.source} and {q.target}.")
    return q.G.named(np.array(path))


def has_path(q: Query) -> bool:
    try:
        return bool(bidirectional_shortest_path(q))
    except nx.NetworkXNoPath:
        return False


def bidirectional_dijkstra(q: Query) -> tuple[float, list[Node]]:
    ends = _ends(q)
    if q.source == q.target:
        return 0, [q.source]
    g = _checked(q)
    length, path = near_meeting_path(
        search.weighted_rows(g), search.weighted_rows(g.transpose), *ends
    )
    if not path:
        raise nx.NetworkXNoPath(f"No path between {q.source} and {q.target}.")
    return search.as_numbers(g, np.array([length]))[0].item(), q.G.named(np.array(path))


def predecessor(q: Query) -> object:
    q.cutoff = max(1, q.cutoff) if q.cutoff else None
    found = hops(q, q.G.rows, _sources(HOPS, q))
    pred, seen = pred_lists(found, q.G.rows), found.lengths()
    if q.target is None:
        return (pred, seen) if q.return_seen else pred
    before, level = pred.get(q.target, []), seen.get(q.target, -1)
    return (before, level) if q.return_seen else before


def dijkstra_predecessor_and_distance(q: Query) -> tuple[Paths, dict[Node, float]]:
    place, g = q.G.place(q.source, LOST_HERE), _checked(q)
    found = near(q, g, [place])
    return pred_lists(found, g), found.lengths()


def _loops_checked(q: Query) -> tuple[Graph, list[int]]:
    """Refuse a negative loop anywhere before the search, as NetworkX does."""
    at, g = q.G.place(q.source, LOST_HERE), _rows(q)
    if g.weights is not None and (g.weights[g.arc_sources() == g.indices] < 0).any():
        raise nx.NetworkXUnbounded(search.UNBOUNDED)
    return g, [at]


def bellman_ford_predecessor_and_distance(q: Query) -> tuple[Paths, dict[Node, float]]:
    g, places = _loops_checked(q)
    if len(q.G) == 1:
        return {q.source: []}, {q.source: 0}
    found = relaxed(q, g, places)
    return pred_lists(found, g), found.lengths()


def goldberg_radzik(q: Query) -> tuple[dict[Node, Node], dict[Node, float]]:
    found = relaxed(q, *_loops_checked(q))
    pred = q.G.labelled(found.order, q.G.named(found.parent[found.order]))
    pred[q.source] = None
    return pred, found.lengths()


def _negative_cycle(g: Graph, sources: npt.ArrayLike) -> list[int]:
    """Return a negative cycle that can be reached from the sources, or an empty list."""
    try:
        if negative(g):
            tg.sssp(g, sources, trace=False)
    except NegativeCycleError as found:
        return [*found.cycle, found.cycle[0]]
    return []


def negative_edge_cycle(q: Query) -> bool:
    return bool(_negative_cycle(_rows(q), np.arange(len(q.G))))


def find_negative_cycle(q: Query) -> list[Node]:
    cycle = _negative_cycle(_rows(q), _sources(RELAXED, q))
    if not cycle:
        raise nx.NetworkXError("No negative cycles detected.")
    return q.G.named(np.array(cycle))


def johnson(q: Query) -> dict[Node, Paths]:
    g = _rows(q)
    if negative(g):
        assert g.weights is not None
        potential = search.any_distances(g, np.arange(g.n), None).distances
        lifted = g.weights + potential[g.arc_sources()] - potential[g.indices]
        g = g._replace(weights=np.maximum(lifted, 0.0))  # rounding must not make any negative
    return {node: near(q, g, [at]).paths() for at, node in enumerate(q.G)}
