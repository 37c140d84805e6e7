"""GAPBS's serialized graphs: ``.sg`` and, with int32 weights, ``.wsg``.

One byte: directed or not; two int64: arcs, vertices; offsets (int64), then neighbours (int32), in
``.wsg`` pairs of neighbour and weight; for a directed graph the same again for incoming arcs.
"""

from __future__ import annotations

from typing import IO

import numpy as np

from ...util import memory
from ...util.errors import FileFormatError, InputError
from ..build import from_csr
from ..graph import Graph
from .streams import Input

HEADER = 17  # bytes


def _shape(content: bytes, size: int) -> tuple[bool, int, int, int] | None:
    """Return (directed, arcs, vertices, bytes per arc), or None if they disagree with the size."""
    if size < HEADER + 8 or content[0] > 1:
        return None
    arcs, n = (int(x) for x in np.frombuffer(content[1:HEADER], np.int64))
    if arcs < 0 or n < 0:
        return None
    copies = 1 + content[0]
    for width in (4, 8):
        if size == HEADER + copies * ((n + 1) * 8 + arcs * width):
            return bool(content[0]), arcs, n, width
    return None


def recognises(source: Input) -> bool:
    """Whether the counts in the header give exactly the file's size."""
    return not source.compression and _shape(source.head[:HEADER], source.size) is not None


def read(source: Input, weight: str | bool | None) -> Graph:
    """Read the graph."""
    content = source.content()
    shape = _shape(content[:HEADER], len(content))
    if shape is None:
        raise FileFormatError(
            source.path, "not a GAPBS graph: its size does not match the counts in its header"
        )
    directed, arcs, n, width = shape
    memory.require(
        (n + 1) * 8 + arcs * 2 * width, f"{source.path}", "use a machine with more memory"
    )
    # The header's odd length leaves the arrays unaligned, so they are copied.
    offsets = np.frombuffer(content, np.int64, n + 1, HEADER).copy()
    begin = HEADER + (n + 1) * 8
    pairs = np.frombuffer(content, np.int32, arcs * width // 4, begin)
    indices = np.ascontiguousarray(pairs[:: width // 4])
    weights = np.ascontiguousarray(pairs[1::2]) if width == 8 else None
    try:
        return from_csr(offsets, indices, None if weight is False else weights, directed=directed)
    except InputError as error:
        raise FileFormatError(source.path, str(error)) from None


def _write(graph: Graph, out: IO[bytes], weighted: bool) -> None:
    if graph.indices.dtype != np.int32:
        raise InputError("GAPBS files hold 32-bit ids, and this graph needs 64")
    if weighted and (graph.weights is None or graph.weights.dtype != np.int32):
        raise InputError(".wsg files need int32 weights; write .sg to leave weights out")
    out.write(np.array([graph.directed], np.bool_).tobytes())
    out.write(np.array([graph.arcs, graph.n], np.int64).tobytes())
    for rows in (graph, graph.transpose) if graph.directed else (graph,):
        out.write(rows.indptr.tobytes())
        if weighted:
            assert rows.weights is not None
            out.write(np.column_stack([rows.indices, rows.weights]).tobytes())
        else:
            out.write(rows.indices.tobytes())


def write(graph: Graph, out: IO[bytes]) -> None:
    """Write ``.sg`` (weights are left out)."""
    _write(graph, out, weighted=False)


def write_weighted(graph: Graph, out: IO[bytes]) -> None:
    """Write ``.wsg``."""
    _write(graph, out, weighted=True)
