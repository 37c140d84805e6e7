"""DIMACS formats: shortest paths ``.gr`` and ``.co``, maximum flow ``.max``, and their relatives.

A line ``p KIND vertices edges`` comes first; then, with ids from 1::

    p sp       a SOURCE TARGET WEIGHT          (challenge 9, directed)
    p max      n ID s|t, then a SOURCE TARGET CAPACITY
    p edge|col e U V                           (undirected, each edge once)
    p tw       U V                             (PACE, undirected, each edge once)
    p aux sp co VERTICES, then v ID X Y        (coordinates, see read_coordinates)
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ...util.errors import FileFormatError, InputError
from ..edges import EdgeTable
from ..graph import Graph
from .lines import write_lines
from .streams import Input, aside, compression_of, open_output
from .text import Header, Layout, edges_that_fit, header_lines, is_count, read_promised

ARCS = Layout(comments=b"c", tag=b"a", base=1, fields=3)
PAIRS = Layout(comments=b"c", base=1, fields=2)
EDGES = replace(PAIRS, tag=b"e")
LAYOUTS = {"sp": ARCS, "max": ARCS, "edge": EDGES, "col": EDGES, "tw": PAIRS}


def recognises(head: bytes) -> bool:
    """Whether the first line that is not a comment ``c ...`` is a problem line ``p ...``."""
    for line in head.splitlines():
        if line.strip() and not line.startswith(b"c"):
            return line.split()[0] == b"p" and len(line.split()) >= 4
    return False


def _problem(source: Input) -> tuple[list[str], int, int]:
    """Return the words of the problem line, its line number, and the offset behind it."""
    for number, end, text in header_lines(source):
        words = text.split()
        if words and words[0] == "p":
            return words, number, end
        if words and not text.startswith("c"):
            break
    raise FileFormatError(source.path, "there is no problem line 'p ...' before the edges")


def read(source: Input, weight: str | bool | None) -> EdgeTable:
    """Read the edges of a .gr, .max or PACE file."""
    words, line, skip = _problem(source)
    kind = words[1] if len(words) > 1 else ""
    if kind == "aux":
        raise FileFormatError(source.path, "holds coordinates, not edges: use read_coordinates")
    if kind not in LAYOUTS:
        known = ", ".join(LAYOUTS)
        raise FileFormatError(source.path, f"unknown problem {kind!r}; known are {known}", line)
    if len(words) != 4 or not (is_count(words[2]) and is_count(words[3])):
        raise FileFormatError(source.path, f"expected 'p {kind} VERTICES EDGES'", line)
    n, m = int(words[2]), int(words[3])
    meta: dict[str, object] = {}
    if kind == "max":
        meta, line, skip = _terminals(source, n, line)
    found = read_promised(source, LAYOUTS[kind], Header(n, m, line, skip))
    directed = kind in ("sp", "max")
    both = None if directed else False
    return EdgeTable(*found, n=n, directed=directed, both=both, meta=meta)


def _terminals(source: Input, n: int, line: int) -> tuple[dict[str, object], int, int]:
    """Return source and sink of a flow problem, and the line and offset at which they end."""
    found: dict[str, object] = {}
    names = {"s": "source", "t": "sink"}
    for number, end, text in header_lines(source):
        words = text.split()
        if number <= line or not words or words[0] == "c":
            continue
        if words[0] != "n":
            break
        if len(words) != 3 or not is_count(words[1]) or words[2] not in names:
            raise FileFormatError(source.path, "expected 'n ID s' or 'n ID t'", number)
        if not 1 <= int(words[1]) <= n:
            raise FileFormatError(source.path, f"there is no vertex {words[1]}", number)
        found[names[words[2]]] = int(words[1]) - 1
        line, skip = number, end
    if len(found) != 2:
        raise FileFormatError(source.path, "a flow problem needs one 'n ID s' and one 'n ID t'")
    return found, line, skip


def write_paths(graph: Graph, out: IO[bytes]) -> None:
    """Write ``.gr``: arcs with weights (1 if there are none), an undirected edge as two."""
    out.write(f"p sp {graph.n} {graph.arcs}\n".encode())
    _write_arcs(graph, out)


def write_flow(graph: Graph, out: IO[bytes]) -> None:
    """Write ``.max``: needs the terminals, see :meth:`Graph.with_meta`."""
    ends: list[Any] = [graph.meta.get(key) for key in ("source", "sink")]
    if not all(isinstance(v, int | np.integer) and 0 <= v < graph.n for v in ends):
        raise InputError(
            "a .max file needs a source and a sink that are vertices: write "
            f"graph.with_meta(source=..., sink=...), here they are {ends[0]!r} and {ends[1]!r}"
        )
    out.write(f"p max {graph.n} {graph.arcs}\n".encode())
    out.write(f"n {ends[0] + 1} s\nn {ends[1] + 1} t\n".encode())
    _write_arcs(graph, out)


def _write_arcs(graph: Graph, out: IO[bytes]) -> None:
    weights = "1" if graph.weights is None else graph.weights
    write_lines(out, ["a", (graph.arc_sources(), 1), (graph.indices, 1), weights])


def read_coordinates(path: str | os.PathLike[str]) -> np.ndarray:
    """Read the coordinates of the vertices from a DIMACS ``.co`` file: an array of shape (n, 2).

    >>> import tachograph as tg
    >>> tg.write_coordinates([[-73530767, 41085396], [-73530538, 41086098]], "ny.co.gz")
    >>> tg.read_coordinates("ny.co.gz")[1].tolist()
    [-73530538, 41086098]
    """
    source = Input(path)
    words, line, skip = _problem(source)
    if words[1:4] != ["aux", "sp", "co"] or len(words) != 5 or not is_count(words[4]):
        raise FileFormatError(source.path, "expected 'p aux sp co VERTICES'", line)
    n = int(words[4])
    edges_that_fit(source, n, n, "vertices")
    found = np.full((n, 2), np.nan)
    text = bytes(source.content())[skip:].decode("utf-8", "replace")
    for number, row in enumerate(text.splitlines(), line + 1):
        words = row.split()
        if not words or words[0] == "c":
            continue
        try:
            tag, vertex, x, y = words[0], int(words[1]), float(words[2]), float(words[3])
            if tag != "v" or not 1 <= vertex <= n:
                raise ValueError
        except (ValueError, IndexError):
            problem = f"expected 'v ID X Y' with an ID from 1 to {n}"
            raise FileFormatError(source.path, problem, number) from None
        found[vertex - 1] = x, y
    if not np.isfinite(found).all():
        missing = int(np.flatnonzero(~np.isfinite(found).all(axis=1))[0]) + 1
        raise FileFormatError(source.path, f"vertex {missing} has no (finite) coordinates")
    whole = found.astype(np.int64)
    return whole if (whole == found).all() else found


def write_coordinates(coordinates: npt.ArrayLike, path: str | os.PathLike[str]) -> None:
    """Write an array of shape (n, 2) as a DIMACS ``.co`` file.

    >>> import tachograph as tg
    >>> tg.write_coordinates([[0, 0], [3, 4]], "corners.co")
    >>> print(open("corners.co").read(), end="")
    p aux sp co 2
    v 1 0 0
    v 2 3 4
    """
    points = np.asarray(coordinates)
    if points.ndim != 2 or points.shape[1] != 2:
        raise InputError(f"coordinates must have shape (n, 2), not {points.shape}")
    if not np.isfinite(points).all():
        raise InputError("coordinates must be finite")
    compression = compression_of(path)
    with aside(path) as temporary, open_output(temporary, compression) as out:
        out.write(f"p aux sp co {len(points)}\n".encode())
        for i, (x, y) in enumerate(points.tolist(), 1):
            out.write(f"v {i} {x} {y}\n".encode())
