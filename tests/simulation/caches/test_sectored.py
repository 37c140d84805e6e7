"""The sectored cache beside a slow one that is obviously right."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest

from tachograph import InputError, TooLargeError
from tachograph.simulation.caches import SectoredCache


class Slow:
    """One set: lines in the order of their use, each with its valid and written sectors."""

    def __init__(self, ways: int) -> None:
        self.ways, self.lines = ways, OrderedDict()
        self.hits = self.misses = self.write_backs = 0

    def access(self, sector: int, write: bool) -> None:
        line, part = divmod(sector, 4)
        if line not in self.lines:
            if len(self.lines) == self.ways:
                _, (_, written) = self.lines.popitem(last=False)
                self.write_backs += len(written)
            self.lines[line] = (set(), set())
        self.lines.move_to_end(line)
        valid, written = self.lines[line]
        self.hits += part in valid
        self.misses += part not in valid and not write
        valid.add(part)
        if write:
            written.add(part)


@pytest.mark.parametrize("ways", [1, 2, 16])
@pytest.mark.parametrize("spread", [3, 40, 400])
def test_as_a_slow_cache_of_one_set(ways, spread):
    random = np.random.default_rng(ways * spread)
    sectors, writes = random.integers(0, spread, 3000), random.random(3000) < 0.3
    cache, slow = SectoredCache(128 * ways, ways), Slow(ways)
    for begin in range(0, 3000, 1000):  # it remembers between calls
        cache.access(sectors[begin : begin + 1000], writes[begin : begin + 1000])
    for sector, write in zip(sectors.tolist(), writes.tolist(), strict=True):
        slow.access(sector, write)
    assert (cache.hits, cache.misses, cache.write_backs) == (
        slow.hits,
        slow.misses,
        slow.write_backs,
    )


def test_what_fits_stays():
    cache = SectoredCache(1 << 16)
    working_set = np.arange(1024)  # half of it
    assert cache.access(working_set) == 1024
    assert cache.access(working_set[::-1]) == 0


@pytest.mark.parametrize("sets", [32, 128, 768, 1024, 1536, 3072, 4096, 20480])
@pytest.mark.parametrize("begin", [0, 4 * 12345, 2**31 * 4 - 2**24])
def test_lines_side_by_side_fill_all_sets_alike(sets, begin):
    """An array as large as three quarters of the cache stays, wherever it begins."""
    cache = SectoredCache(sets * 16 * 128, ways=16)
    lines = np.arange(begin, begin + sets * 12 * 4, 4)
    assert cache.access(lines) == lines.size
    assert cache.access(lines) == 0


@pytest.mark.parametrize(("size", "ways"), [(0, 16), (127, 1), (4096, 0), (1024, 16)])
def test_sizes_that_cannot_be(size, ways):
    with pytest.raises(InputError, match="ways"):
        SectoredCache(size, ways)


def test_a_cache_whose_tags_fit_no_memory():
    with pytest.raises(TooLargeError, match="make it smaller"):
        SectoredCache(1 << 50)


@pytest.mark.parametrize("sector", [-1, 2**33])
def test_sectors_out_of_range(sector):
    with pytest.raises(InputError, match="sectors"):
        SectoredCache(4096).access([sector])
