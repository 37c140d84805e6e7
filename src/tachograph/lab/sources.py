"""Graphs of the lab, each under a source that a URL can hold.

A source says where a graph comes from, so a bookmark works with the next server, too:
``kronecker?scale=12&rng=1`` is generated, ``data:NAME`` is a data set, and ``file:NAME?directed=false``
is a file that was given on the command line or dropped on the page. No other file can be read.
"""

from __future__ import annotations

import inspect
import shlex
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

from ..graph.columns import asked_otherwise, in_words
from ..graph.datasets import dataset, datasets
from ..graph.files import read
from ..graph.generate import GENERATORS
from ..graph.graph import Graph
from ..util.errors import InputError, MissingFileError, TachographError
from ..util.text import number_in, plain

__all__ = ["Opened", "Sources", "data_sets", "sliders", "vertex_of"]

KEPT_GRAPHS = 4  # in memory at once; others are read or generated again when they are needed
READ_OPTIONS = ("directed", "relabel", "columns")
#: The bounds of the sliders of generators, and whether a slider is logarithmic.
BOUNDS: dict[str, tuple[float, float, bool]] = {
    "scale": (4, 22, False),
    "edge_factor": (1, 32, False),
    "n": (4, 1 << 22, True),
    "degree": (1, 32, False),
    "rows": (2, 2048, True),
    "columns": (2, 2048, True),
    "deleted": (0, 0.5, False),
    "rewired": (0, 1, False),
    "exponent": (1.5, 4, False),
    "least": (1, 8, False),
    "left": (1, 1 << 20, True),
    "right": (1, 1 << 20, True),
    "branching": (1, 16, False),
    "rng": (0, 99, False),
}
#: Where a slider starts, if not at the generator's default: at a graph that is there at once.
STARTS = {"scale": 12, "n": 4096, "rows": 64, "columns": 64}
SHOWN_WHOLE_VERTICES = {
    "path": 60,
    "star": 60,
    "complete": 24,
    "tree": 63,
}  # few enough to show all


@dataclass(frozen=True)
class Opened:
    """A graph with its source, a name to show, and how Python and a shell get it."""

    source: str
    name: str
    graph: Graph
    python: str
    shell: tuple[str, ...]  # commands before the one that uses the graph, and last its word for it

    def command(self, words: str) -> str:
        """Return the commands that run ``tacho WORDS``, where {graph} stands for the graph."""
        return "\n".join([*self.shell[:-1], "tacho " + words.replace("{graph}", self.shell[-1])])

    def code(self, lines: str) -> str:
        """Return Python that makes the graph ``g`` and goes on with ``lines``."""
        return f"import tachograph as tg\n\ng = {self.python}\n{lines}".rstrip() + "\n"


class Sources:
    """All graphs that were opened, the last few of them in memory."""

    def __init__(self) -> None:
        self._files: dict[str, Path] = {}
        self._opened: OrderedDict[str, Opened] = OrderedDict()
        self._lock = threading.Lock()  # of the two tables
        self._reading = threading.Lock()  # held while a graph is read or generated

    def add_file(self, name: str, path: Path) -> str:
        """Allow a file to be read under this name; return its source."""
        source = f"file:{quote(name)}"
        with self._lock:
            self._files[source] = path
            for old in [s for s in self._opened if s.partition("?")[0] == source]:
                del self._opened[old]
        return source

    def open(self, source: str) -> Opened:
        """Return the graph of a source; read or generate it if it is not in memory.

        Raises
        ------
        InputError, MissingFileError
            If there is no such source, or it is a file that this server was not given.
        """
        with self._reading:
            with self._lock:
                if source in self._opened:
                    self._opened.move_to_end(source)
                    return self._opened[source]
            made = self._make(source)
            with self._lock:
                self._opened[source] = made
                while len(self._opened) > KEPT_GRAPHS:
                    self._opened.popitem(last=False)
        return made

    def known(self) -> list[dict[str, Any]]:
        """List the graphs in memory and the files that can be read, the last one first."""
        with self._lock:
            found = {source: opened.name for source, opened in reversed(self._opened.items())}
            read_already = {source.partition("?")[0] for source in found}
            found |= {s: _name(s) for s in self._files if s not in read_already}
        return [{"source": source, "name": plain(name)} for source, name in found.items()]

    def _make(self, source: str) -> Opened:
        head, _, query = source.partition("?")
        told = dict(parse_qsl(query, keep_blank_values=True))
        if head.startswith("data:"):
            name = head.removeprefix("data:")
            shell = (shlex.quote(name),)
            return Opened(source, name, dataset(name), f"tg.dataset({name!r})", shell)
        if head.startswith("file:"):
            return self._read(source, head, told)
        if head not in GENERATORS:
            raise InputError(f"there is no graph {source!r}: choose one in the panel Graph")
        return _generated(source, head, told)

    def _read(self, source: str, head: str, told: dict[str, str]) -> Opened:
        name, path = _name(head), self._files.get(head)
        if path is None:
            raise MissingFileError(
                f"{name} is not open in this lab: drop the file on the page again"
            )
        if unknown := [k for k in told if k not in READ_OPTIONS]:
            raise InputError(f"a file has no option {unknown[0]!r}: {', '.join(READ_OPTIONS)}")
        columns = told.pop("columns", "")
        options: dict[str, Any] = {k: v == "true" for k, v in told.items()}
        flags = {("directed", True): " --directed", ("directed", False): " --undirected"}
        flags[("relabel", True)] = " --relabel"
        shell = shlex.quote(name) + "".join(flags.get(item, "") for item in options.items())
        if columns:
            options |= in_words(columns)
            shell += f" --columns {shlex.quote(columns)}"
        try:
            graph = read(path, **options)
        except TachographError as error:  # names the file by where it is kept
            text = asked_otherwise(str(error), "name the columns below")
            raise InputError(text.replace(str(path), name)) from None
        more = "".join(f", {k}={v!r}" for k, v in options.items())
        return Opened(source, name, graph, f"tg.read({name!r}{more})", (shell,))


