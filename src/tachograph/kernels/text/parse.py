r"""Text with numbers to arrays: the two shapes that all text formats of graphs have.

``parse_edges``  one edge per line: id, id, further columns of which one may be the weight.
``parse_rows``   one row of non-negative integers per line, of any length (METIS).

A kernel parses ``text[lo:hi]``, which begins at a line's start and whose last byte is a line end:
every scan stops at a line end, so none leaves the part. An edge takes at least four bytes
("0 0\\n") and a number in a row two, which is how large the caller makes the arrays. (A line that
turns out to be no edge may be tried in the next slot; the caller adds one for that.)
``state`` tells what was found, see the constants. Errors are a code and the offset of the offending
character; the caller turns them into words.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import stopped
from ..runtime.launch import inline, kernel
from .numbers import (
    BELOW_BASE,
    COMMA,
    COMMENT,
    EMPTY_FIELD,
    NEGATIVE,
    NEWLINE,
    NOT_A_NUMBER,
    NOT_AN_ID,
    NOT_FINITE,
    OK,
    OTHER,
    RAGGED,
    SPACE,
    TOO_FEW,
    TOO_LARGE,
    WRONG_TAG,
    classes,
    read_digits,
    read_id,
    read_number,
)

# fmt: off
__all__ = [
    "BELOW_BASE", "EMPTY_FIELD", "ERROR", "FIELDS", "FRACTIONS", "INEXACT", "LINES", "NEGATIVE",
    "NOT_AN_ID", "NOT_A_NUMBER", "NOT_FINITE", "NUMBERS", "OFFSET", "OK", "RAGGED", "RECORDS",
    "STATE", "TOO_FEW", "TOO_LARGE", "UNDECIDED", "WRONG_TAG", "classes", "parse_edges",
    "parse_rows",
]

# slots of ``state``; the caller sets FIELDS, the number of columns that every line must have
RECORDS, FIELDS, ERROR, OFFSET, FRACTIONS, UNDECIDED, NUMBERS, LINES, INEXACT = range(9)
STATE = 9
# fmt: on
BLOCK = 1 << 14  # lines between two looks at the stop flag


@inline
def next_field(text, at, table):
    """(start of the next field or the line end, error): passes blanks and at most one comma."""
    commas = 0
    kind = table[text[at]]
    while kind in (SPACE, COMMA):
        commas += kind == COMMA
        at += 1
        kind = table[text[at]]
    if commas > 1 or (commas == 1 and kind == NEWLINE):
        return at, EMPTY_FIELD
    return at, OK


@kernel
def parse_line(
    text,
    at,
    hi,
    table,
    tag,
    column,
    base,
    limit,
    powers,
    box,
    number,
    flags,
    state,
    k,
    source,
    target,
    weight,
    late,
):
    """Parse the record that begins at ``at``; returns (where it ended, fields, error)."""
    if tag:
        if text[at] != tag or table[text[at + 1]] != SPACE:
            return at, 0, WRONG_TAG
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
                return begin, fields, BELOW_BASE
            if value >= limit:
                return begin, fields, TOO_LARGE
            if fields == 0:
                source[k] = value
            else:
                target[k] = value
        elif fields == column:
            flags[1] = 0
            at, error = read_number(text, at, table, powers, box, flags)
            if error:
                return begin, fields, error
            if flags[1]:
                state[UNDECIDED] += 1
                if k < late.size:
                    late[k] = begin + 1
            weight[k] = number[0]
        else:
            while table[text[at]] == OTHER or table[text[at]] == COMMENT:
                at += 1
        fields += 1
        at, error = next_field(text, at, table)
        if error:
            return at, fields, error
    return at, fields, OK


@inline
def quick_line(text, at, hi, tag, fields, column, base, limit, k, source, target, weight):
    """The end of a line in the plainest form, or -1 if it needs :func:`parse_line`.

    Plain is ``[tag blank] digits separator digits [separator digits]`` and the line end, which is
    how nearly all lines are; it takes a third of the time.
    """
    if tag:
        if text[at] != tag or text[at + 1] != 32:
            return -1
        at += 2
    value, end = read_digits(text, at, hi)
    value -= base
    c = text[end]
    if end == at or value < 0 or value >= limit or (c != 9 and c != 32 and c != 44):
        return -1
    source[k] = value
    at = end + 1
    value, end = read_digits(text, at, hi)
    value -= base
    if end == at or value < 0 or value >= limit:
        return -1
    target[k] = value
    if fields == 3 and column == 2:
        c = text[end]
        if c != 9 and c != 32 and c != 44:
            return -1
        at = end + 1
        value, end = read_digits(text, at, hi)
        if end == at or value >= 1 << 53:
            return -1
        weight[k] = value
    elif fields != 2:
        return -1
    if text[end] == 13:
        end += 1
    return end if text[end] == 10 else -1


@kernel
def parse_edges(
    stop, text, lo, hi, table, tag, column, base, limit, powers, source, target, weight, late, state
):
    """Fill ``source``, ``target`` and ``weight`` with the edges of ``text[lo:hi]``.

    ``tag``: the letter that begins an edge's line, or 0. ``column``: the field that holds the
    weight, or -1. ``limit``: ids, less ``base``, are below it. ``late[k]`` is set to one more than
    the offset of a weight that Python must decide; if it is empty such weights are only counted.
    """
    box = np.zeros(1, np.uint64)
    number = box.view(np.float64)
    flags = np.zeros(3, np.int64)
    expected = state[FIELDS]
    at = lo
    lines = 0
    k = np.int64(
        0
    )  # a plain 0 would have helpers compiled twice: for the constant and for the rest
    while at < hi:
        lines += 1
        if lines % BLOCK == 0 and stopped(stop):
            break
        end = quick_line(
            text, at, hi, tag, expected, column, base, limit, k, source, target, weight
        )
        if end >= 0:
            k += 1
            at = end + 1
            continue
        while table[text[at]] == SPACE:
            at += 1
        kind = table[text[at]]
        if kind == COMMENT:
            while text[at] != 10:
                at += 1
        elif kind != NEWLINE:
            begin = at
            at, fields, error = parse_line(
                text, at, hi, table, tag, column, base, limit, powers, box, number, flags, state, k,
                source, target, weight, late,
            )  # fmt: skip
            if error == OK and (fields != expected or fields < 2):
                error = TOO_FEW if fields < 2 else RAGGED
                at = begin
            if error:
                state[ERROR] = error
                state[OFFSET] = at
                break
            k += 1
        at += 1
    state[FRACTIONS] = flags[0]
    state[INEXACT] = flags[2]
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
        if state[LINES] % BLOCK == 0 and stopped(stop):
            break
        if table[text[at]] == COMMENT:
            while text[at] != 10:
                at += 1
            at += 1
            continue
        before = found
        while True:
            while table[text[at]] == SPACE:
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
