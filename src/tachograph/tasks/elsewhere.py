"""Candidates of a plan on a GPU that is simulated: predicted by the fast path, run by the simulator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..algorithms.result import Lazy
from ..plots.numbers import seconds as form
from ..simulation.gpus.gpu import GPU, gpu_named
from ..util.errors import InputError
from .decide import Candidate
from .estimate import UNKNOWN, Estimate
from .question import Question

__all__ = ["SIMULATED", "options_of", "simulated_candidates"]

SIMULATED = "simulated"  # the option of a candidate that names a GPU that is not there
SIMULATE_UP_TO_ARCS = 1 << 20  # a task without a fast path is simulated for a plan if it is smaller
UNVALIDATED_FACTOR = 3.0  # how far a time may be off whose kind was not validated
SAMPLED_SEARCHES = 1 << 16  # of similarities, for a plan


def simulated_candidates(question: Question, name: str, host: Candidate) -> list[Candidate]:
    """Return the GPU with the graph there, with copies, and beside the host if work splits."""
    from ..simulation.gpus.simulate import PROGRAMS

    gpu, task = gpu_named(name), question.task.name
    if task not in PROGRAMS:
        raise InputError(
            f"{task} has no kernels that can be simulated on {gpu.name}: leave device out"
        )
    there = Lazy(lambda: _estimate(question, gpu))
    graph = question.graph
    size = graph.indptr.nbytes + graph.indices.nbytes
    copies = gpu.copy_seconds(size)
    options = {SIMULATED: name}
    where = f"{gpu.name} ({SIMULATED})"
    why = "host and GPU share one memory" if gpu.shares_memory else "the graph is there already"
    made = [Candidate(where, options, why, there)]
    if copies:
        text = f"copying the graph takes {form(copies)}"
        late = Lazy(lambda: _plus(there(), copies))
        made.append(Candidate(f"{where}, copied", options, text, late))
    if question.task.home == "similarity":
        both = Lazy(lambda: _together(there(), host.estimate, copies))
        text = "host and GPU end at the same time"
        made.append(Candidate(f"host and {where}", options, text, both))
    return made


def _estimate(question: Question, gpu: GPU) -> Estimate:
    """Predict by the fast path, or by simulating a small graph; nothing is known of a large one."""
    from ..simulation.gpus.analytic import predict_either
    from ..simulation.gpus.chip import Chip
    from ..simulation.gpus.similarity import requests
    from ..simulation.gpus.simulate import band_of, simulate, timed

    task, graph = question.task.name, question.graph
    gpu.must_hold(graph.indptr.nbytes + graph.indices.nbytes + 16 * graph.n, repr(graph))
    if task == "bfs":
        found = predict_either(graph, gpu, graph.features.diameter + 1.0)
        seconds, launch = found["seconds"], found["launch"]
    elif question.task.home == "similarity":
        chip = Chip(gpu, graph)
        requests(chip, SAMPLED_SEARCHES)
        seconds, launch = float(timed(chip)["seconds"].sum()) if chip.rows else 0.0, 0.0
    elif graph.arcs <= SIMULATE_UP_TO_ARCS:
        made = simulate(task, graph, gpu, **options_of(question))
        seconds, launch = made.seconds, float(made.trace["launch"].sum())
    else:
        return UNKNOWN
    doubt = seconds / UNVALIDATED_FACTOR, seconds * UNVALIDATED_FACTOR
    between = band_of(task, gpu, launch, seconds).interval(seconds) or doubt
    low, high = between
    return Estimate(seconds, low, high, seconds, graph.indptr.nbytes + graph.indices.nbytes)


def options_of(question: Question) -> dict[str, Any]:
    """Return what the simulator is told of a question."""
    known = ("source", "sink", "rng", "approximation")
    options = {k: v for k, v in question.what.items() if k in known}
    if question.task.name == "maximum_flow":
        options = {**{k: question.graph.meta.get(k) for k in ("source", "sink")}, **options}
    return options


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
