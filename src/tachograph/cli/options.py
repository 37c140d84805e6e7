"""Arguments and options that several commands share, and how they print."""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from dataclasses import field as dataclass_field
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from ..util.files import is_there, keep_inputs, similar_name
from ..util.tables import TABLE_WRITERS, check_table, write_table
from ..util.text import plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from ..graph.graph import Graph
    from ..util.executor import Executor

__all__ = ["Cluster", "Crew", "Directed", "GraphFile", "GraphInput", "Json", "Relabel", "Workers"]
__all__ += ["duration", "split"]
__all__ += ["facts_table", "flat", "load", "made", "option", "out", "print_json", "say", "share"]
__all__ += ["TABLE_WRITERS", "check_table", "vertex_of", "vertices_of", "write_table"]

T = TypeVar("T")
OPTION = "option"  # where a field of a dataclass keeps its option
#: Seconds in a unit of time.
UNITS = {"us": 1e-6, "ms": 1e-3, "": 1, "s": 1, "m": 60, "min": 60, "h": 3600}

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
Columns = Annotated[
    str | None,
    typer.Option(
        help="The columns of a table with the edges: SOURCE,TARGET or SOURCE,TARGET,WEIGHT."
    ),
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Use this number of processes on this machine.")
]
Cluster = Annotated[
    str | None,
    typer.Option(envvar="DASK_SCHEDULER_ADDRESS", help="Use this Dask cluster: tcp://..."),
]


def option(default: T, text: str, *names: str, **more: Any) -> T:
    """Declare an option, for :func:`flat`: its default, its help, and perhaps other names."""
    made = typer.Option(*names, help=text, **more)
    return dataclass_field(default=default, metadata={OPTION: made})


def made(name: str, kind: object, default: object = inspect.Parameter.empty) -> inspect.Parameter:
    """Return a parameter from which Typer makes an option or argument."""
    if isinstance(default, Field):
        if OPTION in default.metadata:
            kind = Annotated[kind, default.metadata[OPTION]]
        default = inspect.Parameter.empty if default.default is MISSING else default.default
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, keyword, annotation=kind, default=default)


def flat(command: Callable[..., None]) -> Callable[..., None]:
    """Let Typer see what is declared by :func:`option`, and fields of dataclasses as options.

    Options that belong together travel as one object.
    """
    hints = get_type_hints(command, include_extras=True)
    nouns: dict[str, type] = {}
    parameters = []
    for name, parameter in inspect.signature(command).parameters.items():
        kind = hints[name]
        if isinstance(kind, type) and is_dataclass(kind):
            nouns[name] = kind
            own = get_type_hints(kind, include_extras=True)
            parameters += [made(field.name, own[field.name], field) for field in fields(kind)]
        else:
            parameters.append(made(name, kind, parameter.default))

    @functools.wraps(command)
    def called(**given: object) -> None:
        for name, noun in nouns.items():
            given[name] = noun(**{field.name: given.pop(field.name) for field in fields(noun)})
        command(**given)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {p.name: p.annotation for p in parameters}
    return called


@dataclass(frozen=True)
class GraphInput:
    """A graph file or data set, and how to read it."""

    graph: GraphFile
    directed: Directed = None
    relabel: Relabel = False
    columns: Columns = None

    def load(self, **options: Any) -> Graph:
        """Read the graph."""
        if self.columns is not None:
            from ..graph.columns import in_words

            options |= in_words(self.columns)
        return load(self.graph, directed=self.directed, relabel=self.relabel, **options)

    def keep(self, *outputs: object) -> None:
        """Refuse outputs that would replace the graph's file, or each other."""
        keep_inputs(outputs, [self.graph])


@dataclass(frozen=True)
class Crew:
    """Who does the tasks of a campaign."""

    workers: Workers = None
    cluster: Cluster = None

    @contextmanager
    def executor(self) -> Iterator[Executor | None]:
        """Return a context with the executor, None for the default one."""
        if self.workers is None and self.cluster is None:
            yield None
            return
        from ..scale.executor import executor

        with executor(self.cluster, self.workers) as found:
            yield found


