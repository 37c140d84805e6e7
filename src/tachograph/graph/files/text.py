"""Lines of text to edges: edge lists, and the parser of all formats with an edge per line.

An edge list (SNAP's, GAPBS's ``.el`` and ``.wel``, anything with two or three columns) has lines
``u v`` or ``u v weight`` with blanks, tabs or commas between; lines that begin with ``#`` or ``%`` are
comments. SNAP's comments tell the kind and the counts::

    # Undirected graph: each edge once
    # Nodes: 4 Edges: 5

Some files begin with a bare line "vertices edges" instead; it is recognised if it fits the rest.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from math import isfinite
from typing import IO, TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from ...util.errors import warn
from ..build import EdgeTable
from ..graph import Graph
from .checks import Block
from .streams import MARK, Input, write_lines

if TYPE_CHECKING:
    from ...kernels.text import parse

PART_BYTES = 1 << 20  # bytes of text below which another thread does not pay
FEWEST_EDGES_OF_A_BARE_HEADER = 8  # a first line with fewer is an edge
NUMBER = re.compile(rb"[-+0-9.eE]+")
COUNT = re.compile(r"[0-9]{1,18}")  # a whole number of a size that can be a count
DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", re.A)
BARE = re.compile(
    r"([0-9]{1,18})(?:[ \t]+,?|,)[ \t]*([0-9]{1,18})"
)  # vertices and edges, on a line
#: An edge between blanks whose weight has a comma for a point, which separates columns elsewhere.
DECIMAL_COMMA = re.compile(r"[^\s,]+[ \t]+[^\s,]+[ \t]+[-+]?[0-9]+,[0-9]+[ \t\r]*", re.A)
COUNTS = re.compile(r"nodes:?\s*(\d{1,18})[\s,;]+edges:?\s*(\d{1,18})\b", re.I | re.A)
KIND = re.compile(r"^[#%]\s*(un)?directed\s+graph", re.I | re.A)
KONECT = re.compile(r"^%\s*(sym|asym)\b", re.A)

IdType: TypeAlias = type[np.int32] | type[np.int64]
Edges: TypeAlias = tuple[np.ndarray, np.ndarray, "np.ndarray | None"]


@dataclass(frozen=True)
class Layout:
    """How edges are written: what separates and comments, which column is the weight."""

    comments: bytes = b"#%"
    separators: bytes = b" \t\r"
    tag: bytes = b""
    weight_column: int | None = 2
    base: int = 0
    fields: int = 0  # columns of every line; 0: as many as the first edge has
    n: int | None = None  # vertices, if a header has told
    real: bool = False  # weights stay float64, even if all are whole

    def words(self, text: str) -> list[str]:
        """Return the words of a line as the parser separates them."""
        for separator in self.separators + b",":
            text = text.replace(chr(separator), " ")
        return [word for word in text.split(" ") if word]


def read_edges(source: Input, layout: Layout, skip: int = 0, line: int = 0) -> Edges:
    """Return sources, targets and weights of the edges after byte ``skip``, which ends line ``line``.

    Ids are int32 if all fit, else int64. Weights are int32 if all are whole and fit, else float64;
    None if the lines have no such column.
    """
    first, _, _ = source.first_line(layout.comments, skip)
    parser = _Parser(layout, layout.fields or len(layout.words(first)) - bool(layout.tag))
    for block in source.blocks(skip):
        line += parser.add(Block(source, block, line, layout, parser.fields))
        source.require(parser.edges * 10, f"more than {parser.edges:,} edges")
    ends = _join(parser.sources, parser.ids), _join(parser.targets, parser.ids)
    if parser.column < 0:
        return *ends, None
    weights = _join(parser.weights, np.float64)
    if layout.real or not weights.size or parser.fractions:
        return *ends, weights if layout.real or weights.size else weights.astype(np.int32)
    low, high = float(weights.min()), float(weights.max())
    if low >= -(2.0**31) and high < 2.0**31:
        return *ends, weights.astype(np.int32)
    if parser.inexact:
        raise source.error(
            f"a whole-number weight of about {max(-low, high):.3g} is beyond 2**53 and cannot be "
            "kept exactly: write it with a decimal point to have it rounded"
        )
    return *ends, weights


def _join(pieces: list[np.ndarray], dtype: npt.DTypeLike) -> np.ndarray:
    """Concatenate, and free each piece once it is copied."""
    whole = np.empty(sum(p.size for p in pieces), dtype)
    at = 0
    pieces.reverse()
    while pieces:
        piece = pieces.pop()
        whole[at : at + piece.size] = piece
        at += piece.size
    return whole


class _Parser:
    """The edges of the blocks so far."""

    def __init__(self, layout: Layout, fields: int) -> None:
        column = -1 if layout.weight_column is None else layout.weight_column
        self.fields = fields
        self.column = column if column < fields else -1
        self.ids: IdType = np.int32
        self.edges = 0
        self.sources: list[np.ndarray] = []
        self.targets: list[np.ndarray] = []
        self.weights: list[np.ndarray] = []
        self.fractions = self.inexact = False

    def add(self, block: Block) -> int:
        """Parse a block, on several threads if it is long; return its lines."""
        from ...kernels.text import numbers, parse

        pieces = self._parsed(block, late=False)
        if any(state[parse.UNDECIDED] for _, state in pieces):
            pieces = self._parsed(block, late=True)
        wide = block.layout.n is None or block.layout.n > np.iinfo(np.int32).max
        for _, state in pieces:
            if state[parse.ERROR] == numbers.TOO_LARGE and self.ids is np.int32 and wide:
                self.ids = np.int64
                return self.add(block)
            if state[parse.ERROR]:
                raise block.error(int(state[parse.ERROR]), int(state[parse.OFFSET]))
        for (sources, targets, weights, late), state in pieces:
            count = int(state[parse.RECORDS])
            for k in np.flatnonzero(late[:count]):
                weights[k] = _by_python(block, int(late[k]) - 1)
            self.sources.append(sources[:count])
            self.targets.append(targets[:count])
            self.weights.append(weights[:count])
            self.fractions |= bool(state[parse.FRACTIONS])
            self.inexact |= bool(state[parse.INEXACT])
            self.edges += count
        return sum(int(state[parse.LINES]) for _, state in pieces)

    def _parsed(self, block: Block, late: bool) -> list[tuple[parse.Edges, np.ndarray]]:
        """Return the edges and the state of each part; ``late`` if Python decides some weights."""
        from ...kernels.runtime.launch import run, threads_available
        from ...kernels.text import parse

        layout, size, most = block.layout, block.bytes.size, np.iinfo(self.ids).max
        table = parse.classes(layout.separators, comments=layout.comments)
        tag = layout.tag[0] if layout.tag else 0
        limit = most if layout.n is None else min(layout.n, most)
        form = parse.Form(table, tag, self.fields, self.column, layout.base, limit)
        calls = []
        for lo, hi in _cuts(block.bytes, max(1, min(threads_available(), size // PART_BYTES))):
            room = (hi - lo) // 4 + 1  # an edge takes four bytes or more
            edges = parse.Edges(
                np.empty(room, self.ids),
                np.empty(room, self.ids),
                np.empty(room if self.column >= 0 else 0, np.float64),
                np.zeros(room if late else 0, np.int64),
            )
            calls.append((block.bytes, lo, hi, form, edges, np.zeros(parse.STATE_SLOTS, np.int64)))
        run(parse.parse_edges, calls, brief=size < PART_BYTES)
        return [call[-2:] for call in calls]


def _cuts(block: np.ndarray, workers: int) -> list[tuple[int, int]]:
    """Return parts of about equal size that end at line ends."""
    ends = [0]
    for w in range(1, workers):
        at = max(ends[-1], block.size * w // workers)
        while at < block.size and block[at] != 10:
            at += 1
        ends.append(min(at + 1, block.size))
    return [(lo, hi) for lo, hi in itertools.pairwise([*ends, block.size]) if lo < hi]


def _by_python(block: Block, at: int) -> float:
    """Return a number that the compiled parser left open (many digits, near 0 or infinity)."""
    from ...kernels.text import numbers

    token = NUMBER.match(block.bytes[at:].data)
    assert token is not None  # the parser has seen it
    value = float(token[0])
    if not isfinite(value):
        raise block.error(numbers.NOT_FINITE, at)
    return value


def read(source: Input, weight: str | bool) -> EdgeTable:
    """Read an edge list whose ids are numbers."""
    layout = Layout(weight_column=None if weight is False else 2)
    counts, directed = comments(source)
    text, line, end = source.first_line(layout.comments)
    first = layout.words(text)
    if not first and counts is not None and counts[1] == 0:
        none = np.empty(0, np.int32)
        return EdgeTable(none, none, n=counts[0], directed=directed)
    if not first:
        raise source.error("there are no edges, only comments")
    if weight is not False and DECIMAL_COMMA.fullmatch(text.strip(" \t")):
        raise source.error("is the weight a number with a comma? Write it with a point", line)
    if not source.compression:
        edges = source.size * max(1, source.head.count(b"\n")) // len(source.head)
        source.require(edges * 18, f"about {edges:,} edges")
    bare = counts is None and BARE.fullmatch(text.strip(" \t\r"))
    if bare and int(first[1]) >= FEWEST_EDGES_OF_A_BARE_HEADER:
        table = EdgeTable(*read_edges(source, layout, end, line), directed=directed)
        if table.source.size == int(first[1]) and _highest(table) < int(first[0]):
            warn(
                f"{source.path}: its first line, {first[0]} {first[1]}, is taken for the numbers of "
                "vertices and edges, which fit"
            )
            table.n = int(first[0])
            return table
    skip = len(MARK.encode()) if source.head.startswith(MARK.encode()) else 0
    table = EdgeTable(*read_edges(source, layout, skip), directed=directed)
    if counts is not None and counts[1] != table.source.size:
        warn(
            f"{source.path}: its comment promises {counts[1]:,} edges but {table.source.size:,} are "
            "there: is the file complete?"
        )
    if counts is not None:
        source.promised = counts[0]
        table.n = counts[0] if _highest(table) < counts[0] else None
    return table


def comments(source: Input) -> tuple[tuple[int, int] | None, bool | None]:
    """Return (vertices, edges) and whether edges are directed, if the first comments say so."""
    counts, directed = None, None
    for _, _, text in source.lines():
        if text and text[0] not in "#%":
            break
        if found := COUNTS.search(text):
            counts = int(found[1]), int(found[2])
        if found := KIND.match(text):
            directed = found[1] is None
        if found := KONECT.match(text):
            directed = found[1] == "asym"
    return counts, directed


def _highest(table: EdgeTable) -> int:
    return int(max(table.source.max(initial=-1), table.target.max(initial=-1)))


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
