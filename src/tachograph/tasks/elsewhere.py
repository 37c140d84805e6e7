"""Candidates of a plan on a GPU that is simulated: predicted by the fast path, run by the simulator."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..algorithms.bfs import vertices
from ..algorithms.result import Lazy
from ..graph.graph import Graph
from ..plots.numbers import seconds as form
from ..simulation.gpus.gpu import GPU, gpu_named
from ..util.errors import InputError
from .decide import Candidate
from .estimate import UNKNOWN, Estimate
from .question import Question

__all__ = ["COPIED", "SIMULATED", "estimate_there", "options_of", "simulated_candidates"]

SIMULATED = "simulated"  # the option of a candidate that names a GPU that is not there
COPIED = ", copied"  # behind the name of a candidate whose graph is copied to the GPU first
SIMULATE_UP_TO_ARCS = 1 << 20  # a task without a fast path is simulated for a plan if it is smaller
UNVALIDATED_FACTOR = 3.0  # how far a time may be off whose kind was not validated
SAMPLED_SEARCHES = 1 << 16  # of similarities, for a plan
#: Estimates by task, GPU and options: plans of one graph are made again and again.
_known: weakref.WeakKeyDictionary[Graph, dict[str, Estimate]] = weakref.WeakKeyDictionary()


def simulated_candidates(question: Question, name: str, host: Candidate) -> list[Candidate]:
    """Return the GPU with the graph there, with copies, and beside the host if work splits."""
    from ..simulation.gpus.simulate import PROGRAMS, sent_bytes

    gpu, task = gpu_named(name), question.task.name
    if task not in PROGRAMS:
        raise InputError(
            f"{task} has no kernels that can be simulated on {gpu.name}: leave device out"
        )
    there = Lazy(lambda: estimate_there(question, gpu))
    graph = question.graph
    copies = gpu.copy_seconds(sent_bytes(task, graph))
    options = {SIMULATED: name}
    where = f"{gpu.name} ({SIMULATED})"
    why = "host and GPU share one memory" if gpu.shares_memory else "the graph is there already"
    made = [Candidate(where, options, why, there)]
    if copies:
        text = f"copying the graph takes {form(copies)}"
        late = Lazy(lambda: _plus(there(), copies))
        made.append(Candidate(where + COPIED, options, text, late))
    if "split" in question.task.chooses:
        both = Lazy(lambda: _together(there(), host.estimate, copies))
        text = "host and GPU end at the same time"
        made.append(Candidate(f"host and {where}", options, text, both))
    return made


def estimate_there(question: Question, gpu: GPU) -> Estimate:
    """Predict a task on a GPU, or remember what was predicted for this graph."""
    known = _known.setdefault(question.graph, {})
    key = f"{question.task.name} {gpu.settings} {options_of(question)}"
    return known[key] if key in known else known.setdefault(key, _estimate(question, gpu))


def _estimate(question: Question, gpu: GPU) -> Estimate:
    """Predict by the fast path, or by simulating a small graph; nothing is known of a large one."""
    from ..simulation.gpus.analytic import predict_search
    from ..simulation.gpus.chip import Chip
    from ..simulation.gpus.similarity import requests
    from ..simulation.gpus.simulate import band_of, fast_path_band, sent_bytes, simulate, timed

    task, graph, made = question.task.name, question.graph, None
    size = sent_bytes(task, graph)
    gpu.must_hold(size + 16 * graph.n, repr(graph))
    if task == "bfs":
        found = predict_search(graph, gpu, one_source(question))
        seconds, launch = found["seconds"], found["launch"]
    elif "split" in question.task.chooses:
        chip = Chip(gpu, graph)
        requests(chip, SAMPLED_SEARCHES)
        seconds, launch = float(timed(chip)["seconds"].sum()) if chip.rows else 0.0, 0.0
    elif graph.arcs <= SIMULATE_UP_TO_ARCS:
        made = simulate(task, graph, gpu, **options_of(question))
        seconds, launch = made.seconds, 0.0
    else:
        return UNKNOWN
    doubt = seconds / UNVALIDATED_FACTOR, seconds * UNVALIDATED_FACTOR
    band = made.band if made else band_of(task, graph, gpu, launch, seconds)
    if task == "bfs":
        band = band.beside(fast_path_band(launch, seconds))
    between = band.interval(seconds) or doubt
    low, high = between
    return Estimate(seconds, low, high, seconds, size)


def options_of(question: Question) -> dict[str, Any]:
    """Return what the simulator is told of a question."""
    known = ("source", "sink", "rng", "approximation")
    options = {k: v for k, v in question.what.items() if k in known}
    if question.task.name == "maximum_flow":
        options = {**{k: question.graph.meta.get(k) for k in ("source", "sink")}, **options}
    return options


def one_source(question: Question) -> int | None:
    """Return the vertex at which a search begins, None if that is not one vertex."""
    given = question.what.get("source")
    found = vertices(question.graph, given, "source") if given is not None else np.empty(0)
    return int(found[0]) if found.size == 1 else None


def _shifted(estimate: Estimate, change: Callable[[float], float]) -> Estimate:
    if estimate.seconds is None or estimate.low is None or estimate.high is None:
        return estimate
    seconds, low, high = (change(v) for v in (estimate.seconds, estimate.low, estimate.high))
    return Estimate(seconds, low, high, None, estimate.memory)


def _plus(estimate: Estimate, seconds: float) -> Estimate:
    return _shifted(estimate, lambda value: value + seconds)


def _together(gpu: Estimate, host: Estimate, copies: float) -> Estimate:
    from ..simulation.gpus.together import split

    own = host.seconds
    if own is None:
        return UNKNOWN
    return _shifted(gpu, lambda value: split(own, value, copies).seconds)
