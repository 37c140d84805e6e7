"""Lines of text to requests, for the three text formats of Ramulator."""

from __future__ import annotations

import numpy as np

from ....kernels.runtime.launch import inline, kernel

DRAM, LOAD_STORE, CORE = range(3)
LINE, SPACE, TAB, RETURN = 10, 32, 9, 13


@inline
def _blank(byte):
    return byte in (SPACE, TAB, RETURN)


@inline
def _skip(data, at):
    """The next byte that is not blank; every line ends, so this does."""
    while _blank(data[at]):
        at += 1
    return at


@inline
def _digit(byte):
    """The value of a hexadecimal digit, or 16."""
    if 48 <= byte <= 57:
        return byte - 48
    byte |= 32
    if 97 <= byte <= 102:
        return byte - 87
    return 16


@inline
def _number(data, at, base):
    """A number and where it ends; the same place if there is none or it is too large.

    ``base`` is that of digits without ``0x`` before them. A number that fits is below 2^63.
    """
    start = at
    if data[at] == 48 and (data[at + 1] | 32) == 120:
        base = 16
        at += 2
    first = at
    value = np.int64(0)
    while True:
        digit = _digit(data[at])
        if digit >= base:
            break
        if value > (np.int64(9223372036854775807) - digit) // base:
            return value, start
        value = value * base + digit
        at += 1
    if at == first:
        return value, start
    return value, at


@kernel
def parse(data, kind, addresses, writes):
    """Read whole lines; the number of requests, and the byte of the first damage or -1.

    ``data`` ends with a line end, which stops every scan. The lists have room for two requests a line.
    """
    n, at = 0, 0
    while at < data.size:
        at = _skip(data, at)
        if data[at] == LINE:
            at += 1
            continue
        begin = at
        w = np.uint8(0)
        if kind == LOAD_STORE:
            first, second = data[at], data[at + 1]
            if second == LINE or not _blank(data[at + 2]):
                return n, begin
            if first == 83 and second == 84:  # ST
                w = np.uint8(1)
            elif first != 76 or second != 68:  # LD
                return n, begin
            at = _skip(data, at + 2)
        elif kind == CORE:
            _, end = _number(data, at, 10)
            if end == at:
                return n, begin
            at = _skip(data, end)
        value, end = _number(data, at, 16 if kind == DRAM else 10)
        if end == at or not (_blank(data[end]) or data[end] == LINE):
            return n, begin
        addresses[n] = value
        at = _skip(data, end)
        if kind == DRAM and data[at] != LINE:
            if data[at] == 87:  # W
                w = np.uint8(1)
            elif data[at] != 82:  # R
                return n, begin
            at = _skip(data, at + 1)
        writes[n] = w
        n += 1
        if kind == CORE and data[at] != LINE:  # an evicted line that is written back
            value, end = _number(data, at, 10)
            if end == at:
                return n, begin
            addresses[n], writes[n] = value, np.uint8(1)
            n += 1
            at = _skip(data, end)
        if data[at] != LINE:
            return n, begin
        at += 1
    return n, -1
