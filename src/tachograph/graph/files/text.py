"""Lines of numbers to arrays, for all text formats: blocks of the file through the compiled parser.

``read_edges``  formats with an edge per line.     ``read_rows``  formats with a vertex per line.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...util import memory
from ...util.errors import FileFormatError
from ...util.progress import bar
from .streams import Input

PART_BYTES = 1 << 20  # bytes of text below which another thread does not pay
NUMBER = re.compile(rb"[-+0-9.eE]+")
MARK = "\ufeff"  # the byte order mark some editors put first
HEADER_LINE_BYTES = 1 << 16  # bytes of a header line that are looked at
SHOWN_CHARACTERS = 40  # characters of a bad line that an error shows


IdType: TypeAlias = type[np.int32] | type[np.int64]


class NotAnIdError(FileFormatError):
    """Something stands where a vertex id should, perhaps a name."""


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


class _Block(NamedTuple):
    """A part of a file, what comes before it, and how its lines are laid out."""

    source: Input
    block: np.ndarray
    line: int  # lines before the block
    layout: Layout
    fields: int  # columns of every line


@dataclass
class _Columns:
    """Parsed pieces, in file order."""

    source: list[np.ndarray] = field(default_factory=list)
    target: list[np.ndarray] = field(default_factory=list)
    weight: list[np.ndarray] = field(default_factory=list)
    fractions: bool = False
    inexact: bool = False


def header_lines(source: Input) -> Iterator[tuple[int, int, str]]:
    """Yield (line number, offset behind it, text) of the lines of a file, from its beginning."""
    offset = 0
    for number, raw in enumerate(source.lines(), 1):
        offset += len(raw)
        text = raw[:HEADER_LINE_BYTES].decode("utf-8", "replace")
        yield number, offset, text.lstrip(MARK).strip()


def first_fields(source: Input, skip: int, layout: Layout) -> list[str]:
    """Return the fields of the first line of data, without its tag."""
    for _, end, text in header_lines(source):
        if end > skip and text and text[:1].encode() not in layout.comments:
            words = _fields(text, layout)
            return words[1:] if layout.tag else words
    return []


def is_count(word: str) -> bool:
    """Whether a word of a header is a whole number of a size that can be one."""
    return word.isascii() and word.isdigit() and len(word) <= 18


def _fields(text: str, layout: Layout) -> list[str]:
    """Return the words of a line as the parser separates them."""
    for separator in layout.separators + b",":
        text = text.replace(chr(separator), " ")
    return text.split()


def read_edges(
    source: Input, layout: Layout, skip: int = 0, line: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return sources, targets and weights of the edges after byte ``skip``, which ends line ``line``.

    Ids are int32 if all fit, else int64. Weights are int32 if all are whole and fit, else float64;
    None if the lines have no such column.
    """
    fields = layout.fields or len(first_fields(source, skip, layout))
    column = layout.weight_column
    column = column if column is not None and column < fields else -1
    columns = _Columns()
    dtype: IdType = np.int32
    with bar(f"reading {source.path.name}", source.size if not source.compression else None) as b:
        for block in source.blocks(skip, b):
            piece = _Block(source, block, line, layout, fields)
            lines = _parse_block(columns, piece, column, dtype)
            if lines is None:  # an id that needs 64 bits
                dtype = np.int64
                lines = _parse_block(columns, piece, column, dtype)
            line += lines or 0
            _require(columns, source)
    ids = _join(columns.source, dtype), _join(columns.target, dtype)
    if column < 0:
        return *ids, None
    weight = _join(columns.weight, np.float64)
    return *ids, weight if layout.real else _narrow(weight, columns, source)


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


def _require(columns: _Columns, source: Input) -> None:
    """Refuse to go on when the edges read so far already need more memory than there is."""
    edges = sum(piece.size for piece in columns.source)
    memory.require(
        edges * 10, f"{source.path}: more than {edges:,} edges", "use a machine with more memory"
    )


def _narrow(weight: np.ndarray, columns: _Columns, source: Input) -> np.ndarray:
    """Return int32 if every weight is a whole number that fits, else float64 as parsed."""
    if columns.fractions or not weight.size:
        return weight if weight.size else weight.astype(np.int32)
    low, high = float(weight.min()), float(weight.max())
    if low >= -(2.0**31) and high < 2.0**31:
        return weight.astype(np.int32)
    if columns.inexact:
        raise FileFormatError(
            source.path,
            f"a whole-number weight of about {max(-low, high):.3g} is beyond 2**53 and cannot be "
            "kept exactly: write it with a decimal point to have it rounded",
        )
    return weight


