"""How NetworkX finds the backend, what is converted, what is declined, and when it is used."""

from __future__ import annotations

import inspect
import logging
import os
import subprocess
import sys
import time

import networkx as nx
import numpy as np
import pytest

from tachograph.networkx import backend, decide
from tachograph.networkx.convert import convert_from_nx, convert_to_nx
from tachograph.networkx.functions import FUNCTIONS
from tachograph.networkx.graph import BackendGraph
from tachograph.networkx.info import get_info

from .graphs import CLASSES, KINDS, random_graph


def python(code, **environment):
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    return run.stdout.split()


def test_networkx_knows_the_backend_and_loads_nothing_for_it():
    code = "import sys, networkx as nx; print('tachograph' in nx.config.backends, *sys.modules)"
    known, *modules = python(code)
    assert known == "True"
    assert not {"numba", "scipy", "tachograph.networkx.backend", "tachograph.graph"} & set(modules)


def test_an_environment_variable_is_enough():
    code = (
        "import sys, networkx as nx; G = nx.gnm_random_graph(3000, 20000, seed=1); nx.pagerank(G);"
        "print('tachograph' in G.__networkx_cache__['backends'])"
    )
    assert python(code, NETWORKX_BACKEND_PRIORITY="tachograph") == ["True"]
    assert python(code.replace("nx.pagerank(G)", "G.__networkx_cache__['backends'] = {}")) == [
        "False"
    ]


def test_every_function_is_there_with_the_parameters_of_networkx():
    info = get_info()["functions"]
    for name in FUNCTIONS:
        theirs = nx.utils.backends._registered_algorithms[name].orig_func
        ours = inspect.signature(getattr(backend, name)).parameters.values()
        keyword = inspect.Parameter.KEYWORD_ONLY
        plain = [(p.name, p.default) for p in ours if p.kind is not keyword]
        expected = inspect.signature(theirs).parameters.values()
        assert plain == [(p.name, p.default) for p in expected if p.kind is p.POSITIONAL_OR_KEYWORD]
        extra = {text.split(" : ")[0] for text in info[name]["additional_parameters"]}
        known = {p.name for p in expected if p.kind is keyword}
        assert {p.name for p in ours if p.kind is keyword} == extra | known
    assert not hasattr(backend, "girvan_newman")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_conversion_keeps_everything_in_order(cls, kind):
    graph = random_graph(cls, kind, 12, 30, seed=3)
    made = convert_from_nx(graph, edge_attrs={"weight": 1})
    assert list(made) == list(graph)
    assert len(made) == len(graph)
    assert made.number_of_edges() == graph.number_of_edges()
    assert (made.is_directed(), made.is_multigraph()) == (
        graph.is_directed(),
        graph.is_multigraph(),
    )
    for at, node in enumerate(graph):
        assert made.named(made.rows.row(at)) == list(graph.adj[node])
        assert node in made
        assert made.find(node) == at
    back = convert_to_nx(made)
    assert type(back) is cls
    nx.set_edge_attributes(
        graph, {e: 1 for e in graph.edges if "weight" not in graph.edges[e]}, "weight"
    )
    for _, _, data in graph.edges(data=True):
        data.pop("capacity", None)
    assert back.adj == graph.adj


def test_nodes_that_are_equal_are_found():
    made = convert_from_nx(nx.path_graph(5))
    found = [made.find(node) for node in (3, 3.0, np.int64(3), True, "3", [3], -1, 5)]
    assert found == [3, 3, 3, 1, -1, -1, -1, -1]


def test_views_and_classes_of_their_own():
    graph = nx.path_graph(6)
    view = nx.subgraph_view(graph, filter_node=lambda n: n != 2)
    assert list(nx.connected_components(view, backend="tachograph")) == [{0, 1}, {3, 4, 5}]
    several = nx.MultiGraph([(0, 1), (0, 1), (1, 2)]).edge_subgraph([(0, 1, 0)])
    assert nx.single_source_shortest_path_length(several, 0, backend="tachograph") == {0: 0, 1: 1}
    from networkx.algorithms.approximation.kcomponents import _AntiGraph

    anti = _AntiGraph(graph)
    expected = nx.single_source_shortest_path_length(nx.complement(graph), 0)
    assert nx.single_source_shortest_path_length(anti, 0, backend="tachograph") == expected


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("three", "type str"),
        (None, "NoneType"),
        (float("nan"), "finite"),
        (2**70, "64 bits"),
        (1j, "complex"),
    ],
)
def test_weights_that_are_left_to_networkx(value, problem):
    graph = nx.path_graph(4)
    graph[1][2]["weight"] = value
    made = convert_from_nx(graph, edge_attrs={"weight": 1})
    with pytest.raises(NotImplementedError, match=problem):
        made.weighted("weight")
    with pytest.raises(NotImplementedError, match="without the edge attribute 'cost'"):
        made.weighted("cost")
    if isinstance(value, int):
        with nx.config(backend_priority=["tachograph"]):
            assert nx.dijkstra_path_length(graph, 0, 3) == 2**70 + 2


