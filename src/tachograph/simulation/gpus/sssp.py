"""Bellman-Ford on a simulated GPU, exact or with what an approximation leaves out.

As in ``bellman_ford.cl``, the arcs of each vertex of the frontier are relaxed; a vertex whose
distance shrinks is put into the next frontier, once in each round. Here a round sees the distances
of the round before, as on a GPU whose warps all run at once. Without atomics nothing is lost in the
simulation, which runs warps one after the other: only the cost of the atomics is left out.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...algorithms.sssp import limits_of
from ...decisions.approximation.rules import Approximation
from ...kernels.runtime.launch import kernel, read_only, run
from ...kernels.sssp.problem import left_out
from ...util.errors import InputError
from .chip import Chip, Touch, ranges

__all__ = ["bellman_ford", "masked_dijkstra"]

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


class _Paths:
    """A search in rounds: distances, the frontier, and what an approximation leaves out."""

    def __init__(self, chip: Chip, source: int, approximation: Approximation) -> None:
        graph = chip.graph
        given = np.ones(graph.arcs) if graph.weights is None else graph.weights
        if given.min(initial=0) < 0:
            raise InputError("sssp on a simulated GPU needs weights that are not negative")
        self.weights = given.astype(np.float64)
        self.rows = read_only(graph.indptr), read_only(graph.indices)
        self.limits = limits_of(approximation)
        self.distance = np.full(graph.n, np.inf)
        self.distance[source] = 0.0
        self.front = np.array([source], graph.indices.dtype)
        self.turn = 1

    @property
    def goes_on(self) -> bool:
        """Whether there is another round."""
        return bool(self.front.size) and self.turn <= 1 + self.limits.rounds

    def relaxed(self) -> tuple[np.ndarray, np.ndarray]:
        """Do a round; return the vertices whose arcs were relaxed, and a mark for each lowered one."""
        front, distance = self.front, self.distance
        kept = np.ones(front.size, np.bool_)
        if self.turn > 1:
            run(leave_out, [(front, self.rows[0], self.limits, self.turn, kept)])
        lowered = np.zeros(distance.size, np.uint8)
        taken = front[kept]
        run(relax, [(taken, *self.rows, self.weights, distance.copy(), distance, lowered)])
        return taken, lowered

    def counted(self, lanes: int) -> dict[str, int]:
        """Return what the trace says of the round."""
        left = int(np.isinf(self.distance).sum())
        return {"frontier_vertices": self.front.size, "unvisited": left, "frontier_edges": lanes}


def bellman_ford(chip: Chip, source: int, approximation: Approximation) -> np.ndarray:
    """Return the distances, infinite where there is no path; the trace has a row for each round."""
    graph, paths = chip.graph, _Paths(chip, source, approximation)
    weight = chip.place(graph.arcs, 4)
    distances = chip.place(graph.n, 8)
    queues = chip.place(graph.n, 4), chip.place(graph.n, 4)
    while paths.goes_on:
        taken, lowered = paths.relaxed()
        now, after = queues[:: 1 if paths.turn % 2 else -1]
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
        done = chip.launch("relax", paths.turn - 1, taken, touches, fresh=lowered)
        if not paths.limits.atomic:
            chip.rows[-1]["atomics"] = SIMPLE_SECTOR_WRITES
        chip.rows[-1] |= paths.counted(done.counts["lanes"])
        paths.front, paths.turn = done.claimed, paths.turn + 1
    return paths.distance


def masked_dijkstra(chip: Chip, source: int, approximation: Approximation) -> np.ndarray:
    """Return the distances by two kernels over all vertices, as Harish and Narayanan (2007) have them.

    In the first, a marked vertex relaxes its arcs into a second array of distances; in the second,
    every vertex takes over what was lowered, and is marked then. Both have a work-item for each vertex.
    """
    graph, paths = chip.graph, _Paths(chip, source, approximation)
    weight, marks = chip.place(graph.arcs, 4), chip.place(graph.n, 1)
    distances, updated = chip.place(graph.n, 4), chip.place(graph.n, 4)
    every = np.arange(graph.n, dtype=graph.indices.dtype)
    whole = ranges(graph.indptr, graph.indices)
    relaxing = [
        Touch(marks, "item"),
        Touch(chip.columns, "arc"),
        Touch(weight, "arc"),
        Touch(updated, "neighbour"),
        Touch(updated, "claimed"),
    ]
    taking = [Touch(distances, "item"), Touch(updated, "item"), Touch(updated, "item written")]
    while paths.goes_on:
        taken, lowered = paths.relaxed()
        ends = np.array(whole.begins)
        ends[taken] = whole.ends[taken]
        launch = partial(chip.launch, iteration=paths.turn - 1, items=every, balance="vertex")
        walked = whole._replace(ends=ends)
        done = launch("relax", touches=relaxing, fresh=lowered, rows=walked)
        chip.pick(marks, paths.front, write=True)
        for array in (chip.offsets, distances):
            chip.pick(array, taken)
        chip.rows[-1] |= (about := paths.counted(done.counts["lanes"]))
        launch("take over", touches=taking, rows=whole._replace(ends=whole.begins))
        for array in (distances, marks):
            chip.pick(array, done.claimed, write=True)
        chip.rows[-1] |= about
        paths.front, paths.turn = done.claimed, paths.turn + 1
    return paths.distance
