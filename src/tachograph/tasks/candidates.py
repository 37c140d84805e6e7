"""The candidates of a plan: every way that can run here, ranked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..algorithms.bfs import vertices
from ..decisions.times.model import shape
from ..devices.host import Host
from ..graph.graph import Graph
from ..util import memory
from ..util.errors import TooLargeError
from ..util.memory import human
from .devices import known_device
from .estimate import Estimate, Scale, correction, estimate, scale_of
from .plan import Candidate
from .record import source_of
from .table import Task, Way

__all__ = ["Found", "candidates"]

SHOWN = 5  # approximations
DAMPING, TOLERANCE, MOST = 0.85, 1e-6, 100  # of pagerank, where nothing else is said


@dataclass
class Found:
    """Candidates, best first, and what to say about them."""

    ranked: list[Candidate]
    reason: str
    refused: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def candidates(task: Task, graph: Graph, arguments: Mapping[str, Any]) -> Found:
    """All ways to do a task here. The first way of a task stands first, as it decides by itself while
    it runs; only another device that is faster beyond doubt comes before it.
    """
    numbers = shape(graph, source_of(graph, arguments))
    device = known_device()
    scale = {"host": scale_of(Host(_threads()))}
    if device is not None:
        scale["device"] = scale_of(device)
    made = []
    for way in _possible(task, graph, device):
        told = way.on(device.id if device is not None else "")
        guess = _estimate(task, way, graph, numbers, scale, arguments)
        name = way.name if way.where == "host" else f"{way.name} {told_name(device, way)}"
        made.append(Candidate(name, told, way.reason, guess))
    found = _ranked(task, graph, made)
    if task.name == "sssp" and arguments.get("max_error") is not None:
        _approximate(found, graph, arguments)
    _refuse(task, graph, found)
    found.notes += _notes(task, scale)
    return found


def told_name(device: Any, way: Way) -> str:
    """Which device a way is for."""
    return f"({device.id})" if way.where == "device" else f"(host and {device.id})"


def _threads() -> int:
    from ..kernels.runtime.launch import threads_available

    return threads_available()


def _possible(task: Task, graph: Graph, device: Any) -> Iterator[Way]:
    """The ways that this graph and this machine allow."""
    weights = graph.features.weights if task.name == "sssp" else None
    for way in task.ways:
        if way.where != "host" and (device is None or graph.indices.itemsize != 4):
            continue
        if task.name == "similarity" and way.where != "host" and graph.directed:
            continue
        if task.name == "sssp" and way is not task.ways[0]:
            if weights is None:
                continue
            if weights["min"] < 0 and way.name not in ("bellman-ford", "hybrid"):
                continue
        yield way


def _estimate(
    task: Task, way: Way, graph: Graph, numbers: dict[str, float], scale: dict[str, Scale],
    arguments: Mapping[str, Any],
) -> Estimate:  # fmt: skip
    where = scale["host" if way.where == "host" else "device"]
    if task.name == "sssp" and not graph.weighted:
        return estimate("bfs", "auto", graph, numbers, where)
    longer = _iterations(arguments) if task.name == "pagerank" else 1.0
    return estimate(task.name, way.name, graph, numbers, where, longer)


def _iterations(arguments: Mapping[str, Any]) -> float:
    """How many more iterations than usual: the change shrinks at least by the damping in each."""

    def count(damping: float, tolerance: float, most: int) -> float:
        if not (0 < damping < 1 and tolerance > 0):
            return most
        return min(most, max(1.0, math.log(min(tolerance, 0.5)) / math.log(damping)))

    given = [arguments.get(k, d) for k, d in
             (("damping", DAMPING), ("tol", TOLERANCE), ("max_iter", MOST))]  # fmt: skip
    return count(*given) / count(DAMPING, TOLERANCE, MOST)


def _ranked(task: Task, graph: Graph, made: list[Candidate]) -> Found:
    """The first way, or a device that is faster beyond doubt, then the others by their times."""
    first, reason = made[0], "it decides by itself while it runs"
    if task.name == "similarity":
        first, reason = _decided_similarity(graph, made)
    elsewhere = [
        c for c in made
        if c is not first and c.name.startswith("device") and _surely(c.estimate, first.estimate)
    ]  # fmt: skip
    if elsewhere:
        first = min(elsewhere, key=_seconds)
        reason = "faster than the host beyond doubt"
    others = sorted((c for c in made if c is not first), key=_seconds)
    return Found([first, *others], reason)


def _surely(one: Estimate, other: Estimate) -> bool:
    return one.high is not None and other.low is not None and one.high < other.low


def _seconds(candidate: Candidate) -> float:
    return math.inf if candidate.seconds is None else candidate.seconds


def _decided_similarity(graph: Graph, made: list[Candidate]) -> tuple[Candidate, str]:
    """What ``device="auto"`` decides, from the split's own model."""
    from ..algorithms.lanes_placed import place
    from ..algorithms.simple import simple

    placed = place(simple(graph, False), "auto", "auto", not graph.directed)
    where = "host" if placed.device is None else "both" if placed.workers else "device"
    chosen = next((c for c in made if c.name.split()[0] == where), made[0])
    return chosen, placed.reason


def _approximate(found: Found, graph: Graph, arguments: Mapping[str, Any]) -> None:
    """Add approximations that keep the budget, and put the advisor's choice first."""
    from ..decisions.approximation.advisor import advise

    sources = np.atleast_1d(vertices(graph, arguments["source"], "source"))
    advice = advise(graph, sources, arguments["max_error"], arguments.get("confidence", 0.9))
    exact = found.ranked[0]
    found.ranked = [replace(c, error=0.0, error_bound=0.0) for c in found.ranked]
    options = [
        o for o in (advice.chosen, *advice.others) if not o.configuration.approximation.exact
    ]
    made = []
    for option in options[:SHOWN]:
        e, (algorithm, approximation) = exact.estimate, option.configuration
        if e.seconds is not None and e.low is not None and e.high is not None:
            gain = max(option.gain, 1e-3)
            e = replace(e, seconds=e.seconds / gain, low=e.low / gain, base=(e.base or 0) / gain,
                        high=e.high / max(option.gain_bound, 1e-3))  # fmt: skip
        told = {"algorithm": algorithm, "approximation": approximation}
        why = f"{option.gain:.2f} times as fast (at least {option.gain_bound:.2f})"
        made.append(
            Candidate(str(option.configuration), told, why, e, option.error, option.error_bound)
        )
    found.reason = advice.reason
    if not advice.chosen.configuration.approximation.exact:
        found.ranked = [made[0], *sorted([*made[1:], *found.ranked], key=_seconds)]
    else:
        found.ranked = [found.ranked[0], *sorted([*made, *found.ranked[1:]], key=_seconds)]


def _refuse(task: Task, graph: Graph, found: Found) -> None:
    """Take out what does not fit into memory."""
    free = memory.available()
    if free is None:
        return
    fits = [c for c in found.ranked if (c.estimate.memory or 0) <= free]
    for c in found.ranked:
        if c not in fits:
            found.refused.append(
                f"{c.name} needs about {human(c.estimate.memory or 0)}, {human(free)} are free"
            )
    if not fits:
        raise TooLargeError(
            f"{task.name} on {graph!r} does not fit into memory: {'; '.join(found.refused)}"
        )
    found.ranked = fits


def _notes(task: Task, scale: dict[str, Scale]) -> list[str]:
    notes = [scale["host"].why]
    factor, count = correction(task.name)
    if count:
        notes.append(f"corrected by {factor:.2f} from {count} earlier runs")
    return notes
