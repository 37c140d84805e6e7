"""Arguments and options that several commands share, and how they print."""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields, is_dataclass
from dataclasses import field as dataclass_field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from ..graph.graph import Graph
    from ..util.executor import Executor

__all__ = [
    "Cluster",
    "Confidence",
    "Crew",
    "Dedupe",
    "Directed",
    "GraphFile",
    "GraphInput",
    "Json",
    "MaxError",
    "Relabel",
    "Workers",
    "executor",
    "flat",
    "load",
    "measured",
    "option",
    "out",
    "print_json",
    "share",
]


T = TypeVar("T")
OPTION = "option"  # where a field of a dataclass keeps its option


class Dedupe(StrEnum):
    """What happens to parallel edges."""

    keep = "keep"
    first = "first"
    min = "min"
    sum = "sum"


GraphFile = Annotated[
    str, typer.Argument(metavar="GRAPH", help="A graph file, or the name of a data set.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Directed = Annotated[
    bool | None,
    typer.Option("--directed/--undirected", help="Default: what the file says, else directed."),
]
Relabel = Annotated[
    bool, typer.Option("--relabel", help="Treat ids as names, and number the vertices anew.")
]
MaxError = Annotated[
    str | None, typer.Option(help="The mean relative error that is allowed, such as 5%.")
]
Confidence = Annotated[str, typer.Option(help="The share of graphs in which that must hold.")]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Use this number of processes on this machine.")
]
Cluster = Annotated[
    str | None,
    typer.Option(envvar="DASK_SCHEDULER_ADDRESS", help="Use this Dask cluster: tcp://..."),
]


@contextmanager
def executor(workers: int | None, cluster: str | None) -> Iterator[Executor | None]:
    """Give the executor that the options name, or None for the default one."""
    if workers is None and cluster is None:
        yield None
        return
    from ..scale.executor import executor as chosen

    with chosen(cluster, workers) as found:
        yield found


def flat(command: Callable[..., None]) -> Callable[..., None]:
    """Let Typer see the fields of a command's dataclass parameters as options of their own.

    A field is annotated as an option is, or declared with :func:`option`. Options that belong together
    travel as one object.
    """
    hints = get_type_hints(command, include_extras=True)
    nouns: dict[str, type] = {}
    parameters = []
    for parameter in inspect.signature(command).parameters.values():
        kind = hints[parameter.name]
        if not (isinstance(kind, type) and is_dataclass(kind)):
            parameters.append(parameter.replace(kind=parameter.KEYWORD_ONLY, annotation=kind))
            continue
        nouns[parameter.name] = kind
        own = get_type_hints(kind, include_extras=True)
        for field in fields(kind):
            if OPTION in field.metadata:
                own[field.name] = Annotated[own[field.name], field.metadata[OPTION]]
        for option in inspect.signature(kind).parameters.values():
            parameters.append(option.replace(kind=option.KEYWORD_ONLY, annotation=own[option.name]))

    @functools.wraps(command)
    def called(**given: object) -> None:
        for name, noun in nouns.items():
            given[name] = noun(**{field.name: given.pop(field.name) for field in fields(noun)})
        command(**given)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    return called


def share(text: str, option: str) -> float:
    """Return a share that was given as 0.05 or 5%."""
    from ..util.errors import InputError

    number = text.strip()
    try:
        return float(number[:-1]) / 100 if number.endswith("%") else float(number)
    except ValueError:
        raise InputError(f"--{option} {text!r} is not a share: write 5% or 0.05") from None


def load(graph: str, **options: Any) -> Graph:
    """Read the graph in a file, or the data set of that name if there is no such file."""
    from ..graph.build import Options, rebuilt
    from ..graph.datasets import dataset
    from ..graph.files import read
    from ..util.errors import InputError, MissingFileError

    if Path(graph).exists() or "/" in graph:
        return read(graph, **options)
    try:
        found = dataset(graph)
    except InputError as error:
        raise MissingFileError(f"{graph}: there is no such file, and {error}") from None
    return rebuilt(found, Options(**options))


def measured(graph: Graph) -> dict[str, object]:
    """Measure all features of a graph, with a progress bar if that takes long."""
    from ..util.progress import bar

    with bar("measuring"):
        return graph.features.to_dict()


def out() -> Console:
    """Return the console for tables on stdout, which prints [brackets] as they are."""
    from rich.console import Console

    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    width = 120 if piped else None
    return Console(file=sys.stdout, highlight=False, markup=False, width=width)


def print_json(value: object) -> None:
    """Write ``value`` to stdout as JSON."""
    json.dump(value, sys.stdout, indent=2)
    sys.stdout.write("\n")


def option(default: T, text: str, *names: str, **more: Any) -> T:
    """Declare a field of a dataclass of options: its default, its help, and perhaps other names."""
    made = typer.Option(*names, help=text, **more)
    return dataclass_field(default=default, metadata={OPTION: made})


@dataclass(frozen=True)
class GraphInput:
    """A graph file or data set, and how to read it."""

    graph: GraphFile
    directed: Directed = None
    relabel: Relabel = False

    def load(self) -> Graph:
        """Read the graph."""
        return load(self.graph, directed=self.directed, relabel=self.relabel)


@dataclass(frozen=True)
class Crew:
    """Who does the tasks of a campaign."""

    workers: Workers = None
    cluster: Cluster = None

    def executor(self) -> AbstractContextManager[Executor | None]:
        """Return a context with the executor, None for the default one."""
        return executor(self.workers, self.cluster)
