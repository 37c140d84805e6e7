"""What both directions cost, at every level of many searches, kept in the journal as it is measured."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...graph.graph import Graph
from ...journal.campaign import Campaign, Executor
from .graphs import family, graph_named

__all__ = ["SOURCES", "collect", "measure", "sources_of"]

SOURCES = 4  # searches of each graph
REPEATS = 5  # times that each direction of a level runs
KIND = "direction"


def sources_of(graph: Graph, count: int = SOURCES, seed: int = 1) -> np.ndarray:
    """Distinct vertices with arcs, chosen by ``seed``: all of them if there are few."""
    candidates = np.flatnonzero(graph.degrees)
    chosen = np.random.default_rng(seed).permutation(candidates.size)[:count]
    return candidates[chosen]


def measure(graph: Graph, name: str, source: int, repeats: int = REPEATS) -> dict[str, Any]:
    """A record: the graph's numbers, and what each level of a search was and took."""
    from ...kernels.bfs import oracle as bfs_both
    from ...kernels.runtime.nouns import Rows

    back = graph.transpose
    sides = Rows(graph.indptr, graph.indices), Rows(back.indptr, back.indices)
    start = np.array([source], graph.indices.dtype)
    _, _, rows, workers = bfs_both.both(*sides, start, repeats=repeats)
    return {
        "graph": name, "family": family(name), "source": int(source), "threads": workers,
        "directed": graph.directed, "n": graph.n, "arcs": graph.arcs,
        "p_h": graph.features.hub_probability_sampled,
        "hubs": round(graph.features.hub_probability * graph.n),
        "levels": dict(zip(bfs_both.COLUMNS, rows.T.tolist(), strict=True)),
    }  # fmt: skip


def measure_graph(name: str, sources: int, seed: int, repeats: int) -> dict[str, Any]:
    """The records of a graph: a task of the campaign."""
    graph = graph_named(name)
    chosen = sources_of(graph, sources, seed)
    return {"records": [measure(graph, name, int(source), repeats) for source in chosen]}


def collect(
    names: Iterable[str],
    budget: float = float("inf"),
    sources: int = SOURCES,
    *,
    seed: int = 1,
    executor: Executor | None = None,
) -> list[dict[str, Any]]:
    """Records of all these graphs; those in the journal are not measured again.

    ``budget`` is in seconds: when it is used up, what there is is returned.
    """
    tasks = [{"name": n, "sources": sources, "seed": seed, "repeats": REPEATS} for n in names]
    campaign = Campaign(KIND, f"{__name__}:measure_graph", tasks, measured=True, label="collecting")
    found = campaign.records(executor, budget)
    return [record for graph in found if graph is not None for record in graph["records"]]
