"""``tacho plan TASK GRAPH``: what would be run, what it would take, and why."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .options import (
    Confidence,
    Directed,
    GraphFile,
    Json,
    MaxError,
    Relabel,
    load,
    out,
    print_json,
    share,
)
from .run import vertex_of

__all__ = ["plan", "what_if"]

TaskName = Annotated[
    str,
    typer.Argument(
        metavar="TASK", help="The name of a public function, such as bfs; see tacho run --help."
    ),
]
Source = Annotated[
    list[str] | None, typer.Option(help="A vertex; default: that of highest degree.")
]
Sink = Annotated[str | None, typer.Option(help="Where a flow ends.")]


def _arguments(task: str, graph: Any, source: list[str] | None, sink: str | None) -> dict[str, Any]:
    """Return the arguments that the task needs."""
    from ..tasks.table import task_named

    made: dict[str, Any] = {}
    needs = task_named(task).needs
    if source:
        ids = [vertex_of(graph, s) for s in source]
        made["source"] = ids[0] if len(ids) == 1 else ids
    elif "source" in needs and "sink" not in needs and graph.n:
        made["source"] = int(graph.degrees.argmax())
    if sink is not None:
        made["sink"] = vertex_of(graph, sink)
    return made


def plan(
    task: TaskName,
    graph: GraphFile,
    source: Source = None,
    sink: Sink = None,
    max_error: MaxError = None,
    confidence: Confidence = "90%",
    directed: Directed = None,
    relabel: Relabel = False,
    json: Json = False,
) -> None:
    """Show what would be run, what it is predicted to take, the alternatives, and why.

    [bold]Examples[/bold]

    tacho plan bfs web.txt.gz --source 0

    tacho plan sssp roads.gr --source 17 --max-error 10% --confidence 95% --json
    """
    from ..tasks.plan import plan as make

    loaded = load(graph, directed=directed, relabel=relabel)
    told = _arguments(task, loaded, source, sink)
    if max_error is not None:
        told["max_error"] = share(max_error, "max-error")
        told["confidence"] = share(confidence, "confidence")
    made = make(task, loaded, **told)
    if json:
        print_json(made.to_dict())
    else:
        out().print(str(made), markup=False, soft_wrap=True)


def what_if(
    task: TaskName,
    graph: GraphFile,
    machine: Annotated[
        list[str] | None,
        typer.Option(help="host, opencl:0, hitgraph@ddr3-1600k, accugraph@hbm; several times."),
    ] = None,
    source: Source = None,
    sink: Sink = None,
    directed: Directed = None,
    relabel: Relabel = False,
    json: Json = False,
) -> None:
    """Compare this machine with accelerators that are simulated, in one table.

    [bold]Example[/bold]

    tacho what-if wcc web.txt.gz --machine host --machine hitgraph@ddr3-1600k --machine accugraph@hbm
    """
    from ..tasks.what_if import what_if as compare

    loaded = load(graph, directed=directed, relabel=relabel)
    machines = machine or ["host", "hitgraph", "accugraph"]
    found = compare(task, loaded, machines, **_arguments(task, loaded, source, sink))
    if json:
        print_json(found.to_dict())
    else:
        out().print(str(found), markup=False, soft_wrap=True)
