"""``tacho run TASK GRAPH``: run, verify, write the values and the trace.

Commands are made from the table of tasks: options from the signatures of the public functions, their
help from the docstrings. Arguments that a shell cannot express (arrays, functions) are left out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ..tasks.table import ASIDE, TASKS, Task
from ..util.docs import parameters_of, summary_of
from ..util.errors import InputError, NegativeCycleError
from ..util.names import ALIASES, canonical
from .ahead import ahead
from .options import Directed, GraphFile, Json, Relabel, load, out, print_json, share
from .parquet import about, write_rows

if TYPE_CHECKING:
    from ..algorithms.result import Result
    from ..graph.graph import Graph

__all__ = ["app", "names_of", "vertex_of"]


class Tasks(TyperGroup):
    """Commands by the tasks' names and aliases."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a task, whatever it is called."""
        try:
            return super().get_command(ctx, canonical(cmd_name))
        except InputError:
            return super().get_command(ctx, cmd_name)


app = typer.Typer(
    cls=Tasks,
    help="Run an algorithm.\n\n[bold]Example[/bold]  tacho run bfs roads.gr --source 0 --verify",
    epilog="Also accepted: " + ", ".join(f"{a} for {name}" for a, name in ALIASES.items()) + ".",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the values to this Parquet file.")
]
TraceFile = Annotated[Path | None, typer.Option(help="Write the trace to this Parquet file.")]
Verify = Annotated[bool, typer.Option("--verify", help="Check the result by its properties.")]
Threads = Annotated[int | None, typer.Option(help="Default: all cores.")]
Plot = Annotated[Path | None, typer.Option(help="Draw the trace: .png, .svg or .html.")]
SHARED: dict[str, tuple[object, object]] = {
    "directed": (Directed, None),
    "relabel": (Relabel, False),
    "threads": (Threads, None),
    "verify": (Verify, False),
    "output": (Output, None),
    "trace": (TraceFile, None),
    "plot": (Plot, None),
    "json": (Json, False),
}
#: Arguments that are arrays or objects, or shared by all commands.
NOT_IN_A_SHELL = {"personalization", "capacity", "vector", "approximation", *ASIDE} - {"audit"}
#: Arguments that a shell expresses in another way: the option's name, type and default.
SAID_OTHERWISE: dict[str, tuple[str, object, object]] = {
    "source": ("source", list[str] | None, None),
    "sink": ("sink", str | None, None),
    "target": ("target", str | None, None),
    "weight": ("weight", bool, False),
    "output": ("stream", Path | None, None),
    "rng": ("rng", int, 0),
    "max_error": ("max_error", str | None, None),
    "confidence": ("confidence", str, "90%"),
    "delta": ("delta", float | None, None),
}
#: Options that are not arguments of the function: help, type and default.
MORE: dict[str, dict[str, tuple[str, object, object]]] = {
    "sssp": {
        "target": ("Print a shortest path to here.", str | None, None),
        "iterations": ("Approximate: stop after this number of rounds.", int | None, None),
        "min_degree": ("Approximate: skip the arcs of vertices with fewer arcs.", int, 0),
        "max_degree": ("Approximate: skip the arcs of vertices with more arcs.", int | None, None),
        "fraction": ("Approximate: continue from a random share, such as 50%.", str, "1"),
        "no_atomics": ("Approximate: relax without atomics.", bool, False),
        "rng": ("The seed of the random share.", int, 0),
    },
}
EXAMPLES = {
    "bfs": (
        "web.txt.gz --source 0",
        "roads.gr --source 0 --verify --output levels.parquet --trace trace.parquet",
        "web.txt.gz --source 0 --direction surf --plot levels.png",
    ),
    "sssp": (
        "roads.gr --source 0 --target 17",
        "web.gr --source 0 --max-error 5% --audit",
        "web.gr --source 0 --iterations 4 --min-degree 3 --audit",
    ),
    "pagerank": (
        "web.txt.gz --output scores.parquet",
        "web.txt.gz --tol 1e-9 --verify --json",
    ),
    "connected_components": ("web.txt.gz --verify", "roads.gr --json --output labels.parquet"),
    "triangles": ("friends.txt.gz --undirected", "friends.tgraph --per-vertex -o corners.parquet"),
    "maximal_independent_set": (
        "roads.gr --rng 1 --verify",
        "friends.txt.gz --output set.parquet",
    ),
    "maximum_flow": (
        "problem.max.gz --verify",
        "pipes.txt --source 0 --sink 9 --output flow.parquet",
    ),
    "minimum_cut": ("problem.max.gz --verify --json",),
    "spmv": ("roads.gr --output sums.parquet --verify",),
}
SIMILARITY_EXAMPLES = (
    "web.txt.gz --undirected --output values.parquet",
    "web.txt.gz --undirected --device host,opencl --split auto --plot lanes.svg",
    "web.txt.gz --pairs two_hop --topk 10 --memory-limit '200 MB'",
)


