"""How far work has come: a bar on stderr if it takes longer than a second, and who else watches it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

import numpy as np

from .text import plain

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Watcher(Protocol):
    """Is told what the work of a thread is doing; must return at once."""

    def begin(self, label: str, control: np.ndarray) -> None:
        """Kernels begin; ``control`` is what their threads share (``kernels/runtime/team.py``)."""

    def end(self) -> None:
        """They have ended."""

    def row(self, row: Mapping[str, object]) -> None:
        """A row was added to a trace by Python code."""


#: Who watches the work of this thread, if anybody; see ``tasks/watch.py``.
watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
SHOW_AFTER_SECONDS = 1.0  # work that takes less shows no bar
_outermost = threading.Lock()


def _on_terminal() -> bool:
    """Whether somebody can see a bar: services have no stderr, or one that is closed."""
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


def say(text: str) -> None:
    """Print a line to stderr, if there is one: no call fails because nobody can read."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(f"tachograph: {text}", file=sys.stderr)


class Bar:
    """Counts work done. If stderr is a terminal, a timer shows it once a second has passed."""

    def __init__(self, label: str, total: float | None) -> None:
        self.label, self.total = label, total
        self.done: float = 0.0
        self._text = plain(label)
        self._shown: Progress | None = None
        self._task: TaskID | None = None
        self._timer: threading.Timer | None = None
        self._closed = threading.Event()
        # Only the outermost of nested bars is shown.
        self._mine = _on_terminal() and _outermost.acquire(blocking=False)
        if self._mine:
            self._timer = threading.Timer(SHOW_AFTER_SECONDS, self._show)
            self._timer.daemon = True
            try:
                self._timer.start()
            except RuntimeError:  # the system has no more threads: work goes on without a bar
                self._timer = None

    def advance(self, amount: float) -> None:
        """Add ``amount`` to the work done."""
        self.done += amount
        if self._shown is not None and self._task is not None:
            self._shown.update(self._task, completed=self.done)

    def note(self, text: str) -> None:
        """Show ``text`` behind the label, from now on."""
        self._text = plain(f"{self.label}: {text}")
        if self._shown is not None and self._task is not None:
            self._shown.update(self._task, description=self._text)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as TimeLeft

        share = [TextColumn("{task.percentage:>3.0f} %"), TimeLeft()]
        columns = [TimeElapsedColumn()] if self.total is None else share
        text = TextColumn("{task.description}", markup=False), BarColumn()
        shown = Progress(*text, *columns, console=Console(stderr=True), transient=True)
        self._task = shown.add_task(self._text, total=self.total, completed=int(self.done))
        if not self._closed.is_set():
            shown.start()
            self._shown = shown

    def close(self) -> None:
        """Take the bar off the screen."""
        self._closed.set()
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        if self._shown is not None:
            self._shown.stop()
        if self._mine:
            _outermost.release()


@contextmanager
def bar(label: str, total: float | None = None) -> Iterator[Bar]:
    """Show progress: ``with bar("reading", size) as b: b.advance(n)``; no total, no percentage."""
    shown = Bar(label, total)
    try:
        yield shown
    finally:
        shown.close()
