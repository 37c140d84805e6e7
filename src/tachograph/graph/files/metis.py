"""METIS / DIMACS 10 ``.graph``: line v lists the neighbours of vertex v, ids from 1, undirected.

The header is ``vertices edges [fmt [ncon]]``. The digits of fmt say, from the left, whether a line
begins with the vertex's size, then ``ncon`` vertex weights, and whether each neighbour is followed
by the edge's weight. Lines with ``%`` are comments. A self-loop is listed once.
"""

from __future__ import annotations

from typing import IO

import numpy as np

from ...util.errors import InputError
from ...util.progress import bar
from ..build import EdgeTable
from ..graph import Graph
from .checks import Block, Header, must_fit
from .streams import Input, words_of
from .text import COUNT, PART_BYTES, Layout

MOST_VERTEX_WEIGHTS = 1000  # for each vertex; a larger header is refused
VERTICES_PER_WRITE = 1 << 12


def _header(source: Input) -> tuple[Header, str, int]:
    """Return the header with its ``fmt`` and the number of weights of a vertex."""
    text, line, skip = source.first_line(b"%")
    words = words_of(text)
    if not words:
        raise source.error("there is no header, only comments")
    if not 2 <= len(words) <= 4 or not all(map(COUNT.fullmatch, words)):
        raise source.error("expected 'vertices edges [fmt [ncon]]'", line)
    fmt = words[2].zfill(3) if len(words) > 2 else "000"
    if len(fmt) > 3 or set(fmt) - {"0", "1"}:
        raise source.error(f"fmt {words[2]} is not made of up to three 0 or 1", line)
    ncon = int(words[3]) if len(words) > 3 else int(fmt[1])
    if bool(ncon) != (fmt[1] == "1"):
        raise source.error(f"fmt {fmt} does not go with ncon {ncon}", line)
    if ncon > MOST_VERTEX_WEIGHTS:
        raise source.error(f"{ncon} weights for each vertex are too many", line)
    return Header(int(words[0]), int(words[1]), line, skip), fmt, ncon


