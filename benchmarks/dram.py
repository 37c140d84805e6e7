"""Requests per second of the memory simulator, beside Ramulator if it is there.

    TACHOGRAPH_DRAM_REFERENCE=/path RAMULATOR=/path/to/ramulator python benchmarks/dram.py

The reference directory holds traces (``*.npz``) and what Ramulator 1 said about them
(``ramulator_v1.csv``); every run must agree with it. Without it, traces made here are used. With
$RAMULATOR, the program runs the same traces in the same turns; its time includes reading the text, ours
is that of ``Memory.run`` on arrays. All on one thread but the last table.
"""

from __future__ import annotations

import csv
import math
import os
import re
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from harness import Table, main, rounded

import tachograph as tg
from tachograph.simulation.dram import Memory, write_trace
from tachograph.util.cores import threads_available


class Config(NamedTuple):
    """A memory that Ramulator 1 knows."""

    name: str
    density: str
    channels: int
    ranks: int


CONFIGS = {
    "ddr3_1ch1r": Config("DDR3-1600K", "8Gb", 1, 1),
    "ddr3_1ch2r": Config("DDR3-1600K", "8Gb", 1, 2),
    "ddr3_4ch2r": Config("DDR3-1600K", "8Gb", 4, 2),
    "ddr4_4Gb": Config("DDR4-2400R", "4Gb", 1, 1),
    "ddr4_8Gb": Config("DDR4-2400R", "8Gb", 1, 1),
}
NEWER = ["DDR5-4800AN", "LPDDR5-6400", "LPDDR6-10667", "GDDR6-14000", "GDDR7-28000", "HBM2-2000",
         "HBM3-6400", "HBM4-8000"]  # fmt: skip
STREAMED = ["DDR3-1600K", "DDR4-2400R", "DDR4-3200", "LPDDR4-3200", "GDDR5-6000", "HBM", *NEWER]
REFERENCE = Path(os.environ.get("TACHOGRAPH_DRAM_REFERENCE", "/nowhere"))
SETTINGS = """standard = {family}
channels = {channels}
ranks = {ranks}
speed = {family}_{speed}
org = {family}_{density}_x16
record_cmd_trace = off
print_cmd_trace = off
cpu_tick = 8
mem_tick = 3
early_exit = on
expected_limit_insts = 200000000
warmup_insts = 0
cache = no
translation = None
"""


