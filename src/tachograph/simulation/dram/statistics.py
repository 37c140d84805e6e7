"""What a memory tells of a run: counted in its array, put together here.

Energy comes from command counts and the currents of a datasheet: it is modelled, not measured. The
usual method: a device draws its standby current all the time (IDD3N while a row is open, else IDD2N);
each command adds what its test current exceeds standby by, for as long as it lasts. Data-bus
termination and power-down are left out.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from .engine import layout as at
from .runner import NAMES, Commands
from .standards import Standard

if TYPE_CHECKING:
    from ...plots.drawing import Drawing
    from .memory import Memory

__all__ = ["Energy", "MemoryResult", "Timeline", "bank_counts", "collect"]

TIMELINE_STEPS = 200  # points of a line; more would only show noise


class Energy(TypedDict):
    """Joules by cause, modelled with the currents of ``source``."""

    provenance: str
    source: str
    joules: float
    watts: float
    parts: dict[str, float]


class Timeline(TypedDict):
    """GB/s and row-hit rate from each moment on (in seconds), None where nothing was asked for."""

    seconds: list[float]
    gbps: list[float | None]
    row_hit_rate: list[float | None]
    end: float
    peak_gbps: float


@dataclass(frozen=True, repr=False)
class MemoryResult:
    """What a memory did with the requests it was given. All of it is simulated.

    ``memory`` tells all its settings, ``standard`` only the name. ``cycles`` are ticks of the memory's
    clock, ``latency`` is in such cycles from the acceptance of a read to the end of its data (reads
    answered from the write queue excluded); percentiles are exact below 2,048 cycles and within 1.6 %
    above. ``series`` has for equal steps of time GB/s and the row-hit rate; ``banks`` has hits, misses
    and conflicts by channel, rank, bank group and bank.
    """

    memory: str
    standard: str
    cycles: int
    seconds: float
    requests: int
    reads: int
    writes: int
    forwarded: int
    merged: int
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
    channels: list[dict[str, float]]
    balance: float
    energy: Energy | None
    ports: str = "shared"
    provenance: str = "simulated"
    banks: dict[str, np.ndarray] = field(default_factory=dict)
    series: dict[str, np.ndarray] = field(default_factory=dict)
    completion: np.ndarray | None = None
    commands: Commands | None = None

    def __repr__(self) -> str:
        from ...plots.numbers import seconds

        rate = f"{self.gbps:.2f} GB/s{' (port)' * self.port_bound}"
        hits = f"{self.peak_share:.0%} of the peak, {self.row_hit_rate:.1%} row hits"
        took = f"{seconds(self.seconds)} simulated, {self.requests:,} requests"
        return f"MemoryResult({self.memory}, {took}, {rate}, {hits})"

    @property
    def row_hit_rate(self) -> float:
        """Share of the requests that found their row open."""
        return self.row_hits / max(1, self.row_hits + self.row_misses + self.row_conflicts)

    @property
    def port_bound(self) -> bool:
        """Whether the one port, a request each cycle, was nearly always busy: the memory waited."""
        return self.ports == "shared" and self.requests > 0.95 * self.cycles

    def timeline(self) -> Timeline:
        """Return bandwidth and row hits over time, averaged to a readable number of steps."""
        series = self.series
        fold = max(1, -(-series["cycle"].size // TIMELINE_STEPS))
        begin = series["cycle"][::fold] * (self.seconds / self.cycles)
        return {
            "seconds": begin.tolist(),
            "gbps": _means(series["gbps"], fold),
            "row_hit_rate": _means(series["row_hit_rate"], fold),
            "end": self.seconds,
            "peak_gbps": self.peak_gbps,
        }

    def plot(self, path: str | os.PathLike[str] | None = None) -> Drawing:
        """Draw GB/s and row-hit rate over time, and a heat map of the banks' requests.

        With ``path`` it is written there: .svg, .html or, with matplotlib, .png or .pdf.

        >>> from tachograph.simulation.dram import Memory
        >>> Memory("HBM").run([0, 64]).plot().title
        'DRAM bandwidth over time, simulated; Requests by channel and bank group.bank'
        """
        from ...plots.drawing import stacked
        from ...plots.memory import bandwidth, heat

        total = sum(self.banks.values(), start=np.zeros(1, np.int64))
        channels, ranks, groups, each = total.shape
        places = [(c, r) for c in range(channels) for r in range(ranks)]
        rows = [f"ch {c}" + (f", rank {r}" if ranks > 1 else "") for c, r in places]
        banks = [(g, b) for g in range(groups) for b in range(each)]
        columns = [f"{g}.{b}" if groups > 1 else f"{b}" for g, b in banks]
        cells = total.reshape(channels * ranks, groups * each).tolist()
        title = f"Requests by channel and {'bank group.bank' if groups > 1 else 'bank'}"
        lines = bandwidth({self.memory: self.timeline()})
        drawn = stacked([lines, heat(cells, rows, columns, title)])
        if path is not None:
            drawn.save(path)
        return drawn

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the arrays per request, ready for JSON."""
        left_out = ("banks", "series", "completion", "commands")
        made = {k: getattr(self, k) for k in self.__dataclass_fields__ if k not in left_out}
        made |= {"row_hit_rate": self.row_hit_rate, "port_bound": self.port_bound}
        return {**made, "banks": {name: values.tolist() for name, values in self.banks.items()}}

    def to_record(self) -> dict[str, Any]:
        """Return :meth:`to_dict` and the series, for the journal."""
        series = {name: values.tolist() for name, values in self.series.items()}
        return {**self.to_dict(), "series": series}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> MemoryResult:
        """Return what :meth:`to_record` was made from."""
        own = {name: value for name, value in record.items() if name in cls.__dataclass_fields__}
        for name in ("banks", "series"):
            own[name] = {key: np.array(values) for key, values in record[name].items()}
        return cls(**own)


