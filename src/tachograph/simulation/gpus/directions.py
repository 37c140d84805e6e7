"""Both directions of every level of a search on a simulated GPU: what training learns from."""

from __future__ import annotations

import numpy as np

from ...decisions.direction.state import State
from ...graph.graph import Graph
from ...journal.campaign import Record
from ...kernels.bfs.oracle import COLUMNS
from .bfs import search
from .chip import Chip
from .gpu import GPU, gpu_named
from .simulate import timed

__all__ = ["both_directions"]


def both_directions(graph: Graph, source: int, device: str | GPU, larger: float = 1.0) -> Record:
    """Return a column for each of ``COLUMNS``: the levels of a search, and nanoseconds of both
    directions.

    One search pushes at every level, another pulls; levels are the same. Forms of the frontier are part
    of the launches, so changing them takes no time of its own. Work is multiplied by ``larger``.
    """
    gpu = gpu_named(device)
    seen: list[State] = []

    def push(state: State) -> str:
        seen.append(state)
        return "push"

    times = {}
    for name, policy in (("push", push), ("pull", lambda state: "pull")):
        chip = Chip(gpu, graph)
        search(chip, source, policy)
        trace = timed(chip)
        launch = trace["launch"]
        times[name] = (launch + larger * (trace["seconds"] - launch)) * 1e9
    looked = trace["lanes"].astype(float)
    zeros = np.zeros(len(seen))
    columns = {
        "frontier_vertices": np.array([s.n_f for s in seen], float),
        "frontier_edges": np.array([s.m_f for s in seen], float),
        "unvisited": np.array([s.n_u for s in seen], float),
        "unseen_edges": np.array([s.m_u for s in seen], float),
        "hubs": np.array([s.hubs_f for s in seen], float),
        "scanned": looked,
        "push_nanoseconds": times["push"],
        "pull_nanoseconds": times["pull"],
        "to_bitmap_nanoseconds": zeros,
        "to_queue_nanoseconds": zeros,
        "push_mean_nanoseconds": times["push"],
        "pull_mean_nanoseconds": times["pull"],
    }
    return {name: columns[name].tolist() for name in COLUMNS}
