"""Parts of communities that hang together, and the weight of the edges within them."""

from __future__ import annotations

import numpy as np

from ..components import link
from ..rows.passes import over_rows
from ..runtime.atomics import ld, ld_acquire, st, stop_at
from ..runtime.launch import kernel, over_parts
from .contracting import numbered
from .table import Level

__all__ = ["connected"]


@kernel
def join(stop, lo, hi, indptr, indices, weights, label, root):
    """Link neighbours of the same community; return twice the weight of edges within communities."""
    inside = np.int64(0)
    weighted = weights.size > 0
    for v in range(lo, hi):
        if stop_at(stop, v):
            return inside
        mine = ld(label, v)
        for k in range(ld(indptr, v), ld(indptr, v + 1)):
            u = np.int64(ld(indices, k))
            if ld(label, u) == mine:
                weight = ld(weights, k) if weighted else np.int64(1)
                if u == v:
                    inside += weight
                elif u < v:
                    link(v, u, root)
                inside += weight
    return inside


@kernel
def rooted(stop, lo, hi, root):
    """Let every vertex point to the smallest of its part."""
    for v in range(lo, hi):
        if stop_at(stop, v):
            return
        up = np.int64(ld_acquire(root, v))
        while True:
            above = np.int64(ld_acquire(root, up))
            if above == up:
                break
            up = above
        st(root, v, up)


def connected(level: Level, label: np.ndarray) -> tuple[np.ndarray, int, int]:
    """Split communities that do not hang together.

    Returns the communities, numbered from 0 on by their smallest ids, how many there are, and twice the
    weight of the edges within them (a loop counts twice, too).
    """
    n = label.size
    root = np.arange(n, dtype=label.dtype)
    inside = over_rows(join, level.indptr, level.indices, level.weights, label, root)
    over_parts(rooted, n, root)
    begins, _ = numbered(root)
    return root, begins.size - 1, int(sum(inside))
