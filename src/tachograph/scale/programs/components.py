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

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Unpack

import numpy as np

from ...algorithms.components import ComponentsResult
from ...graph.graph import Graph
from ...kernels.components import most_frequent
from ...kernels.pieces import components as kernel
from ...kernels.rows.passes import over_rows
from ...kernels.runtime.launch import over_parts, read_only, run
from ..manifest import Partition, Parts, open_partition
from ..piece import Arrays, Inbox, Mail, Piece
from ..supersteps import Where, solve
from . import Memory, Notes, Order, Outcome, Outputs, Program, total

__all__ = ["connected_components"]

FIRST_ARCS = 2  # how many arcs of every vertex are linked first


def connected_components(graph: Parts, **where: Unpack[Where]) -> ComponentsResult:
    """Weakly connected components; parameters and errors as in :func:`tachograph.scale.bfs`.

    Returns
    -------
    ComponentsResult
        ``labels``: for each vertex the smallest id of its component; ``count``: how many there are.

    Examples
    --------
    >>> import tachograph as tg
    >>> two = tg.disjoint_union(tg.path(3), tg.path(2))
    >>> parts = tg.scale.partition(two, parts=2, directory="two")
    >>> tg.scale.connected_components(parts).labels.tolist()
    [0, 0, 0, 3, 3]
    """
    return solve(ComponentsResult, Components(), open_partition(graph), **where)


@dataclass(frozen=True)
class Components(Program):
    """Components by labels that spread from border to border."""

    task: ClassVar[str] = "connected_components"
    outputs: ClassVar[Outputs] = {"labels": None}

    def values(self, partition: Partition, arrays: Arrays, memory: Memory) -> dict[str, object]:
        count = int(np.count_nonzero(arrays["labels"] == np.arange(partition.n)))
        return {**arrays, "count": count}

    def start(self, piece: Piece) -> Outcome:
        """Find the components of the part: ``root`` is the smallest local id of each."""
        root = np.arange(piece.n, dtype=piece.out.indices.dtype)
        giant = -1
        if piece.n:  # first a little is joined, which makes most of it one component
            _link(piece, root, [piece.out], FIRST_ARCS, -1, False)
            giant = int(most_frequent(piece.n, root))
        kept = _join(piece, root, giant, False)
        return Outcome(*_outcome(piece, kept, _Labels(piece.ids.copy(), piece.ids, False)), kept)

    def step(self, piece: Piece, state: Arrays, inbox: Inbox, order: Order) -> Outcome:
        """Hear of smaller ids, and pass them on; or look at the arcs that were left out."""
        before = state["labels"]
        labels = np.array(before)
        known = {name: state[name] for name in ("root", "joined", "giant")}
        if order["phase"] == "all":
            root = np.array(state["root"])
            known = _join(piece, root, int(state["giant"][0]), True)
            np.minimum.at(labels, root, before)
            before = piece.ids
        for other, arrays in inbox.items():
            _hear(piece, other, arrays, known["root"], labels)
        by_root = order["phase"] != "all"
        new, notes, mail = _outcome(piece, known, _Labels(labels, before, by_root))
        return Outcome({**new, **(known if order["all"] else {})}, notes, mail)

    def decide(self, memory: Memory, notes: list[Notes]) -> Order | None:
        """Go on while some part has news, or arcs between giants of other labels were left out."""
        if total(notes, "told"):
            return {"phase": "spread", "all": memory.get("all", False)}
        giants = {note["giant"] for note in notes} - {None}
        if memory.get("all") or len(giants) < 2:
            return None
        memory["all"] = True
        return {"phase": "all", "all": True}

    def finish(self, piece: Piece, state: Arrays, inbox: Inbox) -> dict[str, np.ndarray]:
        return {"labels": state["labels"][state["root"][piece.own]]}


