"""What a run tells: counted in the memory's array, put together here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .commands import NAMES, Commands
from .energy import energy
from .engine import layout as at

if TYPE_CHECKING:
    from .memory import Memory

__all__ = ["MemoryResult", "collect"]

STEPS = 200  # points of a line; more would only show noise


@dataclass(frozen=True)
class MemoryResult:
    """What a memory did with the requests it was given. All of it is simulated.

    ``cycles`` are ticks of the memory's clock, ``latency`` is in such cycles from the acceptance of a
    read to the end of its data (reads answered from the write queue excluded); percentiles are exact
    below 2,048 cycles and within 1.6 % above. ``series`` has for equal steps of time GB/s and the
    row-hit rate; ``banks`` has hits, misses and conflicts by channel, rank, bank group and bank.
    """

    memory: str
    cycles: int
    seconds: float
    requests: int
    reads: int
    writes: int
    forwarded: int
    wrapped: int
    stalled: int
    bytes: int
    gbps: float
    peak_gbps: float
    peak_share: float
    row_hits: int
    row_misses: int
    row_conflicts: int
    latency: dict[str, float]
    latency_sum: int
    queues: dict[str, float]
    refresh_share: float
    command_counts: dict[str, int]
    channels: list[dict[str, Any]]
    balance: float
    energy: dict[str, Any] | None
    ports: str = "shared"
    provenance: str = "simulated"
    banks: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    series: dict[str, np.ndarray] = field(default_factory=dict, repr=False)
    completion: np.ndarray | None = field(default=None, repr=False)
    commands: Commands | None = field(default=None, repr=False)

    @property
    def row_hit_rate(self) -> float:
        """Share of the requests that found their row open."""
        return self.row_hits / max(1, self.row_hits + self.row_misses + self.row_conflicts)

    @property
    def port_bound(self) -> bool:
        """Whether the one port, a request each cycle, was nearly always busy: the memory waited."""
        return self.ports == "shared" and self.requests > 0.95 * self.cycles

    def timeline(self) -> dict[str, Any]:
        """Bandwidth and row hits over time, averaged to a readable number of steps, for charts."""
        series = self.series
        fold = max(1, -(-series["cycle"].size // STEPS))
        tick = self.seconds / self.cycles
        made = {"seconds": (series["cycle"][::fold] * tick).tolist()}
        for name in ("gbps", "row_hit_rate"):
            steps = [series[name][k : k + fold] for k in range(0, series[name].size, fold)]
            made[name] = [float(np.nanmean(s)) if (s == s).any() else None for s in steps]
        return {**made, "end": self.seconds, "peak_gbps": self.peak_gbps}

    def to_dict(self) -> dict[str, Any]:
        """Everything but the arrays per request, ready for JSON."""
        made = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in ("banks", "series", "completion", "commands")
        }
        made["row_hit_rate"] = self.row_hit_rate
        made["port_bound"] = self.port_bound
        made["banks"] = {name: values.tolist() for name, values in self.banks.items()}
        return made

    def to_record(self) -> dict[str, Any]:
        """For the journal: :meth:`to_dict` and the series."""
        series = {name: values.tolist() for name, values in self.series.items()}
        return {**self.to_dict(), "series": series}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> MemoryResult:
        """What :meth:`to_record` was made from."""
        own = {name: value for name, value in record.items() if name in cls.__dataclass_fields__}
        arrays = {
            name: {key: np.array(values) for key, values in record[name].items()}
            for name in ("banks", "series")
        }
        return cls(**{**own, **arrays})


def collect(
    memory: Memory,
    state: np.ndarray,
    cycles: int,
    completion: np.ndarray | None = None,
    commands: Commands | None = None,
    ports: str = "shared",
) -> MemoryResult:
    """Read the counters of a memory's array after ``cycles`` ticks."""
    standard = memory.standard
    blocks = state[at.BLOCKS :].reshape(memory.channels, int(state[at.STRIDE]))
    counts = blocks.sum(axis=0)
    reads, writes = int(counts[at.READS]), int(counts[at.WRITES])
    issued = {n: int(counts[at.COMMANDS + k]) for k, n in enumerate(NAMES)}
    moved = (issued["RD"] + issued["WR"]) * standard.request_bytes
    seconds = cycles * standard.tck * 1e-9
    peak = memory.channels * standard.peak
    banks = _banks(memory, blocks)
    hits, misses, conflicts = (int(banks[k].sum()) for k in ("hits", "misses", "conflicts"))
    ranks = memory.channels * memory.ranks
    per_channel = _channels(blocks, standard.request_bytes, cycles, seconds)
    shares = [c["requests"] for c in per_channel]
    return MemoryResult(
        memory=repr(memory), cycles=cycles, seconds=seconds, requests=reads + writes, reads=reads,
        writes=writes, forwarded=int(counts[at.FORWARDED]), wrapped=int(counts[at.WRAPPED]),
        stalled=int(counts[at.STALLS]), bytes=moved, gbps=moved / seconds / 1e9,
        peak_gbps=peak / 1e9, peak_share=moved / seconds / peak, row_hits=hits, row_misses=misses,
        row_conflicts=conflicts, latency=_latency(counts, standard.tck),
        latency_sum=int(counts[at.LATENCY_SUM]),
        queues={
            "reads": int(counts[at.WAIT]) / cycles / memory.channels,
            "writes": int(counts[at.WAIT_WRITES]) / cycles / memory.channels,
            "in_flight": int(counts[at.FLIGHT]) / cycles / memory.channels,
        },
        refresh_share=issued["REF"] * standard.timings["RFC"] / (cycles * ranks),
        command_counts=issued, channels=per_channel,
        balance=max(shares) * len(shares) / max(1, sum(shares)),
        energy=energy(standard, issued, cycles, cycles * ranks, _active(memory, blocks, cycles)),
        banks=banks, series=_series(blocks, standard.request_bytes, standard.tck, cycles),
        completion=completion, commands=commands, ports=ports,
    )  # fmt: skip


