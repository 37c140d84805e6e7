"""Every function of the backend gives what NetworkX gives, or what it promises, on all kinds of graph."""

from __future__ import annotations

import random

import networkx as nx
import pytest

from tachograph.networkx import search
from tachograph.networkx.functions import FUNCTIONS

from .contract import HERE, calls, compare, ends, outcome
from .graphs import CLASSES, KINDS, odd_graphs, random_graph


@pytest.fixture(autouse=True)
def _quiet():
    before = set(nx.config.warnings_to_ignore)
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore = before


def test_every_function_is_compared():
    assert set(calls(nx.path_graph(3))) == set(FUNCTIONS)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_odd_graphs(cls):
    for graph in odd_graphs(cls).values():
        compare(graph)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_random_graphs(cls, kind):
    declined = set()
    for seed, weights in enumerate(["whole", "real"]):
        graph = random_graph(cls, kind, 25, 60, seed=seed, weights=weights)
        declined |= set(compare(graph))
    allowed = set()
    if cls in (nx.DiGraph, nx.MultiDiGraph):
        allowed = {"clustering", "average_clustering", "transitivity"}
        allowed |= {name for name in FUNCTIONS if "communities" in name} - {"leiden_communities"}
    assert declined == allowed


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_many_random_graphs(cls, seed):
    kind = list(KINDS)[seed % len(KINDS)]
    weights = ("whole", "real")[seed % 2]
    compare(
        random_graph(cls, kind, 5 + seed, (5 + seed) * (1 + seed % 4), seed=seed, weights=weights)
    )


@pytest.mark.parametrize("cls", [nx.Graph, nx.DiGraph], ids=lambda cls: cls.__name__)
def test_large_graphs_are_searched_by_all_threads(cls, monkeypatch):
    """The same answers when nothing is small."""
    monkeypatch.setattr(search, "ORDERED_BELOW_ARCS", 0)
    for weights in ("whole", "real"):
        graph = random_graph(cls, "strings", 30, 90, seed=7, weights=weights)
        s = "node 1"
        for name in (
            "single_source_shortest_path_length", "single_target_shortest_path_length",
            "single_source_dijkstra_path_length",
        ):  # fmt: skip
            function = getattr(nx, name)
            for cutoff in (None, 0, 1, 2.5):
                assert function(graph, s, cutoff, **HERE) == function(graph, s, cutoff)
        # the very paths of NetworkX, in its order
        found, expected = (nx.single_source_dijkstra(graph, s, **b) for b in (HERE, {}))
        assert [list(d.items()) for d in found] == [list(d.items()) for d in expected]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_dijkstra_finds_the_very_paths_of_networkx(cls):
    for seed in range(10):
        graph = random_graph(cls, "tuples", 20, 60, seed=seed)
        s = ends(graph)[0]
        found, expected = (nx.single_source_dijkstra(graph, s, **b) for b in (HERE, {}))
        assert [list(d.items()) for d in found] == [list(d.items()) for d in expected]


def negative_graph(seed, cycle):
    dice = random.Random(seed)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(12))
    high = [dice.randrange(6) for _ in range(12)]
    for _ in range(30):
        u, v = dice.randrange(12), dice.randrange(12)
        if u != v:  # no cycle is negative: the heights cancel out
            graph.add_edge(u, v, weight=dice.randrange(3) + high[v] - high[u])
    if cycle:
        nx.add_cycle(graph, [0, 1, 2], weight=-1)
    return graph


@pytest.mark.parametrize("cycle", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_negative_weights(seed, cycle):
    graph = negative_graph(seed, cycle)
    chosen = {
        name: cases
        for name, cases in calls(graph).items()
        if FUNCTIONS[name].group == "Weights that may be negative"
    }
    for name, cases in chosen.items():
        for args, kwargs, agree in cases:
            expected = outcome(getattr(nx, name), graph, *args, **kwargs)
            found = outcome(getattr(nx, name), graph, *args, **kwargs, **HERE)
            assert agree(found, expected), (name, found, expected)
    assert nx.negative_edge_cycle(graph, **HERE) == cycle
    with pytest.raises(NotImplementedError):
        nx.single_source_dijkstra(graph, 0, **HERE)


@pytest.mark.parametrize("cls", [nx.Graph, nx.MultiGraph], ids=lambda cls: cls.__name__)
def test_two_ended_searches_find_the_very_paths_of_networkx(cls):
    for seed in range(15):
        graph = random_graph(cls, "strings", 25, 60, seed=seed)
        nodes = list(graph)
        for s, t in zip(nodes[::3], nodes[::2], strict=False):
            for weight in (None, "weight"):
                args = (graph, s, t, weight)
                assert outcome(nx.shortest_path, *args, **HERE) == outcome(nx.shortest_path, *args)


@pytest.mark.parametrize("weight", [None, "weight"])
def test_errors_of_searches_are_in_the_words_of_networkx(weight):
    """Also for a target of None, which is no node: functions of one target find no path to it."""
    graph = nx.DiGraph([(0, 1, {"weight": 2}), (2, 0)])
    nodes = (0, 2, "nowhere")
    both = [(s, t) for s in nodes for t in (*nodes, None)]
    names = ["dijkstra_path", "dijkstra_path_length", "single_source_dijkstra"]
    names += ["bellman_ford_path", "bellman_ford_path_length", "single_source_bellman_ford"]
    cases = [(getattr(nx, name), ends, {"weight": weight}) for name in names for ends in both]
    for name in ("shortest_path", "shortest_path_length"):
        cases += [
            (getattr(nx, name), ends, {"weight": weight, "method": method})
            for ends in (*both, *((None, node) for node in nodes[: 3 if weight else 2]))
            for method in ("dijkstra", "bellman-ford")
        ]
    for name in ("single_source_shortest_path", "single_source_shortest_path_length"):
        cases += [(getattr(nx, name), (node,), {}) for node in nodes]
    refused = 0
    for function, ends_, kwargs in cases:
        said = []
        for backend in ({}, HERE):
            try:
                said.append(function(graph, *ends_, **kwargs, **backend))
            except nx.NetworkXException as error:
                said.append((type(error), str(error)))
                refused += 1
        assert said[0] == said[1], (function.__name__, ends_, kwargs)
    assert refused > 50
