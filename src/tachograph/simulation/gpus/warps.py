"""Warps as request generators: which sectors of memory a kernel's work-items ask for, and in which
order.

A launch gives work-items to vertices (``items``) that walk their rows. Four balances are known:

- ``vertex``: a work-item walks a whole row; 32 neighbouring work-items are a warp, and a warp is as
  long as its longest row;
- ``warp``: 32 work-items walk a row together;
- ``balanced``: the arcs of all items are laid side by side, and each warp takes the next 32;
- ``degree``: rows of 32 arcs and more are walked as by ``warp``, shorter ones as by ``vertex``.

In each step of a warp, at most 32 lanes each look at one arc. What the lanes ask of one array is
merged into distinct sectors of 32 bytes, as the hardware does, and each sector goes to the L2. Lanes
may *claim* a neighbour (the first one to look at it writes) or *stop* at one (a pull that found its
parent). Warps run one after the other: that is the order in which the L2 sees them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels.runtime.atomics import stop_at
from ...kernels.runtime.launch import inline, kernel, subroutine
from ..caches.sectored import SECTOR_BYTES, touch

__all__ = ["BALANCES", "COUNTERS", "PLACES", "WARP", "Walk", "walk"]

WARP = 32  # lanes
BALANCES = ("vertex", "warp", "balanced", "degree")
BY_VERTEX, BY_WARP, BALANCED, BY_DEGREE = range(4)

#: What an array is looked up by, and when. It is read in the order of items, by an item's vertex, by an
#: arc, or by the neighbour; it is written for each claim in the order of claims, by the claimed
#: neighbour, by an item that stopped, for each arc in the order in which arcs are walked, by an item's
#: vertex, or by the neighbour.
PLACES = (
    *("order", "item", "arc", "neighbour", "claims", "claimed", "stopped", "walked"),
    *("item written", "neighbour written"),
)
ORDER, ITEM, ARC, NEIGHBOUR, CLAIMS, CLAIMED, STOPPED, WALKED, ITEM_WRITTEN, SCATTERED = range(10)

#: What is counted in each launch.
COUNTERS = (
    "steps",
    "lanes",
    "sectors",
    "fetched",
    "far_sectors",
    "far_fetched",
    "atomics",
    "claims",
)
STEPS, LANES, SECTORS, FETCHED, FAR_SECTORS, FAR_FETCHED, ATOMICS, CLAIMED_SO_FAR = range(8)


class Walk(NamedTuple):
    """What a launch does: items, the neighbours that may be claimed, and those at which an item stops.

    Item v walks ``indices[begins[v]:ends[v]]``.
    ``fresh`` and ``halts`` have a byte for each vertex, or none if nobody claims or stops. ``queue``
    takes the claimed vertices in their order, ``stopped`` a byte for each item that has stopped.
    """

    begins: np.ndarray
    ends: np.ndarray
    indices: np.ndarray
    items: np.ndarray
    fresh: np.ndarray
    halts: np.ndarray
    queue: np.ndarray
    stopped: np.ndarray


class Lanes(NamedTuple):
    """The lanes of a warp: the place of each lane's item, its next arc, the end of its row; sectors."""

    place: np.ndarray
    arc: np.ndarray
    end: np.ndarray
    sector: np.ndarray
    neighbour: np.ndarray
    wrote: np.ndarray
    walked: np.ndarray


@subroutine
def gather(array, index, count, lanes_sector, lines, counts, write):
    """Send the distinct sectors of ``index[:count]`` to the L2; there are at most 32."""
    base, bits, place = 8 * array[0], array[1], array[2]
    distinct, missed = np.int64(0), np.int64(0)
    for i in range(count):
        wanted = (base + index[i] * bits) // (8 * SECTOR_BYTES)
        known = distinct - 1
        while known >= 0 and lanes_sector[known] != wanted:
            known -= 1
        if known < 0:
            lanes_sector[distinct] = wanted
            distinct += 1
            missed += touch(lines, wanted, write)
    counts[SECTORS] += distinct
    counts[FETCHED] += missed
    if place in (NEIGHBOUR, CLAIMED, SCATTERED):
        counts[FAR_SECTORS] += distinct
        counts[FAR_FETCHED] += missed


