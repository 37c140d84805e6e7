"""The most similar pairs of every vertex."""

from __future__ import annotations

import numpy as np

from .result import Result

__all__ = ["best_of"]


def best_of(found: Result, k: int) -> Result:
    """A result with the ``k`` most similar partners of every vertex, best first, of all its pairs."""
    source = np.concatenate([found.source, found.target])
    target = np.concatenate([found.target, found.source])
    values = np.concatenate([found.values, found.values])
    order = np.lexsort((target, -values, source))
    source, target, values = source[order], target[order], values[order]
    same = (source[1:] == source[:-1]) & (target[1:] == target[:-1])
    once = np.concatenate([np.ones(min(1, source.size), bool), ~same])  # pairs given twice
    source, target, values = source[once], target[once], values[once]
    begins = np.searchsorted(source, source, "left")
    kept = np.arange(source.size) - begins < k
    made = {"source": source[kept], "target": target[kept], "values": values[kept]}
    rest = {"share": found.share, "why": found.why}
    return Result(found.task, {**made, **rest}, seconds=found.seconds, trace=found.trace)
