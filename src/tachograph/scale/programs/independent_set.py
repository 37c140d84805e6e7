"""The maximal independent set of ``tachograph.maximal_independent_set`` in a partitioned graph.

A vertex can be decided when all its neighbours that come before it in the order are (see
``kernels/independent_set``). State: IN, OUT or its place in the order for each vertex that a part
knows. A part decides what it can, and tells of its border; the first undecided vertex of all can always
be decided, so it ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Unpack

import numpy as np

from ...algorithms.independent_set import IndependentSetResult
from ...graph.build import index_type
from ...kernels.independent_set import greedy
from ...kernels.rows.passes import over_rows
from ...kernels.runtime.launch import over_parts, read_only
from ...kernels.runtime.nouns import Rows
from ...kernels.runtime.random import key_of
from ...util.rng import Rng, seed_of
from ..manifest import Partition, Parts, open_partition
from ..piece import Arrays, Inbox, Piece
from ..supersteps import Where, solve
from . import Memory, Notes, Order, Outcome, Outputs, Program, total

__all__ = ["maximal_independent_set"]


def maximal_independent_set(
    graph: Parts, *, rng: Rng = 0, **where: Unpack[Where]
) -> IndependentSetResult:
    """The same set that :func:`tachograph.maximal_independent_set` finds for ``rng``.

    Other parameters and errors are those of :func:`tachograph.scale.bfs`.

    Returns
    -------
    IndependentSetResult
        ``mask``: for each vertex whether it is in the set; ``vertices``: the ids of the set, ascending.

    Examples
    --------
    >>> import tachograph as tg
    >>> parts = tg.scale.partition(tg.star(5), parts=2, directory="star")
    >>> tg.scale.maximal_independent_set(parts).vertices.tolist()
    [1, 2, 3, 4]
    """
    return solve(IndependentSetResult, IndependentSet(seed_of(rng)), open_partition(graph), **where)


@dataclass(frozen=True)
class IndependentSet(Program):
    """The set that ``seed`` gives."""

    task: ClassVar[str] = "maximal_independent_set"
    outputs: ClassVar[Outputs] = {"mask": np.bool_}
    seed: int

    def values(self, partition: Partition, arrays: Arrays, memory: Memory) -> dict[str, object]:
        ids = np.flatnonzero(arrays["mask"]).astype(index_type(partition.n))
        return {"vertices": ids, **arrays}

    def _key(self) -> np.uint64:
        return key_of(self.seed, "independent set")

    def start(self, piece: Piece) -> Outcome:
        """Give each vertex its place in the order, ghosts included."""
        state = np.empty(piece.n, np.uint8)
        order = greedy.Order(self._key(), piece.ids)
        over_parts(greedy.first_levels, piece.n, order, piece.all_degrees, state)
        return Outcome({"state": state}, {"left": piece.size}, kept={"ids": piece.ids})

    def step(self, piece: Piece, state: Arrays, inbox: Inbox, order: Order) -> Outcome:
        """Hear of decided ghosts, and decide what can be."""
        now = np.array(state["state"])
        for other, arrays in inbox.items():
            now[piece.ghosts_of(other)][arrays["at"]] = arrays["state"]
        out, into = piece.out, piece.into
        back = into.rows
        if into is out:  # every arc is there both ways
            back = Rows(into.indptr[:0], into.indices[:0])
        own = (piece.own.start, piece.own.stop)
        ties = greedy.Order(self._key(), read_only(state["ids"]))
        decided: list[int] = [0, 1]
        while len(decided) > 1 and any(decided):  # a thread alone goes on until it can do no more
            decided = over_rows(greedy.decide_rows, out.indptr, out.indices, back, own, ties, now)
        mail = {}
        for other in piece.others:
            sends = piece.sends(other)
            news = (now[sends] <= greedy.IN) & (state["state"][sends] > greedy.IN)
            at = np.flatnonzero(news).astype(np.int32)
            if at.size:
                mail[other] = {"at": at, "state": now[sends[at]]}
        left = int(np.count_nonzero(now[piece.own] > greedy.IN))
        return Outcome({"state": now}, {"left": left}, mail)

    def decide(self, memory: Memory, notes: list[Notes]) -> Order | None:
        return {"phase": "decide"} if total(notes, "left") else None

    def finish(self, piece: Piece, state: Arrays, inbox: Inbox) -> dict[str, np.ndarray]:
        return {"mask": state["state"][piece.own] == 1}
