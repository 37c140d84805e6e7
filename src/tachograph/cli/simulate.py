"""``tacho simulate``: algorithms on accelerators that are not there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..util.errors import InputError
from .options import (
    Cluster,
    Directed,
    GraphFile,
    Json,
    Relabel,
    Workers,
    executor,
    load,
    out,
    print_json,
)

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..journal.campaign import Executor
    from ..simulation.accelerators.compare import Job

__all__ = ["simulate"]


def simulate(
    algorithm: Annotated[str, typer.Argument(help="bfs, sssp, wcc, pagerank or spmv.")],
    graph: GraphFile,
    accelerator: Annotated[
        str, typer.Option(help="hitgraph, accugraph or package.module:Class; several with commas.")
    ] = "hitgraph,accugraph",
    memory: Annotated[
        str, typer.Option(help="Names of tacho dram list, with commas; own: the accelerator's.")
    ] = "own",
    channels: Annotated[
        str | None, typer.Option(help="Of the named memories, with commas.")
    ] = None,
    ranks: Annotated[str | None, typer.Option(help="Of each channel, with commas.")] = None,
    density: Annotated[str | None, typer.Option(help="Of a device, such as 8Gb.")] = None,
    width: Annotated[int | None, typer.Option(help="Of a device, such as 16.")] = None,
    partition_size: Annotated[
        str | None, typer.Option(help="Vertices of a partition; several with commas.")
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option("--set", help="A parameter as name=value; name=a,b sweeps over them."),
    ] = None,
    source: Annotated[int | None, typer.Option(help="Of bfs and sssp.")] = None,
    roots: Annotated[
        int | None, typer.Option(min=1, help="So many sources, drawn as the paper drew its 20.")
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="Of pagerank and spmv: default 1.")] = None,
    along_arcs: Annotated[
        bool, typer.Option("--along-arcs", help="Let wcc pass labels along directed edges only.")
    ] = False,
    workers: Workers = None,
    cluster: Cluster = None,
    directed: Directed = None,
    relabel: Relabel = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the comparison: .png or .svg.")] = None,
    json: Json = False,
) -> None:
    """Simulate graph accelerators by their memory requests, side by side.

    Results are kept: a comparison that was stopped goes on where it was.

    [bold]Examples[/bold]

    tacho simulate wcc friends.txt.gz --undirected

    tacho simulate wcc roads.gr --accelerator hitgraph --memory ddr4-2400r,hbm --set pipelines=8,16

    tacho simulate sssp web.txt.gz --accelerator hitgraph --roots 20
    """
    from ..simulation.accelerators.compare import jobs

    if source is not None and roots is not None:
        raise InputError("give --source or --roots, not both")
    loaded = load(graph, directed=directed, relabel=relabel)
    memories = [None if m.strip().lower() == "own" else m.strip() for m in memory.split(",")]
    todo = jobs(
        algorithm,
        [name.strip() for name in accelerator.split(",")],
        memories,
        settings=_settings(parameters or [], partition_size),
        memory_settings=_memory_settings(memories, channels, ranks, density, width),
        sources=_sources(algorithm, loaded, source, roots),
        iterations=iterations,
        along_arcs=along_arcs,
    )
    with executor(workers, cluster) as chosen:
        rows = _run(loaded, todo, chosen)
    _keep(rows, loaded, graph)
    if plot is not None:
        from ..simulation.accelerators.plots import plot_comparison

        plot_comparison(rows, plot)
    if json:
        print_json(rows)
        return
    from .show_simulate import show

    show(out(), repr(loaded), rows)


def _keep(rows: list[dict[str, Any]], graph: Graph, name: str) -> None:
    """Remember the simulations as runs, for reports."""
    from ..journal import Run, journal
    from ..tasks.record import describe

    about = describe(graph, name)
    for row in rows:
        found = row["result"]
        facts = {k: found[k] for k in ("iterations", "gbps", "row_hit_rate", "memory", "series")}
        run = Run(
            f"{row['algorithm']} on {row['accelerator']}",
            about,
            found["seconds"],
            options={**row["settings"], **row["options"]},
            provenance="simulated",
            facts=facts,
        )
        row["run"] = journal().record(run)


def _settings(parameters: list[str], partition_size: str | None) -> dict[str, list[str]]:
    """Values by the names of parameters."""
    given = [*parameters, *([f"partition_size={partition_size}"] if partition_size else [])]
    made: dict[str, list[str]] = {}
    for text in given:
        name, found, values = text.partition("=")
        if not found or not values:
            raise InputError(f"--set {text}: write name=value, or name=a,b to sweep")
        made[name.strip().replace("-", "_")] = [v.strip() for v in values.split(",")]
    return made


def _memory_settings(
    memories: list[str | None],
    channels: str | None,
    ranks: str | None,
    density: str | None,
    width: int | None,
) -> dict[str, list[Any]]:
    made: dict[str, list[Any]] = {}
    for name, text in (("channels", channels), ("ranks", ranks)):
        if text is not None:
            try:
                made[name] = [int(part) for part in text.split(",")]
            except ValueError:
                raise InputError(f"--{name} {text}: whole numbers with commas between") from None
    if density is not None:
        made["density"] = [density]
    if width is not None:
        made["width"] = [width]
    if made and None in memories:
        raise InputError(f"--{next(iter(made))} changes a named memory: give --memory, too")
    return made


def _sources(
    algorithm: str, graph: Graph, source: int | None, roots: int | None
) -> list[int | None]:
    from ..simulation.accelerators.roots import roots as drawn

    if roots is None:
        return [source]
    if algorithm not in ("bfs", "sssp"):
        raise InputError(f"{algorithm} has no source: leave --roots out")
    return list(drawn(graph.n, roots))


def _run(graph: Graph, todo: list[Job], chosen: Executor | None) -> list[dict[str, Any]]:
    """A row for each job that came out: what was asked and the result, in the order asked."""
    from dataclasses import asdict

    from ..simulation.accelerators.compare import compare

    found = dict(compare(graph, todo, chosen))
    return [{**asdict(todo[i]), "result": found[i]} for i in sorted(found)]
