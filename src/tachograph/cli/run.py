"""``tacho run TASK GRAPH``: run, verify, write the values and the trace.

Commands are made from the table of tasks: options from the signatures of the public functions, their
help from the docstrings. Arguments that a shell cannot express (arrays, functions) are left out.

Numba compiles one loop at a time in a process, and a first ``tacho run`` has as much to compile for
reading the graph as for the algorithm. Where there is a second core, both are done at once: another
process leaves what it compiles on disk, from where it is loaded here. This is for algorithms whose
loops do not depend on the type of weights, which is known only when the graph has been read.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import typer
from typer.core import TyperGroup

from ..tasks.table import ASIDE, TASKS, Task
from ..util.docs import parameters_of, summary_of
from ..util.errors import InputError, NegativeCycleError, TachographError
from ..util.executor import Local, Work
from ..util.names import ALIASES, canonical
from .options import (
    GraphInput,
    Json,
    check_table,
    duration,
    flat,
    made,
    option,
    share,
    vertices_of,
    write_table,
)
from .shown import show

if TYPE_CHECKING:
    from ..algorithms.result import Result
    from ..graph.graph import Graph

__all__ = ["MODULES", "ahead", "app", "exercise"]


class Tasks(TyperGroup):
    """Commands by the tasks' names and aliases."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a task, whatever it is called."""
        with suppress(InputError):
            cmd_name = canonical(cmd_name)
        return super().get_command(ctx, cmd_name)


app = typer.Typer(
    cls=Tasks,
    help="Run an algorithm.\n\n[bold]Example[/bold]  tacho run bfs roads.gr --source 0 --verify",
    epilog="Also accepted: " + ", ".join(f"{a} for {name}" for a, name in ALIASES.items()) + ".",
    no_args_is_help=True,
)


@dataclass(frozen=True)
class Shared:
    """Options of all tasks."""

    threads: int | None = option(None, "Default: all cores.")
    deadline: str | None = option(None, "Answer by then, finished or not, such as 10ms.")
    verify: bool = option(False, "Check the result by its properties.", "--verify")
    output: Path | None = option(
        None, "Write the values here: .parquet, .csv or .arrow.", "--output", "-o"
    )
    trace: Path | None = option(None, "Write the trace here: .parquet, .csv or .arrow.")
    plot: Path | None = option(None, "Draw the trace: .png, .svg or .html.")
    json: Json = False


@dataclass(frozen=True)
class ByHand:
    """Options of ``tacho run sssp`` that are not arguments of the function."""

    iterations: int | None = option(None, "Approximate: stop after this number of rounds.")
    min_degree: int = option(0, "Approximate: skip the arcs of vertices with fewer arcs.")
    max_degree: int | None = option(None, "Approximate: skip the arcs of vertices with more arcs.")
    fraction: str = option("1", "Approximate: continue from a random share, such as 50%.")
    no_atomics: bool = option(False, "Approximate: relax without atomics.", "--no-atomics")
    rng: int = option(0, "The seed of the random share.")

    def arguments(self) -> dict[str, object]:
        """Return the approximation that single options describe, if any do."""
        from ..decisions.approximation.rules import Approximation

        given = Approximation(
            **{name: getattr(self, name) for name in ("iterations", "min_degree", "max_degree")},
            fraction=share(self.fraction, "fraction"),
            atomic=not self.no_atomics,
            seed=self.rng,
        )
        return {} if given.exact else {"approximation": given}


def _split(_: Graph, value: str) -> str | float:
    try:
        return value if value == "auto" else float(value)
    except ValueError:
        raise InputError(f"--split {value}: write auto, or a share from 0 to 1") from None


def _direction(_: Graph, value: str) -> Any:
    from .compare import policy_of

    return policy_of(value, "direction")


class Said(NamedTuple):
    """How a shell says an argument: type and default, name of the option, and what is made of it."""

    kind: object
    default: object = None
    option: str = ""
    convert: Callable[[Graph, Any], object] = lambda _, value: value


