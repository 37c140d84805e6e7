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
from ..manifest import Partition, Parts, open_partition
from ..piece import Arrays, Inbox, Mail, Piece
from ..supersteps import Where, solve
from .base import Memory, Notes, Order, Outcome, Outputs, Program, total

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
        """Add the number of components."""
        count = int(np.count_nonzero(arrays["labels"] == np.arange(partition.n)))
        return {**arrays, "count": count}

    def start(self, piece: Piece) -> Outcome:
        """Find the components of the part: ``root`` is the smallest local id of each."""
        root = np.arange(piece.n, dtype=piece.out.indices.dtype)
        giant = _join(piece, root) if piece.n else -1
        kept = {"root": root, "joined": _joined(root), "giant": np.array([giant])}
        return Outcome(*_outcome(piece, kept, _Labels(piece.ids.copy(), piece.ids, False)), kept)

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
        """Return the label of each vertex's root."""
        return {"labels": state["labels"][state["root"][piece.own]]}


def _join(piece: Piece, root: np.ndarray) -> int:
    """Join what hangs together within a part, except for arcs out of its giant. Return its root.

    First a little is joined, which makes most of it one component.
    """
    from ...kernels.components import most_frequent
    from ...kernels.pieces import components as kernel
    from ...kernels.rows.passes import over_rows
    from ...kernels.runtime.launch import over_parts

    own, rows = piece.own, piece.out
    arcs = kernel.Arcs(own.start, own.stop, FIRST_ARCS, -1, False)
    over_rows(kernel.link_rows, rows.indptr, rows.indices, arcs, root)
    over_parts(kernel.point_to_roots, piece.n, root)
    return _join_rest(piece, root, int(most_frequent(piece.n, root)), False)


def _join_rest(piece: Piece, root: np.ndarray, giant: int, ghosts: bool) -> int:
    """Join along all arcs that ``link_rows`` looks at. Return the giant's root."""
    from ...kernels.pieces import components as kernel
    from ...kernels.rows.passes import over_rows
    from ...kernels.runtime.launch import over_parts

    arcs = kernel.Arcs(piece.own.start, piece.own.stop, 0, giant, ghosts)
    for rows in [piece.out] if piece.into is piece.out else [piece.out, piece.into]:
        over_rows(kernel.link_rows, rows.indptr, rows.indices, arcs, root)
    over_parts(kernel.point_to_roots, piece.n, root)
    return int(root[giant])


def _joined(root: np.ndarray) -> np.ndarray:
    """Return for each root whether there is another vertex in its component."""
    joined = np.zeros(root.size, np.uint8)
    joined[root[root != np.arange(root.size)]] = 1
    return joined


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
        found: dict[str, np.ndarray] = {}
        for side in _sides(piece, other):
            arrays, count = _told(side, known, labels)
            found |= arrays
            told += count
        if found:
            mail[other] = {**found, "giant": labels.now[[giant]]}
    notes = {"told": told, "giant": int(labels.now[giant]) if piece.n else None}
    return {"labels": labels.now}, notes, mail


class _Side(NamedTuple):
    """Vertices of one part that another one knows: in ``places``, or ``size`` ids from ``first`` on."""

    name: str
    places: np.ndarray
    first: int
    size: int


def _sides(piece: Piece, other: int) -> list[_Side]:
    """Return the vertices that both parts know: those of this one, then those of the other.

    The other part has them the other way round, in the same order.
    """
    sends, ghosts = piece.sends(other), piece.ghosts_of(other)
    return [
        _Side("own", sends, 0, sends.size),
        _Side("ghost", sends[:0], ghosts.start, ghosts.stop - ghosts.start),
    ]


def _told(side: _Side, known: Arrays, labels: _Labels) -> tuple[dict[str, np.ndarray], int]:
    """Return news of one side, and of how many vertices."""
    from ...kernels.pieces import components as kernel
    from ...kernels.runtime.launch import read_only, run

    size = side.size
    bits = np.zeros((size + 7) >> 3, np.uint8)
    at, values = np.empty(size, np.int32), np.empty(size, labels.now.dtype)
    vertices = kernel.Side(read_only(side.places), side.first, size)
    root, joined = read_only(known["root"]), read_only(known["joined"])
    roots = kernel.Known(root, joined, int(known["giant"][0]))
    now, before = read_only(labels.now), read_only(labels.before)
    given = (vertices, roots, now, before, labels.by_root, kernel.News(bits, at, values))
    in_giant, count = run(kernel.tell_labels, [given], brief=True)[0]
    if not in_giant + count:
        return {}, 0
    arrays: Arrays = {
        "bits": bits[: bits.size if in_giant else 0],
        "at": at[:count],
        "values": values[:count],
    }
    return {f"{side.name} {k}": array for k, array in arrays.items()}, int(in_giant + count)


def _hear(piece: Piece, other: int, arrays: Arrays, root: np.ndarray, labels: np.ndarray) -> None:
    """Take over what ``_told`` has noted in the other part, where its own are our ghosts."""
    from ...kernels.pieces import components as kernel
    from ...kernels.runtime.launch import read_only, run

    for name, side in zip(("ghost", "own"), _sides(piece, other), strict=True):
        if f"{name} at" in arrays:
            told = (read_only(arrays[f"{name} {k}"]) for k in ("bits", "at", "values"))
            vertices = kernel.Side(read_only(side.places), side.first, side.size)
            given = (vertices, read_only(root), kernel.News(*told), int(arrays["giant"][0]), labels)
            run(kernel.hear_labels, [given], brief=True)
