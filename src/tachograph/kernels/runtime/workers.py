"""Threads that wait for work, because starting new ones takes as long as a small search.

A hand is a thread that does one job after the other, on the cores of the calling thread's affinity
mask. Linux often wakes a thread on the core of the one that wakes it, though another is idle, and
leaves it there for milliseconds, which is all the time that many a run takes. So a hand leaves a core
that another worker of its crew is on, as its job begins. Later the system may move it as it likes: kept
on a core, long runs would take longer on a busy machine.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import cast

from ...util.errors import TooLargeError

Job = Callable[[], None]  # must not raise
NOT_TOLD = -1  # the number of a core where the system does not tell

_idle: list[Hand] = []
_made = 0  # hands that were started so far
_guard = threading.Lock()  # protects these two


class Crew:
    """Jobs that run at the same time; knows whether all have ended or were called off.

    Waiting can be interrupted at any moment, and repeated: Ctrl-C may come before all jobs are given
    to hands, and also after the last one has ended.
    """

    def __init__(self, jobs: int, helping: bool = False) -> None:
        self._left = jobs
        self.taken = {core_here()} if helping else set()  # cores where a worker has begun
        self._busy = 0
        self._called_off = False
        self._guard = threading.Lock()
        self._over = threading.Lock()  # held until there is nothing to wait for
        self._over.acquire()

    @property
    def over(self) -> bool:
        """Whether no job is running and none will start."""
        return self._left == 0 or (self._called_off and self._busy == 0)

    def spread(self, cores: frozenset[int]) -> None:
        """Called by a hand before its job, to have a core of its own if there is one."""
        with self._guard:
            here = core_here()
            free = cores - self.taken
            if here != NOT_TOLD and here in self.taken and free:
                _keep_on(free)
                _keep_on(cores)
                here = core_here()
            self.taken.add(here)

    def begin(self) -> bool:
        """Called by a hand before its job: whether that is still wanted."""
        with self._guard:
            self._busy += not self._called_off
            return not self._called_off

    def end(self) -> None:
        """Called by a hand after its job."""
        with self._guard:
            self._busy -= 1
            self._left -= 1
            self._tell()

    def call_off(self) -> None:
        """Do not start jobs that have not begun."""
        with self._guard:
            self._called_off = True
            self._tell()

    def _tell(self) -> None:
        if self.over and self._over.locked():
            self._over.release()

    def wait(self, seconds: float = -1) -> bool:
        """Wait for at most so many seconds (-1: any time); whether it is over."""
        if not self.over:
            self._over.acquire(timeout=seconds)
        return self.over


class Hand(threading.Thread):
    """A thread that waits for jobs, for as long as the process lives."""

    def __init__(self, number: int) -> None:
        super().__init__(name=f"tachograph-{number}", daemon=True)
        self.crew: Crew | None = None  # the crew that has taken it
        self.busy = False
        self._cores = allowed()
        self._given = threading.Lock()
        self._given.acquire()

    def give(self, job: Job, cores: frozenset[int], crew: Crew) -> None:
        """Start a job of a crew on these cores."""
        self._job = (job, cores, crew)
        self.busy = True
        self._given.release()

    def run(self) -> None:
        """Do the jobs that are given, one after the other."""
        while True:
            self._given.acquire()
            job, cores, crew = self._job
            del self._job
            begun = crew.begin()
            if begun:
                self._move(cores)
                crew.spread(cores)
                job()
            del job  # and all arrays that it holds
            with _guard:
                if self.crew is crew:
                    self._rest()
            if begun:
                crew.end()
            del crew

    def _rest(self) -> None:
        self.crew, self.busy = None, False
        _idle.append(self)

    def give_back(self, crew: Crew) -> None:
        """Make it idle again, if its crew has not given it a job."""
        with _guard:
            if self.crew is crew and not self.busy:
                self._rest()

    def _move(self, cores: frozenset[int]) -> None:
        if cores != self._cores:
            _keep_on(cores)
            self._cores = cores


def _keep_on(cores: frozenset[int]) -> None:
    """Let the calling thread run on these cores only."""
    with suppress(OSError):  # cores that are no longer allowed
        os.sched_setaffinity(0, cores)


def _core_here() -> Callable[[], int]:
    """A function that returns the core that the calling thread runs on, or NOT_TOLD."""
    if not hasattr(os, "sched_setaffinity"):
        return lambda: NOT_TOLD
    try:
        found = ctypes.PyDLL(None).sched_getcpu  # too short to let go of the interpreter
    except (AttributeError, OSError):
        return lambda: NOT_TOLD
    found.argtypes, found.restype = (), ctypes.c_int
    return cast(Callable[[], int], found)


core_here = _core_here()


def allowed() -> frozenset[int]:
    """The cores that the calling thread may use; empty where the system cannot tell."""
    return frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else frozenset()


def _take(count: int, crew: Crew) -> list[Hand]:
    """Take ``count`` idle hands for a crew; start new ones if there are too few."""
    global _made
    with _guard:
        taken = [_idle.pop() for _ in range(min(count, len(_idle)))]
        try:
            while len(taken) < count:
                hand = Hand(_made)
                hand.start()
                taken.append(hand)
                _made += 1
        except BaseException as error:  # the system has no more threads, or Ctrl-C
            _idle.extend(taken)
            if isinstance(error.__context__, KeyboardInterrupt):  # Thread.start lost its way
                raise error.__context__ from None
            if isinstance(error, RuntimeError):
                raise TooLargeError(
                    f"the system starts no more than {len(taken)} of {count} more threads: pass "
                    f"threads={max(1, len(taken))}, or raise its limit (ulimit -u)"
                ) from error
            raise
        for hand in taken:
            hand.crew = crew
    return taken


def start(jobs: Sequence[Job], crew: Crew) -> list[Hand]:
    """Start all jobs at once, each on a thread."""
    cores = allowed()
    taken = _take(len(jobs), crew)
    try:
        for hand, job in zip(taken, jobs, strict=True):
            hand.give(job, cores, crew)
    except BaseException:  # Ctrl-C
        for hand in taken:
            hand.give_back(crew)
        raise
    return taken


def let_go(hands: list[Hand], crew: Crew) -> None:
    """Make hands idle whose jobs are as good as done: each ends the last one before the next."""
    with _guard:
        for hand in hands:
            if hand.crew is crew:
                hand._rest()


def _forget() -> None:
    """Forget all hands: a child process has none of its parent's threads."""
    global _guard
    _guard = threading.Lock()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