def _numbers(source: Input, skip: int, line: int) -> tuple[np.ndarray, np.ndarray]:
    """Return all numbers after byte ``skip``, and how many each line has, empty lines included."""
    from ...kernels.runtime.launch import run
    from ...kernels.text import parse

    table = parse.classes(comments=b"%", commas=b"")
    values, lengths = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    kept = 0
    for block in source.blocks(skip):
        state = np.zeros(parse.STATE_SLOTS, np.int64)
        found = np.empty(block.size // 2 + 1, np.int64)
        rows = np.empty(block.size, np.int64)
        call = (block, 0, block.size, table, found, rows, state)
        run(parse.parse_rows, [call], brief=block.size < PART_BYTES)
        if state[parse.ERROR]:
            at = int(state[parse.OFFSET])
            raise Block(source, block, line, Layout(), 0).error(int(state[parse.ERROR]), at)
        values.append(found[: state[parse.NUMBERS]].copy())
        lengths.append(rows[: state[parse.RECORDS]].copy())
        line += int(state[parse.LINES])
        kept += int(state[parse.NUMBERS]) + int(state[parse.RECORDS])
        source.require(16 * kept, f"more than {line:,} lines")
    return np.concatenate(values), np.concatenate(lengths)


def read(source: Input, weight: str | bool) -> EdgeTable:
    """Read the edges, listed in both directions; vertex weights and sizes go to ``meta``."""
    header, fmt, ncon = _header(source)
    n, m = header.n, header.edges
    must_fit(source, header, least=2)
    values, lengths = _numbers(source, header.skip, header.line)
    if lengths.size > n and not lengths[n:].any():
        lengths = lengths[:n]
    if lengths.size != n:
        raise source.error(
            f"the header promises {n:,} vertices but {lengths.size:,} lines follow "
            "(a vertex without neighbours has an empty line)"
        )
    before = (fmt[0] == "1") + ncon
    step = 2 if fmt[2] == "1" else 1
    bad = np.flatnonzero((lengths < before) | ((lengths - before) % step != 0))
    if bad.size:
        v = int(bad[0])
        has = f"vertex {v + 1} has {lengths[v]} numbers"
        raise source.error(f"{has}, which does not fit fmt {fmt}")
    begins = np.cumsum(lengths) - lengths
    meta: dict[str, object] = {}
    if fmt[0] == "1":
        meta["vertex_sizes"] = values[begins]
    if ncon:
        first = begins[:, None] + (fmt[0] == "1") + np.arange(ncon)
        meta["vertex_weights"] = values[first]
    degrees = (lengths - before) // step
    weights = None
    if before or step == 2:
        place = np.arange(values.size) - np.repeat(begins, lengths) - before
        weights = values[(place >= 0) & (place % 2 == 1)] if step == 2 else None
        values = values[(place >= 0) & (place % step == 0)]
    sources = np.repeat(np.arange(n), degrees)
    outside = np.flatnonzero((values < 1) | (values > n))
    if outside.size:
        v, t = int(sources[outside[0]]) + 1, int(values[outside[0]])
        raise source.error(f"vertex {v} lists {t}, but ids go from 1 to {n}")
    values -= 1
    listed = values.size + int(np.count_nonzero(sources == values))
    if listed != 2 * m:
        raise source.error(f"the header promises {m:,} edges but {listed / 2:,.10g} are listed")
    return EdgeTable(sources, values, weights, n=n, directed=False, both=True, meta=meta)


def write(graph: Graph, out: IO[bytes]) -> None:
    """Write the graph, which must be undirected and have whole-number weights or none."""
    if graph.directed:
        raise InputError("METIS files hold undirected graphs: make one with directed=False")
    if graph.weights is not None and graph.weights.dtype != np.int32:
        raise InputError("METIS files hold whole-number weights only")
    if graph.weights is not None and graph.weights.min(initial=0) < 0:
        raise InputError("METIS files cannot hold negative weights")
    vertex = _per_vertex(graph, "vertex_weights")
    sizes = _per_vertex(graph, "vertex_sizes")
    ncon = 0 if vertex is None else vertex.shape[1]
    fmt = f"{int(sizes is not None)}{int(ncon > 0)}{int(graph.weighted)}"
    tail = f" {fmt}{f' {ncon}' if ncon else ''}" if fmt != "000" else ""
    out.write(f"{graph.n} {graph.m}{tail}\n".encode())
    numbers = [a for a in (sizes, vertex) if a is not None]
    before = np.concatenate(numbers, axis=1) if numbers else np.empty((graph.n, 0), np.int64)
    with bar("writing", graph.n) as b:
        for lo in range(0, graph.n, VERTICES_PER_WRITE):
            hi = min(lo + VERTICES_PER_WRITE, graph.n)
            out.write(_rows(graph, before, lo, hi))
            b.advance(hi - lo)


def _per_vertex(graph: Graph, key: str) -> np.ndarray | None:
    """Return an entry of ``graph.meta`` as a row of whole numbers for each vertex, or None."""
    if key not in graph.meta:
        return None
    values = np.asarray(graph.meta[key])
    if values.dtype.kind not in "iu" or values.ndim not in (1, 2) or len(values) != graph.n:
        wanted = f"whole numbers for each of the {graph.n} vertices"
        raise InputError(f"meta[{key!r}] must hold {wanted}")
    if values.min(initial=0) < 0:
        raise InputError(f"METIS files cannot hold negative numbers, as in meta[{key!r}]")
    return values.reshape(graph.n, -1)


def _rows(graph: Graph, before: np.ndarray, lo: int, hi: int) -> bytes:
    """Return the lines of vertices ``lo:hi``: the numbers in ``before``, then the neighbours."""
    import pyarrow as pa
    import pyarrow.compute as pc

    arcs = slice(graph.indptr[lo], graph.indptr[hi])
    after = [graph.indices[arcs].astype(np.int64) + 1]
    if graph.weights is not None:
        after.append(graph.weights[arcs].astype(np.int64))
    width, step = before.shape[1], len(after)
    begins = np.arange(hi - lo + 1) * width + (graph.indptr[lo : hi + 1] - arcs.start) * step
    numbers = np.empty(begins[-1], np.int64)
    front = begins[:-1, None] + np.arange(width)
    numbers[front] = before[lo:hi]
    rest = np.ones(numbers.size, bool)
    rest[front] = False
    numbers[rest] = np.column_stack(after).ravel()
    words = pc.cast(pa.array(numbers), pa.string())
    lines = pc.binary_join(pa.ListArray.from_arrays(pa.array(begins, pa.int32()), words), " ")
    return ("\n".join(lines.to_pylist()) + "\n").encode()
