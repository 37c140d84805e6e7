"""Shortest paths in a partitioned graph: every part relaxes within a window of distances.

Method: delta-stepping (U. Meyer, P. Sanders, 2003) with one window for all parts. State: the
distance of each vertex a part knows (of a ghost the smallest it has told its owner), and which own
ones have still to be relaxed. In a superstep a part relaxes what is nearer than ``limit`` until
nothing changes within it, or it has done enough, and tells owners of the ghosts that it reached on a
shorter way. When nobody has anything nearer left, the window moves on; it grows as long as supersteps
have little to do.

Without weights distances are the levels of a breadth-first search, which is what runs then.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...algorithms.result import Result
from ...util.errors import InputError
from ..manifest import Partition, open_partition
from ..piece import Piece
from ..supersteps import CHECKPOINT, execute
from .base import Arrays, Inbox, Notes, Order, Outcome, Program, own_of, source_ids, total
from .bfs import Search

__all__ = ["sssp"]

SHARE = 2  # of its arcs a part looks at half, then at its mail: on wrong ways more would be wasted
BUSY = 1 << 20  # arcs of a part that make a superstep worth its price
FAR = 1e300  # stands for no distance in notes, which are JSON
WHOLE = 2.0**53  # whole numbers up to here are float64 numbers


def sssp(
    graph: Partition | str | os.PathLike[str],
    source: Any,
    *,
    cluster: str | None = None,
    workers: int | None = None,
    checkpoint: int = CHECKPOINT,
) -> Result:
    """Shortest distances from one vertex, or the nearest of several.

    Parameters and errors are those of :func:`tachograph.scale.bfs`; arcs without weights have length 1,
    and weights must not be negative.

    Returns
    -------
    Result
        ``distances`` (float64, inf if not reached).

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 0, 1], [1, 2, 2], [4, 9, 3])
    >>> parts = tg.scale.partition(g, parts=2, directory="triangle")
    >>> tg.scale.sssp(parts, 0).distances.tolist()
    [0.0, 4.0, 7.0]
    """
    partition = open_partition(graph)
    sources = source_ids(partition.n, source)
    if partition.weights is None:
        hops = Hops(sources, "auto", partition.n, sum(partition.arcs), partition.directed)
        done = execute(hops, partition, {"distances": np.float64}, cluster, workers, checkpoint)
        return Result("sssp", done.values, seconds=done.seconds, trace=done.trace)
    degree = max(sum(partition.arcs) / max(partition.n, 1), 1.0)
    width = max(partition.mean, partition.heaviest / 64) * max(1.0, 32 / degree)
    program = Distances(sources, width or 1.0)
    done = execute(program, partition, {"distances": np.float64}, cluster, workers, checkpoint)
    if partition.weights == "int32" and done.memory["furthest"] >= WHOLE:
        raise InputError("distances reach beyond 2**53, where not every whole number can be kept: "
                         "scale the weights down, or make them float64")  # fmt: skip
    return Result("sssp", done.values, seconds=done.seconds, trace=done.trace)


@dataclass(frozen=True)
class Hops(Search):
    """Distances where all arcs have length 1: levels. No part has to know those of its ghosts."""

    task: ClassVar[str] = "sssp"
    parents: ClassVar[bool] = False

    def finish(self, piece: Piece, state: Arrays, inbox: Inbox) -> dict[str, np.ndarray]:
        """Levels as distances."""
        levels = state["levels"][piece.own]
        return {"distances": np.where(levels < 0, np.inf, levels)}


@dataclass(frozen=True)
class Distances(Program):
    """Distances from ``sources``, in windows that are ``width`` wide at first."""

    task: ClassVar[str] = "sssp"
    sources: tuple[int, ...]
    width: float

    def check(self, partition: Partition) -> None:
        """Negative weights would need another algorithm."""
        if partition.lightest < 0:
            raise InputError(
                f"the lightest arc has weight {partition.lightest:g}, and shortest paths in parts need "
                "weights of at least 0: tachograph.sssp takes others, on one machine"
            )

    def start(self, piece: Piece) -> Outcome:
        """Sources have distance 0."""
        distance = np.full(piece.n, np.inf)
        pending = np.zeros(piece.n, np.uint8)
        sources = list(own_of(piece, self.sources))
        distance[sources] = 0.0
        pending[sources] = np.diff(piece.out.indptr)[sources] > 0
        return self._outcome(piece, distance, pending, 0)

    def step(self, piece: Piece, state: Arrays, inbox: Inbox, order: Order) -> Outcome:
        """Hear of shorter ways to own vertices, then relax what is nearer than ``limit``."""
        from ...kernels.pieces import sssp as kernel
        from ...kernels.runtime.launch import read_only, run
        from ...kernels.runtime.nouns import WeightedRows

        distance, pending = np.array(state["distance"]), np.array(state["pending"])
        rows = piece.out
        for other, arrays in inbox.items():
            told = read_only(arrays["at"]), read_only(arrays["distance"])
            heard = (read_only(piece.sends(other)), *told, rows.indptr, distance, pending)
            run(kernel.hear_distances, [heard], brief=True)
        queue = np.empty(piece.n, rows.indices.dtype)
        enough = max(BUSY, rows.arcs // SHARE)
        assert rows.weights is not None
        there = WeightedRows(rows.indptr, rows.indices, rows.weights)
        arguments = (order["limit"], enough, there, distance, pending, queue)
        scanned = int(run(kernel.relax_below, [arguments], label="sssp")[0])
        return self._outcome(piece, distance, pending, scanned)

    def _outcome(
        self, piece: Piece, distance: np.ndarray, pending: np.ndarray, scanned: int
    ) -> Outcome:
        """State, news for the owners of ghosts, and what the driver has to know."""
        from ...kernels.pieces import sssp as kernel
        from ...kernels.runtime.launch import run

        mail = {}
        own = piece.own
        left = (own.start, own.stop, distance, pending)
        nearest, furthest = run(kernel.what_is_left, [left], brief=True)[0]
        for other in piece.others:
            ghosts = piece.ghosts_of(other)
            size = ghosts.stop - ghosts.start
            at, values = np.empty(size, np.int32), np.empty(size)
            told = (ghosts.start, ghosts.stop, distance, pending, at, values)
            count, first = run(kernel.tell_distances, [told], brief=True)[0]
            if count:
                mail[other] = {"at": at[:count], "distance": values[:count]}
                nearest = min(nearest, first)
        notes = {
            "nearest": min(float(nearest), FAR),
            "scanned": scanned,
            "furthest": float(furthest),
        }
        return Outcome({"distance": distance, "pending": pending}, notes, mail)

    def decide(self, memory: dict[str, Any], notes: list[Notes]) -> Order | None:
        """Stay in the window while there is something in it; then move on, further if it was easy."""
        memory["furthest"] = max(n["furthest"] for n in notes)
        memory["scanned"] = memory.get("scanned", 0) + total(notes, "scanned")
        nearest = min(n["nearest"] for n in notes)
        if nearest >= FAR:
            return None
        if nearest >= memory.get("limit", 0.0):
            width = memory.get("width", self.width)
            if "limit" in memory and memory["scanned"] < BUSY * len(notes):
                width *= 2
            memory.update(width=width, limit=nearest + width, scanned=0)
        return {"phase": "relax", "limit": memory["limit"]}

    def finish(self, piece: Piece, state: Arrays, inbox: Inbox) -> dict[str, np.ndarray]:
        """The distances."""
        return {"distances": state["distance"][piece.own]}