@subroutine
def one_step(work, lanes, count, arrays, lines, counts):
    """Let ``count`` lanes look at one arc each."""
    indices, fresh, queue = work.indices, work.fresh, work.queue
    counts[STEPS] += 1
    counts[LANES] += count
    written = np.int64(0)
    before = counts[CLAIMED_SO_FAR]
    for i in range(count):
        v = np.int64(indices[lanes.arc[i]])
        lanes.neighbour[i] = v
        if fresh.size and fresh[v]:
            fresh[v] = 0
            queue[before + written] = v
            lanes.wrote[written] = v
            written += 1
    for a in range(arrays.shape[0]):
        place = arrays[a, 2]
        if place == ARC:
            gather(arrays[a], lanes.arc, count, lanes.sector, lines, counts, False)
        elif place == NEIGHBOUR:
            gather(arrays[a], lanes.neighbour, count, lanes.sector, lines, counts, False)
        elif place == SCATTERED:
            gather(arrays[a], lanes.neighbour, count, lanes.sector, lines, counts, True)
        elif place == WALKED:
            for i in range(count):
                lanes.walked[i] = counts[LANES] - count + i
            gather(arrays[a], lanes.walked, count, lanes.sector, lines, counts, True)
    if not written:
        return
    counts[ATOMICS] += written
    counts[CLAIMED_SO_FAR] += written
    for a in range(arrays.shape[0]):
        if arrays[a, 2] == CLAIMED:
            gather(arrays[a], lanes.wrote, written, lanes.sector, lines, counts, True)
    for i in range(written):
        lanes.wrote[i] = before + i
    for a in range(arrays.shape[0]):
        if arrays[a, 2] == CLAIMS:
            gather(arrays[a], lanes.wrote, written, lanes.sector, lines, counts, True)


@subroutine
def begin_items(work, first, count, arrays, lanes, lines, counts):
    """Let a warp read what belongs to its items; their rows are the lanes' afterwards."""
    begins, ends, items = work.begins, work.ends, work.items
    counts[STEPS] += 1
    for i in range(count):
        lanes.place[i] = first + i
        v = np.int64(items[first + i])
        lanes.neighbour[i] = v
        lanes.arc[i] = begins[v]
        lanes.end[i] = ends[v]
    for a in range(arrays.shape[0]):
        if arrays[a, 2] == ORDER:
            gather(arrays[a], lanes.place, count, lanes.sector, lines, counts, False)
        elif arrays[a, 2] == ITEM or arrays[a, 2] == ITEM_WRITTEN:
            write = arrays[a, 2] == ITEM_WRITTEN
            gather(arrays[a], lanes.neighbour, count, lanes.sector, lines, counts, write)


@subroutine
def settle(work, lanes, count, arrays, lines, counts):
    """Advance the lanes; return how many go on. Items that found what halts them write their result."""
    halts, items, stopped = work.halts, work.items, work.stopped
    left, wrote = np.int64(0), np.int64(0)
    for i in range(count):
        if halts.size and halts[lanes.neighbour[i]]:
            stopped[lanes.place[i]] = 1
            lanes.wrote[wrote] = items[lanes.place[i]]
            wrote += 1
        elif lanes.arc[i] + 1 < lanes.end[i]:
            lanes.place[left] = lanes.place[i]
            lanes.end[left] = lanes.end[i]
            lanes.arc[left] = lanes.arc[i] + 1
            left += 1
    if wrote:
        for a in range(arrays.shape[0]):
            if arrays[a, 2] == STOPPED:
                gather(arrays[a], lanes.wrote, wrote, lanes.sector, lines, counts, True)
    return left


@inline
def rows_by_vertex(stop, work, arrays, lanes, lines, counts):
    """A work-item for each row."""
    items = work.items
    for first in range(0, items.size, WARP):
        if stop_at(stop, first):
            return
        count = min(WARP, items.size - first)
        begin_items(work, first, count, arrays, lanes, lines, counts)
        left = np.int64(0)
        for i in range(count):  # lanes with an empty row have nothing to do
            if lanes.arc[i] < lanes.end[i]:
                lanes.place[left] = lanes.place[i]
                lanes.end[left] = lanes.end[i]
                lanes.arc[left] = lanes.arc[i]
                left += 1
        while left > 0:
            one_step(work, lanes, left, arrays, lines, counts)
            left = settle(work, lanes, left, arrays, lines, counts)


