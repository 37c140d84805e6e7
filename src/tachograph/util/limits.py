"""Limits that a caller sets: how much memory a piece of work may take, and how long work may last."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from . import memory as room
from .arguments import single
from .errors import InputError, TimeLimitError

__all__ = ["Deadline", "check_time", "check_whole", "deadline", "due", "limits", "was_cut"]

LONGEST_SECONDS = 1e9  # of a limit or a deadline: kernels count nanoseconds with 64 bits
#: The time (of the monotonic clock) at which work must have ended, and the seconds that were given.
_deadline: ContextVar[tuple[float, float] | None] = ContextVar("deadline", default=None)


@contextmanager
def limits(*, memory: int | str | None = None, seconds: float | None = None) -> Iterator[None]:
    """Limit what calls inside the block may take; limits outside of it still hold.

    Parameters
    ----------
    memory
        Bytes (or text such as "2 GB") that one piece of work may need: a graph, what a file unpacks
        to, what comes through a pipe, the pairs of a similarity. More is refused with
        :class:`TooLargeError`. The environment variable TACHOGRAPH_MEMORY sets the same limit for a
        whole process.
    seconds
        How long the block may take. Reading and kernels of the host that are still running then are
        stopped with :class:`TimeLimitError`.

    The limits hold for calls on the thread that sets them.

    Examples
    --------
    >>> import tachograph as tg
    >>> with tg.limits(memory="1 GB", seconds=60):
    ...     levels = tg.bfs(tg.path(3), 0).levels
    """
    bytes_given = room.as_bytes(memory, "memory")
    seconds = single("seconds", seconds, "float | None")
    if seconds is not None and not seconds > 0:
        raise InputError(f"seconds = {seconds!r}: a positive number is needed")
    inner = [size for size in (room.given.get(), bytes_given) if size is not None]
    ends = [_deadline.get()]
    if seconds is not None:
        ends.append((time.monotonic() + min(seconds, LONGEST_SECONDS), seconds))
    memory_token = room.given.set(min(inner, default=None))
    time_token = _deadline.set(min((end for end in ends if end is not None), default=None))
    try:
        yield
    finally:
        room.given.reset(memory_token)
        _deadline.reset(time_token)


def check_time() -> None:
    """Raise :class:`TimeLimitError` if the time of the block has passed."""
    end = _deadline.get()
    if end is not None and time.monotonic() > end[0]:
        raise TimeLimitError(f"stopped: tg.limits allows {end[1]:g} seconds")


class Deadline:
    """A time by which an answer is wanted, even if it is not finished.

    Loops that have something to show when they are stopped are stopped then (``cut``). Others raise
    :class:`TimeLimitError`, except after such a loop (``over``): what makes the result of it is brief.
    """

    def __init__(self, seconds: float, working: float) -> None:
        self.seconds = seconds  # until the answer is wanted; the rest of them is for making it
        self.cut = self.over = False
        self._end = time.monotonic() + min(working, LONGEST_SECONDS)

    @property
    def left(self) -> float:
        """Seconds until work must end."""
        return self._end - time.monotonic()

    @property
    def nanoseconds(self) -> int:
        """When that is, on the monotonic clock."""
        return int(self._end * 1e9)

    def put_off(self, seconds: float) -> None:
        """Move the end: kernels were compiled, which does not count."""
        self._end += seconds

    def late(self, partial: bool) -> bool:
        """Return whether work must end now with what it has; raise an error if it has nothing."""
        if self.over or self.left > 0:
            return False
        if not partial:
            raise self.nothing_to_show()
        self.cut = True
        return True

    def nothing_to_show(self) -> TimeLimitError:
        """Return the error of work that is of no use unless it is finished."""
        return TimeLimitError(
            f"stopped at the deadline of {self.seconds:g} seconds, with nothing to show: allow "
            "more time, or an error (max_error)"
        )


due: ContextVar[Deadline | None] = ContextVar("due", default=None)  # for the work of this thread


@contextmanager
def deadline(seconds: float | None, working: float) -> Iterator[Deadline | None]:
    """Let the work of the block end after ``working`` of ``seconds``; None: whenever it is done."""
    made = None if seconds is None else Deadline(seconds, working)
    token = due.set(made)
    try:
        yield made
    finally:
        due.reset(token)


def was_cut() -> bool:
    """Return whether the deadline has stopped a loop, so that its values are not finished."""
    end = due.get()
    return end is not None and end.cut


def check_whole() -> None:
    """Raise :class:`TimeLimitError` if the deadline has stopped a loop that had to be finished."""
    end = due.get()
    if end is not None and end.cut:
        raise end.nothing_to_show()
