"""Weakly connected components of a partitioned graph.

Each part joins what hangs together within it, ghosts included, once. Then the smallest id that a
component of a part has heard of goes to the neighbours of its border, superstep after superstep, until
no component hears of a smaller one. State: for the root of each such component that smallest id.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...algorithms.result import Result
from ...graph.build import index_type
from ..manifest import Partition, open_partition
from ..piece import Piece
from ..supersteps import CHECKPOINT, execute
from .base import Arrays, Inbox, Notes, Order, Outcome, Program, total

__all__ = ["connected_components"]

ROUNDS = 2  # arcs of every vertex that are linked first


def connected_components(
    graph: Partition | str | os.PathLike[str],
    *,
    cluster: str | None = None,
    workers: int | None = None,
    checkpoint: int = CHECKPOINT,
) -> Result:
    """Weakly connected components; parameters and errors as in :func:`tachograph.scale.bfs`.

    Returns
    -------
    Result
        ``labels``: for each vertex the smallest id of its component; ``count``: how many there are.

    Examples
    --------
    >>> import tachograph as tg
    >>> two = tg.disjoint_union(tg.path(3), tg.path(2))
    >>> parts = tg.scale.partition(two, parts=2, directory="two")
    >>> tg.scale.connected_components(parts).labels.tolist()
    [0, 0, 0, 3, 3]
    """
    partition = open_partition(graph)
    ids = index_type(partition.n)
    done = execute(Components(), partition, {"labels": ids}, cluster, workers, checkpoint)
    count = int(np.count_nonzero(done.values["labels"] == np.arange(partition.n)))
    values = {**done.values, "count": count}
    return Result("components", values, seconds=done.seconds, trace=done.trace)


@dataclass(frozen=True)
class Components(Program):
    """Components by labels that spread from border to border."""

    task: ClassVar[str] = "components"

    def start(self, piece: Piece) -> Outcome:
        """Components of the part: ``root`` is the smallest local id of each."""
        root = np.arange(piece.n, dtype=piece.out.indices.dtype)
        if piece.n:
            _join(piece, root)
        labels = piece.ids.copy()
        mail = {other: _told(piece.sends(other), root, labels) for other in piece.others}
        return Outcome({"labels": labels}, {"told": piece.size}, mail, {"root": root})

    def step(self, piece: Piece, state: Arrays, inbox: Inbox, order: Order) -> Outcome:
        """Hear of smaller ids, and pass them on."""
        root, before = state["root"], state["labels"]
        labels = before.copy()
        for other, arrays in inbox.items():
            ghosts = np.arange(piece.n)[piece.ghosts_of(other)][arrays["at"]]
            np.minimum.at(labels, root[ghosts], arrays["labels"])
        told = 0
        mail = {}
        lower = labels < before
        changed = lower[root] if lower.any() else lower
        for other in piece.others if lower.any() else []:
            places = np.flatnonzero(changed[piece.sends(other)])
            if places.size:
                mail[other] = _told(piece.sends(other), root, labels, places)
                told += places.size
        return Outcome({"labels": labels}, {"told": told}, mail)

    def decide(self, memory: dict[str, Any], notes: list[Notes]) -> Order | None:
        """Go on while somebody has news."""
        return {"phase": "spread"} if total(notes, "told") else None

    def finish(self, piece: Piece, state: Arrays, inbox: Inbox) -> dict[str, np.ndarray]:
        """The label of each vertex's root."""
        return {"labels": state["labels"][state["root"]][piece.own]}


def _join(piece: Piece, root: np.ndarray) -> None:
    """Join what hangs together within a part: first a little, which makes most of it one component."""
    from ...kernels import pieces
    from ...kernels.components import most_frequent
    from ...kernels.rows import over_rows
    from ...kernels.runtime import over_parts

    own = piece.own
    rows = [piece.out] if piece.into is piece.out else [piece.out, piece.into]
    over_rows(
        pieces.link_rows, rows[0].indptr, rows[0].indices, own.start, own.stop, ROUNDS, -1, root
    )
    over_parts(pieces.point_to_roots, piece.n, root)
    skip = int(most_frequent(piece.n, root))
    for graph in rows:
        over_rows(pieces.link_rows, graph.indptr, graph.indices, own.start, own.stop, 0, skip, root)
    over_parts(pieces.point_to_roots, piece.n, root)


def _told(
    sends: np.ndarray, root: np.ndarray, labels: np.ndarray, places: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """Labels of vertices that are others' ghosts, with their places among those."""
    at = np.arange(sends.size, dtype=np.int32) if places is None else places.astype(np.int32)
    return {"at": at, "labels": labels[root[sends[at]]]}
