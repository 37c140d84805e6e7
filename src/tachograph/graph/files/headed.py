"""Text formats whose header promises counts, ids from 1: Matrix Market, DIMACS, TNTP.

Matrix Market ``.mtx``: coordinate matrices, pattern, integer or real; general, symmetric, skew. An
entry (i, j) is an arc from i to j. A symmetric matrix is an undirected graph and lists only the entries
on and below the diagonal; a skew-symmetric one is a directed graph with opposite weights.

DIMACS: shortest paths ``.gr`` and ``.co``, maximum flow ``.max``, and their relatives. A line
``p KIND vertices edges`` comes first; then::

    p sp       a SOURCE TARGET WEIGHT          (challenge 9, directed)
    p max      n ID s|t, then a SOURCE TARGET CAPACITY
    p edge|col e U V                           (undirected, each edge once)
    p tw       U V                             (PACE, undirected, each edge once)
    p aux sp co VERTICES, then v ID X Y        (coordinates, see read_coordinates)

TNTP (Transportation Networks for Research): ``<KEY> value`` lines end with ``<END OF METADATA>``; lines
with ``~`` are comments; then a link per line, closed by ``;``. The weight is the free flow time, or the
column named with ``weight``.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ...util.arguments import checked
from ...util.arrays import numbers
from ...util.errors import InputError
from ..build import EdgeTable
from ..foreign import LAST_EXACT
from ..graph import Graph
from .checks import Header, must_fit
from .streams import BLANKS, Input, open_output, words_of, write_lines
from .text import COUNT, DECIMAL, Edges, Layout, read_edges

BANNER = "%%MatrixMarket"
NUMBER_KINDS = ("pattern", "integer", "real", "double")
SYMMETRIES = ("general", "symmetric", "skew-symmetric")
ARCS = Layout(comments=b"c", tag=b"a", base=1, fields=3)
PAIRS = Layout(comments=b"c", base=1, fields=2)
EDGES = replace(PAIRS, tag=b"e")
PROBLEMS = {"sp": ARCS, "max": ARCS, "edge": EDGES, "col": EDGES, "tw": PAIRS}
TERMINALS = {"s": "source", "t": "sink"}
LINKS = Layout(comments=b"~<", separators=b" \t\r;", base=1)
LINK_COLUMNS = ("capacity", "length", "free_flow_time", "b", "power", "speed", "toll", "type")
KEY = re.compile(r"<([^>]*)>\s*([^~]*)", re.A)


def _promised(source: Input, layout: Layout, header: Header, what: str = "edges") -> Edges:
    """Read the edges behind a header and check that there are as many as it promises."""
    must_fit(source, header, what)
    found = read_edges(source, replace(layout, n=header.n), header.skip, header.line)
    there = found[0].size
    if there != header.edges:
        raise source.error(f"the header promises {header.edges:,} {what} but {there:,} are there")
    return found


def _banner(source: Input) -> tuple[str, str]:
    """Return the field and the symmetry."""
    words = words_of(next(source.lines())[2].lower())
    if words[:1] != [BANNER.lower()]:
        raise source.error(f"a Matrix Market file begins with {BANNER}", 1)
    if len(words) != 5 or words[1] != "matrix":
        raise source.error(f"expected '{BANNER} matrix FORMAT FIELD SYMMETRY'", 1)
    layout, field, symmetry = words[2:]
    if layout != "coordinate":
        raise source.error(f"{layout} matrices are not supported, coordinate ones are", 1)
    if field not in NUMBER_KINDS:
        raise source.error(f"field {field!r} is not one of {', '.join(NUMBER_KINDS)}", 1)
    if symmetry not in SYMMETRIES:
        raise source.error(f"symmetry {symmetry!r} is not one of {', '.join(SYMMETRIES)}", 1)
    return field, symmetry


def _size(source: Input) -> Header:
    """Return what the size line says: the order of the matrix and the number of entries."""
    text, line, skip = source.first_line(b"%")
    if not text:
        raise source.error("there is no line 'rows columns entries'")
    words = words_of(text)
    if len(words) != 3 or not all(map(COUNT.fullmatch, words)):
        raise source.error("expected 'rows columns entries'", line)
    rows, columns, entries = map(int, words)
    if rows != columns:
        raise source.error(f"a graph needs a square matrix, this one is {rows} x {columns}", line)
    return Header(rows, entries, line, skip)


def read_matrix(source: Input, weight: str | bool) -> EdgeTable:
    """Read the entries of a matrix as edges."""
    field, symmetry = _banner(source)
    size = _size(source)
    fields = 2 if field == "pattern" else 3
    layout = Layout(comments=b"%", base=1, fields=fields, real=field in ("real", "double"))
    sources, targets, weights = _promised(source, layout, size, "entries")
    if field == "integer" and weights is not None and weights.dtype == np.float64:
        if (weights != np.round(weights)).any():
            raise source.error("field 'integer', but some values are fractions")
    skew, directed = symmetry == "skew-symmetric", symmetry != "symmetric"
    if symmetry != "general":
        wrong = np.flatnonzero(targets >= sources if skew else targets > sources)
        if wrong.size:
            i, j = int(sources[wrong[0]]) + 1, int(targets[wrong[0]]) + 1
            raise source.error(
                f"the matrix is called {symmetry}, so entries lie below the diagonal"
                f"{'' if skew else ' or on it'}, but there is ({i}, {j})"
            )
    if skew:
        if weights is not None:
            # int64 and float64 have room for the opposite of every weight
            wide = weights + np.zeros(1, np.int64)
            weights = np.concatenate([wide, -wide])
        sources, targets = np.concatenate([sources, targets]), np.concatenate([targets, sources])
    both = None if directed else False
    return EdgeTable(sources, targets, weights, n=size.n, directed=directed, both=both)


def write_matrix(graph: Graph, out: IO[bytes]) -> None:
    """Write a directed graph as a general matrix, an undirected one as a symmetric one."""
    source, target, weights = graph.to_edges()
    field = "pattern" if weights is None else "integer" if weights.dtype == np.int32 else "real"
    symmetry = "general" if graph.directed else "symmetric"
    out.write(f"{BANNER} matrix coordinate {field} {symmetry}\n".encode())
    out.write(f"{graph.n} {graph.n} {graph.m}\n".encode())
    ends = [(source, 1), (target, 1)] if graph.directed else [(target, 1), (source, 1)]
    write_lines(out, [*ends, *([] if weights is None else [weights])])


def _problem(source: Input) -> tuple[list[str], int, int]:
    """Return the words of the problem line, its line number, and the offset behind it."""
    text, line, skip = source.first_line(b"c")
    words = words_of(text)
    if words[:1] != ["p"]:
        raise source.error("there is no problem line 'p ...' before the edges")
    return words, line, skip


def read_dimacs(source: Input, weight: str | bool) -> EdgeTable:
    """Read the edges of a .gr, .max or PACE file."""
    words, line, skip = _problem(source)
    kind = words[1] if len(words) > 1 else ""
    if kind == "aux":
        raise source.error("holds coordinates, not edges: use read_coordinates")
    if kind not in PROBLEMS:
        raise source.error(f"unknown problem {kind!r}; known are {', '.join(PROBLEMS)}", line)
    if len(words) != 4 or not all(map(COUNT.fullmatch, words[2:])):
        raise source.error(f"expected 'p {kind} VERTICES EDGES'", line)
    n, m = int(words[2]), int(words[3])
    meta: dict[str, object] = {}
    if kind == "max":
        meta, line, skip = _terminals(source, n, line)
    found = _promised(source, PROBLEMS[kind], Header(n, m, line, skip))
    directed = kind in ("sp", "max")
    return EdgeTable(*found, n=n, directed=directed, both=None if directed else False, meta=meta)


def _terminals(source: Input, n: int, line: int) -> tuple[dict[str, object], int, int]:
    """Return source and sink of a flow problem, and the line and offset at which they end."""
    found: dict[str, object] = {}
    skip = 0
    for number, end, text in source.lines():
        words = words_of(text)
        if number <= line or not words or words[0] == "c":
            continue
        if words[0] != "n":
            break
        if len(words) != 3 or not COUNT.fullmatch(words[1]) or words[2] not in TERMINALS:
            raise source.error("expected 'n ID s' or 'n ID t'", number)
        if not 1 <= int(words[1]) <= n:
            raise source.error(f"there is no vertex {words[1]}", number)
        end_of_flow = TERMINALS[words[2]]
        if end_of_flow in found:
            raise source.error(f"there is more than one {end_of_flow}: merge them", number)
        found[end_of_flow] = int(words[1]) - 1
        line, skip = number, end
    if len(found) != 2:
        raise source.error("a flow problem needs one 'n ID s' and one 'n ID t'")
    return found, line, skip


def write_paths(graph: Graph, out: IO[bytes], problem: str = "sp", terminals: str = "") -> None:
    """Write ``.gr``: arcs with weights (1 if there are none), an undirected edge as two."""
    out.write(f"p {problem} {graph.n} {graph.arcs}\n{terminals}".encode())
    weights = "1" if graph.weights is None else graph.weights
    write_lines(out, ["a", (graph.arc_sources(), 1), (graph.indices, 1), weights])


def write_flow(graph: Graph, out: IO[bytes]) -> None:
    """Write ``.max``: needs the terminals, see :meth:`Graph.with_meta`."""
    ends: list[Any] = [graph.meta.get(key) for key in ("source", "sink")]
    if not all(isinstance(v, int | np.integer) and 0 <= v < graph.n for v in ends):
        raise InputError(
            "a .max file needs a source and a sink that are vertices: write "
            f"graph.with_meta(source=..., sink=...), here they are {ends[0]!r} and {ends[1]!r}"
        )
    write_paths(graph, out, "max", f"n {ends[0] + 1} s\nn {ends[1] + 1} t\n")


@checked
def read_coordinates(path: str | os.PathLike[str]) -> np.ndarray:
    """Read the coordinates of the vertices from a DIMACS ``.co`` file: an array of shape (n, 2).

    >>> import tachograph as tg
    >>> tg.write_coordinates([[-73530767, 41085396], [-73530538, 41086098]], "ny.co.gz")
    >>> tg.read_coordinates("ny.co.gz")[1].tolist()
    [-73530538, 41086098]
    """
    source = Input(path)
    words, line, skip = _problem(source)
    if words[1:4] != ["aux", "sp", "co"] or len(words) != 5 or not COUNT.fullmatch(words[4]):
        raise source.error("expected 'p aux sp co VERTICES'", line)
    n = int(words[4])
    must_fit(source, Header(n, n, line, skip), "vertices")
    found = np.full((n, 2), np.nan)
    for number, _, text in source.lines():
        words = words_of(text)
        if number <= line or not words or words[0] == "c":
            continue
        try:
            tag, vertex, x, y = words
            if tag != "v" or not COUNT.fullmatch(vertex) or not 1 <= int(vertex) <= n:
                raise ValueError
            if not (DECIMAL.fullmatch(x) and DECIMAL.fullmatch(y)):
                raise ValueError
        except ValueError:
            raise source.error(f"expected 'v ID X Y' with an ID from 1 to {n}", number) from None
        if not np.isnan(found[int(vertex) - 1, 0]):
            raise source.error(f"vertex {vertex} has coordinates already", number)
        found[int(vertex) - 1] = float(x), float(y)
    if not np.isfinite(found).all():
        missing = int(np.flatnonzero(~np.isfinite(found).all(axis=1))[0]) + 1
        raise source.error(f"vertex {missing} has no (finite) coordinates")
    if (np.abs(found) > LAST_EXACT).any():  # other numbers are the same float
        return found
    whole = found.astype(np.int64)
    return whole if (whole == found).all() else found


@checked
def write_coordinates(coordinates: npt.ArrayLike, path: str | os.PathLike[str]) -> None:
    """Write an array of shape (n, 2) as a DIMACS ``.co`` file.

    >>> import tachograph as tg
    >>> tg.write_coordinates([[0, 0], [3, 4]], "corners.co")
    >>> print(open("corners.co").read(), end="")
    p aux sp co 2
    v 1 0 0
    v 2 3 4
    """
    points = numbers(coordinates, "coordinates")
    if points.ndim != 2 or points.shape[1] != 2:
        raise InputError(f"coordinates must have shape (n, 2), not {points.shape}")
    if not np.isfinite(points).all():
        raise InputError("coordinates must be finite")
    with open_output(path) as out:
        out.write(f"p aux sp co {len(points)}\n".encode())
        for i, (x, y) in enumerate(points.tolist(), 1):
            out.write(f"v {i} {x} {y}\n".encode())


def read_links(source: Input, weight: str | bool) -> EdgeTable:
    """Read the links of a TNTP network as arcs."""
    wanted = "free_flow_time" if weight is True else weight
    if wanted and wanted not in LINK_COLUMNS:
        raise InputError(f"weight={wanted!r} is not a TNTP column: {', '.join(LINK_COLUMNS)}")
    counts: dict[str, int] = {}
    for line, skip, text in source.lines():  # noqa: B007
        found = KEY.match(text)
        key = found[1].upper().strip(BLANKS) if found else ""
        if key == "END OF METADATA":
            break
        if found and key in ("NUMBER OF NODES", "NUMBER OF LINKS"):
            if not COUNT.fullmatch(found[2].strip(BLANKS)):
                raise source.error(f"<{key}> needs a number", line)
            counts[key] = int(found[2])
    else:
        raise source.error("there is no line <END OF METADATA>")
    if len(counts) < 2:
        raise source.error("<NUMBER OF NODES> or <NUMBER OF LINKS> is missing")
    header = Header(counts["NUMBER OF NODES"], counts["NUMBER OF LINKS"], line, skip)
    layout = replace(LINKS, weight_column=LINK_COLUMNS.index(wanted) + 2 if wanted else None)
    sources, targets, weights = _promised(source, layout, header, "links")
    if wanted and weights is None and sources.size:
        raise source.error(f"the links have no column {wanted}")
    return EdgeTable(sources, targets, weights, n=header.n, directed=True)


def write_links(graph: Graph, out: IO[bytes]) -> None:
    """Write arcs as links with the weight as free flow time and length, the rest zero."""
    out.write(
        f"<NUMBER OF ZONES> 0\n<NUMBER OF NODES> {graph.n}\n<FIRST THRU NODE> 1\n"
        f"<NUMBER OF LINKS> {graph.arcs}\n<END OF METADATA>\n\n"
        "~\tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\tb\tpower\tspeed\ttoll\t"
        "link_type\t;\n".encode()
    )
    weights = "1" if graph.weights is None else graph.weights
    ends = (graph.arc_sources(), 1), (graph.indices, 1)
    write_lines(out, ["", *ends, "0", weights, weights, *"00000", ";"], delimiter="\t")
