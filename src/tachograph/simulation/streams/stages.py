"""What is done on the chip: stages that take words in order, at their own pace."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...util.errors import InputError

if TYPE_CHECKING:
    from . import Stream

__all__ = ["WHEN", "After", "Stage", "needs"]

WHEN = ("sent", "arrived", "done")


@dataclass(frozen=True)
class After:
    """A run or word may begin when ``need`` requests of ``stream`` are sent, arrived or done.

    With ``room``, so many of its lines fit in front of the stage that waits.
    """

    stream: Stream | Stage
    need: np.ndarray
    when: str = "done"
    room: int | None = None


def needs(name: str, count: int, stream: Stream | Stage, need: npt.ArrayLike | None) -> np.ndarray:
    """Return what each of ``count`` runs or words needs of a stream, or raise InputError."""
    wanted = np.asarray(stream.total if need is None else need, np.int64)
    if wanted.ndim and wanted.size != count:
        raise InputError(f"stream {name!r}: {wanted.size} needs for {count} runs")
    if wanted.size and int(wanted.max()) > stream.total:
        raise InputError(
            f"stream {name!r} would wait for request {int(wanted.max())} of "
            f"{stream.name!r}, which has {stream.total}"
        )
    return np.broadcast_to(wanted, count)


@dataclass(eq=False)
class Stage:
    """Work on the chip that makes no request: words that are begun in order.

    A word begins when the streams that it waits for have come to what it needs, ``interval`` cycles
    after the one before it, and when its banks have room. Streams can wait for a stage as for a stream:
    a word is *sent* when it has begun. A stage without banks is a delay.

    Parameters
    ----------
    name
        What it does.
    words
        How many.
    interval
        Cycles from the beginning of a word to that of the next one.
    items, items_each
        Which bank each item of a word needs, ``items_each`` of them in a word; -1 means none.
    banks, cycles_each
        How many there are, and how many cycles an item takes.
    depth
        Words that can wait in front of each bank; None: any number.
    lockstep
        Whether a word begins only when all items of the one before were served.
    latency
        Cycles from the last item of a word until it is done.

    >>> from tachograph.simulation.streams import Stage, Stream, lines
    >>> edges = Stream("edges", lines(0, 640, 64))
    >>> adder = Stage("adder", 10, interval=2).after(edges, range(1, 11), room=4)
    >>> writes = Stream("writes", lines(4096, 64, 64), write=True).after(adder)
    >>> adder.total
    10
    """

    name: str
    words: int
    interval: int = 1
    items: np.ndarray | None = None
    items_each: int = 0
    banks: int = 1
    cycles_each: int = 1
    depth: int | None = None
    lockstep: bool = False
    latency: int = 0
    waits: list[After] = field(default_factory=list)
    fed: list[Stage] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name, low in (("words", 0), ("interval", 0), ("banks", 1), ("cycles_each", 0)):
            if (value := getattr(self, name)) < low:
                raise InputError(f"stage {self.name!r}: {name} = {value} must be {low} or more")
        if self.latency < 0 or (self.depth is not None and self.depth < 1):
            raise InputError(f"stage {self.name!r}: latency or depth is too small")
        if self.items is not None:
            if self.items.size > self.words * self.items_each:
                raise InputError(
                    f"stage {self.name!r}: {self.items.size} items, but only {self.words} words of "
                    f"{self.items_each}"
                )
            if self.items.size and int(self.items.max()) >= self.banks:
                raise InputError(
                    f"stage {self.name!r}: item {int(self.items.max())}, but {self.banks} banks"
                )

    @property
    def total(self) -> int:
        """Words in all."""
        return self.words

    def after(
        self,
        stream: Stream | Stage,
        need: npt.ArrayLike | None = None,
        *,
        when: str = "done",
        room: int | None = None,
    ) -> Stage:
        """Wait for a stream: word k until ``need[k]`` requests are done (None: all of them).

        ``room`` is how many lines fit in front of the stage: the stream is held back while that many
        were sent and not used by a word that has begun.
        """
        _check(self.name, when)
        if room is not None:
            if room < 1:
                raise InputError(f"stage {self.name!r}: room = {room} must be 1 or more")
            if any(w.room is not None and w.stream is stream for g in stream.fed for w in g.waits):
                raise InputError(f"stream {stream.name!r} is held back by a stage already")
        wanted = needs(self.name, self.words, stream, need)
        self.waits.append(After(stream, wanted, when, room))
        stream.fed.append(self)
        return self


def _check(name: str, when: str) -> None:
    if when not in WHEN:
        raise InputError(f"stream {name!r}: when = {when!r} must be one of {', '.join(WHEN)}")


def delayed(name: str, count: int, wait: After, cycles: int) -> After:
    """Return a wait that is over ``cycles`` cycles after another one."""
    one = wait.need.size < 2 or bool((wait.need[1:] == wait.need[0]).all())
    words = min(count, 1) if one else count
    pause = Stage(f"{name}, delayed", words, interval=0, latency=cycles)
    pause.waits.append(After(wait.stream, np.maximum.accumulate(wait.need[:words]), wait.when))
    numbers = np.broadcast_to(np.int64(1), count) if one else np.arange(1, count + 1)
    return After(pause, numbers)
