"""Threads that wait for work: to start them anew takes as long as many a search.

A hand is a thread that does one job after the other, on the cores that who gives the job may use. Each
could be kept on a core of its own; but where something else is busy, that makes long runs longer.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

__all__ = ["start"]

Job = Callable[[], None]  # must not raise

_idle: list[Hand] = []
_made = 0  # hands so far
_guard = threading.Lock()  # of these two


class Hand(threading.Thread):
    """A thread that waits for jobs, for as long as the process lives."""

    def __init__(self, number: int) -> None:
        super().__init__(name=f"tachograph-{number}", daemon=True)
        self._cores = allowed()
        self._given = threading.Lock()
        self._given.acquire()

    def give(self, job: Job, cores: frozenset[int], ended: Job) -> None:
        """Let it do a job on these cores, and then call ``ended``."""
        self._job = (job, cores, ended)
        self._given.release()

    def run(self) -> None:
        """Do what is given."""
        while True:
            self._given.acquire()
            job, cores, ended = self._job
            if cores != self._cores:
                with suppress(OSError):  # cores that are no longer allowed
                    os.sched_setaffinity(0, cores)
                self._cores = cores
            job()
            del job, self._job  # and all arrays that they hold
            with _guard:
                _idle.append(self)
            ended()


def allowed() -> frozenset[int]:
    """The cores that the calling thread may use; none where that cannot be known."""
    return frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else frozenset()


def _take(count: int) -> list[Hand]:
    """So many idle hands; new ones if there are too few."""
    global _made
    with _guard:
        taken = [_idle.pop() for _ in range(min(count, len(_idle)))]
        try:
            while len(taken) < count:
                hand = Hand(_made)
                hand.start()
                taken.append(hand)
                _made += 1
        except RuntimeError:  # the system has no more threads
            _idle.extend(taken)
            raise
    return taken


def start(jobs: Sequence[Job]) -> threading.Lock:
    """Start all jobs at once, each on a thread; a lock that can be acquired when the last has ended."""
    taken = _take(len(jobs))
    ended, guard, left = threading.Lock(), threading.Lock(), len(jobs)
    ended.acquire()

    def one_ended() -> None:
        nonlocal left
        with guard:
            left -= 1
            if left == 0:
                ended.release()

    cores = allowed()
    for hand, job in zip(taken, jobs, strict=True):
        hand.give(job, cores, one_ended)
    return ended


def _forget() -> None:
    """A child process has none of its parent's threads."""
    global _guard
    _guard = threading.Lock()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