#: Arguments that are arrays or objects, or shared by all commands.
NOT_IN_A_SHELL = {"personalization", "capacity", "vector", "approximation", *ASIDE} - {"audit"}
SEVERAL = Said(list[str] | None, convert=vertices_of)  # the option can be repeated
#: Arguments that a shell says in another way. What becomes None is not given.
SAID = {
    "source": SEVERAL,
    "sink": Said(str | None, convert=vertices_of),
    "target": Said(str | None, convert=vertices_of),
    "weight": Said(bool, False, convert=lambda _, value: "weight" if value else None),
    "output": Said(Path | None, option="stream"),
    "rng": Said(int, 0),
    "split": Said(str, "auto", convert=_split),
    "direction": Said(str, "auto", convert=_direction),
    "max_error": Said(str | None, convert=lambda _, value: share(value, "max-error")),
    "confidence": Said(str, "90%", convert=lambda _, value: share(value, "confidence")),
    "delta": Said(float | None),
}
TYPES_IN_SHELL = {"int": int, "float": float, "bool": bool, "int | None": int | None}
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
    "distances": (
        "web.txt.gz --source 0 --source 7 -o far.parquet",
        "roads.gr --source 0 --source 7 --target 17 --target 18 --paired",
    ),
    "pagerank": ("web.txt.gz --output scores.parquet", "web.txt.gz --tol 1e-9 --verify --json"),
    "connected_components": ("web.txt.gz --verify", "roads.gr --json --output labels.parquet"),
    "strongly_connected_components": ("web.txt.gz --verify", "web.txt.gz -o labels.parquet"),
    "core_number": ("friends.txt.gz --undirected --output cores.parquet",),
    "leiden": (
        "friends.txt.gz --undirected --output communities.parquet",
        "friends.txt.gz --undirected --resolution 2 --rng 7 --verify",
    ),
    "louvain": ("friends.txt.gz --undirected --output communities.parquet",),
    "label_propagation": ("friends.txt.gz --undirected --rng 7 --json",),
    "adamic_adar": ("friends.txt.gz --undirected --pairs two_hop --topk 10 -o links.parquet",),
    "resource_allocation": ("friends.txt.gz --undirected --output values.parquet",),
    "similar_to": ("web.txt.gz --source 17 --k 5", "depends.csv --relabel --source numpy"),
    "triangles": ("friends.txt.gz --undirected", "friends.tgraph --per-vertex -o corners.parquet"),
    "clustering": ("friends.txt.gz --undirected --json",),
    "closeness_centrality": ("web.txt.gz --output near.parquet", "web.txt.gz --max-error 5%"),
    "harmonic_centrality": ("web.txt.gz --output near.parquet", "web.txt.gz --max-error 5%"),
    "betweenness_centrality": (
        "roads.gr --output paths.parquet",
        "roads.gr --max-error 10% --audit",
    ),
    "maximal_independent_set": ("roads.gr --rng 1 --verify", "friends.txt.gz --output set.parquet"),
    "maximum_flow": ("problem.max.gz --verify", "pipes.txt --source 0 --sink 9 -o flow.parquet"),
    "minimum_cut": ("problem.max.gz --verify --json",),
    "spmv": ("roads.gr --output sums.parquet --verify",),
}
SIMILARITY_EXAMPLES = (
    "web.txt.gz --undirected --output values.parquet",
    "web.txt.gz --undirected --device host,opencl --split auto --plot lanes.svg",
    "web.txt.gz --pairs two_hop --topk 10 --memory-limit '200 MB'",
)
#: The module with the loop ``walk`` of each algorithm that is compiled ahead.
MODULES = {
    "bfs": "tachograph.kernels.bfs.search",
    "connected_components": "tachograph.kernels.components",
}


def _said(task: Task) -> dict[str, Said]:
    """Return how each argument of a task is said."""
    found = {}
    for name, p in task.parameters.items():
        if name not in NOT_IN_A_SHELL:
            kind = TYPES_IN_SHELL.get(str(p.annotation), str | None if p.default is None else str)
            said = SAID.get(name, Said(kind, p.default))
            if name == "target" and "ArrayLike" in str(p.annotation):
                said = SEVERAL
            found[name] = said._replace(option=said.option or name)
    return found


def _add(task: Task) -> None:
    """Add the command of a task."""

    def command(by_hand: ByHand | None = None, **options: Any) -> None:
        _run(task, by_hand, **options)

    told = parameters_of(task.function)
    parameters = [made("graph", GraphInput)]
    for name, (kind, default, word, _) in _said(task).items():
        words = [f"--{word.replace('_', '-')}"] if kind is bool else []
        brief = told.get(name, "").partition(". ")[0].rstrip(".") + "."
        parameters.append(made(word, kind, option(default, brief, *words)))
    parameters += [made("by_hand", ByHand)] if task.name == "sssp" else []
    parameters.append(made("shared", Shared))
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    lines = EXAMPLES.get(task.name, SIMILARITY_EXAMPLES)
    examples = "\n\n".join(f"tacho run {task.name} {line}" for line in lines)
    command.__doc__ = f"{summary_of(task.function)}\n\n[bold]Examples[/bold]\n\n{examples}"
    app.command(task.name)(flat(command))


