"""Streams of requests, what they wait for, and how they are merged."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ...util.errors import InputError
from .mappers import Runs

__all__ = ["Direct", "Merger", "Phase", "Port", "Priority", "RoundRobin", "Stream"]


@dataclass(frozen=True)
class After:
    """A run of the waiting stream may begin when ``need`` requests of ``stream`` are done (or sent)."""

    stream: Stream
    need: np.ndarray
    sent: bool


@dataclass(eq=False)
class Stream:
    """A producer: lines of memory that are asked for in order.

    Parameters
    ----------
    name
        What is read or written; requests are counted by it.
    runs
        Which lines, see :mod:`tachograph.simulation.streams.mappers`.
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
        remainder is the bank, ``items_each`` of them in a line. A line is done when all its items
        were served.

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
    waits: list[After] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.rate is not None and self.rate < 1e-4:
            raise InputError(f"stream {self.name!r}: rate = {self.rate} must be 0.0001 or more")
        if self.window is not None and self.window < 1:
            raise InputError(f"stream {self.name!r}: window = {self.window} must be 1 or more")
        if self.items is not None and self.items.size > self.total * self.items_each:
            raise InputError(
                f"stream {self.name!r}: {self.items.size} items, but only {self.total} lines of "
                f"{self.items_each}"
            )

    @property
    def total(self) -> int:
        """Requests in all."""
        return int(self.runs.count.sum())

    def after(self, stream: Stream, need: Any = None, *, sent: bool = False) -> Stream:
        """A callback: wait for another stream, at most two of them.

        Each run waits until ``need`` requests of ``stream`` are done (a number, or one for each run;
        None: all of them), or only sent.
        """
        if len(self.waits) == 2:
            raise InputError(f"stream {self.name!r} waits for two streams already")
        wanted = np.asarray(stream.total if need is None else need, np.int64)
        if wanted.ndim and wanted.size != self.runs.first.size:
            raise InputError(
                f"stream {self.name!r}: {wanted.size} needs for {self.runs.first.size} runs"
            )
        if wanted.size and int(wanted.max()) > stream.total:
            raise InputError(
                f"stream {self.name!r} would wait for request {int(wanted.max())} of "
                f"{stream.name!r}, which has {stream.total}"
            )
        self.waits.append(After(stream, np.broadcast_to(wanted, self.runs.first.shape), sent))
        return self


class Merger:
    """Several streams, or mergers of streams, become one."""

    def __init__(self, *children: Stream | Merger) -> None:
        if not children:
            raise InputError(f"{type(self).__name__} has nothing to merge")
        self.children = children

    def streams(self) -> list[Stream]:
        """All streams below, in order."""
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

    With ``drain`` it ends when the memory has written everything, too.
    """

    name: str
    ports: list[Port]
    iteration: int = 0
    drain: bool = False
