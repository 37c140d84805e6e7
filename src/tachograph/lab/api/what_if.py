"""The panel What if: machines and memories that are not here, by formulas and simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response

from ...plots import charts
from ...plots import numbers as show
from ...plots.axes import Axis
from ...simulation.accelerators.simulate import ACCELERATORS
from ...simulation.dram import names
from ...simulation.gpus.gpu import GPU, known_gpus
from ...tasks.what_if import Row
from ...util.errors import InputError
from ...util.text import number_in, plain
from ..asking import asked
from ..elsewhere import Machine, Place, simulated_tasks, sweepable
from ..events import followed, stream
from ..simulations import Places, Simulations, detail
from . import Endpoint

if TYPE_CHECKING:
    from ..server import Lab

__all__ = ["ENDPOINTS"]

USUAL_MEMORIES = ("DDR3-1600K", "DDR4-2400R", "GDDR5-6000", "HBM-1000")
MOST_VALUES = 12  # of a sweep that are simulated in one go


def start(lab: Lab) -> dict[str, Any]:
    """Return the tasks, machines and memories to choose from."""
    newest = {name.partition("-")[0]: name for name in names()}
    return {
        "tasks": simulated_tasks(),
        "accelerators": [
            {"name": name, "title": kind.__name__, "own": kind().memory().name}
            for name, kind in ACCELERATORS.items()
        ],
        "gpus": [{"name": name, "title": GPU(name).title} for name in known_gpus()],
        "memories": list(dict.fromkeys([*USUAL_MEMORIES, *newest.values()])),
        "usual": list(USUAL_MEMORIES),
    }


def _place(lab: Lab, source: str, task: str, told: dict[str, Any] | None) -> Place:
    kept: Places = lab.kept.setdefault("places", Places())
    return kept.of(asked(lab.sources.open(source), task, told or {}))


def row(
    lab: Lab, source: str, task: str, machine: str, memories: list[str],
    told: dict[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return what a machine takes with each memory ("" is its own): what is known at once."""
    place = _place(lab, source, task, told)
    cells: list[dict[str, Any]] = []
    for memory in memories:
        one = Machine.of(machine, str(memory))
        cells.append({"memory": memory, **_cell(place, one)})
    words = " ".join(f"--machine {Machine.of(machine, str(m)).word}" for m in memories)
    question = place.asked
    given = "".join(f", {k}={v!r}" for k, v in question.arguments.items() if k != "vector")
    machines = [Machine.of(machine, str(m)).word for m in memories]
    return {
        "machine": machine,
        "cells": cells,
        "ends": {k: plain(v) for k, v in question.arguments.items() if k in ("source", "sink")},
        "python": question.opened.code(
            f"print(tg.what_if({question.task.name!r}, g, {machines!r}{given}))"
        ),
        "command": question.opened.command(f"{question.command('what-if')} {words}"),
    }


def _cell(place: Place, machine: Machine) -> dict[str, Any]:
    """Return a time and where it comes from, or why there is none."""
    if (known := place.found.get(machine)) is not None:
        return _told(known.row)
    try:
        quick = place.quick(machine)
    except InputError as error:
        return {"why": plain(error)}
    return {"seconds": None} if quick is None else _told(quick)


def _told(row: Row) -> dict[str, Any]:
    return {
        "seconds": row.seconds,
        "low": row.low,
        "high": row.high,
        "bounds": row.bounds,
        "provenance": row.provenance,
        "how": plain(row.how),
    }


def cell(
    lab: Lab, source: str, task: str, machine: str, told: dict[str, Any] | None = None,
    chosen: dict[str, Any] | None = None, width: float = 640,
) -> dict[str, Any]:  # fmt: skip
    """Return one machine close up; ``chosen`` has ``memory``, ``parameter`` and ``value``."""
    place, given = _place(lab, source, task, told), dict(chosen or {})
    memory, parameter = str(given.get("memory") or ""), given.get("parameter")
    plain_one = Machine.of(machine, memory)
    offered = sweepable(plain_one)
    swept: dict[str, Any] = {}
    one = plain_one
    if parameter:
        values = _values(offered, str(parameter))
        at = _place_of(values, given.get("value"), plain_one, str(parameter))
        one = Machine.of(machine, memory, {str(parameter): values[at]})
        swept = _sweep(place, plain_one, str(parameter), values, at, width)
    found = place.found.get(one)
    opened = place.asked.opened
    return {
        "machine": machine,
        "memory": memory,
        "cell": _cell(place, one),
        "simulated": found is not None,
        "job": lab.queue(Simulations).of(place, one),
        "detail": {} if found is None else detail(found, width),
        "parameters": [{"name": k, "about": about} for k, (about, _) in offered.items()],
        "sweep": swept,
        "python": opened.code(place.python(one)),
        "command": opened.command(place.command(one)),
    }


