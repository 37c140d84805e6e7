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

from dataclasses import dataclass
from typing import ClassVar, Unpack

import numpy as np
import numpy.typing as npt

from ...algorithms.result import Result
from ...kernels.pieces import searches as kernel
from ...kernels.runtime.launch import read_only, run
from ...kernels.runtime.nouns import WeightedRows
from ...util.errors import InputError
from ..manifest import Partition, Parts, open_partition
from ..piece import Arrays, Inbox, Piece
from ..supersteps import Where, solve
from . import Memory, Notes, Order, Outcome, Outputs, Program, source_ids, total
from .bfs import Search

__all__ = ["sssp"]

# A part looks at this share of its arcs before it looks at its mail: on wrong paths more is wasted.
ARCS_SHARE = 2
BUSY_ARCS = 1 << 20  # how many arcs of a part make a superstep worth its price
NO_DISTANCE = 1e300  # stands for infinity in notes, which are JSON
LARGEST_WHOLE = 2.0**53  # whole numbers up to here are float64 numbers


def sssp(graph: Parts, source: npt.ArrayLike, **where: Unpack[Where]) -> DistancesResult:
    """Shortest distances from one vertex, or the nearest of several.

    Parameters and errors are those of :func:`tachograph.scale.bfs`; arcs without weights have length 1,
    and weights must not be negative.

    Returns
    -------
    DistancesResult
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
    if partition.weights is None:
        return solve(DistancesResult, Hops.of(partition, source, "auto"), partition, **where)
    degree = max(sum(partition.arcs) / max(partition.n, 1), 1.0)
    width = max(partition.mean, partition.heaviest / 64) * max(1.0, 32 / degree)
    program = Distances(source_ids(partition.n, source), width or 1.0)
    return solve(DistancesResult, program, partition, **where)


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class DistancesResult(Result):
    """Distances, inf where no path leads; paths are not known."""

    task: ClassVar[str] = "sssp"
    array: ClassVar[str] = "distances"
    table: ClassVar[tuple[str, ...]] = ("distances",)

    distances: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Hops(Search):
    """Distances where all arcs have length 1: levels. No part has to know those of its ghosts."""

    task: ClassVar[str] = "sssp"
    outputs: ClassVar[Outputs] = {"distances": np.float64}
    parents: ClassVar[bool] = False

    def finish(self, piece: Piece, state: Arrays, inbox: Inbox) -> dict[str, np.ndarray]:
        levels = state["levels"][piece.own]
        return {"distances": np.where(levels < 0, np.inf, levels)}


@dataclass(frozen=True)
class Distances(Program):
    """Distances from ``sources``, in windows that are ``width`` wide at first."""

    task: ClassVar[str] = "sssp"
    outputs: ClassVar[Outputs] = {"distances": np.float64}
    sources: tuple[int, ...]
    width: float

    def check(self, partition: Partition) -> None:
        if partition.lightest < 0:
            raise InputError(
                f"the lightest arc has weight {partition.lightest:g}, and shortest paths in parts need "
                "weights of at least 0: tachograph.sssp takes others, on one machine"
            )

    def start(self, piece: Piece) -> Outcome:
        """Give the sources distance 0."""
        distance = np.full(piece.n, np.inf)
        pending = np.zeros(piece.n, np.uint8)
        sources = piece.own_of(self.sources)
        distance[sources] = 0.0
        pending[sources] = np.diff(piece.out.indptr)[sources] > 0
        return self._outcome(piece, distance, pending, 0)

    def step(self, piece: Piece, state: Arrays, inbox: Inbox, order: Order) -> Outcome:
        """Hear of shorter ways to own vertices, then relax what is nearer than ``limit``."""
        distance, pending = np.array(state["distances"]), np.array(state["pending"])
        rows = piece.out
        for other, arrays in inbox.items():
            told = read_only(arrays["at"]), read_only(arrays["distance"])
            heard = (read_only(piece.sends(other)), *told, rows.indptr, distance, pending)
            run(kernel.hear_distances, [heard], brief=True)
        queue = np.empty(piece.n, rows.indices.dtype)
        enough = max(BUSY_ARCS, rows.arcs // ARCS_SHARE)
        assert rows.weights is not None
        there = WeightedRows(*rows.rows, rows.weights)
        given = (order["limit"], enough, there, distance, pending, queue)
        scanned = int(run(kernel.relax_below, [given], label="sssp")[0])
        return self._outcome(piece, distance, pending, scanned)

    def _outcome(
        self, piece: Piece, distance: np.ndarray, pending: np.ndarray, scanned: int
    ) -> Outcome:
        """Return the state, news for the owners of ghosts, and what the driver has to know."""
        mail = {}
        left = (piece.own.start, piece.own.stop, distance, pending)
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
        notes = {"nearest": min(float(nearest), NO_DISTANCE), "furthest": float(furthest)}
        notes["scanned"] = scanned
        return Outcome({"distances": distance, "pending": pending}, notes, mail)

    def decide(self, memory: Memory, notes: list[Notes]) -> Order | None:
        """Stay in the window while there is something in it; then move on, further if it was easy."""
        memory["furthest"] = max(n["furthest"] for n in notes)
        memory["scanned"] = memory.get("scanned", 0) + total(notes, "scanned")
        nearest = min(n["nearest"] for n in notes)
        if nearest >= NO_DISTANCE:
            return None
        if nearest >= memory.get("limit", 0.0):
            width = memory.get("width", self.width)
            if "limit" in memory and memory["scanned"] < BUSY_ARCS * len(notes):
                width *= 2
            memory.update(width=width, limit=nearest + width, scanned=0)
        return {"phase": "relax", "limit": memory["limit"]}

    def values(self, partition: Partition, arrays: Arrays, memory: Memory) -> dict[str, object]:
        """Refuse distances of whole weights that float64 cannot hold."""
        if partition.weights == "int32" and memory["furthest"] >= LARGEST_WHOLE:
            raise InputError(
                "distances reach beyond 2**53, where not every whole number can be kept: "
                "scale the weights down, or make them float64"
            )
        return dict(arrays)
