"""A question: a task, a graph, and the arguments, sorted into what is asked, how, and the rest."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..algorithms.bfs import vertices
from ..decisions.times.model import shape
from ..graph.graph import Graph
from ..util.errors import InputError
from .table import ASIDE, Task

__all__ = ["Question", "ask", "check"]

VERTEX_ARGUMENTS = ("source", "sink", "target")
NO_NUMBERS = (str, bytes, list, tuple, dict, set)
LONGEST_LIST = 16  # values of a list that a record holds one by one


@dataclass(frozen=True)
class Question:
    """The arguments that differ from the defaults: what is asked, how to do it, and the rest."""

    task: Task
    graph: Graph
    what: Mapping[str, Any]
    how: Mapping[str, Any]
    aside: Mapping[str, Any]

    @property
    def source(self) -> int | None:
        """The vertex where a search begins, the first of several; None if none was given."""
        given = self.what.get("source")
        return None if given is None else int(vertices(self.graph, given, "source")[0])

    @functools.cached_property
    def shape(self) -> Mapping[str, float]:
        """The numbers that predictions look at; finding them takes about a millisecond."""
        return shape(self.graph, self.source)

    @property
    def work(self) -> float | None:
        """The work as a multiple of the usual work; None if it is not modelled."""
        rest = {k: v for k, v in self.what.items() if k not in self.task.neutral}
        return self.task.work(rest)

    def recorded(self) -> dict[str, Any]:
        """Return what is asked as JSON can hold it; the same for ``7``, ``[7]`` and ``np.int32(7)``."""
        return {name: _plain(name, value) for name, value in sorted(self.what.items())}


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
        pairs = [[graph.id_of(v) for v in pair] for pair in np.asarray(value, object).tolist()]
        return np.array(pairs, np.int64).reshape(-1, 2)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | set | range):
        return [graph.id_of(v) for v in value]
    return graph.id_of(value)


def ask(task: Task, graph: Graph, *given: Any, **told: Any) -> Question:
    """Sort the arguments of a call; those that equal a default are left out."""
    parameters = task.parameters
    names = dict(zip(task.positional, given, strict=False))
    bound = names | told
    if len(given) > len(names) or len(bound) < len(names) + len(told) or bound.keys() - parameters:
        if "max_error" in bound and "max_error" not in parameters:
            raise InputError(f"{task.name} has no error budget: leave max_error out, it is exact")
        task.signature.bind(graph, *given, **told)  # says what is wrong
    what: dict[str, Any] = {}
    how: dict[str, Any] = {}
    aside: dict[str, Any] = {}
    for name, value in bound.items():
        if not _same(value, parameters[name].default):
            _must_be_number(name, value, parameters[name].default)
            (how if name in task.how else aside if name in ASIDE else what)[name] = value
    return Question(task, graph, what, how, aside)


def _must_be_number(name: str, value: object, default: object) -> None:
    """Refuse text and containers for an argument that is a number by default."""
    number = isinstance(default, int | float) and not isinstance(default, bool)
    if (number or name == "threads") and isinstance(value, NO_NUMBERS):
        raise InputError(f"{name} = {value!r}: a number is needed")


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
    if isinstance(value, np.ndarray | list | tuple):
        flat = np.asarray(value).ravel()
        return flat.tolist() if flat.size <= LONGEST_LIST else f"{flat.size:,} values"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.item() if isinstance(value, np.generic) else str(value)
