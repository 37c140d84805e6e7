"""Bellman-Ford on a simulated GPU, exact or with what an approximation leaves out.

As in ``bellman_ford.cl``, the arcs of each vertex of the frontier are relaxed; a vertex whose
distance shrinks is put into the next frontier, once in each round. Here a round sees the distances
of the round before, as on a GPU whose warps all run at once. Without atomics nothing is lost in the
simulation, which runs warps one after the other: only the cost of the atomics is left out.
"""

from __future__ import annotations

import numpy as np

from ...algorithms.sssp import limits_of
from ...decisions.approximation.rules import Approximation
from ...kernels.runtime.launch import kernel, read_only, run
from ...kernels.sssp.problem import left_out
from ...util.errors import InputError
from .chip import Chip, Touch

__all__ = ["bellman_ford"]

SIMPLE_SECTOR_WRITES = 0  # atomic operations of a search without atomics


@kernel
def leave_out(stop, front, indptr, limits, turn, kept):
    """Mark the vertices of a frontier whose arcs are relaxed; ``kept`` has an entry for each."""
    for i in range(front.size):
        v = front[i]
        kept[i] = not left_out(limits, v, indptr[v + 1] - indptr[v], turn)


@kernel
def relax(stop, front, indptr, indices, weights, before, distance, lowered):
    """Lower the distances of the neighbours of a frontier, and mark those that were lowered."""
    for i in range(front.size):
        u = front[i]
        for k in range(indptr[u], indptr[u + 1]):
            v = indices[k]
            new = before[u] + weights[k]
            if new < distance[v]:
                distance[v] = new
                lowered[v] = 1


def bellman_ford(chip: Chip, source: int, approximation: Approximation) -> np.ndarray:
    """Return the distances, infinite where there is no path; the trace has a row for each round."""
    graph = chip.graph
    if graph.weights is not None and graph.weights.min(initial=0) < 0:
        raise InputError("sssp on a simulated GPU needs weights that are not negative")
    weights = np.ones(graph.arcs) if graph.weights is None else graph.weights.astype(np.float64)
    weight = chip.place(graph.arcs, 4)
    distances = chip.place(graph.n, 8)
    queues = chip.place(graph.n, 4), chip.place(graph.n, 4)
    limits = limits_of(approximation)
    distance = np.full(graph.n, np.inf)
    distance[source] = 0.0
    front = np.array([source], graph.indices.dtype)
    rows = read_only(graph.indptr), read_only(graph.indices)
    turn = 1
    while front.size and turn <= 1 + limits.rounds:
        kept = np.ones(front.size, np.bool_)
        if turn > 1:
            run(leave_out, [(front, rows[0], limits, turn, kept)])
        lowered = np.zeros(graph.n, np.uint8)
        run(relax, [(front[kept], *rows, weights, distance.copy(), distance, lowered)])
        now, after = queues[:: 1 if turn % 2 else -1]
        touches = [
            Touch(now, "order"),
            Touch(chip.offsets, "item"),
            Touch(distances, "item"),
            Touch(chip.columns, "arc"),
            Touch(weight, "arc"),
            Touch(distances, "neighbour"),
            Touch(distances, "claimed"),
            Touch(after, "claims"),
        ]
        done = chip.launch("relax", turn - 1, front[kept], touches, fresh=lowered)
        if not limits.atomic:
            chip.rows[-1]["atomics"] = SIMPLE_SECTOR_WRITES
        row = {"frontier_vertices": front.size, "unvisited": int(np.isinf(distance).sum())}
        chip.rows[-1] |= {**row, "frontier_edges": done.counts["lanes"]}
        front, turn = done.claimed, turn + 1
    return distance
