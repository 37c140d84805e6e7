"""Summaries of the runs in the journal: how far off predictions were, and how much time was lost."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..journal import Run

__all__ = ["Summary", "regrets", "summaries"]

CLOSE_SHARE = 0.35  # a prediction this near to the actual time, or nearer, is close


@dataclass(frozen=True)
class Summary:
    """The runs of one task.

    ``off`` is the median relative error of the predictions, ``close`` the share of predictions within
    35 %, and ``regret`` the time lost against the best known run of the same question, as a share of
    that best time.
    """

    task: str
    runs: int
    seconds: float
    predicted: int
    off: float | None
    close: float | None
    regret: float | None
    worst_regret: float | None


def _question(run: Run) -> str:
    """Return a text that is the same for runs of the same question, however they were run."""
    return json.dumps([run.task, run.machine, run.graph.get("mark"), run.options], sort_keys=True)


def regrets(runs: Iterable[Run]) -> dict[int, float]:
    """Return the time that runs lost against the best of the same question, as a share, by run."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        if run.provenance == "measured" and run.seconds > 0 and run.graph.get("mark"):
            groups.setdefault(_question(run), []).append(run)
    return {
        run.id: run.seconds / min(r.seconds for r in group) - 1
        for group in groups.values()
        if len(group) > 1
        for run in group
    }


def summaries(runs: list[Run]) -> list[Summary]:
    """Return a summary for each task, those with most runs first."""
    lost = regrets(runs)
    made = []
    for task in dict.fromkeys(run.task for run in runs):
        own = [run for run in runs if run.task == task]
        off = [run.predicted / run.seconds for run in own if run.predicted and run.seconds > 0]
        regret = [lost[run.id] for run in own if run.id in lost]
        made.append(
            Summary(
                task,
                len(own),
                sum(run.seconds for run in own),
                len(off),
                statistics.median(abs(o - 1) for o in off) if off else None,
                sum(abs(o - 1) <= CLOSE_SHARE for o in off) / len(off) if off else None,
                _mean(regret),
                max(regret, default=None),
            )
        )
    return sorted(made, key=lambda s: -s.runs)


def _mean(values: list[float]) -> Any:
    return math.fsum(values) / len(values) if values else None
