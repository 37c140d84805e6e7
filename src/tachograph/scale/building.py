"""Making a piece: the arcs of a part, looked at twice in chunks, become sorted rows with local ids.

What is in memory is the rows themselves, something for each vertex that the part knows, and two bits
for each vertex of the whole graph: which are ghosts, and how many are before. Arcs wait in files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from ..graph.build import index_type
from ..graph.graph import Graph
from ..kernels.pieces import rows as piece_rows
from ..kernels.pieces.rows import LocalIds
from ..kernels.rows import build as csr
from ..kernels.runtime.launch import read_only, run
from ..kernels.runtime.nouns import Rows
from .piece import CHUNK_ARCS, Arcs

__all__ = ["Chunks", "make_piece"]

Chunks: TypeAlias = Callable[[], Iterable[Arcs]]  #: gives all arcs of a part, every time
CHUNK_WORDS = 1 << 14  # of a bitmap, turned into ids at a time


def make_piece(
    index: int, cuts: np.ndarray, arcs: list[Chunks], degrees: list[np.ndarray]
) -> list[Graph]:
    """Return the graphs of a piece's files: rows of arcs out of its vertices, and of those into them.

    ``arcs`` and ``degrees`` have an entry for each; degrees are those of all vertices.
    """
    first, last, n = int(cuts[index]), int(cuts[index + 1]), int(cuts[-1])
    seen = _seen(arcs, first, last, n)
    ghosts = _ids(seen, n)
    begin = int(np.searchsorted(ghosts, first))
    before = np.zeros(seen.size, np.int64)
    np.cumsum(np.bitwise_count(seen[:-1]), dtype=np.int64, out=before[1:])
    local = LocalIds(first, last, begin, seen, before)
    made = []
    for chunks, degree in zip(arcs, degrees, strict=True):
        rows = _rows(chunks, degree[first:last], ghosts.size, local)
        ghost_degrees = degree[ghosts].astype(np.int64, copy=False)
        made.append(rows.with_meta(part=index, ghost_degrees=ghost_degrees))
    bounds = np.searchsorted(ghosts, cuts)
    bounds[index + 1 :] += last - first
    sends, starts = _sends(index, bounds, begin, begin + last - first, made)
    made[0] = made[0].with_meta(ghosts=ghosts, sends=sends, send_starts=starts)
    return made


def _seen(arcs: list[Chunks], first: int, last: int, n: int) -> np.ndarray:
    """Return a bit for each vertex of the whole graph: whether it is a ghost."""
    seen = np.zeros((n >> 6) + 1, np.uint64)
    for chunks in arcs:
        for _, target, _ in chunks():
            run(piece_rows.mark_ghosts, [(read_only(target), first, last, seen)], brief=True)
    return seen


def _ids(seen: np.ndarray, n: int) -> np.ndarray:
    """Return the places of the bits of a bitmap, ascending."""
    found = np.empty(int(np.bitwise_count(seen).sum()), index_type(n))
    done = 0
    for at in range(0, seen.size, CHUNK_WORDS):
        some = seen[at : at + CHUNK_WORDS].astype("<u8").view(np.uint8)
        ids = np.flatnonzero(np.unpackbits(some, bitorder="little"))
        found[done : done + ids.size] = ids + (at << 6)
        done += ids.size
    return found


def _rows(chunks: Chunks, degree: np.ndarray, ghosts: int, local: LocalIds) -> Graph:
    """Return sorted rows with local ids of vertices with these degrees; those of ghosts are empty."""
    begin, size = local.begin, degree.size
    n = ghosts + size
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(degree, out=indptr[begin + 1 : begin + size + 1])
    indptr[begin + size + 1 :] = indptr[begin + size]
    count = int(indptr[n])
    indices = np.empty(count, index_type(n))
    weights: np.ndarray | None = None
    bits = np.empty(0, np.uint32)
    cursor = indptr[begin : begin + size].copy()
    for source, target, weight in chunks():
        if weight is not None and weights is None:
            weights = np.empty(count, weight.dtype)
            bits = weights.view(np.uint32 if weights.itemsize == 4 else np.uint64)
        part = piece_rows.Arcs(read_only(source), read_only(target), *csr.as_bits(weight))
        run(piece_rows.place_arcs, [(part, local, cursor, indices, bits)], brief=True)
    _sort_rows(indptr, begin, begin + size, indices, weights)
    return Graph(indptr, indices, weights, directed=True, is_sorted=True, m=count)


def _sort_rows(
    indptr: np.ndarray, begin: int, end: int, indices: np.ndarray, weights: np.ndarray | None
) -> None:
    """Sort each row by target, some rows together; parallel arcs stay in their order."""
    n = indptr.size - 1
    while begin < end:
        upto = int(np.searchsorted(indptr, indptr[begin] + CHUNK_ARCS, "right")) - 1
        upto = min(max(upto, begin + 1), end)
        here = slice(int(indptr[begin]), int(indptr[upto]))
        if upto == begin + 1 and weights is None:
            indices[here].sort()
        else:
            row = np.repeat(np.arange(upto - begin) * n, np.diff(indptr[begin : upto + 1]))
            key = row + indices[here]  # at most CHUNK_ARCS rows of n: far below 2**63
            if weights is None:
                key.sort()
            else:
                order = np.argsort(key, kind="stable")
                key, weights[here] = key[order], weights[here][order]
            indices[here] = key - row
        begin = upto


def _sends(
    index: int, bounds: np.ndarray, begin: int, end: int, rows: list[Graph]
) -> tuple[np.ndarray, np.ndarray]:
    """Return own vertices that each other part has as ghosts, and where each part's begin."""
    parts = bounds.size - 1
    counts = np.zeros(parts, np.int64)
    sends = np.empty(0, rows[0].indices.dtype)
    starts = np.zeros(parts + 1, np.int64)
    bounds = bounds.astype(np.int64)
    out, into = rows[0], rows[-1]
    back = into.rows
    if len(rows) == 1:  # every arc is there both ways
        back = Rows(into.indptr[:0], into.indices[:0])

    def go(cursor: np.ndarray, fill: bool) -> None:
        mark = np.full(parts, -1, np.int64)
        told = piece_rows.Sends(index, bounds, mark, cursor, sends, fill)
        run(piece_rows.whom_to_tell, [(begin, end, out.rows, back, told)])

    go(counts, False)
    np.cumsum(counts, out=starts[1:])
    sends = np.empty(int(starts[-1]), sends.dtype)
    go(starts[:-1].copy(), True)
    return sends, starts
