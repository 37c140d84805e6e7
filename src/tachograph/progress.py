"""A progress bar on stderr for work that takes longer than a second; nothing otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["Bar", "bar"]

PATIENCE = 1.0  # seconds before a bar appears


class Bar:
    """Counts work done; shows itself once the work has taken a second and stderr is a terminal."""

    def __init__(self, label: str, total: float | None) -> None:
        self.label = label
        self.total = total
        self.done = 0.0
        self._begin = time.monotonic()
        self._shown: Progress | None = None
        self._task: TaskID | None = None

    def advance(self, amount: float) -> None:
        """Add ``amount`` to the work done."""
        self.done += amount
        if self._shown is None:
            if time.monotonic() - self._begin < PATIENCE or not sys.stderr.isatty():
                return
            self._show()
        assert self._shown is not None
        assert self._task is not None
        self._shown.update(self._task, completed=self.done)

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._shown = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f} %"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._shown.start()
        self._task = self._shown.add_task(self.label, total=self.total)

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._shown is not None:
            self._shown.stop()


@contextmanager
def bar(label: str, total: float | None = None) -> Iterator[Bar]:
    """``with bar("reading", size) as b: b.advance(n)``."""
    shown = Bar(label, total)
    try:
        yield shown
    finally:
        shown.close()
