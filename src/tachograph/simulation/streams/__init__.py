"""Streams of memory requests: producers, mergers and mappers, played with a memory in one loop.

A *line* is what the memory transfers for one request. Runs are consecutive lines; arrays of accesses
become runs through the cache-line buffer, which makes one request of subsequent accesses to one line.
What an on-chip memory holds is filtered out before, with a boolean mask.

>>> from tachograph.simulation.dram import Memory
>>> from tachograph.simulation.streams import Phase, Port, Priority, Stream, lines
>>> from tachograph.simulation.streams.engine import Engine
>>> edges = Stream("edges", lines(0, 6400, 64), rate=1)
>>> writes = Stream("writes", lines(8192, 640, 64), write=True).after(edges, 50)
>>> phase = Phase("both", [Port(Priority(writes, edges))], drain=True)
>>> Engine(Memory("DDR3-1600K"), clock_mhz=200).run(phase).requests
{'writes': 10, 'edges': 100}
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from ...util.errors import InputError
from .stages import WHEN, After, Stage, delayed, needs

__all__ = [
    "After",
    "Direct",
    "Merger",
    "Phase",
    "Port",
    "Priority",
    "RoundRobin",
    "Runs",
    "Stage",
    "Stream",
    "buffered",
    "joined",
    "lines",
    "prefetched",
]


@dataclass(frozen=True)
class Runs:
    """``count[r]`` consecutive lines from line ``first[r]``; empty runs are allowed."""

    first: np.ndarray
    count: np.ndarray

    @classmethod
    def single(cls, where: np.ndarray) -> Runs:
        """Return a run for each line."""
        return cls(where.astype(np.int64, copy=False), np.ones(where.size, np.int64))

    @property
    def total(self) -> int:
        """Lines in all."""
        return int(self.count.sum())


def lines(address: int, size: int, line: int) -> Runs:
    """Return the lines of ``size`` bytes from ``address`` on, read or written in order.

    >>> lines(100, 100, 64)
    Runs(first=array([1]), count=array([3]))
    """
    first = address // line
    count = -(-(address + size) // line) - first if size > 0 else 0
    return Runs(np.array([first], np.int64), np.array([count], np.int64))


def joined(*parts: Runs) -> Runs:
    """Return runs one after the other."""
    nothing = np.zeros(0, np.int64)
    first, count = ([getattr(p, name) for p in parts] for name in ("first", "count"))
    return Runs(np.concatenate([nothing, *first]), np.concatenate([nothing, *count]))


def buffered(
    addresses: np.ndarray, line: int, need: np.ndarray | None = None, last: bool = False
) -> tuple[Runs, np.ndarray]:
    """Pass accesses through a cache-line buffer: subsequent ones to one line become one request.

    Returns a run for each request, and its need. ``addresses`` and ``line`` are in bytes; ``need`` says
    what each access waits for and must not decrease. A read waits for the need of its first access; a
    write (``last``) goes when the buffer turns to another line, so it waits for that of its last one.

    >>> runs, need = buffered(np.array([0, 4, 64, 68, 0]), 64, np.arange(5), last=True)
    >>> runs.first.tolist(), need.tolist()
    ([0, 1, 0], [1, 3, 4])
    """
    where = addresses // line
    begins = np.ones(where.size, bool)
    np.not_equal(where[1:], where[:-1], out=begins[1:])
    at = np.flatnonzero(begins)
    runs = Runs.single(where[at])
    if need is None:
        return runs, np.zeros(at.size, np.int64)
    if last:
        at = np.append(at[1:], where.size) - 1 if at.size else at
    return runs, np.asarray(need, np.int64)[at]


def prefetched(wanted: np.ndarray, block: int, ahead: int = 0) -> tuple[Runs, np.ndarray]:
    """Pass ascending accesses through a prefetcher: every block of lines that is wanted is read once.

    ``wanted`` has the last line that each access needs, and must not decrease. Whole blocks of
    ``block`` lines are read, ``ahead`` blocks further than needed; those that nobody wants are left
    out. Returns a run for each block, and how many blocks must have been read for each access.

    >>> runs, blocks = prefetched(np.array([0, 1, 9, 9]), 4)
    >>> runs.first.tolist(), runs.count.tolist(), blocks.tolist()
    ([0, 8], [4, 4], [1, 1, 2, 2])
    """
    mine = np.asarray(wanted, np.int64) // block
    if mine.size and (np.diff(mine) < 0).any():
        raise InputError("prefetched: accesses must ascend")
    every = np.unique((mine[:, None] + np.arange(ahead + 1)).ravel())
    runs = Runs(every * block, np.full(every.size, block, np.int64))
    return runs, np.searchsorted(every, mine, side="right")


@dataclass(eq=False)
class Stream:
    """A producer: lines of memory that are asked for in order.

    Parameters
    ----------
    name
        What is read or written; requests are counted by it.
    runs
        Which lines, see :class:`Runs`.
    write
        Whether they are written; a write is done when the memory has taken it.
    channel
        The memory channel whose lines they are; None: lines of the memory as its mapping has them.
    rate
        Lines made in a cycle of the accelerator; None: all at once.
    window
        Reads that may be on their way to and from the memory; None: as many as it takes.
    items, items_each
        What a line contains, if every item needs a bank of on-chip memory for a cycle: numbers whose
        remainder is the bank (negative: none), ``items_each`` of them in a line. A line is done when
        all its items were served.
    latency
        Cycles until a read that the memory has answered, or a write that it has taken, is done: the way
        through the accelerator, or the response to a write.
    burst
        Lines of a run that a merger keeps together, as long as they can be sent.

    >>> from tachograph.simulation.streams import Stream, lines
    >>> edges = Stream("edges", lines(0, 640, 64), rate=1)
    >>> updates = Stream("updates", lines(4096, 64, 64), write=True).after(edges)
    >>> edges.total, updates.total
    (10, 1)
    """

    name: str
    runs: Runs
    write: bool = False
    channel: int | None = None
    rate: Fraction | float | None = None
    window: int | None = None
    items: np.ndarray | None = None
    items_each: int = 0
    latency: int = 0
    burst: int = 0
    waits: list[After] = field(default_factory=list)
    fed: list[Stage] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.rate is not None and self.rate < 1e-4:
            raise InputError(f"stream {self.name!r}: rate = {self.rate} must be 0.0001 or more")
        if self.window is not None and self.window < 1:
            raise InputError(f"stream {self.name!r}: window = {self.window} must be 1 or more")
        if self.latency < 0 or self.burst < 0:
            raise InputError(f"stream {self.name!r}: latency and burst must not be negative")
        if self.items is not None and self.items.size > self.total * self.items_each:
            raise InputError(
                f"stream {self.name!r}: {self.items.size} items, but only {self.total} lines of "
                f"{self.items_each}"
            )

    @property
    def total(self) -> int:
        """Requests in all."""
        return self.runs.total

    def after(
        self,
        stream: Stream | Stage,
        need: npt.ArrayLike | None = None,
        *,
        when: str = "done",
        delay: int = 0,
    ) -> Stream:
        """Wait for another stream or a stage (a callback); any number of waits is possible.

        Each run waits until ``need`` requests of ``stream`` are done (a number, or one for each run;
        None: all of them). ``when`` can also be ``"arrived"``, from the memory and in order, or
        ``"sent"``. With ``delay`` it begins so many cycles later.
        """
        count = self.runs.first.size
        if when not in WHEN:
            raise InputError(
                f"stream {self.name!r}: when = {when!r} must be one of {', '.join(WHEN)}"
            )
        if delay < 0:
            raise InputError(f"stream {self.name!r}: delay = {delay} must not be negative")
        wait = After(stream, needs(self.name, count, stream, need), when)
        self.waits.append(delayed(self.name, count, wait, delay) if delay and count else wait)
        return self


class Merger:
    """Several streams, or mergers of streams, become one."""

    def __init__(self, *children: Stream | Merger) -> None:
        if not children:
            raise InputError(f"{type(self).__name__} has nothing to merge")
        self.children = children

    def streams(self) -> list[Stream]:
        """Return all streams below, in order."""
        found = []
        for child in self.children:
            found += child.streams() if isinstance(child, Merger) else [child]
        return found


class Direct(Merger):
    """Requests go in the order in which they were made."""


class RoundRobin(Merger):
    """Children that have a request take turns."""


class Priority(Merger):
    """The first child that has a request goes first."""


@dataclass(frozen=True)
class Port:
    """Where merged requests enter the memory; ``rate``: how many in a cycle (None: what it takes)."""

    merger: Merger
    rate: int | None = None


@dataclass(frozen=True)
class Phase:
    """Streams that work together; it ends when all are done.

    With ``drain`` it ends when the memory has written everything, too. It begins ``pause`` cycles after
    the one before it: what a host needs to start it, for example.
    """

    name: str
    ports: list[Port]
    iteration: int = 0
    drain: bool = False
    pause: int = 0
