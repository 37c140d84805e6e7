"""Requests from arrays or a file through the compiled loops, a block at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...kernels.runtime.launch import run, threads_available
from ...util.errors import InputError
from .commands import NAMES, Commands, table
from .engine import layout as at
from .engine.feed import (
    CONTROLS,
    END,
    FIRST_NUMBER,
    NEXT,
    TIME,
    Requests,
    channels_of,
    feed,
    feed_channels,
)

if TYPE_CHECKING:
    from .memory import Memory

__all__ = ["Block", "Run", "blocks_of"]

BLOCK_REQUESTS = 1 << 18  # that are simulated between looks at Ctrl-C
LOG_COMMANDS = 1 << 14  # of a channel, before its log must be emptied

#: Addresses, whether each is a write, and arrival times (or none).
Block = tuple[np.ndarray, np.ndarray, np.ndarray]
NO_TIMES = np.zeros(0, np.int64)


def blocks_of(
    addresses: np.ndarray, is_write: npt.ArrayLike | None, arrival: npt.ArrayLike | None
) -> Iterator[Block]:
    """Check arrays and yield them in blocks."""
    if addresses.size == 0:
        return  # nothing, of whatever type
    if addresses.ndim != 1 or addresses.dtype.kind not in "iu":
        raise InputError("addresses must be a one-dimensional array of integers")
    writes = np.zeros(addresses.size, np.uint8) if is_write is None else np.asarray(is_write)
    if writes.shape != addresses.shape:
        raise InputError(f"{addresses.size} addresses but {writes.size} values of is_write")
    if writes.dtype.kind not in "biu" or not np.isin(writes, (0, 1)).all():
        raise InputError("is_write must hold 0 and 1 (or False and True)")
    times = NO_TIMES if arrival is None else np.asarray(arrival)
    if arrival is not None and (times.shape != addresses.shape or times.dtype.kind not in "iu"):
        raise InputError("arrival must hold one integer, a cycle, for each address")
    for lo in range(0, addresses.size, BLOCK_REQUESTS):
        part = slice(lo, lo + BLOCK_REQUESTS)
        yield addresses[part], writes[part], times[part]


class Run:
    """One run of a memory: blocks of requests go in, then it is finished."""

    def __init__(self, memory: Memory, ports: str, rate: float | None, log: bool) -> None:
        if ports not in ("shared", "channel"):
            raise InputError(f"unknown ports {ports!r}; known: shared, channel")
        if rate is not None and not 0 < rate <= 1:
            raise InputError(f"rate = {rate}: requests per cycle, above 0 and at most 1")
        self.memory = memory
        self.state = memory.build(log=LOG_COMMANDS if log else 0)
        self.rate = rate
        self.controls = np.zeros((memory.channels, CONTROLS), np.int64)
        self.shared: bool = ports == "shared" or memory.channels == 1
        self.count = 0
        self.last = 0
        self.logs: list[tuple[int, np.ndarray]] = []
        self.stop = np.zeros(1, np.int64)

    def consume(self, blocks: Iterable[Block]) -> None:
        """Offer all requests of all blocks."""
        for addresses, writes, arrival in blocks:
            times = self._times(addresses.size, arrival)
            lines = _checked(addresses)
            (self._one_port if self.shared else self._many_ports)(
                lines, np.ascontiguousarray(writes, np.uint8), times
            )
            self.count += addresses.size
        if self.count == 0:
            raise InputError("the trace is empty: there is nothing to simulate")

    def _times(self, size: int, arrival: np.ndarray) -> np.ndarray:
        if self.rate is not None:
            if arrival.size:
                raise InputError("give arrival times or a rate, not both")
            number = np.arange(self.count, self.count + size, dtype=np.float64)
            return np.floor(number / self.rate).astype(np.int64)
        if arrival.size == 0:
            return NO_TIMES
        times = np.ascontiguousarray(arrival, np.int64)
        before = np.concatenate([[self.last], times[:-1]])
        wrong = np.flatnonzero(times < before)
        if wrong.size:
            at_fault = int(wrong[0])
            raise InputError(
                f"arrival times must not decrease: request {self.count + at_fault} arrives at "
                f"{times[at_fault]}, after {before[at_fault]}"
            )
        self.last = int(times[-1])
        return times

    def _one_port(self, addresses: np.ndarray, writes: np.ndarray, times: np.ndarray) -> None:
        control = self.controls[0]
        control[NEXT], control[FIRST_NUMBER] = 0, self.count
        call = (self.state, control, Requests(addresses, writes, times, NO_TIMES), False)
        while not run(feed, [call], self.stop, brief=True)[0]:
            self._empty_logs()

    def _many_ports(self, addresses: np.ndarray, writes: np.ndarray, times: np.ndarray) -> None:
        channels = self.memory.channels
        found = np.zeros(addresses.size, np.uint16)
        channels_of(self.state, addresses, found)
        order = np.argsort(found, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(found, minlength=channels))])
        self.controls[:, NEXT] = 0
        due = times[order] if times.size else times
        requests = Requests(addresses[order], writes[order], due, order + self.count)
        workers = min(threads_available(), channels)
        cuts = [channels * w // workers for w in range(workers + 1)]
        parts = itertools.pairwise(cuts)
        calls = [(self.state, *part, starts, self.controls, requests) for part in parts]
        while not all(run(feed_channels, calls, self.stop, brief=True)):
            self._empty_logs()

    def finish(self) -> int:
        """Let everything drain, and return the number of cycles."""
        control = np.array([0, self.controls[:, TIME].max(), 0, 0])
        none = np.zeros(0, np.uint8)
        call = (self.state, control, Requests(NO_TIMES, none, NO_TIMES, NO_TIMES), True)
        while not run(feed, [call], self.stop, brief=True)[0]:
            self._empty_logs()
        self._empty_logs()
        return int(control[END])

    def _empty_logs(self) -> None:
        stride = int(self.state[at.STRIDE])
        for channel in range(self.memory.channels):
            block = self.state[at.BLOCKS + channel * stride :]
            n = int(block[at.LOGGED])
            if n:
                lines = block[at.LOG : at.LOG + n * at.LOG_WORDS].reshape(n, at.LOG_WORDS)
                self.logs.append((channel, lines.copy()))
                block[at.LOGGED] = 0

    def commands(self) -> Commands:
        """Return everything that was issued."""
        s = self.memory.standard
        kept = [(c, lines[lines[:, 1] < len(NAMES)]) for c, lines in self.logs]
        return table(kept, s.groups, s.banks)

    def completion(self) -> np.ndarray:
        """Return for every request the cycle in which its data had come, or were written."""
        ends, latency = np.zeros(self.count, np.int64), self.memory.standard.read_latency
        for _, lines in self.logs:
            for kind, extra in ((at.RD, latency), (at.WR_, 0), (at.FORWARD, 0)):
                chosen = lines[lines[:, 1] == kind]
                ends[chosen[:, 4]] = chosen[:, 0] + extra
        return ends


def _checked(addresses: np.ndarray) -> np.ndarray:
    """Return addresses as int64, and refuse those below 0 or above 2^63."""
    wrong = addresses < 0 if addresses.dtype.kind == "i" else addresses >= np.uint64(1 << 63)
    if np.any(wrong):
        raise InputError(f"address {addresses[np.argmax(wrong)]} is not in 0 to 2^63 - 1")
    return np.ascontiguousarray(addresses, np.int64)
