"""What functions of the backend get: a graph with rows in the adjacency's order, and arguments."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from ..graph.foreign import as_weights
from ..graph.graph import Graph
from ..util.errors import InputError

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["BackendGraph", "Node", "Query"]

#: A node of a NetworkX graph; None stands for no node.
Node: TypeAlias = Hashable
T = TypeVar("T")

# How NetworkX's functions combine the attributes of parallel edges.
COMBINE = {"min": np.minimum, "sum": np.add}


class BackendGraph:
    """What NetworkX's functions get when Tachograph runs them. It cannot be changed.

    Parameters
    ----------
    nodes
        As NetworkX iterates over them.
    rows
        The neighbours of each, one arc for all parallel edges, in the order of NetworkX's adjacency.
    attributes
        The values of all edges for each edge attribute that was asked for, in that order (parallel
        edges next to each other), or why they cannot be used.
    parallel
        How many edges each arc stands for; None if it is not a multigraph.
    """

    __networkx_backend__ = "tachograph"

    def __init__(
        self,
        nodes: Sequence[Node],
        rows: Graph,
        attributes: dict[str, np.ndarray | str],
        parallel: np.ndarray | None = None,
    ) -> None:
        self.nodes = nodes
        self.rows = rows
        self.attributes = attributes
        self.parallel = parallel
        self._weighted: dict[tuple[str, str], Graph] = {}

    def is_directed(self) -> bool:
        return self.rows.directed

    def is_multigraph(self) -> bool:
        return self.parallel is not None

    def number_of_nodes(self) -> int:
        return self.rows.n

    def number_of_edges(self) -> int:
        """The number of edges; parallel edges count separately."""
        if self.parallel is None:
            return self.rows.m
        total = int(self.parallel.sum())
        if self.is_directed():
            return total
        loops = self.parallel[self.rows.arc_sources() == self.rows.indices]
        return (total + int(loops.sum())) // 2

    def __len__(self) -> int:
        return self.rows.n

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __contains__(self, node: object) -> bool:
        return self.find(node) >= 0

    @property
    def plain(self) -> bool:
        """Whether the nodes are 0, 1, 2, ... in this order."""
        return isinstance(self.nodes, range)

    @cached_property
    def _places(self) -> dict[Node, int]:
        return dict(zip(self.nodes, range(self.rows.n), strict=True))

    @cached_property
    def _objects(self) -> np.ndarray:
        return np.fromiter(self.nodes, object, self.rows.n)

    def find(self, node: object) -> int:
        """Return the place of a node, or -1 if it is not in the graph."""
        if self.plain and type(node) is int:
            return node if 0 <= node < self.rows.n else -1
        try:
            return self._places.get(node, -1)
        except TypeError:  # it cannot be hashed
            return -1

    def place(
        self, node: object, message: str, error: type[nx.NetworkXException] | None = None
    ) -> int:
        """Return the place of a node, or raise ``error`` (``nx.NodeNotFound``) with the message."""
        at = self.find(node)
        if at < 0:
            import networkx as nx

            raise (error or nx.NodeNotFound)(message.format(node))
        return at

    def find_all(self, nodes: Sequence[Node]) -> np.ndarray:
        """Return the places of many nodes; -1 for those that are not in the graph."""
        if self.plain and set(map(type, nodes)) <= {int}:
            places = np.array(nodes, object if len(nodes) == 0 else None)
            if places.dtype == np.int64:
                return np.where((places >= 0) & (places < self.rows.n), places, -1)
        get = self._places.get
        return np.fromiter((get(node, -1) for node in nodes), np.int64, len(nodes))

    def named(self, places: np.ndarray) -> list[Node]:
        """Return the nodes at these places."""
        nodes: list[Node] = (places if self.plain else self._objects[places]).tolist()
        return nodes

    def by_node(self, values: np.ndarray) -> dict[Node, Any]:
        """Return a dict with a value for every node."""
        return dict(zip(self.nodes, values.tolist(), strict=True))

    def labelled(self, places: np.ndarray, values: Iterable[T]) -> dict[Node, T]:
        """Return a dict with a value for each of these places."""
        return dict(zip(self.named(places), values, strict=True))

    def weighted(self, attribute: str | None, combine: str = "min") -> Graph:
        """Return the rows with an edge attribute as weights; parallel edges are combined.

        Raises
        ------
        NotImplementedError
            If the attribute has values that cannot be used, so that NetworkX has to do it itself.
        """
        if attribute is None:
            return self.rows
        key = attribute, combine
        if key not in self._weighted:
            try:
                weights = as_weights(self.values(attribute, combine), self.rows.arcs)
            except InputError as problem:
                raise NotImplementedError(f"edge attribute {attribute!r}: {problem}") from None
            assert weights is not None
            weights.flags.writeable = False
            self._weighted[key] = self.rows._replace(weights=weights)
        return self._weighted[key]

    def values(self, attribute: str, combine: str) -> np.ndarray:
        """Return the attribute of each arc, int64 or float64."""
        found = self.attributes.get(
            attribute, f"the graph was converted without the edge attribute {attribute!r}"
        )
        if isinstance(found, str):
            raise NotImplementedError(found)
        if self.parallel is None or found.size == self.rows.arcs:
            return found
        begins = np.cumsum(self.parallel) - self.parallel
        combined: np.ndarray = COMBINE[combine].reduceat(found, begins)
        return combined


@dataclass
class Query:
    """The arguments of a call of NetworkX, by name; a ``depth_limit`` is a ``cutoff``, too."""

    G: BackendGraph
    source: Node = None
    sources: Iterable[Node] | None = None
    target: Node = None
    weight: str | None = None
    cutoff: float | None = None
    distance: float = 0
    method: str = "dijkstra"
    return_seen: bool | None = None
    nodes: Node | Iterable[Node] = None
    count_zeros: bool = True
    ebunch: Iterable[tuple[Node, Node]] | None = None
    resolution: float = 1.0
    seed: random.Random | np.random.RandomState | None = None
    capacity: str = "capacity"
    alpha: float = 0.85
    personalization: Mapping[Node, float] | None = None
    nstart: Mapping[Node, float] | None = None
    dangling: Mapping[Node, float] | None = None
    max_iter: int = 100
    tol: float = 1e-6
    direction: str | None = None
    wf_improved: bool = True
    normalized: bool = True
    max_error: float | None = None
    threads: int | None = None
