"""Summaries of the runs in the journal: how far off predictions were, and how much time was lost."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard

from ..decisions.times.model import CONFIDENCE
from ..journal import Run

__all__ = ["Budget", "Calibration", "Promise", "Summary", "budgets", "calibrations", "promises"]
__all__ += ["regrets", "reliability", "summaries"]

LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)  # of intervals
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


@dataclass(frozen=True)
class Promise:
    """The 90 % interval that a plan promised for a run, and the seconds that it took."""

    run: int
    low: float
    high: float
    seconds: float
    predicted: float = 0.0

    @property
    def kept(self) -> bool:
        """Whether the run took as long as was promised."""
        return self.low <= self.seconds <= self.high


def promises(runs: Iterable[Run]) -> list[Promise]:
    """Return what plans promised; a run that was not planned has no interval."""
    made = []
    for run in runs:
        plan = run.plan or {}
        taken = next((c for c in _all(plan.get("candidates")) if c["name"] == plan.get("way")), {})
        low, high = ({**taken, **plan}.get(end) for end in ("low", "high"))
        if (
            run.provenance == "measured"
            and not plan.get("stopped")
            and _number(low)
            and _number(high)
        ):
            made.append(Promise(run.id, low, high, run.seconds, run.predicted or 0.0))
    return made


@dataclass(frozen=True)
class Calibration:
    """How predictions of a task have turned out; ``deadlines`` is None if there were none."""

    task: str
    runs: int
    promised: float
    kept: float
    width: float  # the interval is plus or minus this share of the time, in the median
    within_25: float
    within_35: float
    regret: float | None
    worst_regret: float | None
    deadlines: float | None


def calibrations(runs: list[Run]) -> list[Calibration]:
    """Return how predictions of each task turned out, and of all of them together."""
    told, lost = {p.run: p for p in promises(runs)}, regrets(runs)
    tasks = list(dict.fromkeys(run.task for run in runs if run.id in told))
    made = []
    for task in [*tasks, *(["all"] if len(tasks) > 1 else [])]:
        own = [r for r in runs if task in (r.task, "all")]
        mine = [told[r.id] for r in own if r.id in told]
        off = [abs(p.predicted / p.seconds - 1) for p in mine]
        regret = [lost[r.id] for r in own if r.id in lost]
        due = [r.seconds <= d for r in own if _number(d := (r.plan or {}).get("deadline"))]
        made.append(
            Calibration(
                task,
                len(mine),
                CONFIDENCE,
                sum(p.kept for p in mine) / len(mine),
                statistics.median(math.sqrt(p.high / p.low) - 1 for p in mine),
                sum(o <= 0.25 for o in off) / len(mine),
                sum(o <= 0.35 for o in off) / len(mine),
                _mean(regret),
                max(regret, default=None),
                _mean([float(d) for d in due]),
            )
        )
    return made


def reliability(runs: list[Run]) -> list[tuple[float, float]]:
    """Return which share of runs was in intervals that promised a share, for several such shares.

    Intervals of other confidence are made of those of 90 %, as if logarithms were normal.
    """
    normal, told = statistics.NormalDist(), promises(runs)
    told = [p for p in told if 0 < p.low < p.predicted < p.high]
    usual = normal.inv_cdf((1 + CONFIDENCE) / 2)
    sides = [(p, p.high if p.seconds > p.predicted else p.low) for p in told]
    far = [abs(math.log(p.seconds / p.predicted) / math.log(end / p.predicted)) for p, end in sides]
    made = []
    for promised in LEVELS if far else ():
        factor = normal.inv_cdf((1 + promised) / 2) / usual
        made.append((promised, sum(f <= factor for f in far) / len(far)))
    return made


@dataclass(frozen=True)
class Budget:
    """An error that was allowed, the bound that the run proved, and the error that an audit found."""

    run: int
    task: str
    allowed: float
    bound: float | None
    audited: float | None

    @property
    def kept(self) -> bool | None:
        """Whether it was kept: by the audit, else by the bound; None if neither is known."""
        known = self.bound if self.audited is None else self.audited
        return None if known is None else known <= self.allowed


def budgets(runs: Iterable[Run]) -> list[Budget]:
    """Return the error budgets of runs that had one."""
    made = []
    for run in runs:
        allowed = run.options.get("max_error")
        if _number(allowed):
            told, audit = (_dict(run.facts.get(k)) for k in ("budget", "audit"))
            bound, error = told.get("bound", _exact(run)), audit.get("error")
            known = [v if _number(v) else None for v in (bound, error)]
            made.append(Budget(run.id, run.task, allowed, *known))
    return made


def _exact(run: Run) -> float | None:
    """Return 0.0 if a plan took an exact way, and it came to its end."""
    plan = run.plan or {}
    taken = next((c for c in _all(plan.get("candidates")) if c["name"] == plan.get("way")), {})
    return 0.0 if taken.get("error_bound") == 0 and not plan.get("stopped") else None


def _number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _all(value: Any) -> list[dict[str, Any]]:
    """Return the entries of a list that have a name."""
    return [v for v in value or [] if isinstance(v, dict) and "name" in v]
