"""Which runs of one question are kept: in an hour the first hundred, then one of every hundred.

Calls in a loop would fill the journal otherwise. A run that stands for others says so in its plan
(``one_of``), and ``tacho journal`` says it below its tables.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

__all__ = ["ALL_KEPT_RUNS", "ONE_OF_RUNS", "WINDOW_SECONDS", "Sampling"]

WINDOW_SECONDS = 3600.0
ALL_KEPT_RUNS = 100  # of one question in a window
ONE_OF_RUNS = 100  # so many of the further ones are kept as one
MOST_QUESTIONS = 10_000  # that are counted at a time


@dataclass
class Sampling:
    """Counts the runs of every question since its window began, in this process."""

    _counts: dict[str, tuple[float, int]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def stands_for(self, question: str) -> int:
        """Count a run; return for how many runs it stands: 0 if it is not to be kept.

        >>> sampling = Sampling()
        >>> [sampling.stands_for("bfs") for _ in range(300)][98:102], sampling.stands_for("sssp")
        ([1, 1, 0, 0], 1)
        """
        now = time.monotonic()
        with self._lock:
            begin, count = self._counts.get(question, (now, 0))
            if now - begin >= WINDOW_SECONDS:
                begin, count = now, 0
            if len(self._counts) >= MOST_QUESTIONS:
                self._counts.clear()
            self._counts[question] = begin, count + 1
        if count < ALL_KEPT_RUNS:
            return 1
        return 0 if (count + 1 - ALL_KEPT_RUNS) % ONE_OF_RUNS else ONE_OF_RUNS
