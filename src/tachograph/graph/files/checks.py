"""What files must not hold, and what is said about it: counts of a header, and lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...util import memory
from ...util.errors import FileFormatError
from .streams import Input

if TYPE_CHECKING:
    from .text import Layout

SHOWN_CHARACTERS = 40  # of a bad line that an error shows
WORD_ENDS = (9, 10, 13, 32, 44)


class NotAnIdError(FileFormatError):
    """Something stands where a vertex id should, perhaps a name."""


class Header(NamedTuple):
    """What the header of a file promises, and where it ends."""

    n: int
    edges: int
    line: int  # number of its last line
    skip: int  # bytes up to the end of that line


def must_fit(source: Input, header: Header, what: str = "edges", least: int = 4) -> None:
    """Refuse the counts of a header if the file is too short for them, or the memory too small.

    ``least`` is the smallest number of bytes that an edge takes.
    """
    n, edges = header.n, header.edges
    if not source.compression and edges * least > source.size + least:
        raise source.error(
            f"the header promises {edges:,} {what}, but the file has only {source.size:,} bytes: "
            "is it complete?"
        )
    advice = "use a machine with more memory, or correct the header if it is wrong"
    promised = f"{source.path}: a graph of {n:,} vertices and {edges:,} {what}"
    memory.require(edges * 18 + n * 16, promised, advice)


class Block(NamedTuple):
    """A part of a file, and how its lines are laid out."""

    source: Input
    bytes: np.ndarray
    line: int  # lines before the block
    layout: Layout
    fields: int  # columns of every line

    def error(self, code: int, at: int) -> FileFormatError:
        """Return the parser's error code in words, with the line it happened on."""
        from ...kernels.text import numbers

        source, block, line, layout, fields = self
        ends = np.flatnonzero(block[:at] == 10)
        begin = int(ends[-1]) + 1 if ends.size else 0
        text = block[begin : begin + 1000].tobytes().split(b"\n")[0].decode("utf-8", "replace")
        has = len(layout.words(text)) - bool(layout.tag)
        word = _word_at(block, at)
        names = ": for names, say relabel" if word[:1].isalpha() and not layout.fields else ""
        given = "this format" if layout.fields else "the first line"
        outside = f"the vertex id {word} does not fit in 64 bits"
        if layout.n is not None:
            outside = f"there is no vertex {word}: the header says {layout.n:,} vertices"
        problem = {
            numbers.NOT_AN_ID: f"expected a vertex id (a whole number) but found {word!r}{names}",
            numbers.NEGATIVE: f"the vertex id {word} is negative",
            numbers.TOO_LARGE: outside,
            numbers.BELOW_BASE: f"ids begin at {layout.base} in this format, but found {word}",
            numbers.NOT_A_NUMBER: f"expected a weight but found {word!r}",
            numbers.NOT_FINITE: f"the weight {word!r} is not a finite number",
            numbers.EMPTY_FIELD: "an empty field between or behind commas",
            numbers.RAGGED: f"has {has} columns where {given} has {fields}",
            numbers.TOO_FEW: f"has {has} columns, too few for an edge",
            numbers.WRONG_TAG: f"expected a line that begins with {layout.tag.decode()!r}",
        }[code]
        maybe_names = (numbers.NOT_AN_ID, numbers.NEGATIVE, numbers.TOO_LARGE)
        kind = NotAnIdError if code in maybe_names else FileFormatError
        return kind(source.path, f"{problem} (in {shown(text)!r})", line + ends.size + 1)


def _word_at(block: np.ndarray, at: int) -> str:
    """Return the characters around ``at`` up to the next blank, comma or line end."""
    begin = end = at
    while begin > 0 and at - begin < SHOWN_CHARACTERS and block[begin - 1] not in WORD_ENDS:
        begin -= 1
    while end < block.size and end - begin < SHOWN_CHARACTERS and block[end] not in WORD_ENDS:
        end += 1
    return shown(block[begin:end].tobytes().decode("utf-8", "replace"))


def shown(text: str) -> str:
    """Return the beginning of foreign text as a line that any terminal can show."""
    text = "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in text.strip())
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"
