"""What one vertex is tied to: sums of weights by community, in a small hash table.

A worker has one table and empties it after each vertex. It is used only as far as a vertex needs it (a
power of two, at least twice its neighbours), so most vertices touch a few cache lines.

Bounds: a table has at least twice as many places as the longest row that is summed in it, so that a
search ends at an empty place; ``places`` has room for every key.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import bit_length, ld, st
from ..runtime.launch import inline, inline_maker

__all__ = ["EMPTY", "Level", "Table", "add", "mask_for", "new_table"]

EMPTY = -1  # the key of a place that is not used
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # spreads keys over the upper bits


class Level(NamedTuple):
    """An undirected graph as rows with whole weights (none: all 1); ``strength`` counts loops twice."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    strength: np.ndarray


class Table(NamedTuple):
    """Keys, their sums, and the places that are used."""

    keys: np.ndarray
    sums: np.ndarray
    places: np.ndarray


@inline_maker
def new_table(longest):
    """An empty table for rows of at most ``longest`` entries."""
    size = mask_for(longest) + 1
    keys = np.empty(size, np.int64)
    keys[:] = EMPTY
    return Table(keys, np.empty(size, np.int64), np.empty(longest + 1, np.int64))


@inline
def mask_for(entries):
    """The mask of a table for so many entries."""
    return (np.int64(2) << bit_length(np.int64(entries))) - 1


@inline
def add(table, mask, used, key, weight):
    """Add ``weight`` to the sum of ``key``; return how many places are used now."""
    keys, sums, places = table
    at = np.int64((np.uint64(key) * MULTIPLIER) >> np.uint64(32)) & mask
    while True:
        found = ld(keys, at)
        if found == key:
            st(sums, at, ld(sums, at) + weight)
            return used
        if found == EMPTY:
            st(keys, at, key)
            st(sums, at, weight)
            st(places, used, at)
            return used + 1
        at = (at + 1) & mask
