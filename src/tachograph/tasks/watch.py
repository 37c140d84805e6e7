"""A run that can be watched while it goes on, from another thread.

The thread that runs it tells a :class:`Watch` when kernels begin and end, and of rows that Python code
adds to a trace. Rounds inside a compiled loop are not told by anybody: whoever watches reads them from
the control block of the team, where worker 0 leaves copies of the last rows of its log, or at least the
number of its phase. So a loop is not slowed down, and a run that nobody looks at costs nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..util.progress import watcher

__all__ = ["Row", "Watch", "watching"]

MOST_ROWS = 20_000  # that are kept; the trace of the result has them all
SEEN_NANOSECONDS = 1_000_000  # kernels that take less are counted, but have no row


class Row(NamedTuple):
    """Something that was done: what or where (``lane``), when, and how much."""

    lane: str
    begin: float
    seconds: float
    step: int | None = None  # its number: the level, the round, the iteration
    size: int | None = None  # vertices in the frontier, or work
    unvisited: int | None = None


class Watch:
    """What is known of a run so far; ``rows`` grows, ``look`` brings it up to date."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.calls = 0  # of kernels
        self.label = ""  # of those that run now, or ran last
        self.step = 0  # the phase that they are in
        self._zero = time.monotonic_ns()
        self._control: np.ndarray | None = None
        self._began = 0  # when they began
        self._told = self._phase = 0  # what was read of the control block
        self._phase_began = 0
        self._lock = threading.Lock()

    # -- called by the thread that runs ---------------------------------------------------------

    def begin(self, label: str, control: np.ndarray) -> None:
        """Kernels begin."""
        self.label, self._told, self._phase = label, 0, 0
        self._began = self._phase_began = time.monotonic_ns()
        self._control = control

    def end(self) -> None:
        """They have ended: read what nobody has read, unless they were too short to be seen."""
        self.calls += 1
        if time.monotonic_ns() - self._began >= SEEN_NANOSECONDS:
            with self._lock:
                self._read()
                span = self._span(self._phase_began, time.monotonic_ns())
                if not self._told and span[1] * 1e9 >= SEEN_NANOSECONDS:
                    self._add(Row(self.label, *span, self._phase or None))
        self._control = None

    def row(self, row: Mapping[str, Any]) -> None:
        """A row was added to a trace: by a kernel that ran in some place."""
        seconds = float(row["seconds"])
        begin = (time.monotonic_ns() - self._zero) / 1e9 - seconds
        kernel, place = row.get("kernel"), str(row.get("device", ""))
        lane = f"{kernel} on {place}" if kernel and place else str(kernel or place)
        with self._lock:
            self._add(Row(lane, begin, seconds, row.get("iteration"), row.get("work")))

    # -- called by those who watch --------------------------------------------------------------

    def look(self) -> int:
        """Read what the kernels that run now have done so far; return how many rows there are."""
        with self._lock:
            self._read()
            return len(self.rows)

    @property
    def now(self) -> tuple[str, float, float] | None:
        """What runs now and has no row yet: its label, when it began, and the seconds since then."""
        if self._control is None or self._told:
            return None
        return self.label, *self._span(self._phase_began, time.monotonic_ns())

    def _read(self) -> None:
        from ..kernels.runtime.team import CLOCK, COPIES, PHASE, SIZE, TOLD, USED

        control = self._control
        if control is None or control.size < SIZE:
            return
        clock = control[CLOCK:SIZE]
        told, now = int(clock[TOLD]), time.monotonic_ns()
        if told > self._told:
            copies = clock[COPIES:].copy()
            self._copied(copies, told, int(clock[TOLD]))
            self._told = told
        phase = int(control[PHASE])
        self.step = max(phase, int(clock[USED]))
        if not self._told and phase > self._phase:
            self._add(Row(self.label, *self._span(self._phase_began, now), phase))
            self._phase, self._phase_began = phase, now

    def _copied(self, copies: np.ndarray, told: int, later: int) -> None:
        """Add the rows that are new and were not overwritten while they were read."""
        from ..kernels.runtime.team import COPIED_COLUMNS, COPIED_ROWS

        first = max(self._told, told - COPIED_ROWS, later - COPIED_ROWS + 1)
        words = _words(self.label)
        table = copies.reshape(COPIED_ROWS, COPIED_COLUMNS)
        for number in range(first, told):
            kind, size, _, unvisited, *_, row, ended, took = table[number % COPIED_ROWS].tolist()
            lane = words[kind] if 0 <= kind < len(words) else self.label
            begin, seconds = self._span(ended - took, ended)
            self._add(Row(lane, begin, seconds, row, size, unvisited))

    def _span(self, begin: int, end: int) -> tuple[float, float]:
        return (begin - self._zero) / 1e9, (end - begin) / 1e9

    def _add(self, row: Row) -> None:
        if len(self.rows) < MOST_ROWS:
            self.rows.append(row)


def _words(label: str) -> list[str]:
    """Return what the first column of a log says, for the loops that keep one."""
    from ..algorithms.bfs import DIRECTIONS
    from ..kernels.sssp.problem import PHASES

    return [str(word) for word in (DIRECTIONS if label == "search" else PHASES)]


@contextmanager
def watching() -> Iterator[Watch]:
    """Let what runs inside the block, on this thread, be watched from another thread.

    >>> import tachograph as tg
    >>> with watching() as seen:
    ...     levels = tg.bfs(tg.kronecker(18, rng=1), 7).levels
    >>> seen.look() >= 1
    True
    """
    seen = Watch()
    token = watcher.set(seen)
    try:
        yield seen
    finally:
        watcher.reset(token)
