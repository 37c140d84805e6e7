"""The arguments of a call of NetworkX, by name: functions of the same shape share an implementation."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields

from .functions import Function
from .graph import BackendGraph, Node

__all__ = ["Query", "answered", "signature_of"]


@dataclass
class Query:
    """What a search is asked for. NetworkX's ``depth_limit`` is a ``cutoff``, too."""

    G: BackendGraph
    source: Node = None
    sources: Iterable[Node] | None = None
    target: Node = None
    weight: str | None = None
    cutoff: float | None = None
    distance: float = 0
    method: str = "dijkstra"
    return_seen: bool | None = None
    direction: str | None = None
    max_error: float | None = None
    threads: int | None = None


QUERY_FIELDS = {field.name: field.name for field in fields(Query)} | {"depth_limit": "cutoff"}


def signature_of(function: Function) -> inspect.Signature:
    """Return the signature of NetworkX's function with our additional parameters, which are None."""
    import networkx as nx

    theirs = inspect.signature(nx.utils.backends._registered_algorithms[function.name].orig_func)
    keyword = inspect.Parameter.KEYWORD_ONLY
    names = (text.partition(" : ")[0] for text in function.parameters)
    more = [inspect.Parameter(name, keyword, default=None) for name in names]
    return theirs.replace(parameters=[*theirs.parameters.values(), *more])


def answered(function: Function, answer: Callable[[Query], object]) -> Callable[..., object]:
    """Return a function with NetworkX's signature whose arguments reach ``answer`` as a query."""
    signature = signature_of(function)

    @functools.wraps(answer)
    def run(*arguments: object, **options: object) -> object:
        bound = signature.bind(*arguments, **options)
        bound.apply_defaults()
        given = {QUERY_FIELDS[k]: v for k, v in bound.arguments.items() if k in QUERY_FIELDS}
        return answer(Query(**given))

    run.__signature__ = signature  # type: ignore[attr-defined]
    return run
