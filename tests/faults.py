"""Faults on purpose: a file that cannot grow, interrupted calls, a process that is killed at every line."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SYSTEM_CALLS = ("open", "fstat", "fsync", "replace", "scandir", "urandom")
HANG_SECONDS = 60  # of a process that is to be killed earlier


@contextmanager
def file_limit(size: int) -> Iterator[None]:
    """Let every write beyond ``size`` bytes of a file fail, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


@contextmanager
def interrupted(number: int) -> Iterator[list[str]]:
    """Let one of the system calls fail as if a signal had interrupted it and Python did not try it again.

    Yields the names of the calls so far; the call with this ``number``, counted from 1, fails.
    """
    calls: list[str] = []

    def watched(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def once(*given: Any, **named: Any) -> Any:
            calls.append(name)
            if len(calls) == number:
                raise InterruptedError(errno.EINTR, os.strerror(errno.EINTR))
            return call(*given, **named)

        return once

    before = {name: getattr(os, name) for name in SYSTEM_CALLS}
    try:
        for name, call in before.items():
            setattr(os, name, watched(name, call))
        yield calls
    finally:
        for name, call in before.items():
            setattr(os, name, call)


def forked() -> int:
    """Fork; the child is killed if it hangs, as it may if another thread held a lock meanwhile."""
    child = os.fork()
    if child == 0:
        signal.alarm(HANG_SECONDS)
    return child


def killed_at_every_line(work: Callable[[], object], *sources: str, step: int = 1) -> Iterator[int]:
    """Run ``work`` in a new process each time, killed at the next line of the files ``sources``.

    Yields the number of the line, counted as lines run, after each kill. Ends when ``work`` does.
    """
    last = 0
    while True:
        last += step
        child = forked()
        if child == 0:
            _run_until(work, last, sources)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0, "the work failed without a kill"
            return
        assert os.WTERMSIG(status) == signal.SIGKILL
        yield last


def _run_until(work: Callable[[], object], last: int, sources: tuple[str, ...]) -> None:
    seen = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal seen
        if frame.f_code.co_filename not in sources:
            return None
        if event == "line":
            seen += 1
            if seen == last:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    code = 1
    try:
        sys.settrace(trace)
        work()
        code = 0
    finally:
        os._exit(code)
