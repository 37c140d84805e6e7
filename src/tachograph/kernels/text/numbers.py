"""Numbers in text: what the characters mean, and the id or decimal at a place.

All functions scan until a character that cannot belong to the number; the caller makes sure that a
line end follows.

Decimals become the nearest float64 by the method of Eisel-Lemire (D. Lemire, "Number Parsing at a
Gigabyte per Second", 2021): the decimal mantissa times a 128-bit approximation of the power of ten
decides the result except in rare cases, which are reported so that the caller can ask Python's own
``float``.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import eight_bytes, trailing_zeros
from ..runtime.launch import inline, kernel

# what a character is
OTHER, SPACE, COMMA, NEWLINE, COMMENT = range(5)
# what is wrong with a line
OK, NOT_AN_ID, NEGATIVE, TOO_LARGE, BELOW_BASE = range(5)
NOT_A_NUMBER, NOT_FINITE, EMPTY_FIELD, RAGGED, TOO_FEW, WRONG_TAG = range(5, 11)
BIGGEST = 2**63 - 1
# outside of these decimal exponents any 64-bit mantissa gives 0 or infinity
LOWEST_EXPONENT, HIGHEST_EXPONENT = -342, 308


def _powers() -> np.ndarray:
    """Rows (high, low): the leading 128 bits of 5**q, rounded up for negative q as the paper says."""
    table = np.empty((HIGHEST_EXPONENT - LOWEST_EXPONENT + 1, 2), np.uint64)
    for q in range(LOWEST_EXPONENT, HIGHEST_EXPONENT + 1):
        power = 5 ** abs(q)
        if q >= 0:
            value = power << 128 >> power.bit_length()
        else:
            value = (1 << (power.bit_length() + 127)) // power + 1
            if value >> 128:
                value >>= 1
        table[q - LOWEST_EXPONENT] = value >> 64, value & (2**64 - 1)
    return table


POWERS = _powers()


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
def multiply(a, b):
    """High and low half of a 64 x 64 bit product."""
    mask = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    a0, a1, b0, b1 = a & mask, a >> half, b & mask, b >> half
    low = a0 * b0
    mid = a1 * b0 + (low >> half)
    mid2 = a0 * b1 + (mid & mask)
    return a1 * b1 + (mid >> half) + (mid2 >> half), (mid2 << half) | (low & mask)


@kernel
def decimal_to_float(mantissa, exponent, box):
    """Store the bits of ``mantissa * 10**exponent`` in ``box[0]``; False if undecided."""
    if mantissa == 0:
        box[0] = 0
        return True
    if exponent < LOWEST_EXPONENT or exponent > HIGHEST_EXPONENT:
        return False
    zeros = 0
    top = np.uint64(1) << np.uint64(63)
    w = np.uint64(mantissa)
    while not w & top:
        w <<= np.uint64(1)
        zeros += 1
    high, low = multiply(w, POWERS[exponent - LOWEST_EXPONENT, 0])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        more, _ = multiply(w, POWERS[exponent - LOWEST_EXPONENT, 1])
        low += more
        if low < more:
            high += np.uint64(1)
    upper = high >> np.uint64(63)
    shift = upper + np.uint64(9)
    m = high >> shift
    power = ((217706 * exponent) >> 16) + 63 + np.int64(upper) - zeros + 1023
    if power <= 0:
        return False
    halfway = low <= 1 and m & np.uint64(3) == np.uint64(1) and m << shift == high
    if halfway and -4 <= exponent <= 23:
        m &= ~np.uint64(1)  # to even
    m = (m + (m & np.uint64(1))) >> np.uint64(1)
    if m >> np.uint64(53):
        m >>= np.uint64(1)
        power += 1
    if power >= 0x7FF:
        return False
    box[0] = (m & np.uint64((1 << 52) - 1)) | (np.uint64(power) << np.uint64(52))
    return True


@kernel
def read_number(text, at, table, box, flags):
    """(where it ends, error) of a decimal number; its bits go to ``box[0]``.

    ``flags[0]`` becomes 1 if it is not written as an integer, ``flags[1]`` if it was not decided,
    ``flags[2]`` if it is an integer that a float64 cannot hold.
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
    elif not exact or exponent > 0 or mantissa > np.uint64(1 << 53):
        flags[2] = 1
    if not exact or not decimal_to_float(mantissa, exponent, box):
        flags[1] = 1
    if minus:
        box[0] |= np.uint64(1) << np.uint64(63)
    return at, OK
