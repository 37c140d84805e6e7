"""Graphs of all four classes with nodes of several kinds, for tests that compare with NetworkX."""

from __future__ import annotations

import random

import networkx as nx

CLASSES = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
KINDS = {
    "0, 1, ...": lambda i: i,
    "integers": lambda i: (i * 7919) % 1009 - 300,
    "strings": lambda i: f"node {i}",
    "tuples": lambda i: (i % 5, str(i)),
}


def random_graph(cls, kind, n, m, *, seed, weights="whole"):
    """Loops, isolated nodes, edges without weight; in multigraphs parallel edges."""
    dice = random.Random(seed)
    name = KINDS[kind]
    order = list(range(n))
    if kind != "0, 1, ...":
        dice.shuffle(order)
    graph = cls()
    graph.add_nodes_from(name(i) for i in order)
    for _ in range(m if n else 0):
        u, v = dice.randrange(max(n - 2, 1)), dice.randrange(max(n - 2, 1))  # two stay alone
        data = {}
        if dice.random() < 0.8:
            value = dice.randrange(5) if weights == "whole" else dice.random()
            data["weight"] = data["capacity"] = value
        graph.add_edge(name(u), name(v), **data)
    return graph


def odd_graphs(cls):
    """By name: graphs that algorithms stumble over."""
    loop = cls([(0, 0)])
    both = cls([("a", "b"), ("b", "a"), ("a", "a")])
    star = cls([(0, i) for i in range(1, 9)])
    apart = cls([(0, 1), (2, 3), (5, 4)])
    apart.add_node("alone")
    zero = nx.path_graph(5, cls)
    nx.set_edge_attributes(zero, 0, "weight")
    return {
        "empty": cls(),
        "one node": nx.empty_graph(1, cls),
        "a loop": loop,
        "both ways": both,
        "star": star,
        "path": nx.path_graph(6, cls),
        "disconnected": apart,
        "complete": nx.complete_graph(5, cls),
        "zero weights": zero,
    }