def traces() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The reference traces, or some of the same kinds."""
    if REFERENCE.is_dir():
        found = {}
        for path in sorted(REFERENCE.glob("*.npz")):
            with np.load(path) as data:
                found[path.stem] = data["addr"].astype(np.int64), data["is_write"].astype(np.uint8)
        return found
    rng = np.random.default_rng(1)
    n = 500_000
    mixed = np.stack([np.arange(n // 2), rng.integers(0, 1 << 24, n // 2)], axis=1).ravel()
    return {
        "sequential": (np.arange(n) * 64, np.zeros(n, np.uint8)),
        "random": (rng.integers(0, 1 << 24, n) * 64, np.zeros(n, np.uint8)),
        "mixed": (mixed * 64, (rng.random(n) < 0.3).astype(np.uint8)),
    }


def expected() -> dict[tuple[str, str], int]:
    path = REFERENCE / "ramulator_v1.csv"
    if not path.exists():
        return {}
    rows = csv.DictReader(path.read_text().splitlines())
    return {(r["config"], r["trace"]): int(r["dram_cycles"]) for r in rows}


def ramulator(config: Config, trace: Path, home: Path) -> tuple[float, int]:
    """Return seconds and cycles of Ramulator 1 for a text trace."""
    family, speed = config.name.split("-")
    settings, stats = home / "cfg", home / "stats"
    settings.write_text(SETTINGS.format(family=family, speed=speed, **config._asdict()))
    how = ["--mode=dram", "--stats", str(stats)]
    command = [os.environ["RAMULATOR"], str(settings), *how, str(trace)]
    begin = perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    seconds = perf_counter() - begin
    found = re.search(r"dram_cycles\s+(\d+)", stats.read_text())
    assert found is not None
    return seconds, int(found.group(1))


def timed(memory: Memory, rounds: int, *requests: Any, **options: Any) -> tuple[float, int]:
    """The median of some runs, and their cycles."""
    seconds = []
    for _ in range(rounds):
        begin = perf_counter()
        result = memory.run(*requests, **options)
        seconds.append(perf_counter() - begin)
    return statistics.median(seconds), result.cycles


def reference_table(rounds: int) -> Table:
    wanted, rates, ratios = expected(), [], []
    rows: list[list[Any]] = []
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        for label, (addresses, writes) in traces().items():
            if "RAMULATOR" in os.environ:
                write_trace(home / label, addresses, writes)
            for name, config in CONFIGS.items():
                memory = Memory(**config._asdict())
                memory.run(addresses[:100], writes[:100])
                ours, theirs = [], []
                for _ in range(rounds):
                    taken, cycles = timed(memory, 1, addresses, writes)
                    assert cycles == wanted.get((name, label), cycles)
                    ours.append(taken)
                    if "RAMULATOR" in os.environ:
                        taken, their_cycles = ramulator(config, home / label, home)
                        assert their_cycles == cycles
                        theirs.append(taken)
                rates.append(addresses.size / statistics.median(ours) / 1e6)
                peer: list[Any] = [None, None]
                if theirs:
                    ratios.append(statistics.median(theirs) / statistics.median(ours))
                    peer = rounded([addresses.size / statistics.median(theirs) / 1e6, ratios[-1]])
                rows.append([name, label, *rounded(rates[-1:]), *peer])
    means = [math.exp(statistics.fmean(map(math.log, x))) if x else None for x in (rates, ratios)]
    rows.append(
        ["geometric mean", "", *rounded(means[:1]), None, means[1] and rounded(means[1:])[0]]
    )
    columns = ["memory", "trace", "M requests/s", "Ramulator 1", "times as fast"]
    return Table("Traces on one thread, cycles equal to Ramulator's", columns, rows)


def stream_table(rounds: int) -> Table:
    rows: list[list[Any]] = []
    addresses = np.arange(4_000_000) * 64
    for name in STREAMED:
        seconds, _ = timed(Memory(name), rounds, addresses)
        rows.append([name, *rounded([addresses.size / seconds / 1e6])])
    return Table("4 million requests in sequence", ["memory", "M requests/s"], rows)


def newer_table(rounds: int) -> Table:
    """Families of Ramulator 2.1 on the same traces, one channel each."""
    rows: list[list[Any]] = []
    known = traces()
    for name in NEWER:
        memory, rates = Memory(name, channels=1), []
        for addresses, writes in known.values():
            memory.run(addresses[:100], writes[:100])
            seconds, _ = timed(memory, rounds, addresses, writes)
            rates.append(addresses.size / seconds / 1e6)
        rows.append([name, *rounded(rates), *rounded([statistics.geometric_mean(rates)])])
    columns = ["memory", *known, "geometric mean"]
    return Table("Newer families, M requests/s on one thread", columns, rows)


def threads_table(rounds: int) -> Table:
    rows: list[list[Any]] = []
    addresses = np.random.default_rng(2).integers(0, 1 << 24, 2_000_000) * 64
    memory = Memory("DDR4-2400R", channels=8)
    for count in sorted({1, 2, threads_available()}):
        with tg.threads(count):
            memory.run(addresses[:100], ports="channel")
            seconds, _ = timed(memory, rounds, addresses, ports="channel")
        rows.append([count, *rounded([addresses.size / seconds / 1e6])])
    title = "Random requests, 8 channels with a port each"
    return Table(title, ["threads", "M requests/s"], rows)


def measure(rounds: int = 3) -> Iterator[Table]:
    for make in (reference_table, stream_table, newer_table, threads_table):
        yield make(rounds)


if __name__ == "__main__":
    main(measure)
