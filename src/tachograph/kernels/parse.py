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

from .bits import eight_bytes, stopped, trailing_zeros
from .decimal import decimal_to_float
from .runtime import inline, kernel

# fmt: off
__all__ = [
    "BELOW_BASE", "EMPTY_FIELD", "ERROR", "FIELDS", "FRACTIONS", "LINES", "NEGATIVE",
    "NOT_AN_ID", "NOT_A_NUMBER", "NOT_FINITE", "NUMBERS", "OFFSET", "OK", "RAGGED", "RECORDS",
    "STATE", "TOO_FEW", "TOO_LARGE", "UNDECIDED", "WRONG_TAG", "classes", "parse_edges",
    "parse_rows",
]

# what a character is
OTHER, SPACE, COMMA, NEWLINE, COMMENT = range(5)
# slots of ``state``; the caller sets FIELDS, the number of columns that every line must have
RECORDS, FIELDS, ERROR, OFFSET, FRACTIONS, UNDECIDED, NUMBERS, LINES = range(8)
STATE = 8
# values of state[ERROR]
(OK, NOT_AN_ID, NEGATIVE, TOO_LARGE, BELOW_BASE, NOT_A_NUMBER, NOT_FINITE, EMPTY_FIELD, RAGGED,
 TOO_FEW, WRONG_TAG) = range(11)
# fmt: on
BLOCK = 1 << 14  # lines between two looks at the stop flag
BIGGEST = 2**63 - 1


def classes(
    separators: bytes = b" \t\r", commas: bytes = b",", comments: bytes = b"#%"
) -> np.ndarray:
    """The table that says what each byte is. A comment character counts only at a line's start."""
    table = np.zeros(256, np.uint8)
    table[list(separators)] = SPACE
    table[list(commas)] = COMMA
    table[list(comments)] = COMMENT
    table[10] = NEWLINE
    return table


@inline
def read_digits(text, at, hi):
    """(value, where it ends) of the digits at ``at``.

    Up to seven of them are read at once, without a branch for each: XOR makes digits 0..9, adding
    0x76 marks the bytes that are not, the first mark tells how many there are, and multiplications
    add them up in pairs, then fours.
    """
    if at + 8 <= hi:
        eight = eight_bytes(text, at) ^ np.uint64(0x3030303030303030)
        marks = (eight + np.uint64(0x7676767676767676) | eight) & np.uint64(0x8080808080808080)
        if marks:
            bits = trailing_zeros(marks) - np.uint64(7)
            if bits == 0:
                return 0, at
            eight <<= np.uint64(64) - bits
            eight = eight * np.uint64(10) + (eight >> np.uint64(8))
            pairs = np.uint64(0x000000FF000000FF)
            high = (eight & pairs) * np.uint64(0x000F424000000064)
            low = ((eight >> np.uint64(16)) & pairs) * np.uint64(0x0000271000000001)
            return np.int64((high + low) >> np.uint64(32)), at + np.int64(bits >> np.uint64(3))
    value = 0
    begin = at
    while 48 <= text[at] <= 57:
        value = value * 10 + (np.int64(text[at]) - 48)
        at += 1
    if at - begin > 18:
        value = checked_id(text, begin, at)
    return value, at


@inline
def read_id(text, at, hi, table):
    """(id, where it ends, error) of the number at ``at``; BIGGEST if it does not fit."""
    value, end = read_digits(text, at, hi)
    if end == at:
        negative = text[at] == 45 and 48 <= text[at + 1] <= 57
        return 0, at, NEGATIVE if negative else NOT_AN_ID
    kind = table[text[end]]
    if kind in (OTHER, COMMENT):
        return 0, end, NOT_AN_ID
    return value, end, OK


@kernel
def checked_id(text, begin, end):
    """The value of many digits, BIGGEST if it does not fit in 63 bits."""
    value = 0
    for i in range(begin, end):
        digit = np.int64(text[i]) - 48
        if value > (BIGGEST - digit) // 10:
            return BIGGEST
        value = value * 10 + digit
    return value


@kernel
def read_number(text, at, table, powers, box, flags):
    """(where it ends, error) of a decimal number; its bits go to ``box[0]``.

    ``flags[0]`` becomes 1 if it is not written as an integer, ``flags[1]`` if it was not decided.
    """
    begin = at
    minus = text[at] == 45
    if minus or text[at] == 43:
        at += 1
    mantissa = np.uint64(0)
    digits = 0  # significant ones
    seen = 0
    exponent = 0
    point = False
    exact = True
    while True:
        c = text[at]
        if 48 <= c <= 57:
            seen += 1
            if digits < 19:
                mantissa = mantissa * np.uint64(10) + np.uint64(c - 48)
                if mantissa:
                    digits += 1
                if point:
                    exponent -= 1
            else:
                exact = exact and c == 48
                if not point:
                    exponent += 1
        elif c == 46 and not point:
            point = True
        else:
            break
        at += 1
    if seen == 0:
        word = text[at] | 32
        return begin, NOT_FINITE if word == 110 or word == 105 else NOT_A_NUMBER  # nan, inf
    whole = not point
    if text[at] | 32 == 101:  # 'e'
        whole = False
        at += 1
        down = text[at] == 45
        if down or text[at] == 43:
            at += 1
        e = 0
        begin_e = at
        while 48 <= text[at] <= 57:
            e = min(e * 10 + (np.int64(text[at]) - 48), 100000)
            at += 1
        if at == begin_e:
            return begin, NOT_A_NUMBER
        exponent += -e if down else e
    kind = table[text[at]]
    if kind in (OTHER, COMMENT):
        return begin, NOT_A_NUMBER
    if not whole:
        flags[0] = 1
    if not exact or not decimal_to_float(mantissa, exponent, powers, box):
        flags[1] = 1
    if minus:
        box[0] |= np.uint64(1) << np.uint64(63)
    return at, OK


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
    limit = np.iinfo(source.dtype).max
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
def quick_line(text, at, hi, tag, fields, column, base, k, source, target, weight):
    """The end of a line in the plainest form, or -1 if it needs :func:`parse_line`.

    Plain is ``[tag blank] digits separator digits [separator digits]`` and the line end, which is
    how nearly all lines are; it takes a third of the time.
    """
    limit = np.int64(np.iinfo(source.dtype).max)
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
    stop, text, lo, hi, table, tag, column, base, powers, source, target, weight, late, state
):
    """Fill ``source``, ``target`` and ``weight`` with the edges of ``text[lo:hi]``.

    ``tag``: the letter that begins an edge's line, or 0. ``column``: the field that holds the
    weight, or -1. ``late[k]`` is set to one more than the offset of a weight that Python must
    decide; if ``late`` is empty such weights are only counted.
    """
    box = np.zeros(1, np.uint64)
    number = box.view(np.float64)
    flags = np.zeros(2, np.int64)
    expected = state[FIELDS]
    at = lo
    lines = 0
    k = 0
    while at < hi:
        lines += 1
        if lines % BLOCK == 0 and stopped(stop):
            break
        end = quick_line(text, at, hi, tag, expected, column, base, k, source, target, weight)
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
                text, at, hi, table, tag, column, base, powers, box, number, flags, state, k,
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
