"""What a run leaves in the journal: the question, the way, what was predicted and what happened."""

from __future__ import annotations

import inspect
import zlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.bfs import vertices
from ..algorithms.result import Result
from ..decisions.approximation.methods import EXACT
from ..decisions.times.model import shape
from ..devices.host import Host
from ..graph.graph import Graph
from ..journal import Run, journal
from .estimate import Estimate, estimate, scale_of
from .table import Task, Way

if TYPE_CHECKING:
    from .plan import Candidate, Plan

__all__ = ["describe", "remember", "source_of", "way_of"]

SAMPLE = 4096  # entries that tell one graph from another
LONG_LIST = 16
NEUTRAL = ("threads", "trace", "verify", "deterministic", "seed", "capacity", "placement")


def describe(graph: Graph, name: str | None = None) -> dict[str, Any]:
    """A graph in a record: its name, its sizes, and a mark that tells it from others."""
    spread = np.linspace(0, max(graph.arcs - 1, 0), min(SAMPLE, graph.arcs)).astype(np.int64)
    mark = zlib.crc32(np.ascontiguousarray(graph.indices[spread]).tobytes())
    if graph.weights is not None:
        mark = zlib.crc32(np.ascontiguousarray(graph.weights[spread]).tobytes(), mark)
    return {
        "name": name or f"{graph.n:,} vertices, {graph.m:,} edges",
        "n": graph.n, "m": graph.m, "arcs": graph.arcs,
        "directed": graph.directed, "weighted": graph.weighted, "mark": f"{mark:08x}",
    }  # fmt: skip


def way_of(task: Task, told: Mapping[str, Any], result: Result) -> Way | None:
    """The way that was gone; None for one, or for a question, that is not modelled."""
    if not getattr(result, "approximation", EXACT).exact:
        return None
    for name, usual in inspect.signature(task.function).parameters.items():
        asked = name in told and name not in (*task.needs, *task.how, *NEUTRAL)
        if asked and told[name] != usual.default:
            return None
    given = {k: v for k, v in told.items() if k in task.how and v not in (None, "auto")}
    if task.name == "similarity" and not given:  # decided by itself
        return task.ways[{1: 0, 0: 1}.get(result.share, 2)]
    return next((way for way in task.ways if _matches(way, given)), None)


def _matches(way: Way, given: Mapping[str, Any]) -> bool:
    """Whether these are the options of a way, on whatever device."""
    if set(way.options) != set(given):
        return False
    return all(str(given[k]).partition(":")[0] == str(v) for k, v in way.options.items())


def remember(
    task: Task | None,
    graph: Graph,
    told: Mapping[str, Any],
    result: Result,
    candidate: Candidate | None = None,
    plan: Plan | None = None,
    name: str | None = None,
) -> int | None:
    """Keep a run; without a candidate the way that was gone is looked up, and its time predicted.

    ``task`` None stands for one that is not planned.
    """
    from ..kernels.runtime.launch import threads_available

    kept = journal()
    if kept.path is None:
        return None
    about = describe(graph, name)
    guess: Estimate | None = None
    gone = None if task is None else way_of(task, told, result)
    if gone is not None:
        about["shape"] = shape(graph, source_of(graph, told))
    way = None if gone is None else gone.name
    if candidate is not None:
        guess, way = candidate.estimate, way or candidate.name
    elif task is not None and gone is not None and gone.where == "host":
        scale = scale_of(Host(threads_available()))
        guess = estimate(task.name, gone.name, graph, about["shape"], scale)
    record: dict[str, Any] = {} if plan is None else plan.to_dict()
    record |= {"way": way, "base": None if guess is None else guess.base}
    run = Run(
        result.task if task is None else task.name,
        about,
        result.seconds,
        options={k: _short(v) for k, v in told.items()},
        plan=record,
        predicted=None if guess is None else guess.seconds,
        provenance=result.provenance,
        facts=_facts(result),
        trace=result.trace,
    )
    return kept.record(run)


def source_of(graph: Graph, told: Mapping[str, Any]) -> int | None:
    """Where a search begins, if that was said: the first of several places."""
    if told.get("source") is None:
        return None
    return int(vertices(graph, told["source"], "source")[0])


def _short(value: Any) -> Any:
    """A value of a call as JSON can keep it, not too long."""
    if isinstance(value, np.ndarray | list | tuple):
        flat = np.asarray(value).ravel()
        return flat.tolist() if flat.size <= LONG_LIST else f"{flat.size:,} values"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.item() if isinstance(value, np.generic) else str(value)


def _facts(result: Result) -> dict[str, Any]:
    """What is worth telling of a result: its single values, not its arrays."""
    values = result.__dict__["_values"]
    made = {k: v for k, v in values.items() if isinstance(v, bool | int | float | str | np.generic)}
    for name in ("approximation", "audit"):
        if (value := result.__dict__.get(name)) is not None:
            made[name] = value.to_dict() if hasattr(value, "to_dict") else str(value)
    return made