def test_a_graph_of_the_backend_can_be_used_by_itself():
    made = convert_from_nx(nx.star_graph(4), edge_attrs={"weight": 1})
    assert isinstance(made, BackendGraph)
    assert convert_from_nx(made) is made
    assert nx.pagerank(made) == nx.pagerank(nx.star_graph(4), backend="tachograph")
    assert nx.is_connected(made)
    with nx.config(fallback_to_nx=True):
        assert nx.diameter(made) == 2


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "reason"),
    [
        ("dijkstra_path", (nx.path_graph(3), 0, 2), {"weight": lambda u, v, d: 1}, "functions"),
        ("bfs_edges", (nx.DiGraph([(0, 1)]), 1, True), {}, "predecessors"),
        ("bfs_edges", (nx.path_graph(3), 0), {"sort_neighbors": sorted}, "functions"),
        ("clustering", (nx.DiGraph(),), {}, "undirected"),
        ("clustering", (nx.Graph(),), {"weight": "weight"}, "without weights"),
        ("maximum_flow", (nx.DiGraph(), 0, 1), {"cutoff": 3}, "options"),
        ("shortest_path", (nx.Graph(),), {"method": "guess"}, "no such method"),
        ("girvan_newman", (nx.Graph(),), {}, "no girvan"),
        ("louvain_communities", (nx.DiGraph(),), {}, "undirected"),
        ("louvain_communities", (nx.Graph(),), {"max_level": 2}, "levels"),
        ("pagerank", (), {}, "missing"),
    ],
)  # fmt: skip
def test_what_is_declined(name, args, kwargs, reason):
    assert reason in backend.can_run(name, args, kwargs)


def test_the_rest_can_be_run():
    assert backend.can_run("bfs_edges", (nx.path_graph(3), 0), {"reverse": True}) is True
    assert backend.can_run("pagerank", (nx.path_graph(3),), {}) is True


def test_small_graphs_are_left_to_networkx_and_large_ones_are_not(caplog):
    small, large = nx.path_graph(5), nx.gnm_random_graph(5000, 40_000, seed=1)
    with nx.config(backend_priority=["tachograph"]), caplog.at_level(logging.DEBUG, "networkx"):
        nx.single_source_shortest_path_length(small, 0)
        assert "NetworkX is predicted to take" in caplog.text
        assert "to convert the graph" in caplog.text
        nx.pagerank(large)
    assert not small.__networkx_cache__.get("backends")
    assert large.__networkx_cache__["backends"]["tachograph"]


def test_should_run_depends_on_arguments():
    graph = nx.gnm_random_graph(5000, 40_000, seed=1)
    assert decide.should_run("single_source_dijkstra_path_length", (graph, 0), {}) is True
    assert decide.should_run("single_source_shortest_path_length", (graph, 0, 1), {}) is not True
    assert decide.should_run("shortest_path", (graph, 0, 1), {}) is not True
    assert decide.should_run("shortest_path_length", (graph,), {}) is True
    assert decide.should_run("shortest_path", (graph,), {}) is not True  # 25 million lists
    nodes = list(range(100))
    assert decide.should_run("jaccard_coefficient", (graph, [(0, 1)]), {}) is not True
    assert decide.should_run(
        "jaccard_coefficient", (graph, [(i, j) for i in nodes for j in nodes]), {}
    )
    before = decide.predict("has_path", (graph, 0, 1), {})
    nx.has_path(graph, 0, 1, backend="tachograph")
    after = decide.predict("has_path", (graph, 0, 1), {})
    assert before[2] > 0
    assert after == (*before[:2], 0.0)  # it is converted now
    assert decide.predict("pagerank", (graph,), {})[2] > 0  # but not with weights


def test_a_decision_takes_little_time():
    graph = nx.relabel_nodes(nx.gnm_random_graph(5000, 20_000, seed=1), str)
    times = []
    for _ in range(200):
        begin = time.perf_counter()
        decide.should_run("pagerank", (graph,), {})
        times.append(time.perf_counter() - begin)
    assert min(times) < 50e-6  # the least: other processes may be in the way