def _name(source: str) -> str:
    """Return the name of a file's source."""
    return unquote(source.removeprefix("file:"))


def _generated(source: str, kind: str, told: dict[str, str]) -> Opened:
    make = GENERATORS[kind]
    parameters = inspect.signature(make).parameters
    options: dict[str, Any] = {}
    for name, text in told.items():
        if name not in parameters:
            raise InputError(f"{kind} has no {name!r}: it takes {', '.join(parameters)}")
        options[name] = _value(name, text, parameters[name].default)
    given = ", ".join(f"{k}={v!r}" for k, v in options.items())
    flags = "".join(f" {_flag(k, v)}" for k, v in options.items())
    name = f"{kind}({given})"
    shell = (f"tacho generate {kind}{flags} graph.tgraph", "graph.tgraph")
    return Opened(source, name, make(**options), f"tg.{make.__name__}({given})", shell)


def _value(name: str, text: str, default: object) -> object:
    """Return what a text of a URL means for a parameter with this default."""
    if name == "weights":
        return (1, 255) if text == "true" else None
    if isinstance(default, bool):
        return text == "true"
    try:
        return float(text) if isinstance(default, float) or "." in text else int(text)
    except ValueError:
        raise InputError(f"{name} = {text!r}: a number is needed") from None


def _flag(name: str, value: object) -> str:
    word = name.replace("_", "-")
    if name == "weights":
        return "--weights " + ("none" if value is None else "1:255")
    if isinstance(value, bool):
        return f"--{word}" if value else f"--no-{word}"
    return f"--{word} {value}"


def sliders() -> list[dict[str, Any]]:
    """Describe each generator: a sentence about it, and the sliders of its parameters."""
    return [
        {"name": kind, "about": _sentence(make), "sliders": list(_sliders(kind, make))}
        for kind, make in GENERATORS.items()
    ]


def _sentence(make: Callable[..., Graph]) -> str:
    text = " ".join((make.__doc__ or "").partition("\n\n")[0].split())
    return text.partition(">>>")[0].replace("``", "").strip()


def _sliders(kind: str, make: Callable[..., Graph]) -> Iterator[dict[str, Any]]:
    for name, p in inspect.signature(make).parameters.items():
        if name == "weights" or isinstance(p.default, bool):
            yield {"name": name, "kind": "check", "start": bool(p.default)}
        else:
            low, high, log = BOUNDS[name]
            start = STARTS.get(name, p.default)
            if name == "n" and kind in SHOWN_WHOLE_VERTICES:
                start, high = SHOWN_WHOLE_VERTICES[kind], 2000
            step = 1 if isinstance(start, int) else 0.01
            bounds = {"low": low, "high": high, "log": log, "step": step}
            yield {"name": name, "kind": "range", "start": start, **bounds}


def vertex_of(opened: Opened, text: str) -> int:
    """Return the vertex of a name or an id, as a person types it."""
    graph, name = opened.graph, text.strip()
    if graph.names is not None and graph.names.dtype.kind not in "iu":
        return graph.id_of(name)
    number = number_in(name)
    if number < 0:
        raise InputError(f"{text!r} is not a vertex: give a number")
    if graph.names is not None:
        return graph.id_of(number)
    if number >= graph.n:
        raise InputError(f"{name} is not a vertex: ids go from 0 to {graph.n - 1}")
    return number


def data_sets() -> list[dict[str, Any]]:
    """List the data sets that are on this machine, the small ones first."""
    here = [d for d in datasets().values() if d.file is not None]
    here.sort(key=lambda d: d.edges or 0)
    return [
        {
            "name": d.name,
            "source": f"data:{d.name}",
            "vertices": d.vertices,
            "edges": d.edges,
            "kind": d.kind,
        }
        for d in here
    ]
