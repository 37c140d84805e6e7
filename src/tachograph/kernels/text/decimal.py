"""Decimal text to the nearest float64, without leaving compiled code.

Method: Eisel-Lemire (D. Lemire, "Number Parsing at a Gigabyte per Second", 2021): the decimal
mantissa times a 128-bit approximation of the power of ten decides the result except in rare cases,
which are reported so that the caller can ask Python's own ``float``.
"""

from __future__ import annotations

import numpy as np

from ..runtime.launch import kernel

__all__ = ["POWERS", "decimal_to_float"]

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
def decimal_to_float(mantissa, exponent, powers, box):
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
    high, low = multiply(w, powers[exponent - LOWEST_EXPONENT, 0])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        more, _ = multiply(w, powers[exponent - LOWEST_EXPONENT, 1])
        low += more
        if low < more:
            high += np.uint64(1)
    upper = high >> np.uint64(63)
    shift = upper + np.uint64(9)
    m = high >> shift
    power = ((217706 * exponent) >> 16) + 63 + np.int64(upper) - zeros + 1023
    if power <= 0:
        return False
    if (
        low <= 1
        and -4 <= exponent <= 23
        and m & np.uint64(3) == np.uint64(1)
        and m << shift == high
    ):
        m &= ~np.uint64(1)  # exactly halfway: to even
    m = (m + (m & np.uint64(1))) >> np.uint64(1)
    if m >> np.uint64(53):
        m >>= np.uint64(1)
        power += 1
    if power >= 0x7FF:
        return False
    box[0] = (m & np.uint64((1 << 52) - 1)) | (np.uint64(power) << np.uint64(52))
    return True
