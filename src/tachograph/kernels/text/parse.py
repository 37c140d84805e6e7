r"""Text with numbers to arrays: the two shapes that all text formats of graphs have.

``parse_edges``  one edge per line: id, id, further columns of which one may be the weight.
``parse_rows``   one row of non-negative integers per line, of any length (METIS).

Method: nearly all lines are plain digits and single separators, which ``quick_line`` reads eight bytes
at a time; ``parse_line`` reads all others, character by character.

Bounds: a kernel parses ``text[lo:hi]``, which begins at a line's start and whose last byte is a line
end. Every scan stops at a line end, so none leaves the part. An edge takes at least four bytes
("0 0\\n") and a number in a row two, which is how large the caller makes the arrays. (A line that
turns out not to be an edge may be tried in the next slot; the caller adds one slot for that.)

``state`` tells what was found, see the constants. Errors are a code and the offset of the offending
character; the caller turns them into words.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import stopped
from ..runtime.launch import inline, kernel
from . import numbers
from .numbers import OK, read_digits, read_id

# slots of ``state``
RECORDS, ERROR, OFFSET, FRACTIONS, UNDECIDED, NUMBERS, LINES, INEXACT = range(8)
STATE_SLOTS = 8
LINES_PER_LOOK = 1 << 14  # lines between two looks at the stop flag
FIRST_INEXACT = 1 << 53  # the first whole number whose successor a float64 cannot hold


def classes(
    separators: bytes = b" \t\r", commas: bytes = b",", comments: bytes = b"#%"
) -> np.ndarray:
    """The table that says what each byte is. A comment character counts only at a line's start."""
    table = np.zeros(256, np.uint8)
    table[list(separators)] = numbers.SPACE
    table[list(commas)] = numbers.COMMA
    table[list(comments)] = numbers.COMMENT
    table[10] = numbers.NEWLINE
    return table


class Form(NamedTuple):
    """How edges are written, and which ids are allowed."""

    table: np.ndarray  # what each byte is: see :func:`classes`
    tag: int  # the letter that begins an edge's line, or 0
    fields: int  # columns that every line must have, without the tag
    column: int  # the column of the weight, or -1
    base: int  # the lowest id
    limit: int  # ids, less ``base``, are below it


class Edges(NamedTuple):
    """Room for the edges of a part.

    ``late[k]`` becomes one more than the offset of a weight that Python must decide; if ``late`` is
    empty, such weights are only counted.
    """

    source: np.ndarray
    target: np.ndarray
    weight: np.ndarray
    late: np.ndarray


class Number(NamedTuple):
    """The last decimal number that was read: its bits, the same as a float64, and its flags."""

    bits: np.ndarray
    value: np.ndarray
    flags: np.ndarray


@inline
def next_field(text, at, table):
    """(start of the next field or the line end, error): passes blanks and at most one comma."""
    commas = 0
    kind = table[text[at]]
    while kind in (numbers.SPACE, numbers.COMMA):
        commas += kind == numbers.COMMA
        at += 1
        kind = table[text[at]]
    if commas > 1 or (commas == 1 and kind == numbers.NEWLINE):
        return at, numbers.EMPTY_FIELD
    return at, OK


@inline
def parse_line(text, at, hi, form, number, edges, k, state):
    """Parse the record that begins at ``at`` into slot ``k``: (where it ended, fields, error)."""
    table, tag, _, column, base, limit = form
    source, target, weight, late = edges
    if tag:
        if text[at] != tag or table[text[at + 1]] != numbers.SPACE:
            return at, 0, numbers.WRONG_TAG
        at, _ = next_field(text, at + 1, table)
    fields = 0
    while fields == 0 or text[at] != 10:
        begin = at
        if fields < 2:
            value, at, error = read_id(text, at, hi, table)
            if error:
                return at, fields, error
            value -= base
            if value < 0:
                return begin, fields, numbers.BELOW_BASE
            if value >= limit:
                return begin, fields, numbers.TOO_LARGE
            if fields == 0:
                source[k] = value
            else:
                target[k] = value
        elif fields == column:
            number.flags[1] = 0
            at, error = numbers.read_number(text, at, table, number.bits, number.flags)
            if error:
                return begin, fields, error
            if number.flags[1]:
                state[UNDECIDED] += 1
                if k < late.size:
                    late[k] = begin + 1
            weight[k] = number.value[0]
        else:
            while table[text[at]] == numbers.OTHER or table[text[at]] == numbers.COMMENT:
                at += 1
        fields += 1
        at, error = next_field(text, at, table)
        if error:
            return at, fields, error
    return at, fields, OK


