"""``should_run``: whether a call is predicted to be faster here than in NetworkX, conversion included.

A time is a sum of a few terms of a graph's size. Their coefficients were measured, for the package or
on this machine (``tacho train networkx``). NetworkX has to count its edges, so their number is
estimated from the degrees of some nodes: evenly spaced ones if nodes are 0, 1, ..., else the first and
the last ones.
"""

from __future__ import annotations

from collections.abc import Sized
from functools import lru_cache
from itertools import chain, islice
from math import ceil, log2, sqrt
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..decisions.model_file import Kept, ModelFile
from .decline import Args, Kwargs, argument
from .functions import FUNCTIONS

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Model", "converted", "in_words", "kept", "predict", "should_run", "sizes", "terms"]

SAMPLED_NODES = 64  # whose degrees are looked at
WEIGHTED = {"near", "near meeting", "all near", "relaxed", "rank", "flow"}


class Model(dict[str, dict[str, list[float]]]):
    """Coefficients of each kind of cost, for NetworkX and for Tachograph; of conversions."""

    @classmethod
    def of(cls, file: ModelFile) -> Model:
        """Take the model from a file and check it."""
        made = cls()
        for name in file.arrays:
            cost, _, who = name.rpartition(".")
            made.setdefault(cost, {})[who] = file.array(name, (None,), least=0.0).tolist()
        return made

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Return the numbers for a file."""
        return {f"{k}.{who}": np.array(v) for k, kinds in self.items() for who, v in kinds.items()}


kept: Kept[Model] = Kept("networkx", (), Model.of)
the_model = lru_cache(1)(kept)  # a decision takes microseconds: do not look at the file each time


def terms(cost: str, n: float, arcs: float, pairs: float = 0.0) -> tuple[float, ...]:
    """Return the terms of a time; ``arcs`` counts an undirected edge twice, as the adjacency does."""
    degree = arcs / n if n else 0.0
    if cost in ("meeting", "near meeting"):
        return 1.0, sqrt(arcs), n, arcs
    if cost.startswith("all "):
        return 1.0, n, n * n, n * arcs
    if cost == "pairs":
        return 1.0, pairs, pairs * degree, n + arcs
    if cost == "triangles":
        return 1.0, n, arcs, arcs * degree
    if cost == "set":
        return 1.0, n, arcs, n * n
    if cost == "flow":
        return 1.0, n, arcs, arcs * sqrt(n)
    return 1.0, n, arcs, arcs * log2(n + 1)


def sizes(graph: nx.Graph[Any]) -> tuple[int, float]:
    """Return the number of nodes, and about how many arcs there are."""
    adjacency = graph._adj
    n = len(adjacency)
    spread = (adjacency.get(i * n // SAMPLED_NODES) for i in range(min(n, SAMPLED_NODES)))
    degrees = [len(row) for row in spread if row is not None]
    if len(degrees) < min(n, SAMPLED_NODES) // 2:  # the nodes are not 0, 1, ...
        rows = adjacency.values()
        last = reversed(rows) if isinstance(adjacency, dict) else iter(())  # else a view of a graph
        both = chain(islice(rows, SAMPLED_NODES // 2), islice(last, SAMPLED_NODES // 2))
        degrees = [len(row) for row in both]
    return n, n * sum(degrees) / max(len(degrees), 1)


def cost_of(name: str, args: Args, kwargs: Kwargs) -> str:
    """Return the kind of cost of a call."""
    cost = FUNCTIONS[name].cost
    if FUNCTIONS[name].module != "generic":
        return cost
    source, target, weight = (
        argument(name, k, args, kwargs) for k in ("source", "target", "weight")
    )
    if source is None and target is None:
        return "all hops" if weight is None else "all near"
    if source is not None and target is not None:
        return "meeting" if weight is None else "near meeting"
    return cost if weight is None else "near"


def reach(name: str, args: Args, kwargs: Kwargs, degree: float) -> float:
    """Return how many nodes a search without weights can reach before it is cut off."""
    keys = ("cutoff", "depth_limit", "distance")
    limit = next((x for k in keys if (x := argument(name, k, args, kwargs)) is not None), None)
    if FUNCTIONS[name].cost not in ("tree", "hops") or limit is None or not 0 <= limit < 64:
        return float("inf")
    return float(max(degree, 1.0) ** ceil(limit))


def converted(graph: nx.Graph[Any], weighted: bool) -> bool:
    """Whether NetworkX has the converted graph already, with an attribute if one is needed."""
    cache = getattr(graph, "__networkx_cache__", None) or {}
    found = cache.get("backends", {}).get("tachograph", {})
    return any(edges or not weighted for edges, _ in found)


def predict(name: str, args: Args, kwargs: Kwargs) -> tuple[float, float, float]:
    """Return the seconds in NetworkX, the seconds here, and the seconds to convert the graph."""
    graph = args[0] if args else kwargs.get("G", kwargs.get("flowG"))
    n, arcs = sizes(graph)
    pairs = 0.0
    cost = cost_of(name, args, kwargs)
    if cost == "pairs":
        given = argument(name, "ebunch", args, kwargs)
        pairs = float(len(given)) if isinstance(given, Sized) else n * (n - 1) / 2
    model = the_model()
    values = terms(cost, n, arcs, pairs)
    theirs, ours, cold = (
        sum(map(mul, model[cost][who], values)) for who in ("networkx", "tachograph", "cold")
    )
    theirs *= min(1.0, reach(name, args, kwargs, arcs / max(n, 1)) / max(n, 1))
    if converted(graph, cost in WEIGHTED):
        return theirs, ours, 0.0
    conversion = max(cold - ours, 0.0)
    if type(next(iter(graph._adj), 0)) is not int:
        conversion += sum(map(mul, model["named"]["seconds"], (1.0, n, arcs)))
    return theirs, ours, conversion * (1 + graph.is_multigraph())


def should_run(name: str, args: Args, kwargs: Kwargs) -> bool | str:
    """Return True if the backend is predicted to be faster, else why it is not."""
    theirs, ours, conversion = predict(name, args, kwargs)
    if ours + conversion < theirs:
        return True
    return (
        f"NetworkX is predicted to take {in_words(theirs)}, Tachograph {in_words(ours)} and "
        f"{in_words(conversion)} to convert the graph"
    )


def in_words(seconds: float) -> str:
    """Return a time as people write it.

    >>> in_words(0.0123)
    '12 ms'
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            number = seconds / size
            return f"{number:.1f} {unit}" if number < 10 else f"{number:.0f} {unit}"
    return f"{seconds * 1e6:.0f} us"
