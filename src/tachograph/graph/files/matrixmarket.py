"""Matrix Market ``.mtx``: coordinate matrices, pattern, integer or real; general, symmetric, skew.

An entry (i, j) is an arc from i to j. A symmetric matrix is an undirected graph and lists only the
entries on and below the diagonal; a skew-symmetric one is a directed graph with opposite weights.
"""

from __future__ import annotations

from typing import IO

import numpy as np

from ...util.errors import FileFormatError
from ..edges import EdgeTable
from ..graph import Graph
from .lines import write_lines
from .streams import Input
from .text import Header, Layout, header_lines, is_count, read_promised

BANNER = "%%MatrixMarket"
NUMBER_KINDS = ("pattern", "integer", "real", "double")
SYMMETRIES = ("general", "symmetric", "skew-symmetric")


def recognises(head: bytes) -> bool:
    """Whether the banner stands first."""
    return head[: len(BANNER)].lower() == BANNER.lower().encode()


def _banner(source: Input) -> tuple[str, str]:
    """Return the field and the symmetry."""
    words = source.head.split(b"\n", 1)[0].decode("utf-8", "replace").lower().split()
    if not words or words[0] != BANNER.lower():
        raise FileFormatError(source.path, f"a Matrix Market file begins with {BANNER}", 1)
    if len(words) != 5 or words[1] != "matrix":
        raise FileFormatError(source.path, f"expected '{BANNER} matrix FORMAT FIELD SYMMETRY'", 1)
    layout, field, symmetry = words[2:]
    if layout != "coordinate":
        raise FileFormatError(
            source.path, f"{layout} matrices are not supported, coordinate ones are", 1
        )
    if field not in NUMBER_KINDS:
        raise FileFormatError(
            source.path, f"field {field!r} is not one of {', '.join(NUMBER_KINDS)}", 1
        )
    if symmetry not in SYMMETRIES:
        raise FileFormatError(
            source.path, f"symmetry {symmetry!r} is not one of {', '.join(SYMMETRIES)}", 1
        )
    return field, symmetry


def _size(source: Input) -> Header:
    """Return what the size line says: the order of the matrix and the number of entries."""
    for line, skip, text in header_lines(source):
        if not text or text.startswith("%"):
            continue
        words = text.split()
        if len(words) != 3 or not all(is_count(w) for w in words):
            raise FileFormatError(source.path, "expected 'rows columns entries'", line)
        rows, columns, entries = map(int, words)
        if rows != columns:
            raise FileFormatError(
                source.path, f"a graph needs a square matrix, this one is {rows} x {columns}", line
            )
        return Header(rows, entries, line, skip)
    raise FileFormatError(source.path, "there is no line 'rows columns entries'")


def read(source: Input, weight: str | bool | None) -> EdgeTable:
    """Read the entries as edges."""
    field, symmetry = _banner(source)
    size = _size(source)
    fields = 2 if field == "pattern" else 3
    layout = Layout(comments=b"%", base=1, fields=fields, real=field in ("real", "double"))
    sources, targets, weights = read_promised(source, layout, size, "entries")
    if field == "integer" and weights is not None and weights.dtype != np.int32:
        if (weights != np.round(weights)).any():
            raise FileFormatError(source.path, "field 'integer', but some values are fractions")
    if symmetry != "general":
        diagonal = symmetry == "skew-symmetric"
        wrong = np.flatnonzero(targets >= sources if diagonal else targets > sources)
        if wrong.size:
            i, j = int(sources[wrong[0]]) + 1, int(targets[wrong[0]]) + 1
            raise FileFormatError(
                source.path,
                f"the matrix is called {symmetry}, so entries lie below the diagonal"
                f"{'' if diagonal else ' or on it'}, but there is ({i}, {j})",
            )
    if symmetry == "skew-symmetric":
        # int64 and float64 have room for the opposite of every weight
        wide = None if weights is None else weights + np.zeros(1, np.int64)
        weights = None if wide is None else np.concatenate([wide, -wide])
        sources, targets = (np.concatenate([sources, targets]), np.concatenate([targets, sources]))
    directed = symmetry != "symmetric"
    both = None if directed else False
    return EdgeTable(sources, targets, weights, n=size.n, directed=directed, both=both)


def write(graph: Graph, out: IO[bytes]) -> None:
    """Write a directed graph as a general matrix, an undirected one as a symmetric one."""
    weights = graph.weights
    field = "pattern" if weights is None else "integer" if weights.dtype == np.int32 else "real"
    symmetry = "general" if graph.directed else "symmetric"
    out.write(f"{BANNER} matrix coordinate {field} {symmetry}\n".encode())
    out.write(f"{graph.n} {graph.n} {graph.m}\n".encode())
    source, target, values = graph.to_edges()
    if not graph.directed:
        source, target = target, source
    entries = [] if values is None else [values]
    write_lines(out, [(source, 1), (target, 1), *entries])
