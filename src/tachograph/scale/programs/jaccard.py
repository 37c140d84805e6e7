"""Jaccard's similarity of the ends of every edge of a partitioned graph.

Each part computes its edges (undirected: those to higher vertices) with each other part in turn,
whose piece it maps from its file: no messages are needed, and never more than two pieces are looked
at. So there is one superstep, and it is a checkpoint: a run that was stopped does only the parts
that are missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Unpack

import numpy as np

from ...algorithms.similarity import JaccardResult
from ...kernels.pieces import jaccard as kernel
from ...kernels.rows.passes import over_rows
from ...kernels.runtime.launch import over_parts, read_only
from ..manifest import Partition, Parts, open_partition
from ..piece import Arrays, Inbox, Piece
from ..supersteps import Where, solve
from . import Memory, Notes, Order, Outcome, Outputs, Program

__all__ = ["jaccard"]


def jaccard(graph: Parts, **where: Unpack[Where]) -> JaccardResult:
    """Jaccard's similarity of the ends of all edges; loops and parallel edges count for nothing.

    Parameters and errors are those of :func:`tachograph.scale.bfs`; weights are not looked at, and
    every part that is done is a checkpoint.

    Returns
    -------
    JaccardResult
        ``source``, ``target`` (undirected: the lower id first) and ``values``, in the order of
        :func:`tachograph.jaccard`, mapped from files in the partition's directory.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], directed=False)
    >>> parts = tg.scale.partition(g, parts=2, directory="four")
    >>> tg.scale.jaccard(parts).values.round(3).tolist()
    [0.333, 0.25, 0.25, 0.0]
    """
    partition = open_partition(graph)
    return solve(JaccardResult, Similarities(partition.directed), partition, **where)


@dataclass(frozen=True)
class Similarities(Program):
    """All edges."""

    task: ClassVar[str] = "jaccard"
    outputs: ClassVar[Outputs] = {"source": None, "target": None, "values": np.float64}
    checkpoint: ClassVar[int | None] = 1
    directed: bool

    def values(self, partition: Partition, arrays: Arrays, memory: Memory) -> dict[str, object]:
        return {**arrays, "count": arrays["values"].size}

    def start(self, piece: Piece) -> Outcome:
        return Outcome({})  # nothing has to be known before

    def step(self, piece: Piece, state: Arrays, inbox: Inbox, order: Order) -> Outcome:
        """Compute a value for each arc, of which those that are edges count."""
        values = np.zeros(piece.out.arcs)
        for other in sorted({piece.index, *piece.others}):
            if self.directed or other >= piece.index:
                _between(piece, piece.neighbour(other), not self.directed, values)
        rows = int(np.count_nonzero(_edges(piece, self.directed)))
        return Outcome({"values": values}, {"rows": rows})

    def decide(self, memory: Memory, notes: list[Notes]) -> Order | None:
        return None if "rows" in notes[0] else {"phase": "compare"}

    def finish(self, piece: Piece, state: Arrays, inbox: Inbox) -> dict[str, np.ndarray]:
        kept = _edges(piece, self.directed)
        ids = piece.ids
        source = np.repeat(ids, np.diff(piece.out.indptr))[kept]
        target = ids[piece.out.indices[kept]]
        return {"source": source, "target": target, "values": state["values"][kept]}


def _between(piece: Piece, other: Piece, upper: bool, values: np.ndarray) -> None:
    """Fill in the arcs from ``piece`` to vertices of ``other``."""
    same = other is piece
    to = piece.own if same else piece.ghosts_of(other.index)
    ids = np.int64 if max(piece.n, other.n) > np.iinfo(np.int32).max else np.int32
    there = read_only((piece.ids[to] - other.first + other.begin).astype(ids))
    places = np.searchsorted(piece.ids, other.ids)
    found = piece.ids[np.minimum(places, piece.n - 1)] == other.ids
    here = read_only(np.where(found, places, -1).astype(ids))
    out = piece.out.rows
    part = kernel.Other(other.out.rows, other.into.rows, here, there, to.start)
    over_rows(kernel.from_here, *out, part, upper, values)
    own = (piece.own.start, piece.own.stop)
    over_parts(kernel.from_there, there.size, out, own, part, upper, values)


def _edges(piece: Piece, directed: bool) -> np.ndarray:
    """Which arcs are edges of their own: no loops, no repetitions, undirected ones once."""
    rows = piece.out
    source = np.repeat(np.arange(piece.n, dtype=rows.indices.dtype), np.diff(rows.indptr))
    kept: np.ndarray = rows.indices != source if directed else rows.indices > source
    if rows.arcs:
        again = (rows.indices[1:] == rows.indices[:-1]) & (source[1:] == source[:-1])
        kept[1:] &= ~again
    return kept
