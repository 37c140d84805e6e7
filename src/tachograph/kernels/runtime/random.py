"""Random numbers by counting: number i of a stream depends only on the key of the stream and on i.

So the same seed gives the same numbers whatever the number of threads, and any part of a stream can
be made alone. The generator is SplitMix64 (Steele, Lea, Flood 2014) used as a hash of the counter.
"""

from __future__ import annotations

import numpy as np

from .atomics import stop_at
from .launch import kernel, over_parts, run

GOLDEN = 0x9E3779B97F4A7C15  # the increment of SplitMix64
BRIEF_BELOW_ITEMS = 1 << 20  # serial loops of fewer items take less than a second


@kernel
def draw(key, counter):
    """64 random bits: number ``counter`` of the stream ``key``."""
    x = key + (np.uint64(counter) + np.uint64(1)) * np.uint64(GOLDEN)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def below(bits, bound):
    """A number in 0..bound-1 from the high 32 bits (for bounds up to 2**31)."""
    return np.int64(((bits >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


def key_of(seed: int, purpose: str) -> np.uint64:
    """The key of the stream of ``seed`` and ``purpose``; different purposes never share numbers."""
    value = seed & (2**64 - 1)
    for byte in purpose.encode():
        value = int(draw(np.uint64(value), byte))
    return np.uint64(value)


@kernel
def fill_integers(stop, lo, hi, key, low, bound, out):
    for i in range(lo, hi):
        if stop_at(stop, i):
            return
        out[i] = low + below(draw(key, i), bound)


@kernel
def fill_reals(stop, lo, hi, key, low, width, out):
    for i in range(lo, hi):
        if stop_at(stop, i):
            return
        out[i] = low + width * (np.float64(draw(key, i) >> np.uint64(11)) * 2.0**-53)


def integers(seed: int, purpose: str, size: int, low: int, high: int) -> np.ndarray:
    """``size`` whole numbers in ``low <= x < high``, int32; at most 2**31 different ones."""
    out = np.empty(size, np.int32)
    over_parts(fill_integers, size, key_of(seed, purpose), low, high - low, out)
    return out


def reals(seed: int, purpose: str, size: int, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """``size`` numbers in ``low <= x < high``, float64."""
    out = np.empty(size, np.float64)
    over_parts(fill_reals, size, key_of(seed, purpose), float(low), float(high - low), out)
    return out


@kernel
def shuffle(stop, key, out):
    """Fisher-Yates, in place."""
    for i in range(out.size - 1, 0, -1):
        if stop_at(stop, i):
            return
        j = below(draw(key, i), i + 1)
        out[i], out[j] = out[j], out[i]


def permutation(seed: int, purpose: str, size: int) -> np.ndarray:
    """The numbers 0..size-1 in random order, int32."""
    out = np.arange(size, dtype=np.int32)
    run(shuffle, [(key_of(seed, purpose), out)], brief=size < BRIEF_BELOW_ITEMS)
    return out


@kernel
def fill_kronecker(stop, lo, hi, key, scale, shares, labels, ends):
    """Edges ``lo:hi`` of an R-MAT graph; ``shares``: those of three quadrants, of 2**32."""
    a, b, c = shares
    source, target = ends
    draws = (scale + 1) // 2
    for i in range(lo, hi):
        if stop_at(stop, i):
            return
        s = 0
        t = 0
        for d in range(draws):
            bits = draw(key, i * draws + d)
            for half in range(2):
                if 2 * d + half == scale:
                    break
                x = np.int64(bits & np.uint64(0xFFFFFFFF))
                bits >>= np.uint64(32)
                down = x >= a + b
                right = (x >= a) & (x < a + b) | (x >= a + b + c)
                s = 2 * s + down
                t = 2 * t + right
        source[i] = labels[s] if labels.size else s
        target[i] = labels[t] if labels.size else t


def kronecker(
    scale: int, edges: int, shares: tuple[float, float, float], seed: int, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sources and targets of an R-MAT graph; vertices renamed by ``labels`` unless it is empty."""
    source, target = np.empty(edges, np.int32), np.empty(edges, np.int32)
    parts = tuple(int(x * 2**32) for x in shares)
    key = key_of(seed, "kronecker")
    over_parts(fill_kronecker, edges, key, scale, parts, labels, (source, target))
    return source, target


@kernel
def fill_preferential(stop, key, core, degree, source, target):
    """Vertices core, core+1, ... each link to ``degree`` ends of earlier edges, drawn uniformly."""
    edges = core
    for v in range(core):
        source[v] = v
        target[v] = (v + 1) % core
    n = core + (source.size - core) // degree
    for v in range(core, n):
        if stop_at(stop, v):
            return
        known = edges
        for _ in range(degree):
            j = below(draw(key, edges), 2 * known)
            source[edges] = v
            target[edges] = source[j >> 1] if j & 1 else target[j >> 1]
            edges += 1


def preferential(n: int, degree: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Edges of a preferential attachment graph that grows from a ring of ``degree + 1`` vertices."""
    core = min(n, degree + 1)
    edges = core + (n - core) * degree
    source, target = np.empty(edges, np.int32), np.empty(edges, np.int32)
    call = (key_of(seed, "preferential"), core, degree, source, target)
    run(fill_preferential, [call], brief=edges < BRIEF_BELOW_ITEMS)
    return source, target