def test_degrees_are_estimated_without_counting():
    for graph in (nx.cycle_graph(1000), nx.relabel_nodes(nx.cycle_graph(1000), str)):
        assert decide.sizes(graph) == (1000, 2000)
    assert decide.sizes(nx.Graph()) == (0, 0)
    skewed = nx.barabasi_albert_graph(20_000, 4, seed=1)
    assert decide.sizes(skewed)[1] == pytest.approx(2 * skewed.size(), rel=0.5)


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.5e-5, "25 µs"), (0.0123, "12 ms"), (1.5, "1.5 s"), (120, "120 s")]
)
def test_times_in_words(seconds, text):
    assert decide.in_words(seconds) == text


def test_a_misspelled_argument_is_told_with_the_function():
    with pytest.raises(TypeError, match=r"pagerank\(\) got an unexpected .* 'aplha'"):
        nx.pagerank(nx.path_graph(3), aplha=0.8, backend="tachograph")


def test_clustering_has_the_types_of_networkx():
    graph = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3)])
    found = nx.clustering(graph, backend="tachograph")
    assert str(found) == str(nx.clustering(graph))
    assert repr(nx.clustering(graph, 3, backend="tachograph")) == repr(nx.clustering(graph, 3))


def test_parameters_besides_those_of_networkx():
    graph = nx.gnm_random_graph(300, 1500, seed=2)
    expected = nx.single_source_shortest_path_length(graph, 0)
    for options in ({"threads": 1}, {"direction": "pull"}, {"direction": "push", "threads": 3}):
        found = nx.single_source_shortest_path_length(graph, 0, backend="tachograph", **options)
        assert found == expected
    lengths = nx.single_source_dijkstra_path_length(graph, 0, backend="tachograph", max_error=0.05)
    exact = nx.single_source_dijkstra_path_length(graph, 0)
    assert all(lengths[node] >= exact[node] for node in lengths)


def test_predictions_leave_room_for_doubt():
    """Searches from all nodes cost as many as there are nodes; a target ends NetworkX's search early."""
    graph = nx.gnm_random_graph(200, 400, seed=1)
    one = decide.predict("single_source_bellman_ford_path_length", (graph, 0), {})
    every = decide.predict("all_pairs_bellman_ford_path_length", (graph,), {})
    assert every[:2] == pytest.approx((200 * one[0], 200 * one[1]))
    assert every[2] == pytest.approx(one[2])
    whole = decide.predict("single_source_dijkstra_path", (graph, 0), {})
    assert decide.predict("dijkstra_path", (graph, 0, 1), {})[0] == pytest.approx(whole[0] / 2)
    assert decide.DOUBT > 1
    assert decide.CONVERSION_DOUBT > 1


def test_should_run_knows_what_takes_longer_here():
    graph = nx.gnm_random_graph(1000, 6000, seed=1)
    pairs = [(u, v) for u in range(300) for v in range(300)]
    assert decide.should_run("preferential_attachment", (graph, pairs), {}) is not True
    assert decide.should_run("jaccard_coefficient", (graph, pairs), {}) is True
    assert decide.should_run("maximal_independent_set", (graph, [0]), {}) is not True
    converting = [
        decide.predict("maximal_independent_set", (graph, *a), {})[2] for a in ((), ([0],))
    ]
    assert converting[0] == converting[1] > 0  # whatever else is asked


@pytest.mark.parametrize(
    ("name", "quick", "whole"),
    [
        ("clustering", (5,), ()),
        ("clustering", ([5, 6],), ()),
        ("triangles", (5,), (range(5000),)),
        ("average_clustering", ([5],), ()),
        ("closeness_centrality", (5,), ()),
        ("harmonic_centrality", ([5],), ()),
        ("bellman_ford_path_length", (5, 5), (5, 6)),
        ("multi_source_dijkstra", ([5, 6], 6), ([5], 6)),
        ("single_source_dijkstra", (5, 5), (5, 6)),
        ("single_source_dijkstra", (5, 6, 0.5), (5, 6)),
    ],
)
def test_should_run_leaves_what_networkx_finds_at_once(name, quick, whole):
    graph = nx.gnm_random_graph(5000, 40_000, seed=1)
    nx.pagerank(graph, backend="tachograph")  # it is converted
    assert decide.should_run(name, (graph, *quick), {}) is not True
    assert decide.should_run(name, (graph, *whole), {}) is True