def collect(
    memory: Memory,
    state: np.ndarray,
    cycles: int,
    completion: np.ndarray | None = None,
    commands: Commands | None = None,
    ports: str = "shared",
) -> MemoryResult:
    """Read the counters of a memory's array after ``cycles`` ticks."""
    standard, channels, size = memory.standard, memory.channels, memory.standard.request_bytes
    blocks = at.blocks(state)
    counts = blocks.sum(axis=0)
    issued = {n: int(counts[at.COMMANDS + k]) for k, n in enumerate(NAMES)}
    moved = (issued["RD"] + issued["WR"]) * size
    seconds = cycles * standard.tck * 1e-9
    banks = bank_counts(memory, blocks)
    per_channel: list[dict[str, float]] = [
        {
            "requests": int(b[at.READS] + b[at.WRITES]),
            "reads": int(b[at.READS]),
            "writes": int(b[at.WRITES]),
            "gbps": int(b[at.COMMANDS + at.RD] + b[at.COMMANDS + at.WR_]) * size / seconds / 1e9,
            "mean_read_queue": int(b[at.WAIT]) / cycles,
        }
        for b in blocks
    ]
    shares = [c["requests"] for c in per_channel]
    requests = int(sum(shares))
    waits = {"reads": at.WAIT, "writes": at.WAIT_WRITES, "in_flight": at.FLIGHT}
    ranks = blocks[:, at.RANK_TABLE : at.GROUP_TABLE].reshape(-1, at.RANK_WORDS)
    open_since = np.where(ranks[:, at.K_OPEN] > 0, cycles - ranks[:, at.K_SINCE], 0)
    active = int((ranks[:, at.K_ACTIVE] + np.maximum(0, open_since)).sum())
    rank_cycles = cycles * channels * memory.ranks * standard.pseudo
    return MemoryResult(
        memory=repr(memory),
        standard=standard.name,
        cycles=cycles,
        seconds=seconds,
        requests=requests,
        reads=int(counts[at.READS]),
        writes=int(counts[at.WRITES]),
        forwarded=int(counts[at.FORWARDED]),
        merged=int(counts[at.MERGED]),
        wrapped=int(counts[at.WRAPPED]),
        stalled=int(counts[at.STALLS]),
        bytes=moved,
        gbps=moved / seconds / 1e9,
        peak_gbps=memory.peak / 1e9,
        peak_share=moved / seconds / memory.peak,
        row_hits=int(banks["hits"].sum()),
        row_misses=int(banks["misses"].sum()),
        row_conflicts=int(banks["conflicts"].sum()),
        latency=_latency(counts, standard.tck),
        latency_sum=int(counts[at.LATENCY_SUM]),
        queues={name: int(counts[k]) / cycles / channels for name, k in waits.items()},
        refresh_share=_refreshing(standard, issued) / rank_cycles,
        command_counts=issued,
        channels=per_channel,
        balance=max(shares) * channels / max(1, requests),
        energy=_energy(standard, issued, rank_cycles, active, seconds),
        banks=banks,
        series=_series(blocks, size, standard.tck, cycles),
        completion=completion,
        commands=commands,
        ports=ports,
    )


