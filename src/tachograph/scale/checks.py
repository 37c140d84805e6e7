"""Whether a piece is what programs take it for, whoever wrote it: a hash would only tell who that was.

Compiled loops use the ids, offsets and counts of a piece as indices, so all are looked at before the
first use. A file is checked once in each process, and again if it has changed.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from ..graph.build import index_type
from ..graph.graph import Graph
from ..util.errors import FileFormatError

if TYPE_CHECKING:
    from .piece import Piece

__all__ = ["Marks", "check_piece", "marks_of"]

#: Checksums of ids by the other part: of the ghosts that it owns, and of own vertices sent to it.
Marks: TypeAlias = dict[str, dict[int, int]]
MOST_KNOWN = 1 << 16  # files that were checked are remembered up to this number
_known: set[tuple[object, ...]] = set()


def check_piece(piece: Piece, paths: list[Path], checks: list[Callable[[], None]]) -> None:
    """Refuse a piece with an id, an offset or a count that does not exist; ``checks`` see to rows."""
    states = [(os.fspath(path), *_state(path)) for path in paths]
    known = (piece.index, piece.cuts.tobytes(), *states)
    if known in _known:
        return
    for path, rows, check in zip(paths, (piece.out, piece.into), checks, strict=False):
        check()
        if problem := _rows(piece, rows):
            raise FileFormatError(path, f"is no piece of this graph: {problem}")
    if problem := _sends(piece):
        raise FileFormatError(paths[0], f"is no piece of this graph: {problem}")
    if len(_known) >= MOST_KNOWN:
        _known.clear()
    _known.add(known)


def _state(path: Path) -> tuple[int, int, int]:
    now = path.stat()
    return now.st_ino, now.st_size, now.st_mtime_ns


def _rows(piece: Piece, rows: Graph) -> str:
    """Return what is wrong with the rows of one direction, or ''."""
    n, ghosts = int(piece.cuts[-1]), _array(piece.out, "ghosts", index_type(int(piece.cuts[-1])))
    degrees = _array(rows, "ghost_degrees", np.int64)
    if rows.meta.get("part") != piece.index:
        return f"it says that it is part {rows.meta.get('part')!r}"
    if ghosts is None or degrees is None or ghosts.size != degrees.size:
        return "it lacks its ghosts and their degrees"
    if ghosts.size and not (int(ghosts.min()) >= 0 and int(ghosts.max()) < n):
        return f"it has a ghost outside 0..{n - 1}"
    if (ghosts[1:] <= ghosts[:-1]).any():
        return "its ghosts do not ascend"
    if np.searchsorted(ghosts, piece.first + piece.size) != piece.begin:
        return "one of its own vertices is a ghost"
    if rows.n != ghosts.size + piece.size or not rows.directed or not rows.is_sorted:
        return "its rows are not those of its vertices"
    if rows.indptr[piece.begin] != 0 or rows.indptr[piece.own.stop] != rows.arcs:
        return "a ghost has arcs"
    if (rows.weights is None) != (piece.out.weights is None):
        return "only one of its files has weights"
    if ghosts.size and int(degrees.min()) < 0:
        return "a ghost has a negative degree"
    return ""


def _sends(piece: Piece) -> str:
    """Return what is wrong with the vertices that others are told of, or ''."""
    sends = _array(piece.out, "sends", index_type(piece.n))
    starts = _array(piece.out, "send_starts", np.int64)
    if sends is None or starts is None or starts.size != piece.cuts.size:
        return "it does not say whom to tell"
    if starts[0] != 0 or starts[-1] != sends.size or (starts[1:] < starts[:-1]).any():
        return "its send_starts do not ascend to the number of sends"
    if starts[piece.index] != starts[piece.index + 1]:
        return "it sends to itself"
    own = piece.own
    if sends.size and not (own.start <= int(sends.min()) and int(sends.max()) < own.stop):
        return "it sends vertices that are not its own"
    return ""


def _array(rows: Graph, name: str, kind: npt.DTypeLike) -> np.ndarray | None:
    """Return an array of the file if it has this type and one dimension."""
    found = rows.meta.get(name)
    right = isinstance(found, np.ndarray) and found.dtype == kind and found.ndim == 1
    return found if right else None


def marks_of(piece: Piece) -> Marks:
    """Return checksums by which parts agree on their mail: my ghosts of you are what you send me.

    Degrees belong to it: parts that see a vertex with different degrees would wait for each other.
    """
    known, others = (piece.ids, piece.degrees, piece.all_degrees), range(piece.cuts.size - 1)
    sent = {other: piece.sends(other) for other in others}
    ghosts = {other: piece.ghosts_of(other) for other in others if other != piece.index}
    return {"sends": _sums(known, sent), "ghosts": _sums(known, ghosts)}


def _sums(known: Sequence[np.ndarray], places: Mapping[int, np.ndarray | slice]) -> dict[int, int]:
    """Return a checksum of what is known of the vertices at these places, if there are any."""
    found = {}
    for other, where in places.items():
        if known[0][where].size:
            columns = [np.ascontiguousarray(values[where], np.int64) for values in known]
            found[other] = zlib.crc32(np.concatenate(columns).data)
    return found
