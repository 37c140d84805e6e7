"""What both directions cost, at every level of many searches, kept in the journal as it is measured."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from ... import journal as journals
from ...graph.graph import Graph
from ...progress import bar
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


def measure(graph: Graph, name: str, source: int) -> dict[str, Any]:
    """A record: the graph's numbers, and what each level of a search was and took."""
    from ...kernels import bfs_both

    back = graph.transpose
    _, _, rows, workers = bfs_both.both(
        graph.indptr, graph.indices, back.indptr, back.indices,
        np.array([source], graph.indices.dtype), repeats=REPEATS,
    )  # fmt: skip
    return {
        "graph": name, "family": family(name), "source": int(source), "threads": workers,
        "directed": graph.directed, "n": graph.n, "arcs": graph.arcs,
        "p_h": graph.features.hub_probability_sampled,
        "hubs": round(graph.features.hub_probability * graph.n),
        "levels": dict(zip(bfs_both.COLUMNS, rows.T.tolist(), strict=True)),
    }  # fmt: skip


def collect(
    names: Iterable[str], budget: float = float("inf"), sources: int = SOURCES
) -> list[dict[str, Any]]:
    """Records of all these graphs; those in the journal are not measured again.

    ``budget`` is in seconds: when it is used up, what there is is returned.
    """
    names = list(names)
    kept = journals.journal()
    machine = journals.machine()[0]
    end = time.monotonic() + budget
    found: list[dict[str, Any]] = []
    with bar("collecting", len(names)) as shown:
        for name in names:
            shown.note(name)
            index = journals.content_key(KIND, machine, name, sources, REPEATS)
            if (known := kept.get(f"{KIND}-graph", index)) is not None:
                found += known["records"]
            elif time.monotonic() < end:
                graph = graph_named(name)
                made = [measure(graph, name, int(s)) for s in sources_of(graph, sources)]
                kept.put(f"{KIND}-graph", index, {"records": made})
                found += made
            shown.advance(1)
    return found
