"""Requests from arrays or a file through the compiled loops, a block at a time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...kernels.runtime.launch import run, threads_available
from ...util.arrays import native
from ...util.errors import InputError
from .engine import feed as loop
from .engine import layout as at

if TYPE_CHECKING:
    import pyarrow as pa

    from .memory import Memory

__all__ = ["LAST_ARRIVAL", "NAMES", "Block", "Commands", "Run", "blocks_of", "table"]

BLOCK_REQUESTS = 1 << 18  # that are simulated between looks at Ctrl-C
LAST_ARRIVAL = 1 << 44  # cycles, hours of the memory: every refresh until then is simulated
EMPTY = "the trace is empty: there is nothing to simulate"
LOG_COMMANDS = 1 << 14  # of a channel, before its log must be emptied
#: Names of the commands, by their number. REFB refreshes one bank; ACT2 is the second command of an
#: activation, and CAS starts the data clock, where a standard has them.
NAMES = ("ACT", "PRE", "RD", "WR", "PREA", "REF", "REFB", "ACT2", "CAS")
WHOLE_RANK = ("PREA", "REF")
#: Addresses, whether each is a write, and arrival times (or none).
Block = tuple[np.ndarray, np.ndarray, np.ndarray]
NO_TIMES = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Commands:
    """One row per command, channel by channel in order of time.

    ``command`` holds numbers of :data:`NAMES`; ``group`` and ``bank`` are -1 for commands to a whole
    rank, ``row`` for those without one, ``request`` (its number in the trace) for those of no request.
    """

    channel: np.ndarray
    cycle: np.ndarray
    command: np.ndarray
    rank: np.ndarray
    group: np.ndarray
    bank: np.ndarray
    row: np.ndarray
    request: np.ndarray

    def __len__(self) -> int:
        return self.cycle.size

    @property
    def names(self) -> np.ndarray:
        """The command of every row as text."""
        names: np.ndarray = np.array(NAMES)[self.command]
        return names

    def to_arrow(self) -> pa.Table:
        """Return a ``pyarrow.Table``."""
        import pyarrow as pa

        columns = {f: getattr(self, f) for f in self.__dataclass_fields__}
        return pa.table({**columns, "command": self.names.tolist()})


def blocks_of(
    addresses: np.ndarray, is_write: npt.ArrayLike | None, arrival: npt.ArrayLike | None
) -> Iterator[Block]:
    """Check arrays and yield them in blocks."""
    if addresses.size == 0:
        return  # nothing, of whatever type
    if addresses.ndim != 1 or addresses.dtype.kind not in "iu":
        raise InputError("addresses must be a one-dimensional array of integers")
    writes = (
        np.zeros(addresses.size, np.uint8) if is_write is None else native(is_write, "is_write")
    )
    if writes.shape != addresses.shape:
        raise InputError(f"{addresses.size} addresses but {writes.size} values of is_write")
    if writes.dtype.kind not in "biu" or not np.isin(writes, (0, 1)).all():
        raise InputError("is_write must hold 0 and 1 (or False and True)")
    times = NO_TIMES if arrival is None else native(arrival, "arrival")
    if arrival is not None and (times.shape != addresses.shape or times.dtype.kind not in "iu"):
        raise InputError("arrival must hold one integer, a cycle, for each address")
    for lo in range(0, addresses.size, BLOCK_REQUESTS):
        part = slice(lo, lo + BLOCK_REQUESTS)
        yield addresses[part], writes[part], times[part]


def must_be_addresses(addresses: np.ndarray) -> None:
    """Raise InputError if an address is negative, or too large for a signed number of 64 bits."""
    wrong = addresses < 0 if addresses.dtype.kind == "i" else addresses >= np.uint64(1 << 63)
    if np.any(wrong):
        raise InputError(f"address {addresses[np.argmax(wrong)]} is not in 0 to 2^63 - 1")


def _must_be_soon(times: np.ndarray, rate: float = 1.0) -> None:
    """Raise InputError if a request comes too late for all refreshes before it to be simulated."""
    if np.any(times > LAST_ARRIVAL * rate):
        raise InputError(
            f"a request arrives after cycle {LAST_ARRIVAL:,}, the last that is simulated"
        )


def must_not_decrease(times: np.ndarray, last: int = 0, first: int = 0) -> None:
    """Raise InputError if a request, counted from ``first``, arrives before the one before it."""
    before = np.concatenate([[last], times[:-1]])
    for k in np.flatnonzero(times < before)[:1].tolist():
        raise InputError(
            f"arrival times must not decrease: request {first + k} arrives at "
            f"{times[k]}, after {before[k]}"
        )


class Run:
    """One run of a memory: blocks of requests go in, then it is finished."""

    def __init__(self, memory: Memory, ports: str, rate: float | None, log: bool) -> None:
        if ports not in ("shared", "channel"):
            raise InputError(f"unknown ports {ports!r}; known: shared, channel")
        if rate is not None and not 0 < rate <= 1:
            raise InputError(f"rate = {rate}: requests per cycle, above 0 and at most 1")
        self.memory, self.rate = memory, rate
        self.state = memory.build(log=LOG_COMMANDS if log else 0)
        self.controls = np.zeros((memory.channels, loop.CONTROLS), np.int64)
        self.shared: bool = ports == "shared" or memory.channels == 1
        self.count = self.last = 0
        self.logs: list[tuple[int, np.ndarray]] = []

    def consume(self, blocks: Iterable[Block]) -> None:
        """Offer all requests of all blocks."""
        for addresses, writes, arrival in blocks:
            must_be_addresses(addresses)
            lines = np.ascontiguousarray(addresses, np.int64)
            times = self._times(addresses.size, arrival)
            self._offer(lines, np.ascontiguousarray(writes, np.uint8), times)
            self.count += addresses.size
        if self.count == 0:
            raise InputError(EMPTY)

    def _times(self, size: int, arrival: np.ndarray) -> np.ndarray:
        if self.rate is not None:
            if arrival.size:
                raise InputError("give arrival times or a rate, not both")
            number = np.arange(self.count, self.count + size, dtype=np.float64)
            _must_be_soon(number, self.rate)
            return np.floor(number / self.rate).astype(np.int64)
        if arrival.size == 0:
            return NO_TIMES
        _must_be_soon(arrival)
        times = np.ascontiguousarray(arrival, np.int64)
        must_not_decrease(times, self.last, self.count)
        self.last = int(times[-1])
        return times

    def _offer(self, addresses: np.ndarray, writes: np.ndarray, times: np.ndarray) -> None:
        channels, control = self.memory.channels, self.controls[0]
        self.controls[:, loop.NEXT] = 0
        if self.shared:
            control[loop.FIRST_NUMBER] = self.count
            requests = loop.Requests(addresses, writes, times, NO_TIMES)
            self._play(loop.feed, [(self.state, control, requests, False)])
            return
        found = np.zeros(addresses.size, np.uint16)
        loop.channels_of(self.state, addresses, found)
        order = np.argsort(found, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(found, minlength=channels))])
        due = times[order] if times.size else times
        requests = loop.Requests(addresses[order], writes[order], due, order + self.count)
        workers = min(threads_available(), channels)
        parts = itertools.pairwise(channels * w // workers for w in range(workers + 1))
        calls = [(self.state, *part, starts, self.controls, requests) for part in parts]
        self._play(loop.feed_channels, calls)

    def _play(self, worker: Callable[..., Any], calls: list[tuple[Any, ...]]) -> None:
        """Call a loop until it has done all, and empty the logs when they are full."""
        done = False
        while not done:
            done = all(run(worker, calls, brief=True))
            for channel, block in enumerate(at.blocks(self.state)):
                if n := int(block[at.LOGGED]):
                    lines = block[at.LOG : at.LOG + n * at.LOG_WORDS].reshape(n, at.LOG_WORDS)
                    self.logs.append((channel, lines.copy()))
                    block[at.LOGGED] = 0

    def finish(self) -> int:
        """Let everything drain, and return the number of cycles."""
        control = np.array([0, self.controls[:, loop.TIME].max(), 0, 0])
        nothing = loop.Requests(NO_TIMES, np.zeros(0, np.uint8), NO_TIMES, NO_TIMES)
        self._play(loop.feed, [(self.state, control, nothing, True)])
        return int(control[loop.END])

    def completion(self) -> np.ndarray:
        """Return for every request the cycle in which its data had come, or were written."""
        ends, latency = np.zeros(self.count, np.int64), self.memory.standard.read_latency
        for _, lines in self.logs:
            for kind, extra in (
                (at.RD, latency),
                (at.WR_, 0),
                (at.FORWARD, 0),
                (at.MERGE, 0),
            ):
                chosen = lines[lines[:, 1] == kind]
                ends[chosen[:, 4]] = chosen[:, 0] + extra
        return ends


def table(logs: list[tuple[int, np.ndarray]], memory: Memory) -> Commands:
    """Make a table of log lines (cycle, command, place, row, request), given by channel."""
    groups, banks = memory.standard.stacks * memory.standard.groups, memory.standard.banks
    logs = sorted(logs, key=lambda part: part[0])
    channel = np.concatenate([np.full(len(lines), c, np.int64) for c, lines in logs])
    lines = np.concatenate([lines for _, lines in logs])
    real = lines[:, 1] < len(NAMES)
    cycle, command, place, row, request = lines[real].T
    whole = np.isin(command, [NAMES.index(name) for name in WHOLE_RANK])
    rank = np.where(whole, place, place // (groups * banks))
    group = np.where(whole, -1, place // banks % groups)
    bank = np.where(whole, -1, place % banks)
    return Commands(channel[real], cycle, command, rank, group, bank, row, request)