def _banks(memory: Memory, blocks: np.ndarray) -> dict[str, np.ndarray]:
    s = memory.standard
    shape = (memory.channels, memory.ranks, s.groups, s.banks)
    n = memory.ranks * s.groups * s.banks
    table = blocks[:, at.BANK_TABLE : at.BANK_TABLE + n * at.BANK_WORDS]
    table = table.reshape(memory.channels, n, at.BANK_WORDS)
    names = ("hits", "misses", "conflicts")
    return {k: table[:, :, at.B_HITS + i].reshape(shape).copy() for i, k in enumerate(names)}


def _channels(blocks: np.ndarray, size: int, cycles: int, seconds: float) -> list[dict[str, Any]]:
    return [
        {
            "requests": int(b[at.READS] + b[at.WRITES]),
            "reads": int(b[at.READS]),
            "writes": int(b[at.WRITES]),
            "gbps": int(b[at.COMMANDS + at.RD] + b[at.COMMANDS + at.WR_]) * size / seconds / 1e9,
            "mean_read_queue": int(b[at.WAIT]) / cycles,
        }
        for b in blocks
    ]


def _latency(counts: np.ndarray, tck: float) -> dict[str, float]:
    """Mean and percentiles from the histogram, in cycles; the mean in ns, too."""
    cells = counts[at.HISTOGRAM : at.HISTOGRAM + at.EXACT + at.FINE * at.OCTAVES]
    total = int(cells.sum())
    if total == 0:
        return {"mean": 0.0, "median": 0.0, "p99": 0.0, "mean_ns": 0.0}
    cell = np.arange(cells.size)
    octave, step = np.divmod(cell - at.EXACT, at.FINE)
    low = np.where(cell < at.EXACT, cell, (step + at.FINE) << np.maximum(octave + 5, 0))
    sums = np.cumsum(cells)
    mean = int(counts[at.LATENCY_SUM]) / total
    at_share = {k: float(low[np.searchsorted(sums, np.ceil(q * total))])
                for k, q in (("median", 0.5), ("p99", 0.99))}  # fmt: skip
    return {"mean": mean, **at_share, "mean_ns": mean * tck}


def _active(memory: Memory, blocks: np.ndarray, cycles: int) -> int:
    """Cycles with an open row, summed over the ranks."""
    total = 0
    for b in blocks:
        for r in range(memory.ranks):
            rank = b[at.RANK_TABLE + r * at.RANK_WORDS :]
            total += int(rank[at.K_ACTIVE])
            if rank[at.K_OPEN] > 0:
                total += max(0, cycles - int(rank[at.K_SINCE]))
    return total


def _series(blocks: np.ndarray, size: int, tck: float, cycles: int) -> dict[str, np.ndarray]:
    """Accesses and hits over time, of all channels together."""
    shift = int(blocks[:, at.SHIFT].max())
    total = np.zeros((at.BINS, at.BIN_WORDS), np.int64)
    for b in blocks:
        own = b[at.SERIES : at.SERIES + at.BINS * at.BIN_WORDS].reshape(at.BINS, at.BIN_WORDS)
        fold = min(1 << (shift - int(b[at.SHIFT])), at.BINS)  # all in the first, if it ended early
        total[: at.BINS // fold] += own.reshape(-1, fold, at.BIN_WORDS).sum(axis=1)
    used = min(at.BINS, (cycles >> shift) + 1)
    total, width = total[:used], 1 << shift
    spans = np.full(used, width, np.float64)
    spans[-1] = max(1, cycles - (used - 1) * width)
    classified = total[:, 1:].sum(axis=1)
    return {
        "cycle": np.arange(used) * width,
        "gbps": total[:, 0] * size / (spans * tck),
        "row_hit_rate": np.divide(total[:, 1], classified, out=np.full(used, np.nan),
                                  where=classified > 0),
    }  # fmt: skip
