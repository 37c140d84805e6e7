"""``tacho run ALGORITHM GRAPH``: run, verify, write the values and the trace.

A command here has its algorithm's own options only; those that all share are added by ``algorithm``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ..algorithms.result import Result, Trace
from ..graph.graph import Graph
from ..util.errors import InputError, NegativeCycleError
from .ahead import ahead
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
from .parquet import about, write_rows

__all__ = ["Outcome", "algorithm", "app", "names_of", "vertex_of"]

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
# what the algorithm gave, what to print of it, and what to write if that is not a row for each vertex
Outcome = tuple[Result, dict[str, Any]] | tuple[Result, dict[str, Any], dict[str, Any]]


def algorithm(solve: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """Add the command ``solve(graph, verify, ...)``: its own options, then those that all share."""
    own = list(inspect.signature(solve, eval_str=True).parameters.values())[2:]

    def command(
        graph: str,
        directed: bool | None,
        relabel: bool,
        threads: int | None,
        verify: bool,
        output: Path | None,
        trace: Path | None,
        json: bool,
        **options: Any,
    ) -> None:
        from ..kernels.runtime.launch import threads as using

        with using(threads), ahead(solve.__name__):
            loaded = load(graph, directed=directed, relabel=relabel)
        with using(threads):
            result, facts, *rows = solve(loaded, verify, **options)
        facts |= _kept(result, loaded, graph, options)
        if output is not None:
            write_rows(rows[0] if rows else _values(result, loaded), output)
        _finish(result, loaded, trace, json, verify, facts)

    shared = {
        "directed": (Directed, None),
        "relabel": (Relabel, False),
        "threads": (Threads, None),
        "verify": (Verify, False),
        "output": (Output, None),
        "trace": (TraceFile, None),
        "json": (Json, False),
    }
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("graph", keyword, annotation=GraphFile)]
    parameters += [p.replace(kind=keyword) for p in own]
    parameters += [
        inspect.Parameter(name, keyword, annotation=kind, default=default)
        for name, (kind, default) in shared.items()
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__doc__ = solve.__doc__
    app.command(solve.__name__)(command)
    return solve


@algorithm
def bfs(
    graph: Graph,
    verify: bool,
    source: Annotated[list[str], typer.Option(help="A vertex; may be given several times.")],
    cutoff: Annotated[int | None, typer.Option(help="Go no further than this level.")] = None,
    target: Annotated[str | None, typer.Option(help="Stop when this vertex is reached.")] = None,
    deterministic: Annotated[
        bool, typer.Option("--deterministic", help="Smallest possible parents.")
    ] = False,
    direction: Annotated[
        str,
        typer.Option(
            help="What chooses push or pull: auto, surf, push, pull, hbfs, gunrock, enterprise, gapbs, "
            "lagraph, cugraph, or oracle (times both)."
        ),
    ] = "auto",
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw the levels: .png, .svg or .html; times both directions."),
    ] = None,
) -> Outcome:
    """Breadth-first search: the level and the parent of every vertex.

    [bold]Examples[/bold]

    tacho run bfs web.txt.gz --source 0

    tacho run bfs roads.gr --source 0 --verify --output levels.parquet --trace trace.parquet

    tacho run bfs web.txt.gz --source 0 --direction surf --plot levels.png
    """
    from ..algorithms.bfs import bfs as search
    from ..plots.drawing import check_picture

    if plot is not None:
        check_picture(plot)
    sources = [vertex_of(graph, s) for s in source]
    result = search(
        graph,
        sources,
        direction=direction,
        cutoff=cutoff,
        target=None if target is None else vertex_of(graph, target),
        deterministic=deterministic,
        verify=verify,
    )
    if plot is not None:
        _draw(result, search(graph, sources, direction="oracle", cutoff=cutoff), plot)
    reached = int((result.levels >= 0).sum())
    return result, {"reached": reached, "deepest": int(result.levels.max())}


def _draw(result: Result, timed: Result, path: Path) -> None:
    """Draw a search with the times of both directions, which its levels have in common."""
    rows = len(result.trace)
    both = {name: timed.trace[name][:rows] for name in ("push_seconds", "pull_seconds")}
    Trace({**{name: result.trace[name] for name in result.trace.columns}, **both}).plot(path)


@algorithm
def sssp(
    graph: Graph,
    verify: bool,
    source: Annotated[list[str], typer.Option(help="A vertex; may be given several times.")],
    target: Annotated[str | None, typer.Option(help="Print a shortest path to here.")] = None,
    algorithm: Annotated[
        str, typer.Option(help="auto, delta-stepping, bellman-ford, dijkstra or hybrid.")
    ] = "auto",
    delta: Annotated[float | None, typer.Option(help="Width of the buckets.")] = None,
    iterations: Annotated[int | None, typer.Option(help="Stop after so many rounds.")] = None,
    min_degree: Annotated[int, typer.Option(help="Go on from vertices with so many arcs.")] = 0,
    max_degree: Annotated[int | None, typer.Option(help="And with no more than so many.")] = None,
    fraction: Annotated[str, typer.Option(help="Go on from a random share, as 50%.")] = "1",
    no_atomics: Annotated[
        bool, typer.Option("--no-atomics", help="Relax without atomics.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the random share.")] = 0,
    max_error: MaxError = None,
    confidence: Confidence = "90%",
    audit: Annotated[
        bool, typer.Option("--audit", help="Check approximate distances on a sample.")
    ] = False,
) -> Outcome:
    """Shortest paths: the distance and the predecessor of every vertex.

    With --max-error the fastest way that keeps this mean relative error is taken (see tacho plan);
    --iterations, --min-degree, --max-degree, --fraction and --no-atomics leave something out by hand.

    [bold]Examples[/bold]

    tacho run sssp roads.gr --source 0 --target 17

    tacho run sssp web.gr --source 0 --max-error 5% --audit

    tacho run sssp web.gr --source 0 --iterations 4 --min-degree 3 --audit

    tacho run sssp roads.gr --source 0 --verify --output distances.parquet --trace trace.parquet
    """
    import numpy as np

    from ..algorithms.sssp import audited
    from ..algorithms.sssp import sssp as search
    from ..decisions.approximation.methods import Approximation

    by_hand = Approximation(iterations, min_degree, max_degree, share(fraction, "fraction"),
                            not no_atomics, seed)  # fmt: skip
    budget = None if max_error is None else share(max_error, "max-error")
    sources = [vertex_of(graph, s) for s in source]
    try:
        result = search(graph, sources, algorithm=algorithm, delta=delta,
                        approximation=None if by_hand.exact else by_hand, max_error=budget,
                        confidence=share(confidence, "confidence"), verify=verify)  # fmt: skip
        if audit:
            result = audited(graph, sources, result)
    except NegativeCycleError as error:
        if graph.names is not None:
            raise NegativeCycleError(graph.names[error.cycle].tolist(), error.weight) from None
        raise
    reached = result.distances[np.isfinite(result.distances)]
    facts: dict[str, Any] = {"reached": reached.size, "farthest": float(reached.max())}
    if not result.approximation.exact or budget is not None:
        facts["left out"] = str(result.approximation)
    if result.audit is not None:
        facts["audit"] = result.audit
    if target is not None:
        end = vertex_of(graph, target)
        if np.isinf(result.distances[end]):
            raise InputError(f"there is no path to vertex {target}: it cannot be reached")
        path = result.path(end)
        facts["distance"] = float(result.distances[end])
        facts["path"] = (path if graph.names is None else graph.names[path]).tolist()
    return result, facts


@algorithm
def components(graph: Graph, verify: bool) -> Outcome:
    """Weakly connected components: for every vertex the smallest id of its component.

    [bold]Examples[/bold]

    tacho run components web.txt.gz --verify

    tacho run components roads.gr --json --output labels.parquet
    """
    from ..algorithms.components import connected_components

    result = connected_components(graph, verify=verify)
    return result, {"count": result.count}


@algorithm
def triangles(graph: Graph, verify: bool) -> Outcome:
    """Count the triangles of an undirected graph.

    [bold]Examples[/bold]

    tacho run triangles friends.txt.gz --undirected

    tacho run triangles friends.tgraph --json
    """
    from ..algorithms.triangles import triangles as count

    result = count(graph, verify=verify)
    return result, {"count": result.count}


@algorithm
def pagerank(
    graph: Graph,
    verify: bool,
    damping: Annotated[float, typer.Option(help="Probability to follow an arc.")] = 0.85,
    tol: Annotated[float, typer.Option(help="Change of all scores to stop at.")] = 1e-6,
    max_iter: Annotated[int, typer.Option(help="Stop after so many.")] = 100,
) -> Outcome:
    """PageRank: a score for every vertex.

    [bold]Examples[/bold]

    tacho run pagerank web.txt.gz --output scores.parquet

    tacho run pagerank web.txt.gz --tol 1e-9 --verify --json
    """
    from ..algorithms.pagerank import pagerank as rank

    result = rank(graph, damping=damping, tol=tol, max_iter=max_iter,
                  verify=verify)  # fmt: skip
    return result, {"iterations": result.iterations, "converged": result.converged}


@algorithm
def spmv(graph: Graph, verify: bool) -> Outcome:
    """The adjacency matrix times the vector of ones: for every vertex the weight of its arcs.

    [bold]Example[/bold]

    tacho run spmv roads.gr --output sums.parquet --verify
    """
    import numpy as np

    from ..algorithms.pagerank import spmv as multiply

    result = multiply(graph, np.ones(graph.n), verify=verify)
    return result, {"sum": float(result.values.sum())}


def vertex_of(graph: Graph, given: str) -> int:
    """A vertex by id, or by name if the graph has names."""
    numbers = graph.names is None or graph.names.dtype.kind in "iu"
    name: int | str = given
    if numbers:
        try:
            name = int(given)
        except ValueError:
            have = "" if graph.names is not None else f": ids go from 0 to {graph.n - 1}"
            raise InputError(f"{given!r} is not a vertex id{have}") from None
    return int(name) if graph.names is None else graph.id_of(name)


def _finish(
    result: Result,
    graph: Graph,
    trace: Path | None,
    json: bool,
    verified: bool,
    facts: dict[str, Any],
) -> None:
    """Write the trace if it was asked for and print the outcome."""
    if trace is not None:
        columns = {name: result.trace[name] for name in result.trace.columns}
        write_rows(columns, trace, about(result, graph))
    facts = {"task": result.task, **facts, "seconds": result.seconds, "verified": verified}
    if json:
        facts = {k: v.to_dict() if hasattr(v, "to_dict") else v for k, v in facts.items()}
        print_json({**facts, "trace": result.trace.summary()})
        return
    console = out()
    console.print(repr(graph))
    for name, value in facts.items():
        text = f"{value:,.6g}" if isinstance(value, float) else str(value)
        console.print(f"{name:10} {text}", markup=False)
    for name, part in result.trace.summary().items():
        if isinstance(part, dict):
            console.print(f"{name:10} {part['iterations']} iterations, {part['seconds']:.6f} s")


def _kept(result: Result, graph: Graph, name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Remember the run in the journal; its id."""
    from ..tasks.record import remember
    from ..tasks.table import find_task

    told = {k: v for k, v in options.items() if not isinstance(v, Path)}
    for end in ("source", "sink", "target"):
        if told.get(end) is not None:
            given = told[end] if isinstance(told[end], list) else [told[end]]
            told[end] = [vertex_of(graph, g) for g in given]
    number = remember(find_task(result.task), graph, told, result, name=name)
    return {} if number is None else {"run": number}


def _values(result: Result, graph: Graph) -> dict[str, Any]:
    """A row for each vertex, or pair, or a single one if the values are not by vertex."""
    import numpy as np

    values = result.to_dict()
    arrays = {k: v for k, v in values.items() if isinstance(v, np.ndarray)}
    if "source" in arrays:  # a row for each pair
        names = graph.names
        ends = {k: arrays[k] if names is None else names[arrays[k]] for k in ("source", "target")}
        return {**ends, "values": arrays["values"]}
    if not arrays:
        return {k: np.array([v]) for k, v in values.items()}
    return {"vertex": names_of(graph), **arrays}


def names_of(graph: Graph) -> Any:
    """What the vertices are called."""
    import numpy as np

    return np.arange(graph.n) if graph.names is None else graph.names


from . import run_rounds, run_similarity  # noqa: E402, F401  (their commands are added to the app)
