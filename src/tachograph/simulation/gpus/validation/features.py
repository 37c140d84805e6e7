"""What the graphs of published runs ask of memory: simulated once for each size of L2, then kept.

A feature has a row for each level of a search (searches of many levels: a row for all pushes, one
for all pulls), with the counts of its launches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

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

__all__ = ["COUNTED", "features", "features_of_paths", "gunrock_rule", "of_graph", "of_paths"]

#: Count up when the L2, or searches that only push, or that may pull, ask for other sectors.
GENERATORS = {"push": 1, "both": 2}
SOURCES = 2  # searches of each graph; the counts are means
MOST_ROWS = 64  # searches of more levels keep sums
MANY_ARCS = 30_000_000  # such graphs are searched once
COUNTED = (*COUNTERS, "written_back")
BALANCE = {"TWC": "degree"}  # of the modes that do not lay arcs side by side
Reach = Callable[[Chip, int], np.ndarray]
Key = tuple[str, int, float | None, float | None, str]


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


@lru_cache(1)
def _loaded(dataset: str) -> Graph:
    return KNOWN[dataset].load()


def of_graph(
    dataset: str,
    l2_bytes: int,
    do_a: float | None,
    do_b: float | None,
    balance: str = "balanced",
) -> Record:
    """Simulate searches of a graph with this L2: a task of the campaign."""
    policy = (lambda s: "push") if do_a is None else gunrock_rule(do_a, do_b or 0.0)
    return _searched(dataset, l2_bytes, balance, lambda chip, s: search(chip, s, policy) >= 0)


def of_paths(dataset: str, l2_bytes: int) -> Record:
    """The same for shortest paths where all weights are one, as most are in the published runs."""

    def reached(chip: Chip, source: int) -> np.ndarray:
        return np.asarray(np.isfinite(bellman_ford(chip, source, EXACT)))

    return _searched(dataset, l2_bytes, "balanced", reached)


def _searched(dataset: str, l2_bytes: int, balance: str, reach: Reach) -> Record:
    """Run from some vertices; ``reach`` returns which vertices were reached."""
    known, graph = KNOWN[dataset], _loaded(dataset)
    gpu = GPU(l2_bytes=max(int(l2_bytes / known.smaller), 4096), memory_bytes=1 << 40)
    many = 1 if graph.arcs > MANY_ARCS else SOURCES
    searches = []
    for source in sources_of(graph, 4 * many, seed=2).tolist():
        chip = Chip(gpu, graph, balance)
        reached = int(reach(chip, source).sum())
        if reached < graph.n / 20:
            continue
        searches.append(_rows(chip))
        if len(searches) == many:
            break
    return {"searches": searches, "arcs": graph.arcs, "n": graph.n}


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
    cells: Iterable[Cell], l2_of: dict[str, int], executor: Executor | None = None
) -> dict[Key, Record]:
    """Return the features of all graphs of these cells that can be had."""
    asked = dict.fromkeys(key_of(cell, l2_of) for cell in cells if cell.dataset in KNOWN)
    order = sorted(asked, key=lambda key: (key[0], key[2] or 0.0, key[1], key[4]))
    found: dict[Key, Record] = {}
    for kind, version in GENERATORS.items():
        own = [key for key in order if (key[2] is None) == (kind == "push")]
        names = ("dataset", "l2_bytes", "do_a", "do_b", "balance")
        tasks = [dict(zip(names, key, strict=True)) for key in own]
        for task in tasks:
            if task["balance"] == "balanced":
                del task["balance"]
        mark = f"generators {version}"
        campaign = Campaign("gpu-features", f"{__name__}:of_graph", tasks, mark, label="simulating")
        found |= {own[number]: record for number, record in campaign.results(executor)}
    return found


def features_of_paths(
    cells: Iterable[Cell], l2_of: dict[str, int], executor: Executor | None = None
) -> dict[tuple[str, int], Record]:
    """Return the features of shortest paths on the graphs of these cells."""
    asked = sorted({(cell.dataset, l2_of[cell.gpu]) for cell in cells})
    tasks = [{"dataset": dataset, "l2_bytes": size} for dataset, size in asked]
    mark = f"generators {GENERATORS['push']}"
    campaign = Campaign("gpu-paths", f"{__name__}:of_paths", tasks, mark, label="simulating")
    return {asked[number]: record for number, record in campaign.results(executor)}


def key_of(cell: Cell, l2_of: dict[str, int]) -> Key:
    """Return what the features of a cell depend on."""
    rule = (cell.do_a, cell.do_b) if cell.optimised else (None, None)
    return (cell.dataset, l2_of[cell.gpu], *rule, BALANCE.get(cell.mode, "balanced"))


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
