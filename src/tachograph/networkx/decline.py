"""``can_run``: the calls that are left to NetworkX because our answer would differ."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from .functions import FUNCTIONS

__all__ = ["Args", "Kwargs", "argument", "can_run"]

Args: TypeAlias = tuple[Any, ...]
Kwargs: TypeAlias = Mapping[str, Any]


@lru_cache(None)
def _positions(name: str) -> dict[str, int]:
    """Return the positions of the parameters of a NetworkX function."""
    import networkx as nx

    function = nx.utils.backends._registered_algorithms[name]
    return {key: i for i, key in enumerate(inspect.signature(function).parameters)}


def argument(name: str, key: str, args: Args, kwargs: Kwargs) -> Any:
    """Return an argument of a call, or None if it is not given."""
    at = _positions(name).get(key, len(args))
    return args[at] if at < len(args) else kwargs.get(key)


def can_run(name: str, args: Args, kwargs: Kwargs) -> bool | str:
    """Return True, or why the backend cannot answer this call as NetworkX would.

    >>> import networkx as nx
    >>> can_run("clustering", (nx.DiGraph(),), {})
    'clustering coefficients are those of undirected graphs'
    """
    if name not in FUNCTIONS:
        return f"there is no {name} in this backend"
    if any(map(callable, args[1:])) or any(map(callable, kwargs.values())):
        return "functions as arguments are called by NetworkX only"
    graph = args[0] if args else kwargs.get("G", kwargs.get("flowG"))
    if graph is None:
        return "a graph is missing"

    def given(key: str) -> Any:
        return argument(name, key, args, kwargs)

    if name in ("bfs_edges", "bfs_tree") and given("reverse") and graph.is_directed():
        return "the order of a node's predecessors is not kept"
    module = FUNCTIONS[name].module
    if module == "generic" and given("method") not in (None, "dijkstra", "bellman-ford"):
        return "there is no such method"
    if module == "clusters":
        if graph.is_directed():
            return "clustering coefficients are those of undirected graphs"
        if given("weight") is not None:
            return "clustering coefficients are those without weights"
    if module == "flow":
        known = set(_positions(name)) | {"backend"}
        if given("flow_func") is not None or set(kwargs) - known:
            return "a flow function or its options are for NetworkX"
    return True