def _add(task: Task) -> None:
    """Add the command of a task."""

    def command(graph: str, **options: Any) -> None:
        _run(task, graph, options)

    keyword = inspect.Parameter.KEYWORD_ONLY
    told = parameters_of(task.function)
    made = [inspect.Parameter("graph", keyword, annotation=GraphFile)]
    for name, parameter in task.parameters.items():
        if name not in NOT_IN_A_SHELL:
            made.append(_option(name, parameter, told.get(name, "")))
    for name, (text, kind, default) in MORE.get(task.name, {}).items():
        made.append(_made(name, kind, default, text))
    for name, (kind, default) in SHARED.items():
        made.append(inspect.Parameter(name, keyword, annotation=kind, default=default))
    command.__signature__ = inspect.Signature(made)  # type: ignore[attr-defined]
    lines = EXAMPLES.get(task.name, SIMILARITY_EXAMPLES)
    examples = "\n\n".join(f"tacho run {task.name} {line}" for line in lines)
    command.__doc__ = f"{summary_of(task.function)}\n\n[bold]Examples[/bold]\n\n{examples}"
    app.command(task.name)(command)


def _option(name: str, parameter: inspect.Parameter, text: str) -> inspect.Parameter:
    """Return the option for an argument of a public function."""
    brief = text.partition(". ")[0].rstrip(".") + "."
    if name in SAID_OTHERWISE:
        return _made(*SAID_OTHERWISE[name], brief)
    default = parameter.default
    kinds = {"int": int, "float": float, "bool": bool, "int | None": int | None}
    fallback = str | None if default is None else str
    return _made(name, kinds.get(str(parameter.annotation), fallback), default, brief)


def _made(name: str, kind: object, default: object, text: str) -> inspect.Parameter:
    words = [f"--{name.replace('_', '-')}"] if kind is bool else []
    annotation = Annotated[kind, typer.Option(*words, help=text)]  # type: ignore[valid-type]
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
    )


def _run(task: Task, path: str, options: dict[str, Any]) -> None:
    """Read the graph, take the road, write and print."""
    from ..kernels.runtime.launch import threads as using
    from ..plots.drawing import check_picture
    from ..tasks.road import run

    shared = {name: options.pop(name) for name in SHARED}
    plot: Path | None = shared["plot"]
    if plot is not None:
        check_picture(plot)
    with using(shared["threads"]), ahead(task.name):
        graph = load(path, directed=shared["directed"], relabel=shared["relabel"])
    told = _arguments(task, graph, options)
    aside = {"threads": shared["threads"], "verify": shared["verify"]}
    try:
        result = run(task, graph, keep=True, graph_name=path, **told, **aside)
    except NegativeCycleError as error:
        if graph.names is None:
            raise
        raise NegativeCycleError(graph.names[error.cycle].tolist(), error.weight) from None
    if plot is not None:
        _draw(task, graph, told, result, plot)
    facts = {"task": result.task, **result.facts(), **_path_to(graph, result, options)}
    facts |= {"way": result.run.way, "why": result.run.reason}
    if result.run.number is not None:
        facts["run"] = result.run.number
    facts |= {"seconds": result.seconds, "verified": shared["verify"]}
    if shared["output"] is not None:
        write_rows(_rows(result, graph), shared["output"])
    if shared["trace"] is not None:
        columns = {name: result.trace[name] for name in result.trace.columns}
        write_rows(columns, shared["trace"], about(result, graph))
    _print(result, graph, facts, shared["json"])