def load(graph: str, **options: Any) -> Graph:
    """Read the graph in a file, or the data set of that name if there is no such file."""
    from ..graph.build import Options, rebuilt
    from ..graph.datasets import dataset
    from ..graph.files import read
    from ..util.errors import InputError, MissingFileError

    if is_there(graph) or "/" in graph:
        return read(graph, **options)
    try:
        found = dataset(graph)
    except InputError as error:
        near = similar_name(graph)
        raise MissingFileError(f"{graph}: there is no such file, and {error}{near}") from None
    if "source" in options:
        raise InputError(f"columns: the data set {graph} has none to choose from")
    return rebuilt(found, Options(**options))


WHOLE = re.compile("-?[0-9]{1,18}")  # a number that fits into 64 bits


def vertices_of(graph: Graph, given: str | list[str]) -> int | list[int] | None:
    """Return the vertex, or several, of these ids, or of these names if the graph has names."""
    ids = [vertex_of(graph, one) for one in ([given] if isinstance(given, str) else given)]
    return ids[0] if len(ids) == 1 else ids or None


def vertex_of(graph: Graph, given: str) -> int:
    """Return the vertex of an id, or of a name if the graph has names."""
    from ..util.errors import InputError

    name: int | str = given
    if graph.names is None or graph.names.dtype.kind in "iu":
        if not WHOLE.fullmatch(given):  # int() would also read 1_0
            have = "" if graph.names is not None else f": ids go from 0 to {graph.n - 1}"
            raise InputError(f"{given!r} is not a vertex id{have}")
        name = int(given)
    return graph.id_of(name)


def share(text: str, option: str) -> float:
    """Return a share that was given as 0.05 or 5%."""
    from ..util.errors import InputError

    number = text.strip()
    try:
        return float(number[:-1]) / 100 if number.endswith("%") else float(number)
    except ValueError:
        raise InputError(f"--{option} {text!r} is not a share: write 5% or 0.05") from None


def duration(text: str, option: str = "budget") -> float:
    """Return the seconds that ``10ms``, ``90s``, ``10m`` (or ``10min``) or ``1h`` stand for.

    >>> duration("10ms"), duration("2m"), duration("0.5")
    (0.01, 120.0, 0.5)
    """
    from ..util.errors import InputError

    found = re.fullmatch(r"(\d*\.?\d+)(us|ms|s|m|min|h|)", text.strip())
    if not found:
        raise InputError(f"--{option} {text}: write a number and ms, s, m or h, such as 10m")
    return float(found[1]) * UNITS[found[2]]


def split(text: str) -> list[str]:
    """Return the parts of a list with commas.

    >>> split("host, accugraph@hbm")
    ['host', 'accugraph@hbm']
    """
    return [part.strip() for part in text.split(",")]


def out() -> Console:
    """Return the console for lines and tables on stdout, which shows all text as it is."""
    from rich.console import Console

    class Plain(Console):
        """Shows strings, those in tables too, by :func:`plain`; one string is one line."""

        def render_str(self, text: str, **options: Any) -> Text:
            return super().render_str(plain(text), **options)

        def print(self, *objects: Any, **options: Any) -> None:
            super().print(*objects, **{"crop": False} | options)  # a table may be wider

    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    width = 120 if piped else None
    return Plain(file=sys.stdout, highlight=False, markup=False, emoji=False, width=width)


def say(text: str) -> None:
    """Print a line for people, on stderr."""
    print(plain(text), file=sys.stderr)


def print_json(value: object) -> None:
    """Write ``value`` to stdout as JSON."""
    json.dump(value, sys.stdout, indent=2)
    sys.stdout.write("\n")


def facts_table(rows: Iterable[tuple[str, str]]) -> Table:
    """Return two columns: names, and what is known about them."""
    from rich.table import Table

    shown = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    shown.add_column(style="cyan")
    for row in rows:
        shown.add_row(*row)
    return shown
