"""How every function of the backend is called, and what must agree with NetworkX's own answer."""

from __future__ import annotations

import random

import networkx as nx
import pytest

HERE = {"backend": "tachograph"}


def ends(graph):
    """A source and a target."""
    nodes = list(graph)
    return (nodes[0], nodes[len(nodes) // 2]) if nodes else (0, 1)


def outcome(function, *args, **kwargs):
    """The result with iterators used up, or the class of the error."""
    try:
        result = function(*args, **kwargs)
        return list(result) if hasattr(result, "__next__") else result
    except (nx.NetworkXException, ArithmeticError, LookupError, TypeError, ValueError) as error:
        return type(error)


def close(found, expected):
    """Equal, floats up to rounding."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(
            close(found[k], v) for k, v in expected.items()
        )
    if isinstance(expected, list | tuple):
        return len(found) == len(expected) and all(map(close, found, expected))
    if isinstance(expected, float):
        return found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    return found == expected


def ordered(found, expected):
    """Equal, and dicts in the same order."""
    if isinstance(expected, dict):
        return list(found) == list(expected) and found == expected
    return found == expected


def weight_of(graph, path, weight):
    """The length of a path, parallel edges by the shortest; fails if there is no such path."""
    total = 0
    for u, v in nx.utils.pairwise(path):
        edges = graph[u][v].values() if graph.is_multigraph() else [graph[u][v]]
        total += min(1 if weight is None else e.get(weight, 1) for e in edges)
    return total


def as_short(graph, weight):
    """A path may differ, its ends and its length may not."""

    def check(found, expected):
        if isinstance(expected, type):
            return found == expected
        lengths = weight_of(graph, found, weight), weight_of(graph, expected, weight)
        same_ends = (found[0], found[-1]) == (expected[0], expected[-1])
        return same_ends and lengths[0] == pytest.approx(lengths[1])

    return check


def each(agree):
    """Dicts whose values agree."""

    def check(found, expected):
        if isinstance(expected, type):
            return found == expected
        return found.keys() == expected.keys() and all(
            agree(found[k], v) for k, v in expected.items()
        )

    return check


def both(agree):
    """Lengths, and paths that agree."""

    def check(found, expected):
        if isinstance(expected, type):
            return found == expected
        return close(found[0], expected[0]) and agree(found[1], expected[1])

    return check


def every(agree):
    """A list of nodes with something that agrees."""

    def check(found, expected):
        if isinstance(expected, type):
            return found == expected
        return [a for a, _ in found] == [a for a, _ in expected] and all(
            agree(a, b) for (_, a), (_, b) in zip(found, expected, strict=True)
        )

    return check


def same_lists(found, expected):
    """Dicts of lists whose order is open, and what comes with them."""
    if not isinstance(expected, tuple):
        return found == expected
    lists, rest = expected
    mine, others = found
    return close(others, rest) and {k: sorted(map(repr, v)) for k, v in mine.items()} == {
        k: sorted(map(repr, v)) for k, v in lists.items()
    }


def independent(graph, chosen=()):
    loops = nx.number_of_selfloops(graph) > 0

    def check(found, expected):
        if isinstance(found, type) or (isinstance(expected, type) and (chosen or not loops)):
            return found == expected  # by chance NetworkX may begin at a loop, which it refuses
        inside = set(found)
        apart = not any(u in inside and v in inside and u != v for u, v in graph.edges())
        full = all(v in inside or any(w in inside for w in graph[v]) for v in graph)
        return len(found) == len(inside) and set(chosen) <= inside and apart and full

    return check


def a_flow(graph):
    """The same value, by a flow that is one."""

    def check(found, expected):
        if isinstance(expected, type):
            return found == expected
        s, t = ends(graph)
        value, flow = found
        net = dict.fromkeys(graph, 0)
        for u, row in flow.items():
            assert set(row) == set(graph[u])
            for v, amount in row.items():
                assert 0 <= amount <= graph[u][v].get("capacity", float("inf"))
                net[u] -= amount
                net[v] += amount
        balanced = all(net[v] == pytest.approx(0) for v in graph if v not in (s, t))
        return close(value, expected[0]) and balanced and net[t] == pytest.approx(value)

    return check


def negative_cycle(graph):
    def check(found, expected):
        if isinstance(expected, type):
            return found == expected
        return found[0] == found[-1] and weight_of(graph, found, "weight") < 0

    return check


def same_sets(found, expected):
    """The same sets, in any order."""
    if isinstance(expected, type):
        return found == expected
    return sorted(map(sorted_text, found)) == sorted(map(sorted_text, expected))


def sorted_text(nodes):
    return sorted(map(repr, nodes))


def communities(graph, weight, least):
    """Connected sets whose modularity is not much below that of NetworkX's."""

    def check(found, expected):
        if isinstance(expected, type) or not graph.size(weight):
            return found == expected or same_sets(found, [{node} for node in graph])
        own = nx.Graph(graph)
        assert all(nx.is_connected(own.subgraph(part)) for part in found)
        quality = nx.community.modularity(graph, found, weight)
        return quality >= nx.community.modularity(graph, expected, weight) - least

    return check


def calls(graph):
    """For each function the arguments to call it with, and how results are compared."""
    s, t = ends(graph)
    dice = random.Random(5)
    nodes = list(graph)
    pairs = [(dice.choice(nodes), dice.choice(nodes)) for _ in range(20 if nodes else 0)]
    hop, near = as_short(graph, None), as_short(graph, "weight")
    hops, nears = each(hop), each(near)
    made = {
        "bfs_edges": [((s,), {}, ordered), ((s,), {"depth_limit": 2}, ordered)],
        "generic_bfs_edges": [((s,), {}, ordered)],
        "bfs_layers": [((s,), {}, ordered), (([s, t],), {}, ordered), (("not there",), {}, close)],
        "bfs_predecessors": [((s,), {}, ordered)],
        "bfs_successors": [((s,), {}, ordered), ((s,), {"depth_limit": 1}, ordered)],
        "bfs_tree": [((s,), {}, lambda a, b: a == b if isinstance(b, type) else a.adj == b.adj)],
        "descendants_at_distance": [((s, 2), {}, ordered), ((s, 1.5), {}, ordered)],
        "predecessor": [
            ((s,), {}, ordered), ((s,), {"cutoff": 1}, ordered), ((s, t), {"return_seen": True}, ordered),
        ],
        "single_source_shortest_path": [((s,), {}, ordered), ((s,), {"cutoff": 2}, ordered)],
        "single_target_shortest_path": [((t,), {}, hops)],
        "all_pairs_shortest_path": [((), {"cutoff": 3}, ordered)],
        "all_pairs_shortest_path_length": [((), {}, close)],
        "single_source_shortest_path_length": [
            ((s,), {}, close), ((s,), {"cutoff": 1}, close), ((s,), {"cutoff": 1.5}, close),
            (("not there",), {}, close),
        ],
        "single_target_shortest_path_length": [((t,), {}, close), ((t,), {"cutoff": 1}, close)],
        "has_path": [((s, t), {}, close), ((s, "not there"), {}, close)],
        "bidirectional_shortest_path": [((s, t), {}, hop), ((s, s), {}, hop)],
        "shortest_path": [
            ((), {}, every(hops)), ((s,), {}, hops), ((s, t), {}, hop), ((None, t), {}, hops),
            ((s,), {"weight": "weight"}, nears), ((s, t), {"weight": "weight"}, near),
            ((None, t), {"weight": "weight"}, nears), ((), {"weight": "weight"}, every(nears)),
            ((s, t), {"weight": "weight", "method": "bellman-ford"}, near),
            ((s,), {"weight": "weight", "method": "bellman-ford"}, nears),
            ((), {"weight": "weight", "method": "bellman-ford"}, every(nears)),
        ],
        "shortest_path_length": [
            (args, {"weight": weight, "method": method}, close)
            for args in ((), (s,), (s, t), (None, t))
            for weight in (None, "weight")
            for method in ("dijkstra", "bellman-ford")
        ],
        "dijkstra_path": [((s, t), {}, near)],
        "dijkstra_path_length": [((s, t), {}, close), ((s, s), {}, close), ((s, "not there"), {}, close)],
        "dijkstra_predecessor_and_distance": [((s,), {}, same_lists), ((s,), {"cutoff": 2}, same_lists)],
        "all_pairs_dijkstra": [((), {}, every(both(nears)))],
        "all_pairs_dijkstra_path": [((), {"cutoff": 3}, every(nears))],
        "all_pairs_dijkstra_path_length": [((), {}, close), ((), {"weight": None}, close)],
        "multi_source_dijkstra": [
            (([s, t],), {}, both(nears)), (([s],), {"target": t}, both(near)), (([],), {}, close),
            (([s],), {"target": s}, close),
        ],
        "multi_source_dijkstra_path": [(([s, t],), {}, nears)],
        "multi_source_dijkstra_path_length": [(([s, t],), {"cutoff": 2}, close)],
        "single_source_dijkstra": [((s,), {}, both(nears)), ((s, t), {"cutoff": 3}, both(near))],
        "single_source_dijkstra_path": [((s,), {}, nears), (("not there",), {}, close)],
        "single_source_dijkstra_path_length": [((s,), {}, close), ((s,), {"cutoff": 2}, close)],
        "bidirectional_dijkstra": [((s, t), {}, both(near)), ((s, s), {}, both(near))],
        "bellman_ford_path": [((s, t), {}, near)],
        "bellman_ford_path_length": [((s, t), {}, close), ((s, s), {}, close)],
        "bellman_ford_predecessor_and_distance": [((s,), {}, same_lists)],
        "single_source_bellman_ford": [((s,), {}, both(nears)), ((s, t), {}, both(near))],
        "single_source_bellman_ford_path": [((s,), {}, nears)],
        "single_source_bellman_ford_path_length": [((s,), {}, close)],
        "all_pairs_bellman_ford_path": [((), {}, every(nears))],
        "all_pairs_bellman_ford_path_length": [((), {}, close)],
        "goldberg_radzik": [((s,), {}, lambda a, b: a == b if isinstance(b, type) else close(a[1], b[1]))],
        "johnson": [((), {}, each(nears))],
        "negative_edge_cycle": [((), {}, close)],
        "find_negative_cycle": [((s,), {}, negative_cycle(graph))],
        "strongly_connected_components": [((), {}, same_sets)],
        "kosaraju_strongly_connected_components": [((), {}, same_sets)],
        "number_strongly_connected_components": [((), {}, close)],
        "is_strongly_connected": [((), {}, close)],
        "core_number": [((), {}, ordered)],
        "leiden_communities": [
            ((), {"seed": 1}, communities(graph, "weight", 0.06))
        ] * (not graph.is_directed()),
        "louvain_communities": [
            ((), {"seed": 1}, communities(graph, "weight", 0.06)),
            ((), {"seed": 2, "weight": None, "resolution": 1.0}, communities(graph, None, 0.06)),
        ],
        "asyn_lpa_communities": [((), {"seed": 1}, communities(graph, None, 1.0))],
        "fast_label_propagation_communities": [((), {"seed": 1}, communities(graph, None, 1.0))],
        "pagerank": [
            ((), {}, close), ((), {"weight": None, "alpha": 0.5, "tol": 1e-9}, close),
            ((), {"personalization": {s: 1, t: 2}, "dangling": {t: 1}, "nstart": {s: 3, t: 1}}, close),
            ((), {"max_iter": 1, "tol": 1e-12}, close), ((), {"personalization": {s: 0}}, close),
        ],
        "closeness_centrality": [((), {}, close), ((s,), {}, close), ((), {"wf_improved": False}, close)],
        "harmonic_centrality": [((), {}, close), (([s, t],), {}, close)],
        "betweenness_centrality": [((), {}, close), ((), {"normalized": False}, close)],
        "triangles": [((), {}, close), ((s,), {}, close), (([s, t],), {}, close)],
        "clustering": [((), {}, close), ((s,), {}, close), (([s, t, "not there"],), {}, close)],
        "average_clustering": [((), {}, close), ((), {"count_zeros": False}, close)],
        "transitivity": [((), {}, close)],
        "jaccard_coefficient": [((), {}, close), ((pairs,), {}, close), (([("x", "y")],), {}, close)],
        "preferential_attachment": [((), {}, close), ((pairs,), {}, close)],
        "adamic_adar_index": [((), {}, close), ((pairs,), {}, close), (([("x", "y")],), {}, close)],
        "resource_allocation_index": [((), {}, close), ((pairs,), {}, close)],
        "maximal_independent_set": [
            ((), {"seed": 1}, independent(graph)),
            (([s],), {"seed": 2}, independent(graph, [s])),
            ((["not there"],), {}, independent(graph)),
        ],
        "maximum_flow": [((s, t), {}, a_flow(graph))],
        "maximum_flow_value": [((s, t), {}, close), ((s, s), {}, close), ((s, "not there"), {}, close)],
        "minimum_cut": [((s, t), {}, close)],
        "minimum_cut_value": [((s, t), {}, close)],
    }  # fmt: skip
    components = (
        "connected_components", "is_connected", "number_connected_components",
        "weakly_connected_components", "is_weakly_connected", "number_weakly_connected_components",
    )  # fmt: skip
    made |= {name: [((), {}, ordered)] for name in components}
    made["node_connected_component"] = [((s,), {}, ordered), (("not there",), {}, ordered)]
    return made


def compare(graph):
    """All calls on one graph; those that are declined would be NetworkX's own."""
    declined = {}
    for name, cases in calls(graph).items():
        function = getattr(nx, name, None) or getattr(nx.community, name)
        # NetworkX itself has no Leiden
        theirs = nx.community.louvain_communities if name == "leiden_communities" else function
        for args, kwargs, agree in cases:
            expected = outcome(theirs, graph, *args, **kwargs)
            if expected is ZeroDivisionError and name == "average_clustering":
                continue  # nothing to average
            try:
                found = outcome(function, graph, *args, **kwargs, **HERE)
            except NotImplementedError as reason:
                declined[name] = str(reason)
                continue
            failed = isinstance(found, type) and not isinstance(expected, type)
            assert not failed, (name, args, kwargs, found)
            assert agree(found, expected), (name, args, kwargs, found, expected)
    return declined