def _arguments(task: Task, graph: Graph, options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that the options stand for, without those that were not given."""
    told: dict[str, Any] = {}
    given = {name for name in options if name in task.parameters or name == "stream"}
    for name in given - set(MORE.get(task.name, {})):
        value = options[name]
        if value is not None:
            told |= CONVERT.get(name, _as_it_is)(graph, name, value)
    for name in task.needs:
        if name == "vector":
            told[name] = [1.0] * graph.n
        elif name not in told and name not in graph.meta:
            raise InputError(f"tacho run {task.name} needs --{name}: a vertex of the graph")
    if task.name == "sssp":
        told |= _left_out(options)
    return told


def _as_it_is(graph: Graph, name: str, value: object) -> dict[str, object]:
    return {name: value}


def _vertices(graph: Graph, name: str, value: list[str] | str) -> dict[str, object]:
    names = value if isinstance(value, list) else [value]
    ids = [vertex_of(graph, one) for one in names]
    return {} if not ids else {name: ids[0] if len(ids) == 1 else ids}


def _split(graph: Graph, name: str, value: str) -> dict[str, object]:
    try:
        return {name: value if value == "auto" else float(value)}
    except ValueError:
        raise InputError(f"--split {value}: write auto, or a share from 0 to 1") from None


CONVERT: dict[str, Callable[..., dict[str, object]]] = {
    "source": _vertices,
    "sink": _vertices,
    "target": _vertices,
    "split": _split,
    "weight": lambda graph, name, value: {name: "weight"} if value else {},
    "stream": lambda graph, name, value: {"output": value},
    "max_error": lambda graph, name, value: {name: share(value, "max-error")},
    "confidence": lambda graph, name, value: {name: share(value, "confidence")},
}


def _left_out(options: dict[str, Any]) -> dict[str, object]:
    """Return the approximation that single options describe, if any do."""
    from ..decisions.approximation.rules import Approximation

    names = ("iterations", "min_degree", "max_degree")
    by_hand = Approximation(
        **{name: options[name] for name in names},
        fraction=share(options["fraction"], "fraction"),
        atomic=not options["no_atomics"],
        seed=options["rng"],
    )
    return {} if by_hand.exact else {"approximation": by_hand}


def _path_to(graph: Graph, result: Any, options: dict[str, Any]) -> dict[str, object]:
    """Return a shortest path to the target of ``tacho run sssp``, if there is a target."""
    import numpy as np

    target = options.get("target")
    if target is None or result.task != "sssp":
        return {}
    end = vertex_of(graph, target)
    if np.isinf(result.distances[end]):
        raise InputError(f"there is no path to vertex {target}: it cannot be reached")
    path = result.path(end)
    names = path if graph.names is None else graph.names[path]
    return {"distance": float(result.distances[end]), "path": names.tolist()}


def _draw(task: Task, graph: Graph, told: dict[str, Any], result: Result, path: Path) -> None:
    """Draw the trace; for a breadth-first search, with the times of both directions at each level."""
    from ..algorithms.result import Trace
    from ..tasks.road import run

    trace = result.trace
    if task.name == "bfs" and "device" not in told:
        same = {k: v for k, v in told.items() if k in ("source", "cutoff")}
        timed = run(task, graph, keep=False, direction="oracle", **same).trace
        both = {name: timed[name][: len(trace)] for name in ("push_seconds", "pull_seconds")}
        trace = Trace({**{name: trace[name] for name in trace.columns}, **both})
    trace.plot(path)


def vertex_of(graph: Graph, given: str) -> int:
    """Return the vertex of that id, or of that name if the graph has names."""
    numbers = graph.names is None or graph.names.dtype.kind in "iu"
    name: int | str = given
    if numbers:
        try:
            name = int(given)
        except ValueError:
            have = "" if graph.names is not None else f": ids go from 0 to {graph.n - 1}"
            raise InputError(f"{given!r} is not a vertex id{have}") from None
    return int(name) if graph.names is None else graph.id_of(name)


def _print(result: Result, graph: Graph, facts: dict[str, Any], json: bool) -> None:
    if json:
        facts = {k: v.to_dict() if hasattr(v, "to_dict") else v for k, v in facts.items()}
        print_json({**facts, "trace": result.trace.summary()})
        return
    console = out()
    console.print(repr(graph), markup=False)
    for name, value in facts.items():
        text = f"{value:,.6g}" if isinstance(value, float) else str(value)
        console.print(f"{name:10} {text}", markup=False)
    for name, part in result.trace.summary().items():
        if isinstance(part, dict):
            console.print(f"{name:10} {part['iterations']} iterations, {part['seconds']:.6f} s")


def _rows(result: Any, graph: Graph) -> dict[str, Any]:
    """Return columns with a row for each vertex, pair or arc, or a single row if there are no such."""
    import numpy as np

    names = names_of(graph)
    columns = {name: getattr(result, name) for name in result.table}
    if "source" in columns:
        return columns | {k: names[columns[k]] for k in ("source", "target")}
    if result.task == "maximum_flow":
        ends = {"source": np.repeat(names, graph.degrees), "target": names[graph.indices]}
        return ends | {"flow": result.flow}
    if result.task == "minimum_cut":
        columns = {"source_side": result.source_side}
    elif result.task == "triangles" and result.per_vertex is not None:
        columns = {"triangles": result.per_vertex}
    if not columns:
        return {k: np.array([v]) for k, v in result.facts().items()}
    return {"vertex": names, **columns}


def names_of(graph: Graph) -> Any:
    """Return the names of the vertices, or their ids if they have none."""
    import numpy as np

    return np.arange(graph.n) if graph.names is None else graph.names


for _task in TASKS.values():
    _add(_task)
