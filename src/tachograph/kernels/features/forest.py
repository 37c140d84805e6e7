"""Predictions of a sum of regression trees, given as arrays.

Encoding: node i is a leaf if ``feature[i]`` is negative, and then gives ``value[i]``; else a row goes
on to ``left[i]`` if its entry ``feature[i]`` is at most ``value[i]``, and to ``left[i] + 1`` otherwise.
``roots`` are the first nodes of the trees.

Bounds: ``decisions.approximation.model`` checks that children lie behind their parent and
within the arrays, and features within the rows; so every walk ends, and every access is valid.
"""

from __future__ import annotations

from ..runtime.atomics import ld, stop_at
from ..runtime.launch import kernel

__all__ = ["predict"]


@kernel
def predict(stop, rows, width, roots, feature, value, left, out):
    """Add the trees' values for each of ``rows``, of ``width`` entries each, to ``out``."""
    for i in range(out.size):
        if stop_at(stop, i):
            return
        base = i * width
        total = ld(out, i)
        for t in range(roots.size):
            node = ld(roots, t)
            split = ld(feature, node)
            while split >= 0:
                after = ld(left, node)
                if not ld(rows, base + split) <= ld(value, node):
                    after += 1
                node = after
                split = ld(feature, node)
            total += ld(value, node)
        out[i] = total
