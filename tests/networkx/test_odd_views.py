"""Views and subclasses that contradict themselves: left to NetworkX, never walked by loops that trust them."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest

from tachograph.networkx.convert import convert_from_nx

EDGES = [(i, (i * 7 + 3) % 20) for i in range(20)] + [(i, (i * 3 + 1) % 20) for i in range(20)]


@pytest.mark.parametrize("kind", [nx.Graph, nx.MultiGraph])
def test_a_filter_that_shows_edges_from_one_end(kind: Any) -> None:
    """Clustering read behind the end of its arrays, and PageRank had other scores."""
    view = nx.subgraph_view(kind(EDGES), filter_edge=lambda *edge: edge[0] != 3)
    with pytest.raises(NotImplementedError, match="from one end only"):
        convert_from_nx(view)
    with nx.config(backend_priority=["tachograph"], fallback_to_nx=True):
        assert nx.pagerank(view) == nx.pagerank(view, backend="networkx")
    both = nx.subgraph_view(kind(EDGES), filter_edge=lambda *edge: 3 not in edge[:2])
    assert convert_from_nx(both).number_of_edges() == both.number_of_edges()


def test_a_filter_that_hides_a_parallel_edge_from_one_end() -> None:
    graph = nx.MultiGraph([(0, 1), (0, 1), (1, 2)])
    view = nx.subgraph_view(graph, filter_edge=lambda u, v, key: (u, key) != (0, 1))
    with pytest.raises(NotImplementedError, match="from one end only"):
        convert_from_nx(view)


@pytest.mark.parametrize("nodes", [(0, 1), (5, 7), ("a", "b")])
def test_neighbours_that_are_no_nodes(nodes: tuple[Any, Any]) -> None:
    """Their ids were whatever lay in memory, or beyond the last vertex."""

    class Odd(nx.DiGraph):  # type: ignore[type-arg]
        def adjacency(self) -> Any:
            one, other = nodes
            return iter([(one, {other: {}}), (other, {"zz" if one == "a" else 6: {}})])

    with pytest.raises(NotImplementedError, match="not among its nodes"):
        convert_from_nx(Odd([nodes]))
