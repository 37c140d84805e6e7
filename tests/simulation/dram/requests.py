"""Traces that any program can make again: numbers by splitmix64, no library's generator."""

from __future__ import annotations

import numpy as np


def numbers(seed, n):
    """n pseudo-random 64-bit numbers."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def below(seed, n, limit):
    return (numbers(seed, n) % np.uint64(limit)).astype(np.int64)


def addresses(pattern, n, seed):
    """Byte addresses of requests of 64 bytes."""
    i = np.arange(n)
    match pattern:
        case "sequential":
            lines = i
        case "random":
            lines = below(seed, n, 1 << 26)
        case "stride":
            lines = i * (1 + seed % 1000)
        case "runs":  # pieces of 37 lines
            lines = below(seed, n // 37 + 1, 1 << 24)[i // 37] + i % 37
        case "hot":  # few rows of few banks
            lines = below(seed, n, 48) * 331 + below(seed + 1, n, 3)
        case "streams":  # three sequential streams in turn
            lines = i // 3 + (i % 3) * 1_000_003
        case "beyond":  # past the end of any memory here
            lines = below(seed, n, 1 << 34)
    return lines * 64


def writes(kind, n, seed):
    """Which requests write: a percentage, or blocks of 50."""
    if kind == "blocks":
        return (below(seed + 9, n // 50 + 1, 2)[np.arange(n) // 50]).astype(np.uint8)
    return (below(seed + 9, n, 100) < int(kind)).astype(np.uint8)


def arrivals(kind, n, seed):
    """None: one each cycle; "gaps": 0 to 39 cycles apart; "bursts": long rests now and then."""
    if kind == "none":
        return None
    if kind == "gaps":
        return np.cumsum(below(seed + 5, n, 40))
    rests = below(seed + 5, n, 100) < 2
    return np.cumsum(np.where(rests, below(seed + 6, n, 15_000), 0))
