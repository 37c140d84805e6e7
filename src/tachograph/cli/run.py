"""``tacho run ALGORITHM GRAPH``: run, verify, write the values and the trace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import Directed, GraphFile, Json, Relabel, load, out, print_json

if TYPE_CHECKING:
    from ..algorithms.result import Result
    from ..graph.graph import Graph

__all__ = ["app"]

app = typer.Typer(
    help="Run an algorithm.\n\n[bold]Example[/bold]  tacho run bfs roads.gr --source 0 --verify",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the values to this Parquet file.")
]
TraceFile = Annotated[Path | None, typer.Option(help="Write the trace to this Parquet file.")]
Verify = Annotated[bool, typer.Option("--verify", help="Check the result by its properties.")]
Threads = Annotated[int | None, typer.Option(help="Default: all cores.")]


@app.command()
def bfs(
    graph: GraphFile,
    source: Annotated[list[str], typer.Option(help="A vertex; may be given several times.")],
    cutoff: Annotated[int | None, typer.Option(help="Go no further than this level.")] = None,
    target: Annotated[str | None, typer.Option(help="Stop when this vertex is reached.")] = None,
    deterministic: Annotated[
        bool, typer.Option("--deterministic", help="Smallest possible parents.")
    ] = False,
    directed: Directed = None,
    relabel: Relabel = False,
    threads: Threads = None,
    verify: Verify = False,
    output: Output = None,
    trace: TraceFile = None,
    json: Json = False,
) -> None:
    """Breadth-first search: the level and the parent of every vertex.

    [bold]Examples[/bold]

    tacho run bfs web.txt.gz --source 0

    tacho run bfs roads.gr --source 0 --verify --output levels.parquet --trace trace.parquet
    """
    from ..algorithms.bfs import bfs as search

    loaded = load(graph, directed=directed, relabel=relabel)
    result = search(
        loaded,
        [_vertex(loaded, s) for s in source],
        cutoff=cutoff,
        target=None if target is None else _vertex(loaded, target),
        deterministic=deterministic,
        threads=threads,
        verify=verify,
    )
    reached = int((result.levels >= 0).sum())
    _finish(result, loaded, output, trace, json, verify,
            {"reached": reached, "deepest": int(result.levels.max())})  # fmt: skip


@app.command()
def components(
    graph: GraphFile,
    directed: Directed = None,
    relabel: Relabel = False,
    threads: Threads = None,
    verify: Verify = False,
    output: Output = None,
    trace: TraceFile = None,
    json: Json = False,
) -> None:
    """Weakly connected components: for every vertex the smallest id of its component.

    [bold]Examples[/bold]

    tacho run components web.txt.gz --verify

    tacho run components roads.gr --json --output labels.parquet
    """
    from ..algorithms.components import connected_components

    loaded = load(graph, directed=directed, relabel=relabel)
    result = connected_components(loaded, threads=threads, verify=verify)
    _finish(result, loaded, output, trace, json, verify, {"count": result.count})


@app.command()
def triangles(
    graph: GraphFile,
    directed: Directed = None,
    relabel: Relabel = False,
    threads: Threads = None,
    verify: Verify = False,
    trace: TraceFile = None,
    json: Json = False,
) -> None:
    """Count the triangles of an undirected graph.

    [bold]Examples[/bold]

    tacho run triangles friends.txt.gz --undirected

    tacho run triangles friends.tgraph --json
    """
    from ..algorithms.triangles import triangles as count

    loaded = load(graph, directed=directed, relabel=relabel)
    result = count(loaded, threads=threads, verify=verify)
    _finish(result, loaded, None, trace, json, verify, {"count": result.count})


@app.command()
def pagerank(
    graph: GraphFile,
    damping: Annotated[float, typer.Option(help="Probability to follow an arc.")] = 0.85,
    tolerance: Annotated[float, typer.Option(help="Change of all scores to stop at.")] = 1e-6,
    max_iterations: Annotated[int, typer.Option(help="Stop after so many.")] = 100,
    directed: Directed = None,
    relabel: Relabel = False,
    threads: Threads = None,
    verify: Verify = False,
    output: Output = None,
    trace: TraceFile = None,
    json: Json = False,
) -> None:
    """PageRank: a score for every vertex.

    [bold]Examples[/bold]

    tacho run pagerank web.txt.gz --output scores.parquet

    tacho run pagerank web.txt.gz --tolerance 1e-9 --verify --json
    """
    from ..algorithms.pagerank import pagerank as rank

    loaded = load(graph, directed=directed, relabel=relabel)
    result = rank(loaded, damping=damping, tolerance=tolerance, max_iterations=max_iterations,
                  threads=threads, verify=verify)  # fmt: skip
    facts = {"iterations": result.iterations, "converged": result.converged}
    _finish(result, loaded, output, trace, json, verify, facts)


@app.command()
def spmv(
    graph: GraphFile,
    directed: Directed = None,
    relabel: Relabel = False,
    threads: Threads = None,
    verify: Verify = False,
    output: Output = None,
    json: Json = False,
) -> None:
    """The adjacency matrix times the vector of ones: for every vertex the weight of its arcs.

    [bold]Example[/bold]

    tacho run spmv roads.gr --output sums.parquet --verify
    """
    import numpy as np

    from ..algorithms.pagerank import spmv as multiply

    loaded = load(graph, directed=directed, relabel=relabel)
    result = multiply(loaded, np.ones(loaded.n), threads=threads, verify=verify)
    _finish(result, loaded, output, None, json, verify, {"sum": float(result.values.sum())})


def _vertex(graph: Graph, given: str) -> int:
    """A vertex by id, or by name if the graph has names."""
    from ..errors import InputError

    if graph.names is None:
        if not given.lstrip("-").isdigit():
            raise InputError(f"{given!r} is not a vertex id: ids go from 0 to {graph.n - 1}")
        return int(given)
    numbers = graph.names.dtype.kind in "iu"
    return graph.id_of(int(given) if numbers and given.lstrip("-").isdigit() else given)


def _finish(
    result: Result,
    graph: Graph,
    output: Path | None,
    trace: Path | None,
    json: bool,
    verified: bool,
    facts: dict[str, Any],
) -> None:
    """Write what was asked for and print the outcome."""
    if output is not None:
        arrays = {k: v for k, v in result.to_dict().items() if hasattr(v, "dtype")}
        _write({"vertex": _ids(graph), **arrays}, output)
    if trace is not None:
        _write({name: result.trace[name] for name in result.trace.columns}, trace)
    facts = {"task": result.task, **facts, "seconds": result.seconds, "verified": verified}
    if json:
        print_json({**facts, "trace": result.trace.summary()})
        return
    console = out()
    console.print(repr(graph))
    for name, value in facts.items():
        console.print(
            f"{name:10} {value:,.6g}" if isinstance(value, float) else f"{name:10} {value}"
        )
    for name, part in result.trace.summary().items():
        if isinstance(part, dict):
            console.print(f"{name:10} {part['iterations']} iterations, {part['seconds']:.6f} s")


def _ids(graph: Graph) -> Any:
    import numpy as np

    return np.arange(graph.n) if graph.names is None else graph.names


def _write(columns: dict[str, Any], path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    from ..graph.files.streams import aside

    with aside(path) as temporary:
        parquet.write_table(pa.table({k: pa.array(list(v) if v.dtype.kind in "OU" else v)
                                      for k, v in columns.items()}), temporary)  # fmt: skip
