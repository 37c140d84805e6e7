"""The panel Ask: what would be run for a task, what it is predicted to take, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...plots import charts
from ...plots import numbers as show
from ...plots.intervals import Guess, intervals
from ...simulation.gpus.gpu import GPU, known_gpus
from ...simulation.gpus.simulate import PROGRAMS
from ...tasks.decide import Candidate
from ...tasks.elsewhere import SIMULATED
from ...tasks.plan import Plan
from ...tasks.table import TASKS, task_named
from ...util.cores import threads_available
from ...util.docs import summary_of
from ...util.memory import human
from ...util.text import plain
from ..asking import asked, options_of
from ..elsewhere import simulated_tasks
from . import Endpoint

if TYPE_CHECKING:
    from ..server import Lab

__all__ = ["ENDPOINTS"]

#: What the address of the page may hold, by the names that ``tg.plan`` has for it.
SLIDERS = ("source", "sink", "max_error", "confidence", "deadline", "threads", "device")
ENDS = SLIDERS[:2]


def start(lab: Lab) -> dict[str, Any]:
    """Return the tasks and the GPUs to choose from, and how many threads there are."""
    gpus = [{"name": name, "title": GPU(name).title} for name in known_gpus()]
    return {"tasks": list(TASKS), "gpus": gpus, "threads": threads_available()}


def plan(
    lab: Lab, source: str, task: str, told: dict[str, Any] | None = None, width: float = 640
) -> dict[str, Any]:
    """Return the candidates, best first, as rows and as a chart.

    A slider of what the task does not have is ignored, so that it may keep its place.
    """
    kind = task_named(task)
    takes = [k for k in SLIDERS if k in options_of(kind)]
    if kind.name not in PROGRAMS:
        takes.remove("device")
    told = {k: v for k, v in (told or {}).items() if k in takes or k not in SLIDERS}
    question = asked(lab.sources.open(source), kind.name, told)
    made, given = question.plan(), question.arguments
    rows = [_row(c, made) for c in made.candidates]
    guesses = [
        Guess(r["name"], r["seconds"], r["low"], r["high"], r["provenance"], _tip(r)) for r in rows
    ]
    budget, opened = given.get("max_error"), question.opened
    known = any(r["seconds"] is not None for r in rows)
    return {
        "task": made.task,
        "about": summary_of(kind.function),
        "graph": plain(opened.name),
        "reason": made.reason,
        "notes": list(made.notes),
        "refused": list(made.refused),
        "candidates": rows,
        "takes": takes,
        "ends": {k: plain(given[k]) for k in ENDS if k in given},
        "elsewhere": kind.name in simulated_tasks(),
        "chart": intervals(guesses, width=width).svg(styled=False) if known else "",
        "pareto": _pareto(made, budget, width),
        "python": opened.code(f"plan = {question.python()}\nprint(plan)\nresult = plan.run()"),
        "command": opened.command(question.command()),
    }


def _row(candidate: Candidate, plan: Plan) -> dict[str, Any]:
    e, there = candidate.estimate, candidate.options.get(SIMULATED)
    timed = plan.deadline is not None
    return {
        "in_time": e.chance(plan.question.working_seconds) if timed else None,
        "name": candidate.name,
        "seconds": e.seconds,
        "low": e.low,
        "high": e.high,
        "memory": e.memory,
        "error": candidate.error,
        "error_bound": candidate.error_bound,
        "reason": candidate.reason,
        "provenance": "modelled" if there is None else "simulated",
    }


def _tip(row: dict[str, Any]) -> str:
    text = f"{row['name']}\n{show.seconds(row['seconds'])}, {row['provenance']}"
    if row["low"] is not None:
        text += f"\n90 %: {show.seconds(row['low'])} to {show.seconds(row['high'])}"
    if row["error_bound"]:
        text += f"\nerror below {show.percent(row['error_bound'])}"
    if row["memory"]:
        text += f"\n{human(row['memory'])} of memory"
    return text


def _pareto(plan: Plan, budget: float | None, width: float) -> str:
    """Draw time against error if there is a choice between them."""
    if budget is None:
        return ""
    points = [
        charts.Candidate(c.name, c.seconds, c.error or 0.0, chosen=k == 0)
        for k, c in enumerate(plan.candidates)
        if c.seconds is not None
    ]
    if not points:
        return ""
    return charts.pareto(points, budget=budget, width=width).svg(styled=False)


ENDPOINTS = (Endpoint("start", start), Endpoint("plan", plan, "POST"))
