"""``can_run``: whether our answer would be NetworkX's; ``should_run``: whether it is predicted to be
faster, conversion included.

A time is a sum of a few terms of a graph's size. Their coefficients were measured, for the package or
on this machine (``tacho train networkx``). NetworkX has to count its edges, so their number is
estimated from the degrees of some nodes: evenly spaced ones if nodes are 0, 1, ..., else the first and
the last ones.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Mapping, Sized
from functools import lru_cache
from itertools import chain, islice
from math import ceil, log2, sqrt
from operator import mul
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..decisions.model_file import Kept, ModelFile
from ..util.errors import TachographError
from .functions import FUNCTIONS

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Model", "can_run", "converted", "in_words", "kept", "predict", "should_run", "sizes"]

Args: TypeAlias = tuple[Any, ...]
Kwargs: TypeAlias = Mapping[str, Any]

#: By how much longer than predicted a call and a conversion may take, and still be faster: functions
#: of one kind of cost differ, and what is left out near the break-even would save little.
DOUBT, CONVERSION_DOUBT = 2.5, 1.25
#: Arcs per node of the sparsest graphs that were timed; below, nodes without neighbours (if neighbours
#: are compared) and narrow searches take NetworkX less time than predicted, by this factor at most.
SPARSEST, SPARSE_DOUBT = 3, 2.0
DOUBTED_IF_SPARSE = ("triangles", "pairs", "hops", "tree", "near")
#: The part of the work of its kind that a call is for NetworkX: it stops at a target, half-way on
#: average, or at a cutoff of weights, maybe at once, multiplies two degrees or makes no unions instead
#: of comparing neighbours, and makes no paths of its predecessors.
TO_TARGET, TO_CUTOFF = 0.5, 0.0
THEIR_PART = {
    "preferential_attachment": 0.1,
    "adamic_adar_index": 0.5,
    "resource_allocation_index": 0.5,
    "bellman_ford_predecessor_and_distance": 0.6,
}
#: Converting a directed graph for a search to a target, over converting it: arcs are turned round, too.
TURNED = 2.0
CHOSEN_SECONDS = 8e-4  # to begin an independent set with nodes that are named
#: Seconds that a call takes here beside those of its kind.
MORE_SECONDS = {"minimum_cut": 1e-3, "dijkstra_predecessor_and_distance": 5e-5}
#: Those that make a list for the path of every pair, and what a list takes in NetworkX and here.
ALL_PATHS = (
    *("all_pairs_shortest_path", "all_pairs_dijkstra", "all_pairs_dijkstra_path"),
    *("all_pairs_bellman_ford_path", "johnson"),
)
PATH_SECONDS = (0.15e-6, 0.8e-6)
SAMPLED_NODES = 64  # whose degrees are looked at
#: Nodes that a search should reach, and searches that are begun where all pairs are asked for: in a
#: graph that falls apart NetworkX is done at once.
LOOKED_AT_NODES, STARTS = 64, 4
GENERIC = ("shortest_path", "shortest_path_length")
WHOSE = {"networkx", "tachograph", "cold"}
GENERIC_COSTS = ("meeting", "near meeting", "near", "all hops", "all near")
#: Whose times of each kind of cost a model has; ``named``: what converting nodes with names adds.
COSTS = {"named": {"seconds"}} | dict.fromkeys(
    (*GENERIC_COSTS, *(f.cost for f in FUNCTIONS.values() if f.cost != "all relaxed")), WHOSE
)
#: Kinds of cost whose work is that of searches, which may end where they begin.
SEARCHES = {
    *("hops", "tree", "near", "relaxed", "flow", "all hops", "all near", "all relaxed"),
}
WEIGHTED = {"near", "near meeting", "all near", "relaxed", "rank", "flow"}


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


def graph_of(args: Args, kwargs: Kwargs) -> Any:
    """Return the graph of a call."""
    return args[0] if args else kwargs.get("G", kwargs.get("flowG"))


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
    graph, cost = graph_of(args, kwargs), FUNCTIONS[name].cost
    if graph is None:
        return "a graph is missing"

    def given(key: str) -> Any:
        return argument(name, key, args, kwargs)

    if name in ("bfs_edges", "bfs_tree") and given("reverse") and graph.is_directed():
        return "the order of a node's predecessors is not kept"
    if name in GENERIC and given("method") not in (None, "dijkstra", "bellman-ford"):
        return "there is no such method"
    if FUNCTIONS[name].module == "communities" and name != "core_number":
        if graph.is_directed():
            return "communities are those of undirected graphs"
        if given("max_level") is not None or given("threshold") not in (None, 1e-7):
            return "levels and thresholds are those of NetworkX"
    if name == "kosaraju_strongly_connected_components" and given("source") is not None:
        return "the order of components is that of NetworkX"
    if cost == "triangles":
        if graph.is_directed():
            return "clustering coefficients are those of undirected graphs"
        if given("weight") is not None:
            return "clustering coefficients are those without weights"
    if FUNCTIONS[name].module == "centrality":
        if any(given(key) is not None for key in ("distance", "weight", "k", "sources")):
            return "centralities are those without weights, from all nodes"
        if given("endpoints"):
            return "ends of paths are not counted"
    if cost == "flow":
        known = set(_positions(name)) | {"backend"}
        if given("flow_func") is not None or set(kwargs) - known:
            return "a flow function or its options are for NetworkX"
    return True


class Model(dict[str, dict[str, list[float]]]):
    """Coefficients of each kind of cost, for NetworkX and for Tachograph; of conversions."""

    @classmethod
    def of(cls, file: ModelFile) -> Model:
        """Take the model from a file and check it."""
        made = cls()
        for name in file.arrays:
            cost, _, who = name.rpartition(".")
            count = 3 if cost == "named" else len(terms(cost, 1.0, 1.0))
            made.setdefault(cost, {})[who] = file.array(name, (count,), least=0.0).tolist()
        missing = [kind for kind in COSTS if set(made.get(kind, {})) != COSTS[kind]]
        if missing:
            raise file.problem(f"there are no times of {', '.join(missing)}")
        return made

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """Return the numbers for a file."""
        return {f"{k}.{who}": np.array(v) for k, kinds in self.items() for who, v in kinds.items()}


kept: Kept[Model] = Kept("networkx", (), Model.of)
the_model = lru_cache(1)(kept)  # a decision takes microseconds: do not look at the file each time


def terms(cost: str, n: float, arcs: float, pairs: float = 0.0) -> tuple[float, ...]:
    """Return the terms of a time; ``arcs`` counts an undirected edge twice, as the adjacency does."""
    degree = arcs / n if n else 0.0
    if cost.startswith("all "):
        return 1.0, n, n * n, n * arcs
    if cost in ("meeting", "near meeting"):
        return 1.0, sqrt(arcs), n, arcs
    if cost == "pairs":
        return 1.0, pairs, pairs * degree, n + arcs
    last = {"triangles": arcs * degree, "set": n * n, "flow": arcs * sqrt(n)}
    return 1.0, n, arcs, last.get(cost, arcs * log2(n + 1))


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
    if name not in GENERIC:
        return cost
    keys = ("source", "target", "weight", "method")
    source, target, weight, method = (argument(name, key, args, kwargs) for key in keys)
    if weight is not None and method == "bellman-ford":  # to a target, it searches the whole graph
        return "all relaxed" if source is None and target is None else "relaxed"
    if source is None and target is None:
        return "all hops" if weight is None else "all near"
    if source is not None and target is not None:
        return "meeting" if weight is None else "near meeting"
    return cost if weight is None else "near"


def to_target(name: str, args: Args, kwargs: Kwargs) -> bool:
    """Whether a call searches from its target, against the arcs."""
    if name.startswith("single_target_"):
        return True
    ends = (argument(name, key, args, kwargs) for key in ("source", "target"))
    return name in GENERIC and [end is None for end in ends] == [True, False]


def reach(name: str, args: Args, kwargs: Kwargs, degree: float) -> float:
    """Return how many nodes a search without weights can reach before it is cut off."""
    keys = ("cutoff", "depth_limit", "distance")
    limit = next((x for k in keys if (x := argument(name, k, args, kwargs)) is not None), None)
    if FUNCTIONS[name].cost not in ("tree", "hops") or limit is None or not 0 <= limit < 64:
        return float("inf")
    return float(max(degree, 1.0) ** ceil(limit))


def part(name: str, args: Args, kwargs: Kwargs, n: int) -> float:
    """Return which part of the work on a whole graph NetworkX does for a call.

    It looks only at the nodes that are named, and finds a target that is a source at once.
    """

    def given(key: str) -> Any:
        return argument(name, key, args, kwargs)

    target, sources = given("target"), given("sources")
    function = FUNCTIONS[name]
    searches = function.cost in ("near", "all near")
    near = TO_CUTOFF if searches and given("cutoff") is not None else 1.0
    if target is not None:
        among = isinstance(sources, Collection) and target in sources
        found = among or target == given("source")
        return 0.0 if found else near * (TO_TARGET if function.cost == "near" else 1.0)
    if function.cost != "triangles" and function.module != "centrality":
        return near
    nodes = next((x for k in ("nodes", "nbunch", "u") if (x := given(k)) is not None), None)
    if nodes is None:
        return 1.0
    several = nodes not in graph_of(args, kwargs) and isinstance(nodes, Sized)
    return min((len(nodes) if several else 1) / max(n, 1), 1.0)


def surroundings(rows: Mapping[Any, Any], starts: Iterable[Any]) -> int:
    """Return how many nodes a search from some reaches, ``LOOKED_AT_NODES`` at most."""
    try:
        seen = set(islice((start for start in starts if start in rows), LOOKED_AT_NODES))
    except TypeError:  # what cannot be a node: NetworkX says so
        return 0
    todo = list(seen)
    for node in todo:
        for other in islice(rows[node], LOOKED_AT_NODES):
            if other not in seen:
                seen.add(other)
                todo.append(other)
        if len(seen) >= LOOKED_AT_NODES:
            return LOOKED_AT_NODES
    return len(seen)


def share_reached(name: str, args: Args, kwargs: Kwargs) -> float:
    """Return which part of the graph the searches of a call go through, 1 if they are not cut off.

    A search from or to a node that is named looks around there; one from all nodes does at a few.
    """
    graph = graph_of(args, kwargs)
    cost, rows = cost_of(name, args, kwargs), graph._adj
    n, most = len(rows), min(len(rows), LOOKED_AT_NODES)
    if cost not in SEARCHES:
        return 1.0
    if cost.startswith("all "):
        starts = list(islice(rows, 0, None, max(n // STARTS, 1)))
        return sum(surroundings(rows, [start]) for start in starts) / max(len(starts) * most, 1)
    back = graph._pred if graph.is_directed() else rows
    ends = {"source": rows, "_s": rows, "target": back, "_t": back}
    named = {key: argument(name, key, args, kwargs) for key in ends}
    found = [surroundings(ends[key], [end]) for key, end in named.items() if end is not None]
    sources = argument(name, "sources", args, kwargs)
    if isinstance(sources, Collection):
        found.append(surroundings(rows, sources))
    least = min(found, default=most)
    return least / n if least < most else 1.0


def converted(graph: nx.Graph[Any], weighted: bool) -> bool:
    """Whether NetworkX has the converted graph already, with an attribute if one is needed."""
    cache = getattr(graph, "__networkx_cache__", None) or {}
    found = cache.get("backends", {}).get("tachograph", {})
    return any(edges or not weighted for edges, _ in found)


def predict(name: str, args: Args, kwargs: Kwargs) -> tuple[float, float, float]:
    """Return the seconds in NetworkX, the seconds here, and the seconds to convert the graph."""
    graph, cost = graph_of(args, kwargs), cost_of(name, args, kwargs)
    n, arcs = sizes(graph)
    pairs = 0.0
    if cost == "pairs":
        given = argument(name, "ebunch", args, kwargs)
        pairs = float(len(given)) if isinstance(given, Sized) else n * (n - 1) / 2
    model = the_model()
    calls, everywhere = 1, cost.startswith("all ")
    if cost == "all relaxed":  # a search from every node
        cost, calls = "relaxed", n
    values = terms(cost, n, arcs, pairs)
    theirs, ours, cold = (
        sum(map(mul, model[cost][who], values)) for who in ("networkx", "tachograph", "cold")
    )
    conversion = max(cold - ours, 0.0)
    theirs, ours = calls * theirs, calls * ours + MORE_SECONDS.get(name, 0.0)
    theirs *= THEIR_PART.get(name, 1.0) * part(name, args, kwargs, n)
    if cost == "set" and argument(name, "nodes", args, kwargs) is not None:
        ours += CHOSEN_SECONDS
    if name in ALL_PATHS or (name == "shortest_path" and everywhere):
        theirs, ours = (a + b * n * n for a, b in zip((theirs, ours), PATH_SECONDS, strict=True))
    acyclic = graph.is_directed() and cost == "relaxed"  # maybe, and then distances settle early
    if acyclic or (arcs < SPARSEST * n and cost in DOUBTED_IF_SPARSE):
        theirs /= SPARSE_DOUBT
    theirs *= min(1.0, reach(name, args, kwargs, arcs / max(n, 1)) / max(n, 1))
    if converted(graph, cost in WEIGHTED):
        return theirs, ours, 0.0
    if type(next(iter(graph._adj), 0)) is not int:
        conversion += sum(map(mul, model["named"]["seconds"], (1.0, n, arcs)))
    if graph.is_directed() and to_target(name, args, kwargs):
        conversion *= TURNED
    return theirs, ours, conversion * (1 + graph.is_multigraph())


def should_run(name: str, args: Args, kwargs: Kwargs) -> bool | str:
    """Return True if the backend is predicted to be faster, else why it is not."""
    try:
        theirs, ours, conversion = predict(name, args, kwargs)
    except TachographError as error:  # without a model, NetworkX does it
        return str(error)
    least = DOUBT * ours + CONVERSION_DOUBT * conversion
    if least < theirs and least < (theirs := theirs * share_reached(name, args, kwargs)):
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
    return f"{seconds * 1e6:.0f} µs"
