"""Accesses to lines: what is read or written, mapped to the requests that the memory sees.

A *line* is what the memory transfers for one request. Runs are consecutive lines; arrays of accesses
become runs through the cache-line buffer, which makes one request of subsequent accesses to one line.
What an on-chip memory holds is filtered out before, with a boolean mask.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Runs", "buffered", "joined", "lines"]


@dataclass(frozen=True)
class Runs:
    """``count[r]`` consecutive lines from line ``first[r]``; empty runs are allowed."""

    first: np.ndarray
    count: np.ndarray

    @property
    def total(self) -> int:
        """Lines in all."""
        return int(self.count.sum())


def lines(address: int, size: int, line: int) -> Runs:
    """The lines of ``size`` bytes from ``address`` on, read or written in order.

    >>> lines(100, 100, 64)
    Runs(first=array([1]), count=array([3]))
    """
    first = address // line
    count = -(-(address + size) // line) - first if size > 0 else 0
    return Runs(np.array([first], np.int64), np.array([count], np.int64))


def joined(*parts: Runs) -> Runs:
    """One after the other."""
    return Runs(
        np.concatenate([p.first for p in parts] or [np.zeros(0, np.int64)]),
        np.concatenate([p.count for p in parts] or [np.zeros(0, np.int64)]),
    )


def buffered(
    addresses: np.ndarray, line: int, need: np.ndarray | None = None, last: bool = False
) -> tuple[Runs, np.ndarray]:
    """A cache-line buffer: subsequent accesses to one line become one request.

    Parameters
    ----------
    addresses
        Byte addresses of the accesses.
    line
        Bytes of a line.
    need
        For each access what it waits for; must not decrease.
    last
        Whether a request waits for the last of its accesses (a write, which goes when the buffer
        turns to another line) or for the first (a read).

    Returns
    -------
    tuple
        One run for each request, and its need.

    >>> runs, need = buffered(np.array([0, 4, 64, 68, 0]), 64, np.arange(5), last=True)
    >>> runs.first.tolist(), need.tolist()
    ([0, 1, 0], [1, 3, 4])
    """
    where = addresses // line
    begins = np.ones(where.size, bool)
    np.not_equal(where[1:], where[:-1], out=begins[1:])
    at = np.flatnonzero(begins)
    runs = Runs(where[at].astype(np.int64), np.ones(at.size, np.int64))
    if need is None:
        return runs, np.zeros(at.size, np.int64)
    if last:
        at = np.append(at[1:], where.size) - 1 if at.size else at
    return runs, np.asarray(need, np.int64)[at]