def _values(offered: dict[str, tuple[str, list[Any]]], parameter: str) -> list[Any]:
    if parameter not in offered:
        raise InputError(f"there is no parameter {parameter!r}: choose {', '.join(offered)}")
    return offered[parameter][1]


def _place_of(values: list[Any], told: Any, machine: Machine, parameter: str) -> int:
    """Return the place of a value: that which was told, or the usual one."""
    if told is not None and not (isinstance(told, int) and 0 <= told < len(values)):
        raise InputError(f"value = {told!r}: a place from 0 to {len(values) - 1} is needed")
    if told is not None:
        return int(told)
    gpu = machine.name not in ACCELERATORS
    settings = machine.gpu().settings if gpu else machine.accelerator().settings
    usual = settings.get(parameter)
    return values.index(usual) if usual in values else 0


def _sweep(
    place: Place, machine: Machine, parameter: str, values: list[Any], at: int, width: float
) -> dict[str, Any]:
    """Draw the time over the values of a parameter: by formulas, and where it was simulated."""
    machines = [Machine.of(machine.name, machine.memory, {parameter: v}) for v in values]
    quick, seen, why = [], [], ""
    for k, one in enumerate(machines):
        try:
            guess = place.quick(one)
        except InputError as error:  # such a value is not possible with this graph
            guess, why = None, plain(error)
        if guess is not None:
            quick.append((float(k), guess.seconds))
        if (found := place.found.get(one)) is not None:
            seen.append((float(k), found.row.seconds))
    most = max((seconds for _, seconds in (*seen, *quick)), default=0.0)
    series = [
        charts.Series("modelled", quick, "line", role="s1"),
        charts.Series("simulated", seen, "large", role="s2"),
        charts.Series("", [(float(at), 0.0), (float(at), most)], "dashed", role="axis"),
    ]
    labels = [
        f"{v:,}" if isinstance(v, int) and not isinstance(v, bool) else str(v) for v in values
    ]
    below = Axis(
        parameter.replace("_", " "),
        lambda x: labels[int(x)] if x in range(len(labels)) else "",
        "exact",
        len(labels),
    )
    shown = [s for s in series if s.points]
    known = bool(seen or quick)
    title = f"Time by {parameter.replace('_', ' ')}"
    axes = (below, Axis("time", show.seconds, "linear", 5, True))
    return {
        "parameter": parameter,
        "values": labels,
        "value": at,
        "simulated": len(seen),
        "why": why,
        "chart": charts.xy(title, shown, axes, width, 220).svg(styled=False) if known else "",
    }


def simulate(
    lab: Lab, source: str, task: str, machine: str, told: dict[str, Any] | None = None,
    chosen: dict[str, Any] | None = None, every: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Start to simulate a machine, or with ``every`` all values of the parameter."""
    place, given = _place(lab, source, task, told), dict(chosen or {})
    memory, parameter = str(given.get("memory") or ""), given.get("parameter")
    machines = [Machine.of(machine, memory)]
    if parameter:
        values = _values(sweepable(machines[0]), str(parameter))
        at = _place_of(values, given.get("value"), machines[0], str(parameter))
        wanted = values[:MOST_VALUES] if every else [values[at]]
        machines = [Machine.of(machine, memory, {str(parameter): v}) for v in wanted]
    return {"job": lab.queue(Simulations).start(place, machines).number}


def stop(lab: Lab, job: int) -> dict[str, Any]:
    """Stop a simulation, or take it from the queue."""
    return {"status": lab.queue(Simulations).stop(job).status}


async def watch(lab: Lab, request: Request) -> Response:
    """Send events about a simulation until it is over."""
    job = lab.queue(Simulations).job(number_in(request.query_params.get("job", "")))
    return stream(followed(job, lambda job: {"done": job.done, "of": len(job.machines)}))


ENDPOINTS = (
    Endpoint("start", start),
    Endpoint("row", row, "POST"),
    Endpoint("cell", cell, "POST"),
    Endpoint("simulate", simulate, "POST"),
    Endpoint("stop", stop, "POST"),
    Endpoint("watch", watch, streams=True),
)