def _refreshing(standard: Standard, commands: dict[str, int]) -> float:
    """Return the cycles that ranks spent in refresh; a bank's are its share of the rank's."""
    banks = standard.stacks * standard.groups * standard.banks
    t = standard.timings
    return commands["REF"] * t["RFC"] + commands["REFB"] * t["RFCB"] / banks


def bank_counts(memory: Memory, blocks: np.ndarray) -> dict[str, np.ndarray]:
    """Return row hits, misses and conflicts by channel, rank, bank group and bank."""
    s = memory.standard
    shape = (memory.channels, memory.ranks * s.pseudo, s.stacks * s.groups, s.banks)
    end = at.BANK_TABLE + math.prod(shape[1:]) * at.BANK_WORDS
    table = blocks[:, at.BANK_TABLE : end].reshape(*shape, at.BANK_WORDS)
    names = ("hits", "misses", "conflicts")
    return {k: table[..., at.B_HITS + i].copy() for i, k in enumerate(names)}


def _means(values: np.ndarray, fold: int) -> list[float | None]:
    """Return means of so many values each, None where all are NaN."""
    steps = [values[k : k + fold] for k in range(0, values.size, fold)]
    return [float(np.nanmean(s)) if (s == s).any() else None for s in steps]


def _energy(
    standard: Standard, commands: dict[str, int], rank_cycles: int, active: int, seconds: float
) -> Energy | None:
    """Return joules by cause, or None if the standard declares no currents.

    ``rank_cycles`` and ``active`` are cycles summed over all ranks: of the run, and those with at least
    one open row. Currents are in milliampere, of one device.
    """
    if standard.currents is None:
        return None
    i, t = standard.currents, standard.timings
    row = i["IDD0"] * t["RC"] - (i["IDD3N"] * t["RAS"] + i["IDD2N"] * (t["RC"] - t["RAS"]))
    # mA * V * ns of one device are picojoules
    unit = i["VDD"] * standard.tck * standard.devices * 1e-12
    parts = {
        "activate": commands["ACT"] * row * unit,
        "read": commands["RD"] * (i["IDD4R"] - i["IDD3N"]) * t["BL"] * unit,
        "write": commands["WR"] * (i["IDD4W"] - i["IDD3N"]) * t["BL"] * unit,
        "refresh": commands["REF"] * (i["IDD5"] - i["IDD3N"]) * t["RFC"] * unit,
        "standby": (active * i["IDD3N"] + (rank_cycles - active) * i["IDD2N"]) * unit,
    }
    total = sum(parts.values())
    return {
        "provenance": "modelled",
        "source": i["source"],
        "joules": total,
        "watts": total / seconds,
        "parts": parts,
    }


def _latency(counts: np.ndarray, tck: float) -> dict[str, float]:
    """Return mean and percentiles from the histogram, in cycles; the mean in ns, too."""
    cells = counts[at.HISTOGRAM : at.HISTOGRAM + at.EXACT + at.FINE * at.OCTAVES]
    total = int(cells.sum())
    if total == 0:
        return {"mean": 0.0, "median": 0.0, "p99": 0.0, "mean_ns": 0.0}
    cell = np.arange(cells.size)
    octave, step = np.divmod(cell - at.EXACT, at.FINE)
    low = np.where(cell < at.EXACT, cell, (step + at.FINE) << np.maximum(octave + 5, 0))
    sums = np.cumsum(cells)
    mean = int(counts[at.LATENCY_SUM]) / total
    median, p99 = (float(low[np.searchsorted(sums, np.ceil(q * total))]) for q in (0.5, 0.99))
    return {"mean": mean, "median": median, "p99": p99, "mean_ns": mean * tck}


def _series(blocks: np.ndarray, size: int, tck: float, cycles: int) -> dict[str, np.ndarray]:
    """Return accesses and hits over time, of all channels together."""
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
    with np.errstate(invalid="ignore"):  # 0 / 0: nothing was asked for
        rate = total[:, 1] / classified
    gbps = total[:, 0] * size / (spans * tck)
    return {"cycle": np.arange(used) * width, "gbps": gbps, "row_hit_rate": rate}
