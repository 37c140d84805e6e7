"""Searches that the panel Learn records: their queue, and the last ones."""

from __future__ import annotations

from dataclasses import dataclass

from ..decisions.direction.levels import Levels
from ..decisions.direction.replay import recorded
from ..tasks.watch import watching
from ..util.limits import limits
from .jobs import Jobs, Queued
from .sources import Opened

__all__ = ["Recording", "Recordings"]

KEPT_SEARCHES = 8
RECORDING_SECONDS = 120.0  # of a search whose levels are timed in both directions


@dataclass
class Recording(Queued):
    """A search that is recorded; ``levels`` when it is done."""

    opened: Opened | None  # until it is over, because it holds the graph
    vertex: int
    levels: Levels | None = None

    def __post_init__(self) -> None:
        assert self.opened is not None
        self.key = self.opened.source, self.vertex

    def perform(self) -> None:
        """Search, and time both directions of every level."""
        assert self.opened is not None
        with limits(seconds=RECORDING_SECONDS), watching() as self.watch:
            self.levels = recorded(self.opened.graph, self.vertex)

    def let_go(self) -> None:
        """Forget the graph."""
        self.opened = None


class Recordings(Jobs[Recording]):
    """The recordings of a lab."""

    what = "recording"
    kept = KEPT_SEARCHES

    def of(self, opened: Opened, vertex: int, again: bool = False) -> Recording:
        """Return the last recording of a search: done, or under way, or one that is begun now.

        With ``again`` one that is done does not count.
        """
        key = opened.source, vertex
        same = [job for job in reversed(self.jobs.values()) if job.key == key]
        done = [] if again else [job for job in same if job.levels is not None]
        for job in (*done, *(job for job in same if not job.over)):
            return job
        return self.add(lambda number: Recording(opened, vertex, number=number))
