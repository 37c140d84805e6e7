"""A question: a task, a graph, and the arguments, sorted into what is asked, how, and the rest."""

from __future__ import annotations

import functools
import math
import weakref
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.bfs import vertices
from ..decisions.times.model import graph_shape, with_meeting
from ..graph.graph import Graph
from ..util.arguments import single
from ..util.cores import busy, threads_available
from ..util.errors import InputError
from ..util.text import did_you_mean
from .table import ASIDE, Task

__all__ = ["Question", "ask", "check"]

VERTEX_ARGUMENTS = ("source", "sink", "target")
#: What arguments are called in NetworkX, igraph and scikit-learn.
ELSEWHERE = {"alpha": "damping", "seed": "rng", "random_state": "rng", "n_jobs": "threads"}
ELSEWHERE |= {"s": "source", "t": "sink", "tolerance": "tol", "max_iterations": "max_iter"}
ELSEWHERE |= {"gamma": "resolution", "vertex": "source", "topk": "k", "node": "source"}
#: What the end of a call takes: threads are told, a result is made and kept in the journal. At least
#: half of the time until a deadline is for the work.
ENDING_SECONDS, ENDING_SECONDS_PER_VERTEX = 1e-3, 12e-9
FINGERPRINT_ARCS = 4096  # entries that tell one graph from another
KEPT_SHAPES = 256  # of one graph, for as many sources
LONGEST_LIST = 16  # values of a list that a record holds one by one

#: What was found out about graphs that are still in use: shapes by source and probe, and marks.
_shapes: weakref.WeakKeyDictionary[Graph, dict[tuple[int | None, bool], Mapping[str, float]]]
_shapes = weakref.WeakKeyDictionary()
_marks: weakref.WeakKeyDictionary[Graph, str] = weakref.WeakKeyDictionary()


@dataclass(frozen=True)
class Question:
    """The arguments that differ from the defaults: what is asked, how to do it, and the rest."""

    task: Task
    graph: Graph
    what: Mapping[str, Any]
    how: Mapping[str, Any]
    aside: Mapping[str, Any]
    deadline: float | None = None  # seconds after which an answer is wanted, finished or not
    probe: bool = True  # whether the graph may be probed for a prediction
    reuse: int | None = None  # how many such runs will share what is prepared for one

    @property
    def source(self) -> int | None:
        """The vertex where a search begins, the first of several; None if none was given."""
        given = self.what.get("source")
        return None if given is None else int(vertices(self.graph, given, "source")[0])

    @functools.cached_property
    def shape(self) -> Mapping[str, float]:
        """The numbers that predictions look at; finding a graph's takes about a millisecond, once."""
        known, asked = _shapes.setdefault(self.graph, {}), (self.source, self.probe)
        if asked not in known:
            if len(known) >= KEPT_SHAPES:
                known.clear()
            known[asked] = graph_shape(self.graph, *asked)
        return with_meeting(known[asked])

    @functools.cached_property
    def mark(self) -> str:
        """What tells the graph from others, in the journal."""
        if self.graph not in _marks:
            _marks[self.graph] = mark_of(self.graph)
        return _marks[self.graph]

    @functools.cached_property
    def slower(self) -> float:
        """How many times as long it may take now, because other programs use the cores."""
        cores = threads_available()
        wanted = (self.aside.get("threads") or cores) + busy()
        return max(1.0, wanted / cores)

    @property
    def work(self) -> float | None:
        """The work as a multiple of the usual work; None if it is not modelled."""
        rest = {k: v for k, v in self.what.items() if k not in self.task.neutral}
        return self.task.work(rest)

    @property
    def working_seconds(self) -> float:
        """The part of the time until the deadline that an algorithm may take."""
        if self.deadline is None:
            return math.inf
        ending = ENDING_SECONDS + ENDING_SECONDS_PER_VERTEX * self.graph.n
        return max(self.deadline - ending * self.slower, self.deadline / 2)

    def recorded(self) -> dict[str, Any]:
        """Return what is asked as JSON can hold it; the same for ``7``, ``[7]`` and ``np.int32(7)``."""
        return {name: _plain(name, value) for name, value in sorted(self.what.items())}


def mark_of(graph: Graph) -> str:
    """Return a hash of some arcs and weights, which tells one graph from another."""
    spread = np.linspace(0, max(graph.arcs - 1, 0), min(FINGERPRINT_ARCS, graph.arcs))
    places = spread.astype(np.int64)
    mark = zlib.crc32(np.ascontiguousarray(graph.indices[places]).tobytes())
    if graph.weights is not None:
        mark = zlib.crc32(np.ascontiguousarray(graph.weights[places]).tobytes(), mark)
    return f"{mark:08x}"


