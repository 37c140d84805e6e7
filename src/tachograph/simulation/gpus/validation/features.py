"""What the graphs of published runs ask of memory: simulated once for each size of L2, then kept.

A feature has a row for each level of a search (searches of many levels: a row for all pushes, one
for all pulls), with the counts of its launches. A graph is loaded once, for all that is asked of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ....decisions.approximation.rules import EXACT
from ....decisions.direction.state import State
from ....decisions.direction.train import sources_of
from ....graph.graph import Graph
from ....journal.campaign import Campaign, Executor, Record
from ..bfs import search
from ..chip import Chip
from ..gpu import GPU
from ..sssp import bellman_ford
from ..warps import COUNTERS
from .graphs import KNOWN
from .runs import Cell

__all__ = ["COUNTED", "Asked", "features", "gunrock_rule", "of_graph", "scaled"]

GENERATORS = 4  # counts up when kernels ask for other sectors, or the L2 holds others
SOURCES = 2  # searches of each graph; the counts are means
MOST_ROWS = 64  # searches of more levels keep sums
MANY_ARCS = 30_000_000  # such graphs are searched once
COUNTED = (*COUNTERS, "written_back")
BALANCE = {"TWC": "degree"}  # of the modes that do not lay arcs side by side
Reach = Callable[[Chip, int], np.ndarray]


class Asked(NamedTuple):
    """What the counts of a graph depend on; searches that only push have no ``do_a`` and ``do_b``."""

    algorithm: str
    l2_bytes: int
    do_a: float | None
    do_b: float | None
    balance: str


def gunrock_rule(do_a: float, do_b: float) -> Any:
    """Return Gunrock's rule with these parameters; it never pulls if ``do_a`` is negative.

    A frontier is expected to have |F| m / n arcs, a pull to look at |U| n / (n - |U|); the search pulls
    when the first is above ``do_a`` times the second, and pushes again when it is below ``do_b`` times.
    """

    def choose(s: State) -> str:
        push, pull = s.n_f * s.arcs / s.n, s.n_u * s.n / max(s.n - s.n_u, 1)
        if s.previous == 0:
            return "pull" if do_a >= 0 and push > pull * do_a else "push"
        return "push" if push < pull * do_b else "pull"

    return choose


def of_graph(dataset: str, asked: list[list[Any]]) -> Record:
    """Simulate all that is asked of a graph: a task of the campaign."""
    graph = KNOWN[dataset].load()
    made = [_searched(graph, KNOWN[dataset].smaller, Asked(*each)) for each in asked]
    return {"searches": made, "arcs": graph.arcs}


def _reach_of(asked: Asked) -> Reach:
    """Return a function that runs a search and returns which vertices it reached.

    Shortest paths have weights of one, as most have in the published runs.
    """
    if asked.algorithm == "sssp":
        return lambda chip, source: np.asarray(np.isfinite(bellman_ford(chip, source, EXACT)))
    rule = gunrock_rule(asked.do_a, asked.do_b or 0.0) if asked.do_a is not None else None
    return lambda chip, source: search(chip, source, rule or (lambda state: "push")) >= 0


def _searched(graph: Graph, smaller: float, asked: Asked) -> list[list[dict[str, float]]]:
    """Run from some vertices; return the rows of each search that reached a part of the graph."""
    gpu = GPU(l2_bytes=max(int(asked.l2_bytes / smaller), 4096), memory_bytes=1 << 40)
    reach, many = _reach_of(asked), 1 if graph.arcs > MANY_ARCS else SOURCES
    searches: list[list[dict[str, float]]] = []
    for source in sources_of(graph, 4 * many, seed=2).tolist():
        chip = Chip(gpu, graph, asked.balance)
        if int(reach(chip, source).sum()) >= graph.n / 20:
            searches.append(_rows(chip))
        if len(searches) == many:
            break
    return searches


def _rows(chip: Chip) -> list[dict[str, float]]:
    rows = [
        {"pull": float(r["kernel"] == "pull"), "launches": 1.0, **{k: float(r[k]) for k in COUNTED}}
        for r in chip.rows
    ]
    if len(rows) <= MOST_ROWS:
        return rows
    merged = []
    for pull in (0.0, 1.0):
        own = [row for row in rows if row["pull"] == pull]
        if own:
            merged.append({k: pull if k == "pull" else sum(r[k] for r in own) for k in own[0]})
    return merged


def features(
    cells: Iterable[tuple[str, Cell]], executor: Executor | None = None
) -> dict[tuple[str, Asked], Record]:
    """Return the features of all graphs that can be had, of cells and their algorithms.

    Large graphs come first: they take longest.
    """
    asked: dict[str, set[Asked]] = {}
    sizes: dict[str, float] = {}
    for algorithm, cell in cells:
        if known := KNOWN.get(cell.dataset):
            asked.setdefault(cell.dataset, set()).add(asked_of(algorithm, cell))
            sizes[cell.dataset] = cell.arcs / known.smaller
    names = sorted(asked, key=lambda name: -sizes[name])
    each = [sorted(asked[name], key=str) for name in names]
    tasks = [{"dataset": d, "asked": list(map(list, a))} for d, a in zip(names, each, strict=True)]
    mark = f"generators {GENERATORS}"
    campaign = Campaign("gpu-features", f"{__name__}:of_graph", tasks, mark, label="simulating")
    found: dict[tuple[str, Asked], Record] = {}
    for number, record in campaign.results(executor):
        for one, searches in zip(each[number], record["searches"], strict=True):
            found[names[number], one] = {"searches": searches, "arcs": record["arcs"]}
    return found


def asked_of(algorithm: str, cell: Cell) -> Asked:
    """Return what the features of a cell depend on."""
    do_a, do_b = (cell.do_a, cell.do_b) if cell.optimised else (None, None)
    size, balance = GPU(cell.gpu).l2_bytes, BALANCE.get(cell.mode, "balanced")
    return Asked(algorithm, size, do_a, do_b, balance)


def scaled(record: Record, cell: Cell) -> dict[str, np.ndarray]:
    """Return the rows of all searches as arrays, scaled to the arcs of the published graph."""
    factor = cell.arcs / record["arcs"]
    rows = [row for search in record["searches"] for row in search]
    made = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    share = np.concatenate(
        [np.full(len(s), 1 / len(record["searches"])) for s in record["searches"]]
    )
    return {
        **{k: made[k] * factor for k in COUNTED},
        "pull": made["pull"],
        "launches": made["launches"],
        "share": share,
    }