@inline
def rows_by_warp(stop, work, arrays, lanes, lines, counts):
    """A warp for each row; it stops when any of its lanes has found what halts it."""
    items, halts, stopped = work.items, work.halts, work.stopped
    for k in range(items.size):
        if stop_at(stop, k):
            return
        begin_items(work, k, np.int64(1), arrays, lanes, lines, counts)
        at, end, going = lanes.arc[0], lanes.end[0], True
        while at < end and going:
            count = min(np.int64(WARP), end - at)
            for i in range(count):
                lanes.arc[i] = at + i
            one_step(work, lanes, count, arrays, lines, counts)
            for i in range(count):
                if halts.size and halts[lanes.neighbour[i]]:
                    going = False
            at += count
        if not going:
            stopped[k] = 1
            lanes.wrote[0] = items[k]
            for a in range(arrays.shape[0]):
                if arrays[a, 2] == STOPPED:
                    gather(arrays[a], lanes.wrote, np.int64(1), lanes.sector, lines, counts, True)


@inline
def rows_balanced(stop, work, arrays, lanes, lines, counts):
    """The arcs of all items side by side, 32 for each warp."""
    items, begins, ends = work.items, work.begins, work.ends
    count = np.int64(0)
    for first in range(0, items.size, WARP):
        if stop_at(stop, first):
            return
        many = min(WARP, items.size - first)
        # Reading the items overwrites the lanes' arcs, so a warp that is not full goes first.
        if count:
            one_step(work, lanes, count, arrays, lines, counts)
            count = np.int64(0)
        begin_items(work, first, many, arrays, lanes, lines, counts)
        for i in range(many):
            v = np.int64(items[first + i])
            for k in range(begins[v], ends[v]):
                lanes.arc[count] = k
                count += 1
                if count == WARP:
                    one_step(work, lanes, count, arrays, lines, counts)
                    count = np.int64(0)
    if count:
        one_step(work, lanes, count, arrays, lines, counts)


@inline
def rows_by_degree(stop, work, arrays, lanes, lines, counts):
    """A warp for each long row of its 32 items, then a work-item for each short one."""
    items, begins, ends = work.items, work.begins, work.ends
    for first in range(0, items.size, WARP):
        if stop_at(stop, first):
            return
        many = min(WARP, items.size - first)
        begin_items(work, first, many, arrays, lanes, lines, counts)
        for i in range(many):
            v = np.int64(items[first + i])
            at, end = np.int64(begins[v]), np.int64(ends[v])
            while end - begins[v] >= WARP and at < end:
                count = min(np.int64(WARP), end - at)
                for k in range(count):
                    lanes.arc[k] = at + k
                one_step(work, lanes, count, arrays, lines, counts)
                at += count
        left = np.int64(0)
        for i in range(many):
            v = np.int64(items[first + i])
            if 0 < ends[v] - begins[v] < WARP:
                lanes.place[left] = first + i
                lanes.arc[left] = begins[v]
                lanes.end[left] = ends[v]
                left += 1
        while left > 0:
            one_step(work, lanes, left, arrays, lines, counts)
            left = settle(work, lanes, left, arrays, lines, counts)


@kernel
def walk(stop, work, balance, arrays, lines, counts):
    """Run a launch; ``arrays`` has address, bits of an element and place (``PLACES``) of each array.

    In bounds: a lane's arc is below the end of its row, sectors and lanes are at most 32, and each
    vertex is claimed at most once, so ``queue`` needs room for the fresh vertices.
    """
    lanes = Lanes(
        np.zeros(WARP, np.int64),
        np.zeros(WARP, np.int64),
        np.zeros(WARP, np.int64),
        np.zeros(WARP, np.int64),
        np.zeros(WARP, np.int64),
        np.zeros(WARP, np.int64),
        np.zeros(WARP, np.int64),
    )
    if balance == BY_VERTEX:
        rows_by_vertex(stop, work, arrays, lanes, lines, counts)
    elif balance == BY_WARP:
        rows_by_warp(stop, work, arrays, lanes, lines, counts)
    elif balance == BY_DEGREE:
        rows_by_degree(stop, work, arrays, lanes, lines, counts)
    else:
        rows_balanced(stop, work, arrays, lanes, lines, counts)
