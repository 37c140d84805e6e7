"""Weakly connected components of a partitioned graph.

Each part joins what hangs together within it, ghosts included, once. Then the smallest id that a
component of a part has heard of goes to all other parts that know some of its vertices, superstep after
superstep, until no component hears of a smaller one. State: for the root of each such component that
smallest id.

As on one machine (``kernels/components``) most arcs need not be looked at: those of vertices in the
largest component of a part, the *giant*. An arc from there to another part is looked at there, unless
it ends in that part's giant. So if all giants end with the same label, that was all; if not, all arcs
between parts are looked at after all, and labels spread again.
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
        giant = _join(piece, root) if piece.n else -1
        kept = {"root": root, "joined": _joined(root), "giant": np.array([giant])}
        return _outcome(piece, kept, piece.ids.copy(), piece.ids, False, {}, kept)

    def step(self, piece: Piece, state: Arrays, inbox: Inbox, order: Order) -> Outcome:
        """Hear of smaller ids, and pass them on; or look at the arcs that were left out."""
        before = state["labels"]
        labels = np.array(before)
        known = {name: state[name] for name in ("root", "joined", "giant")}
        if order["phase"] == "all":
            root = np.array(state["root"])
            if piece.n:
                giant = _join_rest(piece, root, int(state["giant"][0]), True)
                known = {"root": root, "joined": _joined(root), "giant": np.array([giant])}
            np.minimum.at(labels, root, before)
            before = piece.ids
        for other, arrays in inbox.items():
            _hear(piece, other, arrays, known["root"], labels)
        by_root = order["phase"] != "all"
        return _outcome(piece, known, labels, before, by_root, known if order["all"] else {}, {})

    def decide(self, memory: dict[str, Any], notes: list[Notes]) -> Order | None:
        """Go on while somebody has news, or arcs between giants of several components were left out."""
        if total(notes, "told"):
            return {"phase": "spread", "all": memory.get("all", False)}
        giants = {note["giant"] for note in notes} - {None}
        if memory.get("all") or len(giants) < 2:
            return None
        memory["all"] = True
        return {"phase": "all", "all": True}

    def finish(self, piece: Piece, state: Arrays, inbox: Inbox) -> dict[str, np.ndarray]:
        """The label of each vertex's root."""
        return {"labels": state["labels"][state["root"][piece.own]]}


def _join(piece: Piece, root: np.ndarray) -> int:
    """Join what hangs together within a part, but for arcs out of its giant; the giant's root.

    First a little is joined, which makes most of it one component.
    """
    from ...kernels.components.afforest import most_frequent
    from ...kernels.pieces import components as kernel
    from ...kernels.rows.passes import over_rows
    from ...kernels.runtime.launch import over_parts

    own, rows = piece.own, piece.out
    arcs = kernel.Arcs(own.start, own.stop, ROUNDS, -1, False)
    over_rows(kernel.link_rows, rows.indptr, rows.indices, arcs, root)
    over_parts(kernel.point_to_roots, piece.n, root)
    skip = int(most_frequent(piece.n, root))
    return _join_rest(piece, root, skip, False)


def _join_rest(piece: Piece, root: np.ndarray, giant: int, ghosts: bool) -> int:
    """Join along all arcs that ``link_rows`` looks at; the giant's root."""
    from ...kernels.pieces import components as kernel
    from ...kernels.rows.passes import over_rows
    from ...kernels.runtime.launch import over_parts

    arcs = kernel.Arcs(piece.own.start, piece.own.stop, 0, giant, ghosts)
    for rows in [piece.out] if piece.into is piece.out else [piece.out, piece.into]:
        over_rows(kernel.link_rows, rows.indptr, rows.indices, arcs, root)
    over_parts(kernel.point_to_roots, piece.n, root)
    return int(root[giant])


def _joined(root: np.ndarray) -> np.ndarray:
    """For each root whether there is somebody else in its component."""
    from ...kernels.pieces import components as kernel
    from ...kernels.runtime.launch import over_parts, read_only

    joined = np.zeros(root.size, np.uint8)
    over_parts(kernel.find_joined, root.size, read_only(root), joined)
    return joined


def _outcome(
    piece: Piece, known: Arrays, labels: np.ndarray, before: np.ndarray, by_root: bool,
    changed: dict[str, np.ndarray], kept: dict[str, np.ndarray],
) -> Outcome:  # fmt: skip
    """State, and mail for all who know vertices whose labels are lower than before."""
    giant = int(known["giant"][0])
    told = 0
    mail = {}
    for other in piece.others if not by_root or (labels < before).any() else []:
        found: dict[str, np.ndarray] = {}
        for side, places, first, size in _sides(piece, other):
            news, count = _told(side, places, first, size, known, labels, before, by_root)
            found |= news
            told += count
        if found:
            mail[other] = {**found, "giant": labels[[giant]]}
    notes = {"told": told, "giant": int(labels[giant]) if piece.n else None}
    return Outcome({"labels": labels, **changed}, notes, mail, kept)


def _sides(piece: Piece, other: int) -> list[tuple[str, np.ndarray, int, int]]:
    """The vertices that both parts know, as ``tell_labels`` wants them: those of this one, then those
    of the other. The other part has them the other way round, in the same order.
    """
    sends, ghosts = piece.sends(other), piece.ghosts_of(other)
    return [
        ("own", sends, 0, sends.size),
        ("ghost", sends[:0], ghosts.start, ghosts.stop - ghosts.start),
    ]


def _told(
    side: str, places: np.ndarray, first: int, size: int, known: Arrays, labels: np.ndarray,
    before: np.ndarray, by_root: bool,
) -> tuple[dict[str, np.ndarray], int]:  # fmt: skip
    """News of one side, and of how many vertices."""
    from ...kernels.pieces import components as kernel
    from ...kernels.runtime.launch import read_only, run

    bits = np.zeros((size + 7) >> 3, np.uint8)
    at, values = np.empty(size, np.int32), np.empty(size, labels.dtype)
    vertices = kernel.Side(read_only(places), first, size)
    root, joined, now, then = map(read_only, (known["root"], known["joined"], labels, before))
    roots = kernel.Known(root, joined, int(known["giant"][0]))
    arguments = (vertices, roots, now, then, by_root, kernel.News(bits, at, values))
    in_giant, count = run(kernel.tell_labels, [arguments], brief=True)[0]
    if not in_giant + count:
        return {}, 0
    return {
        f"{side} bits": bits[: bits.size if in_giant else 0],
        f"{side} at": at[:count],
        f"{side} values": values[:count],
    }, int(in_giant + count)


def _hear(piece: Piece, other: int, arrays: Arrays, root: np.ndarray, labels: np.ndarray) -> None:
    """Take over what ``_told`` has noted in the other part, where its own are our ghosts."""
    from ...kernels.pieces import components as kernel
    from ...kernels.runtime.launch import read_only, run

    for side, (_, places, first, size) in zip(("ghost", "own"), _sides(piece, other), strict=True):
        if f"{side} at" in arrays:
            news = kernel.News(
                *(read_only(arrays[f"{side} {k}"]) for k in ("bits", "at", "values"))
            )
            vertices = kernel.Side(read_only(places), first, size)
            lowest = int(arrays["giant"][0])
            run(kernel.hear_labels, [(vertices, read_only(root), news, lowest, labels)], brief=True)