def _cuts(block: np.ndarray, workers: int) -> list[tuple[int, int]]:
    """Return parts of about equal size that end at line ends."""
    ends = [0]
    for w in range(1, workers):
        at = max(ends[-1], block.size * w // workers)
        while at < block.size and block[at] != 10:
            at += 1
        ends.append(min(at + 1, block.size))
    ends.append(block.size)
    return [(lo, hi) for lo, hi in itertools.pairwise(ends) if lo < hi]


def _parse_block(columns: _Columns, piece: _Block, column: int, dtype: IdType) -> int | None:
    """Add the edges of a block to ``columns``; return its lines, or None if an id does not fit."""
    from ...kernels.runtime.launch import run, threads_available
    from ...kernels.text import numbers, parse
    from ...kernels.text.decimal import POWERS

    _, block, _, layout, fields = piece
    parts = _cuts(block, max(1, min(threads_available(), block.size // PART_BYTES)))
    limit = np.iinfo(dtype).max if layout.n is None else min(layout.n, np.iinfo(dtype).max)
    form = parse.Form(
        numbers.classes(layout.separators, comments=layout.comments),
        POWERS,
        layout.tag[0] if layout.tag else 0,
        fields,
        column,
        layout.base,
        limit,
    )

    def attempt(late: bool) -> list[tuple[parse.Edges, np.ndarray]]:
        calls = []
        for lo, hi in parts:
            room = (hi - lo) // 4 + 1  # an edge takes four bytes or more
            edges = parse.Edges(
                np.empty(room, dtype),
                np.empty(room, dtype),
                np.empty(room if column >= 0 else 0, np.float64),
                np.zeros(room if late else 0, np.int64),
            )
            state = np.zeros(parse.STATE_SLOTS, np.int64)
            calls.append((block, lo, hi, form, edges, state))
        run(parse.parse_edges, calls, brief=block.size < PART_BYTES)
        return [call[-2:] for call in calls]

    pieces = attempt(late=False)
    if any(state[parse.UNDECIDED] for _, state in pieces):
        pieces = attempt(late=True)
    for _, state in pieces:
        error = int(state[parse.ERROR])
        if error == numbers.TOO_LARGE and dtype is np.int32 and limit == np.iinfo(np.int32).max:
            return None
        if error:
            raise _explain(piece, error, int(state[parse.OFFSET]))
    lines = 0
    for (s, t, w, late), state in pieces:
        count = int(state[parse.RECORDS])
        for k in np.flatnonzero(late[:count]):
            w[k] = _by_python(piece, int(late[k]) - 1)
        columns.source.append(s[:count])
        columns.target.append(t[:count])
        columns.weight.append(w[:count])
        columns.fractions |= bool(state[parse.FRACTIONS])
        columns.inexact |= bool(state[parse.INEXACT])
        lines += int(state[parse.LINES])
    return lines


def _by_python(piece: _Block, at: int) -> float:
    """Return a number that the compiled parser left open (many digits, near 0 or infinity)."""
    from ...kernels.text import numbers

    token = NUMBER.match(piece.block[at:].data)
    assert token is not None  # the parser has seen it
    value = float(token[0])
    if not isfinite(value):
        raise _explain(piece, numbers.NOT_FINITE, at)
    return value


def _explain(piece: _Block, error: int, at: int) -> FileFormatError:
    """Return the parser's error code in words, with the line it happened on."""
    from ...kernels.text import numbers

    source, block, line, layout, fields = piece
    line += int(np.count_nonzero(block[:at] == 10)) + 1
    before = np.flatnonzero(block[:at] == 10)
    begin = int(before[-1]) + 1 if before.size else 0
    line_text = block[begin : begin + 1000].tobytes().split(b"\n")[0].decode("utf-8", "replace")
    text = _show(line_text)
    word = _word_at(block, at)
    has = len(_fields(line_text, layout)) - bool(layout.tag)
    names = ": for names, say relabel" if word[:1].isalpha() and not layout.fields else ""
    problem = {
        numbers.NOT_AN_ID: f"expected a vertex id (a whole number) but found {word!r}{names}",
        numbers.NEGATIVE: f"the vertex id {word} is negative",
        numbers.TOO_LARGE: f"the vertex id {word} does not fit in 64 bits"
        if layout.n is None
        else f"there is no vertex {word}: the header says {layout.n:,} vertices",
        numbers.BELOW_BASE: f"ids begin at {layout.base} in this format, but found {word}",
        numbers.NOT_A_NUMBER: f"expected a weight but found {word!r}",
        numbers.NOT_FINITE: f"the weight {word!r} is not a finite number",
        numbers.EMPTY_FIELD: "an empty field between or behind commas",
        numbers.RAGGED: f"has {has} columns where "
        + (f"this format has {fields}" if layout.fields else f"the first line has {fields}"),
        numbers.TOO_FEW: f"has {has} columns, too few for an edge",
        numbers.WRONG_TAG: f"expected a line that begins with {layout.tag.decode()!r}",
    }[error]
    maybe_names = (numbers.NOT_AN_ID, numbers.NEGATIVE, numbers.TOO_LARGE)
    kind = NotAnIdError if error in maybe_names else FileFormatError
    return kind(source.path, f"{problem} (in {text!r})", line)


def _word_at(block: np.ndarray, at: int) -> str:
    """Return the characters around ``at`` up to the next blank, comma or line end."""
    stops = (9, 10, 13, 32, 44)
    begin = end = at
    while begin > 0 and at - begin < SHOWN_CHARACTERS and block[begin - 1] not in stops:
        begin -= 1
    while end < block.size and end - begin < SHOWN_CHARACTERS and block[end] not in stops:
        end += 1
    return _show(block[begin:end].tobytes().decode("utf-8", "replace"))


def _show(text: str) -> str:
    text = "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text.strip())
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"


def read_rows(
    source: Input, skip: int, line: int, comments: bytes = b"%"
) -> tuple[np.ndarray, np.ndarray]:
    """Return all numbers after byte ``skip``, and how many each line has, empty lines included."""
    from ...kernels.runtime.launch import run
    from ...kernels.text import numbers, parse

    table = numbers.classes(comments=comments, commas=b"")
    values: list[np.ndarray] = []
    lengths: list[np.ndarray] = []
    size = source.size if not source.compression else None
    with bar(f"reading {source.path.name}", size) as b:
        for block in source.blocks(skip, b):
            state = np.zeros(parse.STATE_SLOTS, np.int64)
            found = np.empty(block.size // 2 + 1, np.int64)
            rows = np.empty(block.size, np.int64)
            call = (block, 0, block.size, table, found, rows, state)
            run(parse.parse_rows, [call], brief=block.size < PART_BYTES)
            if state[parse.ERROR]:
                at = int(state[parse.OFFSET])
                raise _explain(
                    _Block(source, block, line, Layout(), 0), int(state[parse.ERROR]), at
                )
            values.append(found[: state[parse.NUMBERS]].copy())
            lengths.append(rows[: state[parse.RECORDS]].copy())
            line += int(state[parse.LINES])
    return _join(values, np.int64), _join(lengths, np.int64)


def edges_that_fit(source: Input, edges: int, n: int, what: str, least: int = 4) -> None:
    """Refuse the counts of a header if the file is too short for them, or the memory too small.

    ``least`` is the smallest number of bytes that an edge takes.
    """
    if not source.compression and edges * least > source.size + least:
        raise FileFormatError(
            source.path,
            f"the header promises {edges:,} {what}, but the file has only {source.size:,} bytes: "
            "is it complete?",
        )
    header = n > 0
    memory.require(
        edges * 18 + n * 16,
        f"{source.path}: "
        + (f"a graph of {n:,} vertices and " if header else "about ")
        + f"{edges:,} {what}",
        "use a machine with more memory"
        + (", or correct the header if it is wrong" if header else ""),
    )


class Header(NamedTuple):
    """What the header of a file promises, and where it ends."""

    n: int
    edges: int
    line: int  # number of its last line
    skip: int  # bytes up to the end of that line


def read_promised(
    source: Input, layout: Layout, header: Header, what: str = "edges"
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Read the edges behind a header and check that there are as many as it promises."""
    edges_that_fit(source, header.edges, header.n, what)
    found = read_edges(source, replace(layout, n=header.n), header.skip, header.line)
    if found[0].size != header.edges:
        raise FileFormatError(
            source.path,
            f"the header promises {header.edges:,} {what} but {found[0].size:,} are there",
        )
    return found
