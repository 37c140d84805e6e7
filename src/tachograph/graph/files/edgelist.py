"""Edge lists: SNAP's, GAPBS's ``.el`` and ``.wel``, and anything with two or three columns.

Lines ``u v`` or ``u v weight`` with blanks, tabs or commas between; lines that begin with ``#`` or
``%`` are comments. SNAP's comments tell the kind and the counts::

    # Undirected graph: each edge once
    # Nodes: 4 Edges: 5

Some files begin with a bare line "vertices edges" instead; it is recognised if it fits the rest.
"""

from __future__ import annotations

import re
import warnings
from typing import IO

import numpy as np

from ...util.errors import FileFormatError, TachographWarning
from ..edges import EdgeTable
from ..graph import Graph
from .lines import write_lines
from .streams import Input
from .text import MARK, Layout, edges_that_fit, first_fields, header_lines, is_count, read_edges

COUNTS = re.compile(r"nodes:?\s*(\d{1,18})[\s,;]+edges:?\s*(\d{1,18})\b", re.I | re.A)
KIND = re.compile(r"^[#%]\s*(un)?directed\s+graph", re.I)
KONECT = re.compile(r"^%\s*(sym|asym)\b")


def recognises(head: bytes) -> bool:
    """Whether the first line that is no comment has at least two fields that are numbers."""
    for line in head.decode("utf-8", "replace").lstrip(MARK).splitlines():
        fields = line.replace(",", " ").split()
        if fields and fields[0][0] not in "#%":
            return len(fields) >= 2 and is_count(fields[0]) and is_count(fields[1])
    return False


def read(source: Input, weight: str | bool | None) -> EdgeTable:
    """Read a list whose ids are numbers."""
    layout = Layout(weight_column=None if weight is False else 2)
    skip = 3 if source.head.startswith(MARK.encode()) else 0
    counts, directed = _comments(source)
    first = first_fields(source, skip, layout)
    if not first and counts is not None and counts[1] == 0:
        none = np.empty(0, np.int32)
        return EdgeTable(none, none, n=counts[0], directed=directed)
    if not first:
        raise FileFormatError(source.path, "there are no edges, only comments")
    _must_fit(source)
    bare = _bare_header(source, first) if counts is None else None
    table = EdgeTable(*read_edges(source, layout, *(bare or (skip, 0))), directed=directed)
    if bare:
        counts = int(first[0]), int(first[1])
        if table.source.size != counts[1] or _highest(table) >= counts[0]:
            table = EdgeTable(*read_edges(source, layout, skip), directed=directed)
            counts = None
        else:
            warnings.warn(
                f"{source.path}: its first line, {first[0]} {first[1]}, is taken for the numbers of "
                "vertices and edges, which fit",
                TachographWarning,
                stacklevel=2,
            )
    return _with_counts(source, table, counts)


def _must_fit(source: Input) -> None:
    """Refuse a list whose edges, estimated from the length of its first lines, need too much."""
    if not source.compression:
        lines = max(1, source.head.count(b"\n"))
        edges_that_fit(source, source.size * lines // len(source.head), 0, "edges", least=0)


def _comments(source: Input) -> tuple[tuple[int, int] | None, bool | None]:
    """Return (vertices, edges) and whether edges are directed, if the first comments say so."""
    counts, directed = None, None
    for _, _, text in header_lines(source):
        if text and text[0] not in "#%":
            break
        if found := COUNTS.search(text):
            counts = int(found[1]), int(found[2])
        if found := KIND.match(text):
            directed = found[1] is None
        if found := KONECT.match(text):
            directed = found[1] == "asym"
    return counts, directed


def _bare_header(source: Input, first: list[str]) -> tuple[int, int] | None:
    """Return (offset behind, line number of) a first line that may be "vertices edges"."""
    if len(first) != 2 or not all(map(is_count, first)) or int(first[1]) < 8:
        return None
    for number, end, text in header_lines(source):
        if text and text[0] not in "#%":
            return end, number
    return None


def _highest(table: EdgeTable) -> int:
    return int(max(table.source.max(initial=-1), table.target.max(initial=-1)))


def _with_counts(source: Input, table: EdgeTable, counts: tuple[int, int] | None) -> EdgeTable:
    if counts is None:
        return table
    vertices, edges = counts
    if edges != table.source.size:
        warnings.warn(
            f"{source.path}: its comment promises {edges:,} edges but {table.source.size:,} are "
            "there: is the file complete?",
            TachographWarning,
            stacklevel=2,
        )
    if _highest(table) < vertices:
        table.n = vertices
    return table


def read_names(source: Input, weight: str | bool | None) -> EdgeTable:
    """Read a list whose ids are words."""
    content = bytes(source.content()).decode("utf-8", "replace").lstrip(MARK)
    _, directed = _comments(source)
    sources, targets, weights = [], [], []
    for number, line in enumerate(content.splitlines(), 1):
        fields = line.replace(",", " ").split()
        if not fields or fields[0][0] in "#%":
            continue
        if len(fields) < 2:
            raise FileFormatError(source.path, f"has one column, too few (in {line!r})", number)
        sources.append(fields[0])
        targets.append(fields[1])
        if len(fields) > 2 and weight is not False:
            try:
                weights.append(float(fields[2]))
            except ValueError:
                problem = f"expected a weight but found {fields[2]!r}"
                raise FileFormatError(source.path, problem, number) from None
    if not sources:
        raise FileFormatError(source.path, "there are no edges, only comments")
    if weights and len(weights) != len(sources):
        raise FileFormatError(source.path, "some lines have a weight and some do not")
    values = np.array(weights) if weights else None
    if values is not None and (values == np.round(values)).all() and abs(values).max() < 2**31:
        values = values.astype(np.int32)
    try:  # names may be whole numbers, negative ones
        ends = np.array(sources, np.int64), np.array(targets, np.int64)
    except (ValueError, OverflowError):
        ends = np.array(sources, object), np.array(targets, object)
    return EdgeTable(*ends, values, directed=directed)


def write(graph: Graph, out: IO[bytes]) -> None:
    """Write with SNAP's comments; an undirected edge once."""
    kind = "Directed graph" if graph.directed else "Undirected graph: each edge once"
    columns = "FromNodeId\tToNodeId" + ("\tWeight" if graph.weighted else "")
    out.write(f"# {kind}\n# Nodes: {graph.n} Edges: {graph.m}\n# {columns}\n".encode())
    write_lines(out, [c for c in graph.to_edges() if c is not None], delimiter="\t")


def write_bare(graph: Graph, out: IO[bytes]) -> None:
    """Write ``.el`` for GAPBS, which knows no comments; an undirected edge once, no weights."""
    write_lines(out, list(graph.to_edges()[:2]))


def write_weighted(graph: Graph, out: IO[bytes]) -> None:
    """Write ``.wel`` for GAPBS: the same with weights, 1 if there are none."""
    source, target, weights = graph.to_edges()
    write_lines(out, [source, target, "1" if weights is None else weights])
