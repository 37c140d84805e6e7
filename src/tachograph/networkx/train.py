"""Train the decision of the NetworkX backend: measure calls, and fit what ``should_run`` predicts with.

For each kind of cost one call stands for all. Graphs grow until NetworkX needs seconds; a time is the
best of a few calls.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..decisions.trainer import Quality
from ..decisions.trainer import Trainer as Base
from ..journal.campaign import Record
from ..util.errors import MissingDependencyError
from ..util.progress import bar
from .convert import convert_from_nx
from .decide import Model, sizes, terms

__all__ = ["Trainer", "fit"]

NODES = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000)
ALL_PAIRS_NODES = 300  # up to which all pairs are measured
SLOW_SECONDS = 2.0  # of a call in NetworkX, after which its cost is not measured on larger graphs
CALL_SECONDS = 0.02  # how long short calls are repeated
FITTING_ROUNDS = 10
TIMED_SIDES = ("networkx", "tachograph", "cold")


def _pairs(graph: Any) -> list[tuple[Any, Any]]:
    """Some pairs of nodes; the same for the same graph."""
    dice, nodes = random.Random(1), list(graph)
    return [(dice.choice(nodes), dice.choice(nodes)) for _ in range(len(nodes))]


def _ends(graph: Any) -> tuple[Any, Any]:
    """Two nodes that a search has to go some way between."""
    nodes = list(graph)
    return nodes[0], nodes[len(nodes) // 2]


# For each kind of cost: a function that has it, and its arguments after the graph.
CALLS: dict[str, tuple[str, Callable[[Any], Sequence[Any]]]] = {
    "hops": ("single_source_shortest_path_length", lambda G: [next(iter(G))]),
    "tree": ("single_source_shortest_path", lambda G: [next(iter(G))]),
    "meeting": ("has_path", _ends),
    "all hops": ("all_pairs_shortest_path_length", lambda G: []),
    "near": ("single_source_dijkstra_path_length", lambda G: [next(iter(G))]),
    "near meeting": ("bidirectional_dijkstra", _ends),
    "all near": ("all_pairs_dijkstra_path_length", lambda G: []),
    "relaxed": ("single_source_bellman_ford_path_length", lambda G: [next(iter(G))]),
    "components": ("connected_components", lambda G: []),
    "rank": ("pagerank", lambda G: []),
    "pairs": ("jaccard_coefficient", lambda G: [_pairs(G)]),
    "triangles": ("triangles", lambda G: []),
    "set": ("maximal_independent_set", lambda G: [None, 1]),
    "flow": ("maximum_flow_value", lambda G: [*_ends(G), "weight"]),
}


def _call(cost: str, backend: str, graph: Any, cold: bool = False) -> None:
    """Make the call for a kind of cost and use its result up; if cold, the graph is converted first."""
    import networkx as nx

    if cold:
        graph.__networkx_cache__.clear()
    name, arguments = CALLS[cost]
    try:
        result = getattr(nx, name)(graph, *arguments(graph), backend=backend)
        if isinstance(result, Iterator):
            list(result)
    except nx.NetworkXNoPath:
        pass


def graphs(most: int, seed: int = 1) -> Iterator[Any]:
    """Undirected graphs with weights: uniform, skewed and long ones, sparse and dense."""
    import networkx as nx

    for n in (size for size in NODES if size <= most):
        for d in (min(degree, n - 1) for degree in (3, 12)):
            yield from map(
                _weighted,
                (
                    nx.gnm_random_graph(n, n * d // 2, seed=seed),
                    nx.barabasi_albert_graph(n, max(1, d // 2), seed=seed),
                    nx.watts_strogatz_graph(n, d + 1, 0.01, seed=seed),
                ),
            )


def _weighted(graph: Any) -> Any:
    dice = random.Random(1)
    for _, _, data in graph.edges(data=True):
        data["weight"] = dice.random()
    return graph


def timed(call: Callable[[Any], object], graph: Any) -> float:
    """Seconds of one call: the best of several, of which there are more if they are short."""
    best, spent, count = np.inf, 0.0, 0
    while count < 2 or (spent < CALL_SECONDS and count < 20):
        begin = time.perf_counter()
        call(graph)
        seconds = time.perf_counter() - begin
        best, spent, count = min(best, seconds), spent + seconds, count + 1
    return float(best)


def measure(made: Iterable[Any], report: Callable[[str], None]) -> dict[str, list[Record]]:
    """For each kind of cost rows with terms and seconds: in NetworkX, here, and here if the graph has
    to be converted first; under ``named``, what nodes that are not integers add to that.
    """
    import networkx as nx

    rows: dict[str, list[Record]] = {cost: [] for cost in (*CALLS, "named")}
    slow: set[str] = set()
    before = set(nx.config.warnings_to_ignore)
    nx.config.warnings_to_ignore.add("cache")
    try:
        for graph in made:
            n = len(graph)
            report(f"{n:,} nodes, {graph.size():,} edges")
            texts = nx.relabel_nodes(graph, str)
            more = max(timed(convert_from_nx, texts) - timed(convert_from_nx, graph), 0.0)
            rows["named"].append({"terms": (1.0, n, 2 * graph.size()), "seconds": more})
            for cost in CALLS:
                if cost in slow or (cost.startswith("all ") and n > ALL_PAIRS_NODES):
                    continue
                row: Record = {"terms": terms(cost, *sizes(graph), float(n))}
                row["cold"] = timed(partial(_call, cost, "tachograph", cold=True), graph)
                for who in ("tachograph", "networkx"):
                    row[who] = timed(partial(_call, cost, who), graph)
                rows[cost].append(row)
                if row["networkx"] > SLOW_SECONDS:
                    slow.add(cost)
    finally:
        nx.config.warnings_to_ignore = before
    return rows


def fit(rows: list[Record], who: str) -> list[float]:
    """Coefficients that are not negative, for which logarithms of times are least wrong.

    Differences are divided by the geometric mean of what was measured and what was predicted the round
    before; divided by what was measured alone, too low would cost less than too high.
    """
    from scipy.optimize import nnls

    seconds = np.maximum([row[who] for row in rows], 1e-7)
    table = np.array([row["terms"] for row in rows], float)
    predicted = seconds
    for _ in range(FITTING_ROUNDS):
        weight = 1 / np.sqrt(seconds * predicted)
        weighted = table * weight[:, None]
        scale = np.maximum(weighted.max(axis=0), 1e-300)
        found = nnls(weighted / scale, seconds * weight)[0] / scale
        predicted = np.maximum(table @ found, 1e-7)
    return [float(c) for c in found]


@dataclass(frozen=True)
class Trainer(Base[Model]):
    """Learn how long functions take in NetworkX and here, to decide which calls the backend takes.

    [bold]Example[/bold]

    tacho train networkx --largest 1000
    """

    largest: int = field(default=10_000, metadata={"help": "Nodes of the largest graphs."})

    name = "networkx"
    without = ("graphs", "budget", "workers", "cluster")

    def choose(self) -> list[str]:
        """Return no graphs: they are NetworkX's own, and made while they are measured."""
        return []

    def collect(self, names: Sequence[str]) -> list[Record]:
        """Return a record for each kind of cost, with its rows."""
        try:
            import networkx  # noqa: F401
        except ImportError:
            raise MissingDependencyError(
                "NetworkX is not installed: pip install 'tachograph[networkx]'"
            ) from None
        with bar("measuring") as shown:
            found = measure(graphs(self.largest), report=shown.note)
        return [{"graph": "generated by NetworkX", "cost": c, "rows": r} for c, r in found.items()]

    def fit(self, records: list[Record]) -> Model:
        """Fit the coefficients of every kind of cost."""
        kinds = {"named": ("seconds",)}
        return Model({
            r["cost"]: {who: fit(r["rows"], who) for who in kinds.get(r["cost"], TIMED_SIDES)}
            for r in records
        })  # fmt: skip

    def evaluate(self, model: Model, records: list[Record]) -> Quality:
        """Return, for each kind of cost, the median error of the times that it was fitted to."""
        found = []
        for r in records:
            row: Record = {"cost": r["cost"], "calls": len(r["rows"])}
            for who, coefficients in model[r["cost"]].items():
                ratio = [np.dot(coefficients, x["terms"]) / max(x[who], 1e-7) for x in r["rows"]]
                row[f"median error, {who}"] = float(np.median(np.abs(np.array(ratio) - 1)))
            found.append(row)
        return found

    def facts(self, model: Model) -> Record:
        """Return the version of NetworkX."""
        import networkx

        return {"networkx": networkx.__version__}
