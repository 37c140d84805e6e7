"""Micro-benchmarks of the host, twins of ``calibrate.cl``: each has one cost that dominates.

Every kernel works on the elements ``lo:hi`` of its arrays, which have a place for each.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import fetch_add, ld, st
from ..runtime.launch import kernel


@kernel
def nothing(stop, lo, hi, out):
    if lo == 0:
        st(out, 0, 1)


@kernel
def stream(stop, lo, hi, a, b, out):
    for i in range(lo, hi):
        out[i] = a[i] + np.float32(0.5) * b[i]


@kernel
def gather(stop, lo, hi, where, values, out):
    for i in range(lo, hi):
        st(out, i, ld(values, ld(where, i)))


@kernel
def count(stop, lo, hi, where, counts):
    for i in range(lo, hi):
        fetch_add(counts, ld(where, i), 1)


@kernel
def scalar(stop, lo, hi, out, steps):
    for i in range(lo, hi):
        x = np.uint32(i + 1)
        for _ in range(steps):
            x ^= x << np.uint32(13)
            x ^= x >> np.uint32(17)
            x ^= x << np.uint32(5)
        out[i] = x


@kernel
def vector(stop, lo, hi, out, steps):
    """Sixteen sums side by side, as the twin has them."""
    for i in range(lo, hi):
        x = np.empty(16, np.float32)
        for j in range(16):
            x[j] = np.float32(i + 0.1 * j)
        for _ in range(steps):
            for j in range(16):
                x[j] = x[j] * np.float32(0.999) + np.float32(0.25)
        out[i] = x.sum()