def _run(
    task: Task, by_hand: ByHand | None, graph: GraphInput, shared: Shared, **options: Any
) -> None:
    """Read the graph, take the road, write and print."""
    from ..kernels.runtime.launch import threads as using
    from ..plots.drawing import check_picture
    from ..tasks.road import run

    if shared.plot is not None:
        check_picture(shared.plot)
    check_table(shared.output, shared.trace)
    graph.keep(shared.output, shared.trace, shared.plot, options.get("stream"))
    with using(shared.threads), ahead(task.name):
        loaded = graph.load()
    told = _arguments(task, loaded, options) | (by_hand.arguments() if by_hand else {})
    aside: dict[str, Any] = {"threads": shared.threads, "verify": shared.verify}
    if shared.deadline is not None:
        aside["deadline"] = duration(shared.deadline, "deadline")
    try:
        result = run(task, loaded, keep=True, graph_name=graph.graph, **told, **aside)
    except NegativeCycleError as error:
        raise NegativeCycleError(_names(loaded)[error.cycle].tolist(), error.weight) from None
    if shared.plot is not None:
        _draw(task, loaded, told, result, shared.plot)
    facts = {"task": result.task, **result.facts()}
    if task.name in ("bfs", "sssp") and "target" in told:
        facts |= _path_to(loaded, result, told["target"])
    facts |= {"way": result.run.way, "why": result.run.reason}
    facts |= {"stopped": result.run.stopped} if result.run.stopped else {}
    facts |= {} if result.run.number is None else {"run": result.run.number}
    facts |= {"seconds": result.seconds, "verified": shared.verify}
    if shared.output is not None:
        _write(_rows(result), shared.output)
    if shared.trace is not None:
        sizes = {name: getattr(loaded, name) for name in ("n", "m", "directed")}
        known = {name: getattr(result, name) for name in ("task", "seconds", "provenance")}
        columns = {name: result.trace[name] for name in result.trace.columns}
        _write(columns, shared.trace, {**known, "graph": sizes})
    show(result, loaded, facts, shared.json)


def _arguments(task: Task, graph: Graph, options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that the options stand for, without those that were not given."""
    told: dict[str, Any] = {}
    for name, said in _said(task).items():
        value = options[said.option]
        if value is not None and (found := said.convert(graph, value)) is not None:
            told[name] = found
    for name in task.needs:
        if name == "vector":
            told[name] = [1.0] * graph.n
        elif name not in told and name not in graph.meta:
            raise InputError(f"tacho run {task.name} needs --{name}: a vertex of the graph")
    return told


@contextmanager
def ahead(name: str) -> Iterator[None]:
    """Compile the loops of the task ``name`` while the block reads a graph, if they never were."""
    from ..kernels.runtime.launch import kept_on_disk, threads_available

    cores = threads_available()
    module = MODULES.get(name)
    if module is None or cores < 2 or kept_on_disk(import_module(module).walk) is not False:
        yield
        return
    with Local(1, threads=cores, apart=True) as other:
        outcomes = other.perform(Work(exercise), [{"name": name}])
        yield
        with suppress(TachographError):  # if it could not start, the loops are compiled here
            list(outcomes)


def exercise(name: str) -> None:
    """Run the task ``name`` on a graph that needs no loops to be made."""
    from ..graph.graph import Graph
    from ..kernels.runtime.launch import told

    told.set()  # its parent says that loops are compiled
    pair = Graph(np.array([0, 1, 2]), np.array([1, 0], np.int32), directed=False)
    TASKS[name].function(pair, *([0] if TASKS[name].needs else []))


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


def _rows(result: Result) -> dict[str, Any]:
    """Return columns with a row for each vertex, pair or arc, or a single row if there are no such."""
    return result.columns() or {k: np.array([v]) for k, v in result.facts().items()}


def _path_to(graph: Graph, result: Any, end: Any) -> dict[str, object]:
    """Return a shortest path to a vertex, and its length if edges have lengths."""
    far = {"distance": float(result.distances[end])} if result.task == "sssp" else {}
    return {**far, "path": result.path(_names(graph)[end]).tolist()}


def _names(graph: Graph) -> np.ndarray:
    """Return the names of the vertices, or their ids if they have none."""
    return np.arange(graph.n) if graph.names is None else graph.names


def _write(
    columns: Mapping[str, np.ndarray], path: Path, known: Mapping[str, object] | None = None
) -> None:
    """Write columns; what else is known goes to the file's metadata."""
    import pyarrow as pa

    lists = {k: v.tolist() if v.dtype.kind in "OU" else v for k, v in columns.items()}
    table = pa.table({k: pa.array(v) for k, v in lists.items()})
    if known is not None:
        table = table.replace_schema_metadata({"tachograph": json.dumps(known)})
    write_table(table, path)


for _task in TASKS.values():
    _add(_task)
