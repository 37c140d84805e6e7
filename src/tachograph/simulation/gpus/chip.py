"""A GPU at work: arrays with addresses, an L2 that remembers, launches that become rows of a trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...graph.graph import Graph
from ...kernels.runtime.launch import read_only, run
from ..caches import SectoredCache
from ..caches.sectored import SECTOR_BYTES
from .constants import STREAM_SHARE, USUAL_CORES, Constants, constants_of
from .gpu import GPU
from .warps import BALANCES, COUNTERS, PLACES, WARP, Walk, walk

__all__ = ["Array", "Chip", "Launched", "Ranges", "Touch", "ranges", "shares"]

ALIGNED_BYTES = 256  # where an array may begin
NONE = np.empty(0, np.uint8)


class Array(NamedTuple):
    """An array in the GPU's memory: its address and the bits of an element."""

    address: int
    bits: int


class Touch(NamedTuple):
    """What a kernel does to an array: the array, and how it is looked up (``PLACES``)."""

    array: Array
    place: str


class Ranges(NamedTuple):
    """What items walk: item v from ``begins[v]`` to ``ends[v]`` in ``indices``."""

    begins: np.ndarray
    ends: np.ndarray
    indices: np.ndarray


def ranges(indptr: np.ndarray, indices: np.ndarray) -> Ranges:
    """Return whole rows as ranges."""
    return Ranges(indptr[:-1], indptr[1:], indices)


class Launched(NamedTuple):
    """What a launch did: counts by name, the vertices that were claimed, and which items stopped."""

    counts: dict[str, int]
    claimed: np.ndarray
    stopped: np.ndarray


def shares(gpu: GPU, constants: Constants, counts: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return seconds of the cores, the L2 and the memory, and of the work when they overlap."""
    slower = np.where(counts["pull"] > 0, constants.pull_work, 1.0)
    cycle = slower * 1e-9 / (gpu.sms * gpu.clock_ghz)
    issue = counts["steps"] * constants.step_cycles * cycle * (USUAL_CORES / gpu.cores)
    l2 = counts["far_sectors"] * constants.sector_cycles * cycle
    l2 = l2 + counts["atomics"] / (gpu.atomics_per_cycle * gpu.clock_ghz * 1e9)
    far = counts["far_fetched"]
    near = counts["fetched"] - far + counts["written_back"]
    second = SECTOR_BYTES / (gpu.memory_gbps * 1e9)
    dram = far * second / constants.random_share + near * second / STREAM_SHARE
    power = constants.overlap
    work = ((issue + l2) ** power + dram**power) ** (1 / power)
    return {"issue": issue, "l2": l2, "dram": dram, "work": work}


@dataclass
class Chip:
    """A GPU with a graph in its memory."""

    gpu: GPU
    graph: Graph
    balance: str = "balanced"
    used: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cache = SectoredCache(self.gpu.l2_bytes, self.gpu.l2_ways)
        self.constants = constants_of(self.gpu)
        self.offsets = self.place(self.graph.n + 1, 8)
        self.columns = self.place(self.graph.arcs, self.graph.indices.itemsize)

    def place(self, count: int, width: float) -> Array:
        """Make room for an array whose elements have ``width`` bytes (1/8: a bitmap)."""
        made = Array(self.used, round(8 * width))
        self.used += -(-max(count, 1) * made.bits // (8 * ALIGNED_BYTES)) * ALIGNED_BYTES
        self.gpu.must_hold(self.used, f"{self.graph!r}")
        return made

    def launch(
        self,
        kernel: str,
        iteration: int,
        items: np.ndarray,
        touches: list[Touch],
        *,
        balance: str | None = None,
        fresh: np.ndarray = NONE,
        halts: np.ndarray = NONE,
        rows: Ranges | None = None,
    ) -> Launched:
        """Run a kernel whose work-items walk the rows of ``items``; add its counts to the trace."""
        begins, ends, indices = rows or ranges(self.graph.indptr, self.graph.indices)
        queue = np.empty(int(fresh.sum()) if fresh.size else 0, items.dtype)
        stopped = np.zeros(items.size if halts.size else 0, np.uint8)
        rows_of = read_only(begins), read_only(ends), read_only(indices)
        work = Walk(*rows_of, read_only(items), fresh, halts, queue, stopped)
        arrays = np.array([[*t.array, PLACES.index(t.place)] for t in touches], np.int64).reshape(
            -1, 3
        )
        counts = np.zeros(len(COUNTERS), np.int64)
        before = self.cache.write_backs
        chosen = BALANCES.index(balance or self.balance)
        run(walk, [(work, chosen, arrays, self.cache.lines, counts)], label="simulating")
        named = dict(zip(COUNTERS, counts.tolist(), strict=True))
        named["written_back"] = self.cache.write_backs - before
        self.rows.append({"iteration": iteration, "kernel": kernel, "items": items.size, **named})
        return Launched(named, queue[: named["claims"]], stopped)

    def stream(self, array: Array, count: int, write: bool = False) -> None:
        """Read or write an array from its beginning as part of the last launch."""
        first, last = array.address, array.address + -(-count * array.bits // 8)
        sectors = np.arange(first // SECTOR_BYTES, -(-last // SECTOR_BYTES))
        self._access(sectors, count, write)

    def pick(self, array: Array, places: np.ndarray, write: bool = False) -> None:
        """Read or write single elements in the order of their places, as part of the last launch."""
        bits = 8 * array.address + places.astype(np.int64) * array.bits
        self._access(np.unique(bits // (8 * SECTOR_BYTES)), places.size, write)

    def _access(self, sectors: np.ndarray, count: int, write: bool) -> None:
        before = self.cache.write_backs
        fetched = self.cache.access(sectors, write)
        row = self.rows[-1]
        more = {"steps": -(-count // WARP), "lanes": count, "sectors": sectors.size}
        more |= {"fetched": fetched, "written_back": self.cache.write_backs - before}
        for name, value in more.items():
            row[name] += value

    def counts(self) -> dict[str, np.ndarray]:
        """Return the counts of all launches, an array for each counter, and which of them pull."""
        names = (*COUNTERS, "written_back")
        made = {name: np.array([row[name] for row in self.rows], float) for name in names}
        return made | {"pull": np.array([row["kernel"] == "pull" for row in self.rows], float)}