def by_id(
    task: Task, graph: Graph, given: tuple[Any, ...], told: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Replace the names of vertices in the arguments of a call by ids."""
    names = [*task.positional, *[""] * len(given)]
    place = tuple(_by_id(graph, *one) for one in zip(names, given, strict=False))
    return place, {name: _by_id(graph, name, value) for name, value in told.items()}


def _by_id(graph: Graph, name: str, value: Any) -> Any:
    if value is None or name not in (*VERTEX_ARGUMENTS, "pairs"):
        return value
    if name == "pairs":
        if isinstance(value, str):
            return value
        listed = value
        if not (isinstance(value, list) and all(map(_is_pair, value))):
            array = np.asarray(value, object)
            if array.shape[1:] != (2,) and array.shape != (0,):
                return value  # which is refused
            listed = array.tolist()
        pairs = [[graph.id_of(v) for v in pair] for pair in listed]
        return np.array(pairs, np.int64).reshape(-1, 2)
    if hasattr(value, "__array__"):  # a column of a table, too
        value = np.asarray(value).tolist()
    if isinstance(value, list | set | range):
        return [graph.id_of(v) for v in value]
    return graph.id_of(value)


def _is_pair(given: object) -> bool:
    return isinstance(given, list | tuple) and len(given) == 2


def ask(
    task: Task, graph: Graph, *given: Any, deadline: float | None = None, **told: Any
) -> Question:
    """Sort the arguments of a call; those that equal a default are left out."""
    if deadline is not None:
        deadline = single("deadline", deadline, "float")
        if not 0 < deadline < math.inf:
            raise InputError(f"deadline = {deadline}: seconds above 0 are needed")
    parameters = task.parameters
    names = dict(zip(task.positional, given, strict=False))
    bound = names | told
    if len(given) > len(names) or len(bound) < len(names) + len(told) or bound.keys() - parameters:
        if "max_error" in bound and "max_error" not in parameters:
            raise InputError(f"{task.name} has no error budget: leave max_error out, it is exact")
        try:
            task.signature.bind(graph, *given, **told)
        except TypeError as error:
            unknown = next((name for name in told if name not in parameters), None)
            near = "" if unknown is None else _meant(unknown, parameters)
            raise TypeError(f"{task.name}() {error}{near}") from None
    what: dict[str, Any] = {}
    how: dict[str, Any] = {}
    aside: dict[str, Any] = {}
    for name, value in bound.items():
        if not _same(value, parameters[name].default):
            looked_up = name in VERTEX_ARGUMENTS  # by name, perhaps
            value = single(name, value, "" if looked_up else parameters[name].annotation)
            (how if name in task.how else aside if name in ASIDE else what)[name] = value
    return Question(task, graph, what, how, aside, deadline)


def _meant(name: str, parameters: Collection[str]) -> str:
    """Return the argument that somebody means who knows another library, or the most similar one."""
    here = ELSEWHERE.get(name)
    return f"; here it is {here}" if here in parameters else did_you_mean(name, parameters)


def _same(value: object, default: object) -> bool:
    if value is default:
        return True
    plain = isinstance(value, str | int | float) and type(value) is type(default)
    return plain and value == default


def check(task: Task, graph: Graph, arguments: Mapping[str, object]) -> None:
    """Raise ``InputError`` for arguments that a plan does not take, and for missing ones."""
    for name in arguments:
        if name not in task.parameters:
            takes = ", ".join(k for k in task.parameters if k not in task.how)
            raise InputError(f"plan({task.name!r}): there is no {name!r}: it takes {takes}")
        if name in task.how:
            raise InputError(
                f"plan({task.name!r}): {name} is what a plan chooses: leave it out, or pass it to "
                "the function"
            )
    for name in task.needs:
        if name not in arguments and name not in graph.meta:
            raise InputError(f"plan({task.name!r}) needs {name}=")


def _plain(name: str, value: Any) -> Any:
    if name in VERTEX_ARGUMENTS:
        value = np.unique(value)
        value = value[0] if value.size == 1 else value
    if isinstance(value, Mapping):
        value = [f"{key}: {number}" for key, number in value.items()]
    if isinstance(value, np.ndarray | list | tuple):
        flat = np.asarray(value).ravel()
        return flat.tolist() if flat.size <= LONGEST_LIST else f"{flat.size:,} values"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.item() if isinstance(value, np.generic) else str(value)
