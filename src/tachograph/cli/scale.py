"""``tacho scale``: graphs in parts, on one machine or many."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..scale import TASKS, task_named
from ..util.names import NAMES
from .options import (
    Crew,
    Directed,
    Json,
    check_table,
    flat,
    option,
    out,
    print_json,
    write_table,
)
from .tables import table

if TYPE_CHECKING:
    from ..algorithms.result import Result
    from ..scale.planner import Costs, Forecast

__all__ = ["app"]

app = typer.Typer(help="Graphs in parts, on one machine or many.", no_args_is_help=True)
_ALSO = {name: f" (or {', '.join(NAMES[name])})" if NAMES[name] else "" for name in TASKS}
_ONE_OF = f"One of {', '.join(name + also for name, also in _ALSO.items())}."
Task = Annotated[str, typer.Argument(metavar="TASK", callback=task_named, help=_ONE_OF)]
Graphs = Annotated[
    list[str], typer.Argument(metavar="GRAPH...", help="A graph file, or Parquet files of edges.")
]
Directory = Annotated[Path, typer.Argument(metavar="DIRECTORY", help="Where the parts are.")]


@app.command()
def partition(
    graph: Graphs,
    parts: Annotated[int, typer.Option(help="The number of parts.")],
    directory: Annotated[Path, typer.Option(help="Where they go; must not exist.")],
    directed: Directed = None,
    json: Json = False,
) -> None:
    """Cut a graph into parts of consecutive vertices and about equally many arcs.

    Parquet files are read batch by batch: they may be larger than memory.

    [bold]Examples[/bold]

    tacho scale partition web.txt.gz --parts 8 --directory /shared/web

    tacho scale partition edges-*.parquet --undirected --parts 64 --directory /shared/crawl
    """
    from ..scale import partition as cut
    from .options import load

    if len(graph) == 1 and Path(graph[0]).suffix.lower() not in (".parquet", ".pq"):
        made = cut(load(graph[0], directed=directed), parts=parts, directory=directory)
    else:
        made = cut(graph, parts=parts, directory=directory, directed=directed)
    if not json:
        out().print(f"{directory}: {made!r}", soft_wrap=True)
        return
    names = ("n", "m", "directed", "weights", "parts", "arcs", "ghosts")
    facts = {name: getattr(made, name) for name in names}
    print_json({"directory": str(directory), "bytes": made.nbytes, **facts})


@app.command()
@flat
def run(
    task: Task,
    directory: Directory,
    crew: Crew,
    source: list[int] | None = option(None, "A vertex, for bfs and sssp; several may be given."),
    rng: int = option(0, "The seed of the order of vertices, for maximal_independent_set."),
    checkpoint: int = option(10, "Supersteps between two checkpoints."),
    trace: Path | None = option(None, "Write the trace to this Parquet file."),
    json: Json = False,
) -> None:
    """Run an algorithm on parts; a run that was stopped goes on from its last checkpoint.

    The values are arrays in .npy files in the parts' directory; their names are printed.

    [bold]Examples[/bold]

    tacho scale run pagerank /shared/web --workers 4

    tacho scale run bfs /shared/web --source 0 --cluster tcp://10.0.0.1:8786
    """
    from .. import scale as algorithms
    from ..util.errors import InputError

    check_table(trace)
    if TASKS[task][1] != bool(source):
        raise InputError("bfs and sssp need --source, and other tasks do not take it")
    told: dict[str, object] = {"source": source} if source else {}
    if task == "maximal_independent_set":
        told["rng"] = rng
    told |= {"cluster": crew.cluster, "workers": crew.workers}
    result = getattr(algorithms, task)(directory, **told, checkpoint=checkpoint)
    if trace is not None:
        write_table(result.trace.to_arrow(), trace)
    facts = _facts(result)
    if (number := _keep(result, directory, told, facts)) is not None:
        facts["run"] = number
    if json:
        print_json(facts)
        return
    for name, value in facts.items():
        out().print(f"{name}: {value:.4g}" if isinstance(value, float) else f"{name}: {value}")


def _facts(result: Result) -> dict[str, object]:
    """Return what to print of a result: single numbers, and where the arrays are."""
    import numpy as np

    facts: dict[str, object] = {"task": result.task, "seconds": result.seconds}
    facts |= {"supersteps": len(result.trace), "provenance": result.provenance}
    for name, value in result.to_dict().items():
        if value is not None and not isinstance(value, np.ndarray):
            facts[name] = value
        elif isinstance(value, np.memmap):
            facts[name] = str(value.filename)
    return facts


def _keep(
    result: Result, directory: Path, options: dict[str, object], facts: dict[str, object]
) -> int | None:
    """Record the run in the journal, apart from runs on one machine. Return its id."""
    from ..journal import Run, journal
    from ..scale.manifest import open_partition

    parts = open_partition(directory)
    names = ("n", "m", "directed", "parts")
    about = {"name": str(directory), **{k: getattr(parts, k) for k in names}, "mark": parts.key}
    run = Run(
        f"{result.task} in parts",
        about,
        result.seconds,
        options={name: value for name, value in options.items() if value is not None},
        provenance=result.provenance,
        facts={k: v for k, v in facts.items() if k not in ("task", "seconds", "provenance")},
        trace=result.trace,
    )
    return journal().record(run)


@dataclass(frozen=True)
class Shape:
    """The shape of a cluster, as options say it."""

    workers: int = option(100, "Workers of the cluster.")
    memory: str = option("16 GB", "Memory of each worker.")
    bandwidth: str = option("1.25 GB", "To or from each worker, per second.")
    latency: float = option(0.03, "Seconds for one round through the scheduler.")


@app.command()
@flat
def plan(
    task: Task,
    vertices: Annotated[float, typer.Option(help="Vertices of the graph, such as 1e9.")],
    edges: Annotated[float, typer.Option(help="Edges of the graph, such as 1e11.")],
    shape: Shape,
    supersteps: int | None = option(None, "Default: as measured here."),
    directory: Path | None = option(None, "Measure costs on these parts, not on a small graph."),
    json: Json = False,
) -> None:
    """Say whether a graph needs more than one machine, and what a cluster would take.

    Costs of supersteps are measured here, on a small graph; everything else is modelled.

    [bold]Examples[/bold]

    tacho scale plan pagerank --vertices 4e9 --edges 1e11 --workers 200 --memory '64 GB'
    """
    from ..scale.manifest import open_partition
    from ..scale.planner import Cluster, forecast, measure, scaling
    from ..util.memory import as_bytes

    workers = shape.workers
    memory, rate = as_bytes(shape.memory, "memory"), as_bytes(shape.bandwidth, "bandwidth")
    cluster = Cluster(workers, memory or 0, rate or 0, shape.latency)
    costs = measure(task, None if directory is None else open_partition(directory))
    n, m = int(vertices), int(edges)
    made = forecast(costs, n, m, cluster, supersteps=supersteps)
    counts = sorted({max(1, workers // 4), max(1, workers // 2), workers, 2 * workers, 4 * workers})
    strong = scaling(costs, n, m, cluster, counts)
    weak = scaling(costs, max(1, n // workers), m // workers, cluster, counts, weak=True)
    if json:
        rows = {"strong": [_row(f) for f in strong], "weak": [_row(f) for f in weak]}
        print_json({**made.to_dict(), "measured_on": costs.measured_on, **rows})
        return
    _show(made, costs, strong, weak)


def _row(forecast: Forecast) -> dict[str, object]:
    names = ("parts", "m", "seconds", "provenance")
    return {"workers": forecast.cluster.workers, **{k: getattr(forecast, k) for k in names}}


def _show(made: Forecast, costs: Costs, strong: list[Forecast], weak: list[Forecast]) -> None:
    from ..plots.numbers import seconds as form
    from ..util.memory import human

    console = out()
    free = made.one_machine_free
    if free is not None:
        says = "needs more than one machine" if made.needs_more else "fits into this machine"
        console.print(
            f"{made.n:,} vertices and {made.m:,} edges take {human(made.one_machine_bytes)}: {says} "
            f"({human(free)} free)",
            soft_wrap=True,
        )
    console.print(
        f"{made.task} on {made.cluster.workers} workers: {made.parts} parts of "
        f"{human(made.part_bytes)}, {made.supersteps} supersteps, {form(made.seconds)} "
        f"(modelled: work {form(made.work_seconds)}, messages "
        f"{form(made.message_seconds)}, rounds {form(made.latency_seconds)}; costs measured on "
        f"{costs.measured_on})"
    )
    heads = ("workers", "this graph", "efficiency", "as large for each worker")
    first, rows = strong[0].seconds * strong[0].cluster.workers, []
    for a, b in zip(strong, weak, strict=True):
        many, share = a.cluster.workers, first / (a.seconds * a.cluster.workers)
        rows.append((f"{many:,}", form(a.seconds), f"{share:.0%}", form(b.seconds)))
    console.print(table(heads, rows))
