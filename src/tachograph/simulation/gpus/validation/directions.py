"""Recorded directions: does the published rule choose as it was recorded, and do settings rank alike?

The traces of 2016 have the vertices and arcs of each level that was pushed. Searches that pulled
have the same levels as those of the same graph that only pushed, so the rule can be asked at every
level.

Settings were swept with ten sources drawn at random, of which no levels are recorded. Searches of one
graph grow alike, but are ahead of each other by parts of a level, and it depends on that part which
level a setting pulls first. So the recorded search stands for others that are up to half a level ahead
or behind.

What a pull finds is the next level, so its looks are nearer than a policy's guess. Their formula was
settled beside the simulator's own counts on generated graphs; the sweeps had no part in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....decisions.direction.state import State
from ..analytic import pull_seconds
from ..constants import Constants
from ..gpu import GPU
from .features import gunrock_rule
from .runs import published, records

__all__ = ["Level", "agreement", "levels_by_graph", "looks_of_known", "ranking", "shifted"]

LOW_DIAMETER = 64  # levels: graphs with more are not asked about
SWEPT_VERSION = "1.1.0"  # whose runs vary do_a and do_b
SHIFTS = np.linspace(-0.5, 0.5, 9)  # levels by which searches from other sources are ahead
SAME_TIME = 0.02  # times that differ by less are one rank: so much runs of the same setting differ
LEAST_VERTICES = 0.5  # a level with less is none
Numbers = NDArray[np.float64]


class Level(NamedTuple):
    """Vertices and arcs of a level."""

    vertices: float
    arcs: float


def _states(levels: list[Level], n: float, arcs: float) -> list[State]:
    left, arcs_left = n, arcs
    made = []
    for depth, level in enumerate(levels):
        left, arcs_left = max(left - level.vertices, 0.0), max(arcs_left - level.arcs, 0.0)
        made.append(State(n, arcs, *level, left, arcs_left, depth=depth))
    return made


def _directions(levels: list[Level], n: float, arcs: float, rule: Any) -> list[str]:
    """Return what a rule chooses level after level."""
    chosen: list[str] = []
    for state in _states(levels, n, arcs):
        before = float(bool(chosen) and chosen[-1] == "pull")
        chosen.append(rule(state._replace(previous=before)))
    return chosen


def _traces(
    where: Path | None,
) -> tuple[dict[int, list[dict[str, Any]]], dict[int, dict[str, Any]]]:
    traces: dict[int, list[dict[str, Any]]] = {}
    for row in records("levels", where).to_pylist():
        traces.setdefault(row["run"], []).append(row)
    columns = ["run", "do_a", "do_b", "vertices", "edges"]
    about = {r["run"]: r for r in records("runs", where, columns).to_pylist() if r["run"] in traces}
    return {run: sorted(rows, key=lambda r: r["level"]) for run, rows in traces.items()}, about


def levels_by_graph(where: Path | None = None) -> dict[str, tuple[list[Level], float, float]]:
    """Return the levels of each graph, without duplicates, with its vertices and arcs."""
    found = {}
    with published(where):
        traces, about = _traces(where)
        for run, rows in traces.items():
            first = rows[0]
            if not first["direction_optimized"] and not first["idempotence"]:
                levels = [Level(int(r["frontier_in"]), int(r["frontier_out"])) for r in rows]
                n, arcs = float(about[run]["vertices"]), float(about[run]["edges"])
                found[str(first["dataset"])] = (levels, n, arcs)
    return found


def shifted(levels: list[Level], ahead: float) -> list[Level]:
    """Return the levels of a search that is a part of a level ahead of this one.

    Of what is reached in the end, the share p that is reached so far grows like log(p / (1 - p)) on
    lines between the levels.

    >>> [round(level.vertices) for level in shifted([Level(1, 4), Level(10, 40), Level(5, 5)], 0.5)]
    [4, 10, 2]
    """
    if len(levels) < 2:
        return levels
    at = np.arange(len(levels) + 1) + ahead
    made = []
    for parts in zip(*levels, strict=True):
        so_far = np.cumsum(np.maximum(parts, 1.0))
        share = so_far / so_far[-1]
        share[-1] = 1 - 0.5 / so_far[-1]
        odds = np.log(share / (1 - share))
        grown = np.interp(at, np.arange(odds.size), odds)
        grown = np.where(at < 0, odds[0] + at * (odds[1] - odds[0]), grown)
        reached = so_far[-1] / (1 + np.exp(-grown))
        reached[at >= odds.size - 1] = so_far[-1]
        made.append(np.diff(reached, prepend=0.0))
    first, *others = (Level(*pair) for pair in zip(*made, strict=True))
    return [first, *(level for level in others if level.vertices >= LEAST_VERTICES)]


def agreement(where: Path | None = None) -> tuple[int, int]:
    """Return how many recorded levels of low-diameter graphs the rule reproduces, and of how many."""
    with published(where):
        return _agreement(where)


def _agreement(where: Path | None) -> tuple[int, int]:
    traces, about = _traces(where)
    known = levels_by_graph(where)
    same = total = 0
    for run, rows in traces.items():
        first = rows[0]
        levels, n, arcs = known[first["dataset"]]
        if not first["direction_optimized"] or first["idempotence"] or len(levels) > LOW_DIAMETER:
            continue
        rule = gunrock_rule(about[run]["do_a"], about[run]["do_b"])
        recorded = [r["direction"] for r in rows]
        chosen = _directions(levels, n, arcs, rule)
        same += sum(a == b for a, b in zip(chosen, recorded, strict=False))
        total += min(len(chosen), len(recorded))
    return same, total


def looks_of_known(
    arcs: float, frontier: Numbers, arcs_left: Numbers, found: Numbers, arcs_found: Numbers
) -> Numbers:
    """Return how many arcs pulls look at if it is known what they find: vertices, and their arcs.

    A vertex that is not found looks at all its arcs. One that is found has at least one parent, and
    more if the arcs of the frontier that lead to vertices not visited, shared out by chance, are more;
    with k parents among d arcs in any order, the first is the (d + 1) / (k + 1)-th, in the mean.

    >>> one = [np.array([number]) for number in (4.0, 5.0, 1.0, 3.0)]
    >>> looks_of_known(10.0, *one).round(2).tolist()  # two parents of three arcs, two other arcs
    [3.33]
    """
    parents = frontier * arcs_left / max(arcs, 1.0) / np.maximum(found, 1.0)
    first = (arcs_found + found) / (1 + np.maximum(parents, 1.0))
    return np.asarray(np.maximum(arcs_left - arcs_found, 0.0) + np.minimum(arcs_found, first))


def times_of_levels(
    levels: list[Level], n: float, arcs: float, gpu: GPU, constants: Constants, per_arc: float
) -> tuple[Numbers, Numbers]:
    """Return seconds of pushing and of pulling each level. What a level finds is the next one."""
    launch = constants.launch_seconds(gpu, "push")
    states = _states(levels, n, arcs)
    frontier, left = (np.array([getattr(s, k) for s in states], float) for k in ("m_f", "m_u"))
    found, arcs_found = (np.append(part[1:], 0.0) for part in np.array(levels, float).T)
    looks = looks_of_known(arcs, frontier, left, found, arcs_found)
    return launch + frontier * per_arc, pull_seconds(gpu, constants, n, looks)


def ranking(
    where: Path | None, gpu: GPU, constants: Constants, per_arc: dict[str, float]
) -> dict[str, float]:
    """Return Spearman's correlation of predicted and recorded times over all settings, for each graph.

    ``per_arc`` has the seconds of a pushed arc of each graph.
    """
    with published(where):
        return _ranking(where, gpu, constants, per_arc)


def _ranking(
    where: Path | None, gpu: GPU, constants: Constants, per_arc: dict[str, float]
) -> dict[str, float]:
    from scipy.stats import spearmanr

    known = levels_by_graph(where)
    columns = ["dataset", "gpu", "version", "algorithm", "do_a", "do_b", "elapsed_ms", "vertices"]
    columns += ["edges", "direction_optimized"]
    swept: dict[str, list[dict[str, Any]]] = {}
    for row in records("runs", where, columns).to_pylist():
        if (
            row["version"] == SWEPT_VERSION
            and row["gpu"] == gpu.title
            and row["algorithm"] == "bfs"
        ):
            if row["direction_optimized"]:
                swept.setdefault(row["dataset"], []).append(row)
    found = {}
    for dataset, rows in swept.items():
        short = dataset.partition(".")[0]
        if short not in known or dataset not in per_arc or len(rows) < 100:
            continue
        levels, n, arcs = known[short]
        predicted = np.zeros(len(rows))
        for search in (shifted(levels, ahead) for ahead in SHIFTS):
            push, pull = times_of_levels(search, n, arcs, gpu, constants, per_arc[dataset])
            for number, row in enumerate(rows):
                chosen = _directions(search, n, arcs, gunrock_rule(row["do_a"], row["do_b"]))
                predicted[number] += np.where(np.array(chosen) == "pull", pull, push).sum()
        measured = np.array([row["elapsed_ms"] for row in rows])
        found[dataset] = float(spearmanr(_ranks(predicted), _ranks(measured))[0])
    return found


def _ranks(times: Numbers) -> Numbers:
    """Return times on a scale on which those that runs cannot tell apart are the same."""
    return np.asarray(np.round(np.log(times) / SAME_TIME))
