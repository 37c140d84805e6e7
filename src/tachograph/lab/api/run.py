"""The panel Run: starts and stops runs, tells how they go on, and what was predicted."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from ...plots.axes import Axis, whole
from ...plots.charts import Series, xy
from ...plots.drawing import Drawing
from ...plots.intervals import Guess, intervals
from ...plots.traces import charts_of, lanes
from ...tasks.decide import Candidate
from ...tasks.estimate import Estimate
from ...tasks.plan import Plan
from ...util.text import number_in, plain
from ..asking import asked, copied, tasks
from ..events import event, pause, stream
from ..runs import Job, Outcome, Runs
from . import Endpoint

if TYPE_CHECKING:
    from ..server import Lab

__all__ = ["ENDPOINTS", "payload", "plan_payload"]

DRAWN_SECONDS = 0.15  # in which a page that begins to follow a run has drawn itself
SENT_ROWS = 400  # at most at once
REPLAYED_ROWS = 2000
SHOWN_ROWS = 200  # of the table of a trace


def menu(lab: Lab) -> dict[str, Any]:
    """List the tasks, and the runs of this lab, the last one first."""
    every = [_brief(job) for job in reversed(lab.queue(Runs).jobs.values())]
    return {"tasks": tasks(), "runs": every}


def _brief(job: Job) -> dict[str, Any]:
    return {
        "run": job.number,
        "task": job.task,
        "graph": plain(job.graph),
        "source": job.question[0],
        "way": job.way,
        "status": job.status,
        "error": job.error,
        "seconds": None if job.outcome is None else job.outcome.seconds,
    }


def plan(
    lab: Lab, source: str, task: str, told: dict[str, Any], way: str = "", width: float = 640
) -> dict[str, Any]:
    """Return the candidates, with what those that were run here have taken."""
    question = asked(lab.sources.open(source), task, told)
    made, jobs = question.plan(), lab.queue(Runs).of_question(question)
    outcomes = {name: job.outcome for name, job in jobs.items() if job.outcome is not None}
    shown = plan_payload(made, outcomes, width)
    for row, candidate in zip(shown["candidates"], made.candidates, strict=True):
        if (job := jobs.get(candidate.name)) is not None:
            row |= {"run": job.number, "status": job.status}
    return shown | copied(question, made.candidates, way)


def plan_payload(made: Plan, outcomes: Mapping[str, Outcome], width: float = 640) -> dict[str, Any]:
    """Return what a page shows of a plan: candidates, and what those that were run have taken."""
    rows = [_candidate(c, outcomes.get(c.name)) for c in made.candidates]
    guesses = [
        Guess(r["name"], r["predicted"], r["low"], r["high"], "predicted", actual=r["measured"])
        for r in rows
    ]
    return {
        "candidates": rows,
        "reason": plain(made.reason),
        "notes": [plain(n) for n in made.notes],
        "refused": [plain(n) for n in made.refused],
        "chart": intervals(guesses, "Predicted and measured time", width).svg(styled=False),
    }


def _candidate(candidate: Candidate, found: Outcome | None) -> dict[str, Any]:
    """Return a row; if the way was run, with what had been predicted before that run."""
    guess = (
        candidate.estimate if found is None else Estimate(found.predicted, found.low, found.high)
    )
    return {
        "way": candidate.name,
        "name": plain(candidate.name),
        "why": plain(candidate.reason),
        "predicted": guess.seconds,
        "low": guess.low,
        "high": guess.high,
        "memory": candidate.estimate.memory,
        "error": candidate.error,
        "status": None,
        "actual": None if found is None else found.seconds,
        "provenance": None if found is None else found.provenance,
        "measured": found.seconds if found and found.provenance == "measured" else None,
    }


def start(
    lab: Lab,
    source: str,
    task: str,
    told: dict[str, Any],
    way: str = "",
    watched: bool = False,
) -> dict[str, Any]:
    """Start a run; return its number. One that is ``watched`` begins when somebody follows it."""
    question = asked(lab.sources.open(source), task, told)
    return {"run": lab.queue(Runs).start(question, way, watched).number}


def stop(lab: Lab, run: int) -> dict[str, Any]:
    """Stop a run, or take it from the queue."""
    return _brief(lab.queue(Runs).stop(run))


def result(lab: Lab, run: int, width: float = 640) -> dict[str, Any]:
    """Return what a run came to."""
    job = lab.queue(Runs).job(run)
    if job.outcome is None:
        return _brief(job)
    return _brief(job) | payload(job.outcome, width) | job.copied


def payload(found: Outcome, width: float = 640) -> dict[str, Any]:
    """Return what a page shows of a result: facts, the charts of its trace, and the rows of those."""
    trace = found.trace
    names = [k for k in trace if k not in ("joules", "note")]
    many = len(next(iter(trace.values()), []))
    return {
        **{k: v for k, v in found._asdict().items() if k not in ("trace", "facts")},
        "facts": [[k.replace("_", " "), _text(v)] for k, v in found.facts.items()],
        "charts": [c.svg(styled=False) for c in _charts(trace, width)],
        "columns": names,
        "table": [[_text(trace[k][i]) for k in names] for i in range(min(SHOWN_ROWS, many))],
        "iterations": many,
        "rows": _rows(trace),
    }


def _charts(trace: Mapping[str, list[Any]], width: float) -> list[Drawing]:
    """Draw a trace as reports do; of a trace that they have no chart for, draw its phases over time."""
    made = charts_of(trace, width)
    rows = _rows(trace)
    if made or len(rows) < 2:
        return made
    who, begins, seconds = ([row[k] for row in rows] for k in range(3))
    times = {"phase": who, "begin": begins, "seconds": seconds}
    made = [lanes(times, width, "Phases over time")]
    if "change" in trace:
        line = Series("change", list(enumerate(trace["change"], 1)), "line")
        axes = (Axis("iteration", whole), Axis("change", kind="log"))
        made.append(xy("Change in each iteration", [line], axes, width))
    return made


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, int | float):
        return plain(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def _rows(trace: Mapping[str, list[Any]]) -> list[list[Any]]:
    """Return the rows of a trace as those of a watched run, for a replay: lane, begin, seconds, ..."""
    if "seconds" not in trace:
        return []
    kinds = next((trace[k] for k in ("direction", "kernel", "phase") if k in trace), [])
    sizes = next((trace[k] for k in ("frontier_vertices", "work", "edges") if k in trace), [])
    made, at = [], 0.0
    for i, seconds in enumerate(trace["seconds"][:REPLAYED_ROWS]):
        lane = str(kinds[i]) if kinds else "iteration"
        if "kernel" in trace and "device" in trace:
            lane += f" on {trace['device'][i]}"
        begin = trace["begin"][i] if "begin" in trace else at
        step = trace["iteration"][i] if "iteration" in trace else i
        made.append([plain(lane), begin, seconds, step, sizes[i] if sizes else None, None])
        at += seconds
    return made


async def watch(lab: Lab, request: Request) -> Response:
    """Send events about a run until it is over: its state, and rows as they appear."""
    text = request.query_params.get("run", "")
    job = lab.queue(Runs).job(number_in(text))
    last = request.headers.get("last-event-id", "0")  # where a connection that was lost had come to
    events = _events(lab, job, number_in(last, 0))
    return stream(events)


async def _events(lab: Lab, job: Job, sent: int) -> AsyncIterator[str]:
    before: dict[str, Any] = {}
    while True:
        over = job.over  # read first, so that what comes in between is sent, too
        seen = job.watch
        now: dict[str, Any] = {"status": job.status, "seconds": 0.0, "share": None}
        if job.status == "waiting":
            ahead = [
                j for j in lab.queue(Runs).jobs.values() if not j.over and j.number < job.number
            ]
            now["ahead"] = len(ahead)
        elif not over:
            now["seconds"] = time.monotonic() - job.began
        if seen is not None:
            many = seen.look()
            now |= {"label": seen.label, "step": seen.step, "calls": seen.calls, "now": seen.now}
            if many and (left := seen.rows[many - 1].unvisited) is not None:
                now["share"] = 1 - left / job.vertices
            if many > sent:
                first = max(sent, many - SENT_ROWS)
                sent = many
                yield event("rows", [list(row) for row in seen.rows[first:many]], sent)
        if now != before:
            before = now
            yield event("state", now, sent)
        if over:
            yield event("end", _brief(job), sent)
            return
        if not job.drawn.is_set():  # the page has been told all that there is to draw
            await pause(job, DRAWN_SECONDS)
            job.drawn.set()
        await pause(job)


ENDPOINTS = (
    Endpoint("menu", menu),
    Endpoint("plan", plan, "POST"),
    Endpoint("start", start, "POST"),
    Endpoint("stop", stop, "POST"),
    Endpoint("result", result),
    Endpoint("watch", watch, streams=True),
)
