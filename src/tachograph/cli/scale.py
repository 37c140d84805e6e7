"""``tacho scale``: graphs in parts, on one machine or many."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Directed, Json, out, print_json

if TYPE_CHECKING:
    from ..algorithms.result import Result
    from ..scale.planner import Cluster as Shape
    from ..scale.planner import Costs, Forecast

__all__ = ["app"]

app = typer.Typer(
    help="Graphs in parts, on one machine or many.", no_args_is_help=True, rich_markup_mode="rich"
)

Cluster = Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")]
Workers = Annotated[
    int | None, typer.Option(help="Processes to start here instead; default: none, this process.")
]


class Task(StrEnum):
    """What can be run on parts."""

    bfs = "bfs"
    sssp = "sssp"
    pagerank = "pagerank"
    components = "components"
    jaccard = "jaccard"
    mis = "mis"


@app.callback()
def scale() -> None:
    """Graphs in parts, on one machine or many."""


@app.command()
def partition(
    graph: Annotated[
        list[str],
        typer.Argument(metavar="GRAPH...", help="A graph file, or Parquet files of edges."),
    ],
    parts: Annotated[int, typer.Option(help="How many parts.")],
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

    whole = len(graph) == 1 and Path(graph[0]).suffix.lower() not in (".parquet", ".pq")
    given: Any = load(graph[0], directed=directed) if whole else graph
    made = cut(given, parts=parts, directory=directory, directed=None if whole else directed)
    if json:
        facts = {"n": made.n, "m": made.m, "directed": made.directed, "weights": made.weights}
        print_json({"directory": str(directory), **facts, "parts": made.parts,
                    "bytes": made.nbytes, "arcs": made.arcs, "ghosts": made.ghosts})  # fmt: skip
        return
    typer.echo(f"{directory}: {made!r}")


@app.command()
def run(
    task: Annotated[Task, typer.Argument(help="What to run.")],
    directory: Annotated[Path, typer.Argument(metavar="DIRECTORY", help="Of the parts.")],
    source: Annotated[
        list[int] | None,
        typer.Option(help="A vertex, for bfs and sssp; may be given several times."),
    ] = None,
    rng: Annotated[int, typer.Option(help="Of the order of vertices, for mis.")] = 0,
    cluster: Cluster = None,
    workers: Workers = None,
    checkpoint: Annotated[int, typer.Option(help="Supersteps between two checkpoints.")] = 10,
    trace: Annotated[
        Path | None, typer.Option(help="Write the trace to this Parquet file.")
    ] = None,
    json: Json = False,
) -> None:
    """Run an algorithm on parts; a run that was stopped goes on from its last checkpoint.

    The values are arrays in .npy files in the parts' directory; their names are printed.

    [bold]Examples[/bold]

    tacho scale run pagerank /shared/web --workers 4

    tacho scale run bfs /shared/web --source 0 --cluster tcp://10.0.0.1:8786
    """
    result = _result(task, directory, source, rng, cluster, workers, checkpoint)
    if trace is not None:
        from pyarrow import parquet

        from ..graph.files.streams import aside

        with aside(trace) as temporary:
            parquet.write_table(result.trace.to_arrow(), temporary)
    told = {"source": source, "rng": rng if task is Task.mis else None, "cluster": cluster,
            "workers": workers}  # fmt: skip
    facts = _facts(result)
    if (number := _keep(result, directory, told, facts)) is not None:
        facts["run"] = number
    if json:
        print_json(facts)
        return
    console = out()
    for name, value in facts.items():
        console.print(f"{name}: {value:.4g}" if isinstance(value, float) else f"{name}: {value}")


def _result(
    task: Task, directory: Path, source: list[int] | None, rng: int, cluster: str | None,
    workers: int | None, checkpoint: int,
) -> Result:  # fmt: skip
    from .. import scale as parts
    from ..util.errors import InputError

    where: dict[str, Any] = {"cluster": cluster, "workers": workers}
    if (task in (Task.bfs, Task.sssp)) != bool(source):
        raise InputError("--source is needed by bfs and sssp, and by nothing else")
    if task is Task.jaccard:
        return parts.jaccard(directory, **where)
    where["checkpoint"] = checkpoint
    if task is Task.bfs:
        return parts.bfs(directory, source, **where)
    if task is Task.sssp:
        return parts.sssp(directory, source, **where)
    if task is Task.pagerank:
        return parts.pagerank(directory, **where)
    if task is Task.mis:
        return parts.maximal_independent_set(directory, rng=rng, **where)
    return parts.connected_components(directory, **where)


def _facts(result: Result) -> dict[str, Any]:
    """What to print of a result: single numbers, and where the arrays are."""
    import numpy as np

    facts: dict[str, Any] = {"task": result.task, "seconds": result.seconds}
    facts |= {"supersteps": len(result.trace), "provenance": result.provenance}
    for name, value in result.to_dict().items():
        if not isinstance(value, np.ndarray):
            facts[name] = value
        elif isinstance(value, np.memmap):
            facts[name] = str(value.filename)
    return facts


def _keep(
    result: Result, directory: Path, options: dict[str, Any], facts: dict[str, Any]
) -> int | None:
    """Remember the run in the journal, apart from runs on one machine; its id."""
    from ..journal import Run, journal
    from ..scale.manifest import open_partition

    parts = open_partition(directory)
    about = {"name": str(directory), "n": parts.n, "m": parts.m, "directed": parts.directed,
             "parts": parts.parts, "mark": parts.key}  # fmt: skip
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


@app.command()
def plan(
    task: Annotated[Task, typer.Argument(help="What would be run.")],
    vertices: Annotated[float, typer.Option(help="Of the graph, as 1e9.")],
    edges: Annotated[float, typer.Option(help="Of the graph, as 1e11.")],
    workers: Annotated[int, typer.Option(help="Of the cluster.")] = 100,
    memory: Annotated[str, typer.Option(help="Of each worker.")] = "16 GB",
    bandwidth: Annotated[
        str, typer.Option(help="From or to each worker, in a second.")
    ] = "1.25 GB",
    latency: Annotated[
        float, typer.Option(help="Seconds for a round through the scheduler.")
    ] = 0.03,
    supersteps: Annotated[int | None, typer.Option(help="Default: as measured here.")] = None,
    directory: Annotated[
        Path | None, typer.Option(help="Measure costs on these parts, not on a small graph.")
    ] = None,
    json: Json = False,
) -> None:
    """Say whether a graph needs more than one machine, and what a cluster would take.

    Costs of supersteps are measured here, on a small graph; everything else is modelled.

    [bold]Examples[/bold]

    tacho scale plan pagerank --vertices 4e9 --edges 1e11 --workers 200 --memory '64 GB'
    """
    from ..algorithms.similarity import as_bytes
    from ..scale.manifest import open_partition
    from ..scale.planner import Cluster, forecast, measure, scaling

    shape = Cluster(workers, as_bytes(memory) or 0, as_bytes(bandwidth) or 0, latency)
    costs = measure(task.value, None if directory is None else open_partition(directory))
    n, m = int(vertices), int(edges)
    made = forecast(costs, n, m, shape, supersteps=supersteps)
    counts = sorted({max(1, workers // 4), max(1, workers // 2), workers, 2 * workers, 4 * workers})
    strong = scaling(costs, n, m, shape, counts)
    weak = scaling(costs, max(1, n // workers), m // workers, shape, counts, weak=True)
    if json:
        print_json({**made.to_dict(), "measured_on": costs.measured_on,
                    "strong": [_row(f) for f in strong], "weak": [_row(f) for f in weak]})  # fmt: skip
        return
    _show(made, costs, shape, strong, weak)


def _row(forecast: Forecast) -> dict[str, Any]:
    return {"workers": forecast.cluster.workers, "parts": forecast.parts, "m": forecast.m,
            "seconds": forecast.seconds, "provenance": forecast.provenance}  # fmt: skip


def _show(
    made: Forecast, costs: Costs, shape: Shape, strong: list[Forecast], weak: list[Forecast]
) -> None:
    from rich.table import Table

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
        f"{made.task} on {shape.workers} workers: {made.parts} parts of {human(made.part_bytes)}, "
        f"{made.supersteps} supersteps, {made.seconds:.3g} s ([bold]modelled[/bold]: work "
        f"{made.work_seconds:.3g} s, messages {made.message_seconds:.3g} s, rounds "
        f"{made.latency_seconds:.3g} s; costs measured on {costs.measured_on})"
    )
    table = Table("workers", "this graph, s", "efficiency", "as large for each worker, s")
    first = strong[0].seconds * strong[0].cluster.workers
    for a, b in zip(strong, weak, strict=True):
        share = first / (a.seconds * a.cluster.workers)
        table.add_row(
            f"{a.cluster.workers:,}", f"{a.seconds:.3g}", f"{share:.0%}", f"{b.seconds:.3g}"
        )
    console.print(table)
