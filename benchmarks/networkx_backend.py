"""NetworkX's functions by NetworkX, by Tachograph and by other backends, on the same graphs.

    python benchmarks/networkx_backend.py [--scale 17] [--repeat 3] [--backends tachograph,parallel]
        [--only PART]

Calls alternate between backends; the best of each is kept. "warm": the converted graph is in NetworkX's
cache, "cold": it is converted in the call. Every result is consumed and compared with NetworkX's.
"""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import networkx as nx
from harness import Table, main, rounded

import tachograph as tg
from tachograph.networkx.convert import convert_from_nx


def graphs(scale: int) -> dict[str, Any]:
    """A skewed and a uniform graph with about a million edges at scale 17, as users have them."""
    made = {}
    n = 1 << scale
    for name, g in (
        ("kronecker", tg.kronecker(scale, edge_factor=8, rng=1)),
        ("uniform", tg.uniform(n, degree=16, rng=1)),
    ):
        source, target, _ = g.to_edges()
        dice = random.Random(1)
        weights = [dice.random() for _ in range(source.size)]
        graph = nx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_weighted_edges_from(zip(source.tolist(), target.tolist(), weights, strict=True))
        made[name] = graph
    return made


def functions(graph: Any) -> dict[str, Callable[..., Any]]:
    source = max(graph, key=graph.degree)
    dice = random.Random(2)
    pairs = dice.sample([e for e in graph.edges if e[0] != e[1]], min(100_000, graph.size()))
    return {
        "BFS lengths": lambda **b: nx.single_source_shortest_path_length(graph, source, **b),
        "BFS paths": lambda **b: nx.single_source_shortest_path(graph, source, **b),
        "Dijkstra lengths": lambda **b: nx.single_source_dijkstra_path_length(graph, source, **b),
        "Dijkstra paths": lambda **b: nx.single_source_dijkstra_path(graph, source, **b),
        "Bellman-Ford lengths": lambda **b: nx.single_source_bellman_ford_path_length(
            graph, source, **b
        ),
        "PageRank": lambda **b: nx.pagerank(graph, **b),
        "components": lambda **b: sorted(map(len, nx.connected_components(graph, **b))),
        "is connected": lambda **b: nx.is_connected(graph, **b),
        "Jaccard, 100,000 edges": lambda **b: list(nx.jaccard_coefficient(graph, pairs, **b)),
        "triangles": lambda **b: nx.triangles(graph, **b),
        "clustering": lambda **b: nx.clustering(graph, **b),
    }


def same(found: Any, expected: Any) -> bool:
    """Whether results agree, up to rounding; of paths their lengths."""
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(
            same(found[key], value) for key, value in expected.items()
        )
    if isinstance(expected, float):
        return abs(found - expected) <= 1e-6 * max(1.0, abs(expected))
    if isinstance(expected, list) and expected and isinstance(expected[0], tuple):
        return all(same(a[2], b[2]) for a, b in zip(found, expected, strict=True))
    if isinstance(expected, list):
        return len(found) == len(expected)
    return bool(found == expected)


def timed(call: Callable[..., Any], backend: str) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = call(backend=backend)
    return time.perf_counter() - begin, result


def timed_by_all(
    graph: Any, call: Callable[..., Any], backends: list[str], repeat: int
) -> dict[str, Any]:
    row: dict[str, Any] = {}
    plain = []
    if "tachograph" in backends:
        call(backend="tachograph")  # compiles
    for _ in range(repeat):
        seconds, expected = timed(call, "networkx")
        plain.append(seconds)
        for name in backends:
            graph.__networkx_cache__.clear()
            try:
                cold, found = timed(call, name)
                warm, _ = min(timed(call, name) for _ in range(3) if found is not None)
            except (NotImplementedError, ImportError, AttributeError, TypeError):
                continue
            kept = row.setdefault(name, {"cold": cold, "warm": warm, "same": True})
            kept["cold"], kept["warm"] = min(kept["cold"], cold), min(kept["warm"], warm)
            kept["same"] = kept["same"] and same(found, expected)
    row["networkx"] = min(plain)
    return row


def convert(graph: Any) -> float:
    """Seconds to convert a graph."""
    begin = time.perf_counter()
    convert_from_nx(graph)
    return time.perf_counter() - begin


def measure(
    scale: int = 17, repeat: int = 3, backends: str = "tachograph", only: str = ""
) -> Iterator[Table]:
    nx.config.warnings_to_ignore.add("cache")
    warnings.simplefilter("ignore")
    names = backends.split(",")
    columns = ["", "NetworkX, ms"]
    columns += [
        f"{name}, {what}" for name in names for what in ("warm ms", "warm ×", "cold ×", "same")
    ]
    for name, graph in graphs(scale).items():
        rate = graph.size() / min(convert(graph) for _ in range(3)) / 1e6
        size = f"{len(graph):,} nodes, {graph.size():,} edges"
        rows = []
        for task, call in functions(graph).items():
            if only in task:
                found = timed_by_all(graph, call, names, repeat)
                rows.append([task, *cells(found, names)])
        yield Table(f"{name}: {size}; converted at {rate:.1f} M edges/s", columns, rows)


def cells(found: dict[str, Any], names: list[str]) -> list[Any]:
    """Return NetworkX's ms, and for each backend its ms, how many times as fast, and if it agrees."""
    plain = found["networkx"]
    made: list[Any] = rounded([1e3 * plain])
    for name in names:
        if own := found.get(name):
            made += rounded([1e3 * own["warm"], plain / own["warm"], plain / own["cold"]])
            made.append("yes" if own["same"] else "NO")
        else:
            made += [None] * 4
    return made


if __name__ == "__main__":
    main(measure)