def test_should_run_looks_whether_searches_come_to_an_end_at_once():
    whole = nx.path_graph(3000)
    apart = nx.disjoint_union_all([nx.path_graph(3)] * 1000)
    near = [(v, v + k) for v in range(2996) for k in (1, 2, 3, 4)]
    directed = nx.DiGraph([*near, (2996, 2999)])
    for name, given in (
        ("all_pairs_shortest_path_length", ()),
        ("maximum_flow_value", (0, 2999)),
        ("single_source_bellman_ford_path_length", (0,)),
    ):
        assert decide.should_run(name, (whole, *given), {}) is True
        assert decide.should_run(name, (apart, *given), {}) is not True
        if given:  # the other way, nothing can be reached
            there = (directed, *given[::-1])
            assert decide.should_run(name, (directed, *given), {}) is True
            assert (
                decide.should_run(name, there if len(given) > 1 else (directed, 2999), {})
                is not True
            )
    assert decide.should_run("pagerank", (apart,), {}) is True


def test_should_run_doubts_more_in_graphs_that_are_sparser_than_those_timed():
    dense, sparse = (nx.gnm_random_graph(300, m, seed=7) for m in (600, 300))
    for graph in (dense, sparse):
        nx.pagerank(graph, backend="tachograph")  # converted
    assert decide.should_run("triangles", (dense,), {}) is True
    assert decide.should_run("triangles", (sparse,), {}) is not True
    assert decide.should_run("pagerank", (sparse,), {}) is True


def test_should_run_leaves_short_cutoffs_to_networkx():
    graph = nx.gnm_random_graph(1500, 6000, seed=7)
    nx.single_source_dijkstra_path_length(graph, 0, backend="tachograph")  # converted
    name = "single_source_dijkstra_path_length"
    assert decide.should_run(name, (graph, 0), {}) is True
    assert decide.should_run(name, (graph, 0), {"cutoff": 2}) is not True
    assert decide.should_run("all_pairs_dijkstra_path_length", (graph,), {}) is True
    assert decide.should_run("all_pairs_dijkstra_path_length", (graph,), {"cutoff": 2}) is not True


def test_should_run_looks_around_several_sources():
    """If all arcs lead to lower numbers, nothing can be reached from the lowest."""
    tree = nx.DiGraph((v, v // k) for v in range(1, 4000) for k in range(2, 10))
    nx.single_source_dijkstra_path_length(tree, 0, backend="tachograph")  # converted
    whole = decide.predict("multi_source_dijkstra", (tree, [0]), {})
    assert whole[0] > decide.DOUBT * whole[1]  # if it were searched
    assert decide.should_run("multi_source_dijkstra", (tree, [0, 1]), {}) is not True
    assert decide.should_run("multi_source_dijkstra", (tree, [0, 3999]), {}) is True


def test_should_run_knows_the_method():
    """Bellman-Ford's algorithm searches the whole graph in NetworkX, also to a target."""
    graph = nx.gnm_random_graph(50, 200, seed=1)
    for source, target, cost in (
        (0, 1, "relaxed"),
        (None, 1, "relaxed"),
        (None, None, "all relaxed"),
    ):
        asked = {"source": source, "target": target, "weight": "weight", "method": "bellman-ford"}
        assert decide.cost_of("shortest_path_length", (graph,), asked) == cost
        assert decide.cost_of("shortest_path_length", (graph,), asked | {"weight": None}) != cost
        theirs = decide.predict("shortest_path_length", (graph,), asked)[0]
        other = decide.predict("shortest_path_length", (graph,), asked | {"method": "dijkstra"})[0]
        assert theirs > other


def test_should_run_knows_that_arcs_are_turned_round_for_a_target():
    graph = nx.gnm_random_graph(300, 1500, seed=1, directed=True)

    def converting(graph, **asked):
        return decide.predict("shortest_path_length", (graph,), asked)[2]

    assert converting(graph, target=3) > 1.5 * converting(graph, source=3) > 0
    both = graph.to_undirected()
    assert converting(both, target=3) == converting(both, source=3) > 0


@pytest.mark.parametrize("odd", [[[1], [2]], [{1}], [(1, [2])], np.array([[1], [2]])])
def test_should_run_leaves_what_cannot_be_a_node_to_networkx(odd):
    graph = nx.path_graph(3000)
    assert decide.should_run("multi_source_dijkstra_path_length", (graph, odd), {}) is not True
    named = decide.should_run("single_source_bellman_ford_path_length", (graph, odd), {})
    assert named is not True


def test_should_run_looks_at_every_source():
    graph = nx.disjoint_union(nx.gnm_random_graph(5000, 40_000, seed=1), nx.empty_graph(10))
    nx.pagerank(graph, backend="tachograph")  # it is converted
    alone = list(range(5000, 5010))
    name = "multi_source_dijkstra_path_length"
    assert decide.should_run(name, (graph, alone), {}) is not True
    assert decide.should_run(name, (graph, [*alone, 0]), {}) is True
