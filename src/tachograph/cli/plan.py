"""``tacho plan`` and ``tacho what-if``: what would be run, what it would take, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import (
    GraphInput,
    Json,
    duration,
    flat,
    option,
    out,
    print_json,
    share,
    split,
    vertices_of,
)

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..tasks.plan import Plan
    from ..tasks.what_if import WhatIf

__all__ = ["plan", "what_if"]

TASK_HELP = "The name of a public function, such as bfs; see tacho run --help."
MACHINES = (
    "host, opencl:0, hitgraph@ddr3-1600k, accugraph@hbm, v100; with commas, or several times."
)
TaskName = Annotated[str, typer.Argument(metavar="TASK", help=TASK_HELP)]
Machine = Annotated[list[str] | None, typer.Option(help=MACHINES)]


@dataclass(frozen=True)
class Ends:
    """Where a task begins and ends."""

    source: list[str] | None = option(None, "A vertex; default: that of highest degree.")
    sink: str | None = option(None, "Where a flow ends.")

    def arguments(self, task: str, graph: Graph) -> dict[str, Any]:
        """Return the arguments that the task needs."""
        from ..tasks.table import task_named

        made: dict[str, Any] = {}
        needs = task_named(task).needs
        if self.source:
            made["source"] = vertices_of(graph, self.source)
        elif "source" in needs and "sink" not in needs and graph.n:
            made["source"] = int(graph.degrees.argmax())
        if self.sink is not None:
            made["sink"] = vertices_of(graph, self.sink)
        return made


@flat
def plan(
    task: TaskName,
    graph: GraphInput,
    ends: Ends,
    max_error: str | None = option(None, "The mean relative error that is allowed, such as 5%."),
    confidence: str = option("90%", "The share of graphs in which that must hold."),
    deadline: str | None = option(None, "When an answer is wanted, such as 10ms."),
    reuse: int | None = option(None, "How many such runs there will be on this graph.", min=1),
    probe: bool = option(True, "Time some blocks of rows first, so that intervals are narrower."),
    threads: int | None = option(None, "Threads that the host may use; default: all.", min=1),
    device: str | None = option(
        None, "GPUs that are simulated, such as rtx3080, with commas; see tacho gpus."
    ),
    json: Json = False,
) -> None:
    """Show what would be run, what it is predicted to take, the alternatives, and why.

    [bold]Examples[/bold]

    tacho plan bfs web.txt.gz --source 0

    tacho plan bfs web.txt.gz --source 0 --device rtx3080

    tacho plan sssp roads.gr --source 17 --deadline 10ms

    tacho plan sssp roads.gr --source 17 --max-error 10% --confidence 95% --json
    """
    from ..tasks.plan import plan as make

    loaded = graph.load()
    told = ends.arguments(task, loaded)
    if max_error is not None:
        told["max_error"] = share(max_error, "max-error")
        told["confidence"] = share(confidence, "confidence")
    if threads is not None:
        told["threads"] = threads
    if deadline is not None:
        told["deadline"] = duration(deadline, "deadline")
    if device is not None:
        told["device"] = split(device)
    _print(make(task, loaded, probe=probe, reuse=reuse, **told), json)


@flat
def what_if(
    task: TaskName,
    graph: GraphInput,
    ends: Ends,
    machine: Machine = None,
    device: str | None = option(None, "Devices that are here, as --machine, with commas."),
    json: Json = False,
) -> None:
    """Compare this machine with accelerators and GPUs that are simulated, in one table.

    [bold]Examples[/bold]

    tacho what-if wcc web.txt.gz --machine host,hitgraph@ddr3-1600k,accugraph@hbm

    tacho what-if bfs web.txt.gz --source 0 --device host,opencl
    """
    from ..tasks.what_if import what_if as compare

    loaded = graph.load()
    named = [*(machine or ()), *([device] if device else ())]
    machines = [name for names in named for name in split(names)]
    _print(compare(task, loaded, machines or None, **ends.arguments(task, loaded)), json)


def _print(found: Plan | WhatIf, json: bool) -> None:
    if json:
        print_json(found.to_dict())
    else:
        for line in str(found).splitlines():
            out().print(line, soft_wrap=True)