@inline
def is_separator(byte):
    """Whether a byte is a tab, a blank or a comma."""
    return byte == 9 or byte == 32 or byte == 44


@inline
def quick_line(text, at, hi, form, edges, k):
    """The end of a line in the plainest form, or -1 if it needs :func:`parse_line`.

    Plain is ``[tag blank] digits separator digits [separator digits]`` and the line end, which is
    how nearly all lines are; it takes a third of the time.
    """
    if form.tag:
        if text[at] != form.tag or text[at + 1] != 32:
            return -1
        at += 2
    value, end = read_digits(text, at, hi)
    value -= form.base
    if end == at or value < 0 or value >= form.limit or not is_separator(text[end]):
        return -1
    edges.source[k] = value
    at = end + 1
    value, end = read_digits(text, at, hi)
    value -= form.base
    if end == at or value < 0 or value >= form.limit:
        return -1
    edges.target[k] = value
    if form.fields == 3 and form.column == 2:
        if not is_separator(text[end]):
            return -1
        at = end + 1
        value, end = read_digits(text, at, hi)
        if end == at or value >= FIRST_INEXACT:
            return -1
        edges.weight[k] = value
    elif form.fields != 2:
        return -1
    if text[end] == 13:
        end += 1
    return end if text[end] == 10 else -1


@kernel
def parse_edges(stop, text, lo, hi, form, edges, state):
    """Fill ``edges`` with those of ``text[lo:hi]``."""
    table = form.table
    bits = np.zeros(1, np.uint64)
    number = Number(bits, bits.view(np.float64), np.zeros(3, np.int64))
    at = lo
    lines = 0
    k = np.int64(0)
    while at < hi:
        lines += 1
        if lines % LINES_PER_LOOK == 0 and stopped(stop):
            break
        end = quick_line(text, at, hi, form, edges, k)
        if end >= 0:
            k += 1
            at = end + 1
            continue
        while table[text[at]] == numbers.SPACE:
            at += 1
        kind = table[text[at]]
        if kind == numbers.COMMENT:
            while text[at] != 10:
                at += 1
        elif kind != numbers.NEWLINE:
            begin = at
            at, fields, error = parse_line(text, at, hi, form, number, edges, k, state)
            if error == OK and (fields != form.fields or fields < 2):
                error = numbers.TOO_FEW if fields < 2 else numbers.RAGGED
                at = begin
            if error:
                state[ERROR] = error
                state[OFFSET] = at
                break
            k += 1
        at += 1
    state[FRACTIONS] = number.flags[0]
    state[INEXACT] = number.flags[2]
    state[RECORDS] = k
    state[LINES] = lines


@kernel
def parse_rows(stop, text, lo, hi, table, values, lengths, state):
    """Fill ``values`` with all numbers of ``text[lo:hi]`` and ``lengths`` with their count per line.

    Comment lines do not count as rows; empty ones do.
    """
    at = lo
    found = 0
    row = 0
    while at < hi:
        state[LINES] += 1
        if state[LINES] % LINES_PER_LOOK == 0 and stopped(stop):
            break
        if table[text[at]] == numbers.COMMENT:
            while text[at] != 10:
                at += 1
            at += 1
            continue
        before = found
        while True:
            while table[text[at]] == numbers.SPACE:
                at += 1
            if text[at] == 10:
                break
            value, after, error = read_id(text, at, hi, table)
            if error:
                state[ERROR] = error
                state[OFFSET] = after
                return
            values[found] = value
            found += 1
            at = after
        lengths[row] = found - before
        row += 1
        at += 1
    state[RECORDS] = row
    state[NUMBERS] = found