def _join(piece: Piece, root: np.ndarray, giant: int, ghosts: bool) -> dict[str, np.ndarray]:
    """Join along all arcs that ``link_rows`` looks at. Return what is known of components then:
    ``joined`` says for each root whether there is another vertex in its component.
    """
    joined = np.zeros(root.size, np.uint8)
    if piece.n:
        sides = [piece.out] if piece.into is piece.out else [piece.out, piece.into]
        _link(piece, root, sides, 0, giant, ghosts)
        giant = int(root[giant])
        joined[root[root != np.arange(root.size)]] = 1
    return {"root": root, "joined": joined, "giant": np.array([giant])}


def _link(
    piece: Piece, root: np.ndarray, sides: list[Graph], few: int, skip: int, ghosts: bool
) -> None:
    arcs = kernel.Arcs(piece.own.start, piece.own.stop, few, skip, ghosts)
    for rows in sides:
        over_rows(kernel.link_rows, rows.indptr, rows.indices, arcs, root)
    over_parts(kernel.point_to_roots, piece.n, root)


class _Labels(NamedTuple):
    """Labels of the roots now and before; without ``by_root`` labels before are those of vertices."""

    now: np.ndarray
    before: np.ndarray
    by_root: bool


def _outcome(
    piece: Piece, known: Arrays, labels: _Labels
) -> tuple[dict[str, np.ndarray], Notes, Mail]:
    """Return state, notes, and mail for all who know vertices whose labels are lower than before."""
    giant = int(known["giant"][0])
    told = 0
    mail: Mail = {}
    news = not labels.by_root or (labels.now < labels.before).any()
    for other in piece.others if news else []:
        for name, side in _sides(piece, other):
            arrays, count = _told(side, known, labels)
            if count:
                letter = mail.setdefault(other, {"giant": labels.now[[giant]]})
                letter |= {f"{name} {k}": array for k, array in arrays.items()}
                told += count
    notes = {"told": told, "giant": int(labels.now[giant]) if piece.n else None}
    return {"labels": labels.now}, notes, mail


def _sides(piece: Piece, other: int) -> list[tuple[str, kernel.Side]]:
    """Return the vertices that both parts know: those of this one, then those of the other.

    The other part has them the other way round, in the same order.
    """
    sends, ghosts = piece.sends(other), piece.ghosts_of(other)
    theirs = kernel.Side(read_only(sends[:0]), ghosts.start, ghosts.stop - ghosts.start)
    return [("own", kernel.Side(read_only(sends), 0, sends.size)), ("ghost", theirs)]


def _told(side: kernel.Side, known: Arrays, labels: _Labels) -> tuple[Arrays, int]:
    """Return news of one side, and of how many vertices."""
    bits = np.zeros((side.size + 7) >> 3, np.uint8)
    at, values = np.empty(side.size, np.int32), np.empty(side.size, labels.now.dtype)
    root, joined = read_only(known["root"]), read_only(known["joined"])
    roots = kernel.Known(root, joined, int(known["giant"][0]))
    now, before = read_only(labels.now), read_only(labels.before)
    given = (side, roots, now, before, labels.by_root, kernel.News(bits, at, values))
    in_giant, count = run(kernel.tell_labels, [given], brief=True)[0]
    found: Arrays = {
        "bits": bits if in_giant else bits[:0],
        "at": at[:count],
        "values": values[:count],
    }
    return found, int(in_giant + count)


def _hear(piece: Piece, other: int, arrays: Arrays, root: np.ndarray, labels: np.ndarray) -> None:
    """Take over what ``_told`` has noted in the other part, where its own are our ghosts."""
    for name, (_, side) in zip(("ghost", "own"), _sides(piece, other), strict=True):
        if f"{name} at" in arrays:
            told = (read_only(arrays[f"{name} {k}"]) for k in ("bits", "at", "values"))
            given = (side, read_only(root), kernel.News(*told), int(arrays["giant"][0]), labels)
            run(kernel.hear_labels, [given], brief=True)
