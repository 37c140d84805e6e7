"""A sectored cache with least-recently-used replacement, as GPUs have between their cores and memory.

A line has 128 bytes and one tag; its four sectors of 32 bytes are fetched one by one, when they are
asked for. Written sectors stay until their line is evicted, and are then written back. A write
allocates its sector without fetching it. Lines are spread over the sets by a hash, as GPUs do, so
that strides do not all fall into one set, and neighbouring lines fill all sets alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...kernels.runtime.atomics import ld
from ...kernels.runtime.launch import inline, kernel, run
from ...util.errors import InputError
from ...util.memory import human, require

__all__ = ["LINE_BYTES", "SECTOR_BYTES", "Lines", "SectoredCache", "touch"]

LINE_BYTES, SECTOR_BYTES = 128, 32
SECTORS_IN_LINE = LINE_BYTES // SECTOR_BYTES
#: 2**32 over the golden ratio: the fractions of its multiples lie evenly, so that lines side by side
#: fill sets alike, however many there are.
SPREAD = 0x9E3779B1
FRACTION_BITS = 32
#: Places in ``counts``.
HITS, MISSES, WRITE_BACKS = 0, 1, 2


class Lines(NamedTuple):
    """The lines of all sets, each set's most recently used line first; counts of what happened.

    ``tags`` are numbers of lines, or -1; ``sectors`` has for each line a bit for every valid sector,
    and four bits higher one for every written sector.
    """

    tags: np.ndarray  # int32[sets, ways]
    sectors: np.ndarray  # uint8[sets, ways]
    counts: np.ndarray  # int64: hits, misses, sectors written back


@inline
def touch(lines, sector, write):
    """Access a sector and return 1 if it had to be fetched from memory.

    In bounds: the set is below ``tags.shape[0]``, and ``way`` below ``tags.shape[1]``.
    """
    tags, sectors, counts = lines
    line, ways = np.int64(sector) // SECTORS_IN_LINE, tags.shape[1]
    bit = 1 << (np.int64(sector) % SECTORS_IN_LINE)
    fraction = (line * SPREAD) & ((1 << FRACTION_BITS) - 1)
    place = (fraction * tags.shape[0]) >> FRACTION_BITS
    way, held = np.int64(0), np.int64(0)
    while way < ways and tags[place, way] != line:
        way += 1
    if way < ways:
        held = np.int64(sectors[place, way])
    else:
        way = np.int64(ways - 1)
        written = np.int64(sectors[place, way]) >> SECTORS_IN_LINE
        while written:
            counts[WRITE_BACKS] += written & 1
            written >>= 1
    while way > 0:
        tags[place, way] = tags[place, way - 1]
        sectors[place, way] = sectors[place, way - 1]
        way -= 1
    found = held & bit
    held |= bit
    if write:
        held |= bit << SECTORS_IN_LINE
    tags[place, 0] = line
    sectors[place, 0] = held
    if found:
        counts[HITS] += 1
        return 0
    if write:  # allocated, not fetched
        return 0
    counts[MISSES] += 1
    return 1


@kernel
def touch_all(stop, lines, accesses, writes):
    """Access sectors in this order and return how many were fetched."""
    fetched = np.int64(0)
    for i in range(accesses.size):
        fetched += touch(lines, ld(accesses, i), ld(writes, i))
    return fetched


class SectoredCache:
    """A cache of so many bytes and ways; it remembers its lines between calls.

    >>> cache = SectoredCache(1024, ways=4)
    >>> cache.access([0, 1, 0, 4, 0]), cache.hits
    (3, 2)
    """

    def __init__(self, size: int, ways: int = 16) -> None:
        if ways < 1 or size < LINE_BYTES * ways:
            raise InputError(
                f"a cache of {size:,} bytes cannot have {ways} ways of {LINE_BYTES} bytes: use at "
                f"least one way, and {LINE_BYTES * max(ways, 1):,} bytes"
            )
        sets = size // (LINE_BYTES * ways)
        require(5 * sets * ways, f"the tags of a cache of {human(size)}", "make it smaller")
        self.lines = Lines(
            np.full((sets, ways), -1, np.int32),
            np.zeros((sets, ways), np.uint8),
            np.zeros(3, np.int64),
        )

    def access(self, sectors: object, writes: object = False) -> int:
        """Access sectors (addresses divided by 32) in this order; return how many were fetched."""
        todo = np.ascontiguousarray(sectors, np.int64).reshape(-1)
        wrote = np.ascontiguousarray(np.broadcast_to(np.asarray(writes, np.bool_), todo.shape))
        if todo.size and not 0 <= todo.min() <= todo.max() < 2**31 * SECTORS_IN_LINE:
            raise InputError("sectors must be from 0 to 2**33 - 1")
        return int(run(touch_all, [(self.lines, todo, wrote)])[0])

    @property
    def hits(self) -> int:
        """Accesses that found their sector."""
        return int(self.lines.counts[HITS])

    @property
    def misses(self) -> int:
        """Reads that fetched a sector."""
        return int(self.lines.counts[MISSES])

    @property
    def write_backs(self) -> int:
        """Written sectors that were evicted."""
        return int(self.lines.counts[WRITE_BACKS])
