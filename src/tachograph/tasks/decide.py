"""Decide how a question is answered: the candidates, the one that is taken, and why.

This is the only place where a way is chosen. A plan shows all candidates; a call takes the first. On
the host that is the task's default, which decides while it runs, so most calls need no plan.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.bfs import vertices
from ..algorithms.result import Lazy
from ..decisions.times.model import CONFIDENCE, the_model
from ..devices.choice import calibrated_device as known_device
from ..devices.host import Host
from ..devices.opencl import OpenCL
from ..util import memory
from ..util.errors import InputError, TooLargeError
from ..util.memory import human
from .candidate import Candidate, Choices
from .estimate import UNKNOWN, Estimate, estimate, scale_of
from .experience import experience
from .layout import add_layouts, rank
from .question import Question
from .table import ONE_THREAD, Way

if TYPE_CHECKING:
    from ..decisions.approximation.model import Advice, Option

__all__ = ["Candidate", "Choices", "candidates", "choose", "in_words", "on_machine"]
__all__ += ["surely"]

SHOWN_APPROXIMATIONS = 5
COMPARED_RUNS = 3  # of two ways on a graph, before they decide
BUDGET = ("max_error", "confidence")  # the arguments that an error budget consists of
DEFAULT_REASON = "it decides by itself while it runs"
ASKED_REASON = "it was asked for"
BUDGET_REASON = "it proves that the budget is kept, and is exact where that cannot be proved"


def choose(question: Question) -> tuple[Candidate, str]:
    """Return the candidate that a call takes, and why."""
    task = question.task
    budget = "max_error" in question.what
    if budget and (question.how or "approximation" in question.what):
        raise InputError("max_error chooses algorithm and approximation: give either it or them")
    if question.how:
        return _asked(question), ASKED_REASON
    if question.deadline is not None or known_device_apart() is not None:
        found = candidates(question)
        return found.ranked[0], found.reason
    if budget:
        return _within_budget(question)
    if "split" in task.chooses:
        return _placed_similarity(question)
    return _candidate(question, _default(question), None), DEFAULT_REASON


def known_device_apart() -> OpenCL | None:
    """Return the calibrated device if it has cores of its own: then even a plain call may use it."""
    device = known_device()
    return None if device is None or device.found.shares_cores else device


def _default(question: Question) -> Way:
    """Return the task's first way, or the way for the number of threads that was asked for."""
    ways = question.task.ways
    threads = question.aside.get("threads")
    named = (way for way in ways if way.options == {"threads": threads})
    return next(named, ways[0]) if threads is not None else ways[0]


def _asked(question: Question) -> Candidate:
    """Return the way that the options name; one that is not in the table has no prediction."""
    given = question.how
    for way in question.task.ways:
        same = way.options.keys() == given.keys()
        if same and all(_names(given[k], v) for k, v in way.options.items()):
            there = known_device() if way.where != "host" else None
            return replace(_candidate(question, way, there), options={})
    name = ", ".join(f"{k}={in_words(v)}" for k, v in given.items())
    return Candidate(name, {}, ASKED_REASON, Lazy(lambda: UNKNOWN))


def in_words(option: object) -> str:
    """Return an option as a name: a device by its id, a function or policy by its name."""
    for attribute in ("id", "name", "__name__"):
        if isinstance(found := getattr(option, attribute, None), str):
            return found
    if isinstance(option, list | tuple):
        return ",".join(map(in_words, option))
    return str(option)


def _names(given: object, wanted: object) -> bool:
    """Return whether an option has the value that a way has, on any device."""
    if isinstance(given, OpenCL | Host):
        given = given.id
    if isinstance(given, str) and isinstance(wanted, list):
        given = given.split(",")
    if isinstance(given, list | tuple) and isinstance(wanted, list):
        pairs = zip(given, wanted, strict=False)
        return len(given) == len(wanted) and all(_names(g, w) for g, w in pairs)
    return isinstance(given, str) and given.partition(":")[0] == wanted


def _candidate(question: Question, way: Way, device: OpenCL | None) -> Candidate:
    """Make a candidate of a way; its time is predicted when it is first needed."""
    name, options = way.name, dict(way.options)
    if device is not None and way.where != "host":
        options = way.on(device.id)
        name += f" ({device.id})" if way.where == "device" else f" (host and {device.id})"
    prediction = Lazy(lambda: _predicted(question, way, device))
    return Candidate(name, options, way.reason, prediction)


def _predicted(question: Question, way: Way, device: OpenCL | None) -> Estimate:
    from ..kernels.runtime.launch import threads_available

    task, graph = question.task, question.graph
    on_host = way.where == "host"
    if not on_host and device is None:
        return UNKNOWN
    threads = question.aside.get("threads") or threads_available()
    scale = scale_of(Host(threads) if device is None or on_host else device)
    name, work = f"{task.name}/{way.name}", question.work
    alone = f"{task.name}/{ONE_THREAD.name}"
    if threads == 1 and way is task.ways[0] and alone in the_model().curves:
        name = alone  # what the default does then
    if task.name == "sssp" and not graph.weighted:
        name = "bfs/auto"
    if work is None:
        return estimate(name, graph, None, scale)
    of = task.name, question.mark
    return estimate(name, graph, question.shape, scale, work, of, question.slower)


def candidates(question: Question) -> Choices:
    """Find all ways to answer a question here, ranked.

    The first way of a task comes first, because it decides by itself while it runs. A device with cores
    of its own comes before it if it is faster beyond doubt, and any way if runs on this graph say so.
    """
    device = known_device()
    made = [_candidate(question, way, device) for way in _possible(question, device)]
    first, reason = made[0], DEFAULT_REASON
    if "split" in question.task.chooses:
        first, reason = _placed_similarity(question)
        made = [first, *(c for c in made if c.name != first.name)]
    apart = device is not None and not device.found.shares_cores
    elsewhere = [
        c
        for c in made
        if apart and c.name.startswith("device") and surely(c.estimate, first.estimate)
    ]
    measured = [c for c in made if _compared(c, first)]
    if measured:
        first = min(measured, key=_seconds)
        reason = f"it was faster in {first.estimate.runs} runs on this graph"
    elif elsewhere:
        first, reason = min(elsewhere, key=_seconds), "faster than the host beyond doubt"
    others = sorted((c for c in made if c is not first), key=_seconds)
    found = Choices([first, *others], reason)
    if "max_error" in question.what:
        _approximate(question, found)
    _refuse(question, found)
    if question.reuse is not None:
        add_layouts(question, found)
        rank(question, found)
    if question.deadline is not None:
        _in_time(question, found)
    found.notes += _sources(question, found.ranked[0])
    return found


def _sources(question: Question, first: Candidate) -> list[str]:
    """Say where predictions come from, how earlier ones turned out, and what disturbs them now."""
    notes = [scale_of(Host(_threads(question))).why]
    if first.seconds is not None:
        arc = (
            f"{question.graph.features.probe['nanoseconds']:.2g} ns an arc"
            if question.probe
            else ""
        )
        notes.append(f"probed on this graph: {arc}" if arc else "without a probe of this graph")
    if the_model().stale(question.task.name):
        notes.append("measured before its kernels changed (tacho train times measures them anew)")
    known = experience(question.task.name)
    if known.seen:
        runs = first.estimate.runs
        here = f", {runs} of them on this graph" if runs else ""
        many = "1 earlier run" if len(known.seen) == 1 else f"{len(known.seen)} earlier runs"
        notes.append(f"corrected by {many}{here}")
    if kept := known.promised:
        share = sum(kept) / len(kept)
        notes.append(f"{CONFIDENCE:.0%} promised: kept {share:.0%} of your last {len(kept)}")
    if (factor := question.slower) > 1:
        notes.append(f"the machine is busy: it may take up to {factor:.1f} times as long")
    return notes


def _in_time(question: Question, found: Choices) -> None:
    """Put the most accurate candidate first that is likely to keep the deadline."""
    confidence = question.what.get("confidence", CONFIDENCE)
    chances = [(c.estimate.chance(question.working_seconds), c) for c in found.ranked]
    known = [(chance, c) for chance, c in chances if chance is not None]
    likely = [c for chance, c in known if chance >= confidence]
    usual = question.task.ways[0].name
    if likely:  # of those that are equally exact, the one that decides while it runs
        first = min(likely, key=lambda c: (c.error_bound or 0.0, c.name != usual))
        found.reason = "the most accurate way that is predicted to keep the deadline"
    else:
        able = [c for _, c in known if c.name == usual or c.error_bound]
        first = min(able, key=lambda c: c.estimate.high or 0.0, default=found.ranked[0])
        kept = f"no way is predicted to keep the deadline with {confidence:.0%}"
        unknown = "no times are predicted, so nothing is known about the deadline"
        found.reason = f"{kept if known else unknown}; a run is stopped when it passes"
    found.ranked = [first, *(c for c in found.ranked if c is not first)]


def _threads(question: Question) -> int:
    from ..kernels.runtime.launch import threads_available

    threads: int = question.aside.get("threads") or threads_available()
    return threads


def _possible(question: Question, device: OpenCL | None) -> Iterator[Way]:
    """Yield the ways that this graph and this machine allow."""
    graph = question.graph
    for way in question.task.ways:
        if way.where != "host" and (device is None or graph.indices.itemsize != 4):
            continue
        if "threads" in way.options and "threads" in question.aside:
            continue
        if way.accepts(graph):
            yield way


def on_machine(question: Question, name: str) -> Candidate:
    """Return the first way to answer a question on the host, or on a device of that name."""
    from ..devices.opencl import open_device

    here = name == "host"
    ways = [way for way in question.task.ways if (way.where == "host") == here]
    if not ways:
        raise InputError(f"{question.task.name} does not run on {name}: leave it out")
    return _candidate(question, ways[0], None if here else open_device(name))


def surely(one: Estimate, other: Estimate) -> bool:
    """Return whether one is faster beyond doubt: by the interval of the difference of logarithms.

    Both may be off by their margins, independently of each other.
    """
    if not (one.seconds and one.high and other.seconds and other.low):
        return False  # nothing is known, or nothing is to be done
    doubt = math.hypot(math.log(one.high / one.seconds), math.log(other.seconds / other.low))
    return math.log(other.seconds / one.seconds) > doubt


def _compared(one: Candidate, other: Candidate) -> bool:
    """Return whether one was faster than the other in enough runs on this graph, beyond doubt."""
    enough = min(one.estimate.runs, other.estimate.runs) >= COMPARED_RUNS
    return enough and surely(one.estimate, other.estimate)


def _seconds(candidate: Candidate) -> float:
    return math.inf if candidate.seconds is None else candidate.seconds


def _placed_similarity(question: Question) -> tuple[Candidate, str]:
    """Let the model of the split decide which devices compute the similarity of edges."""
    from ..algorithms.similarity_request import place
    from ..algorithms.simple import simple
    from ..kernels.runtime.launch import threads as using

    graph, ways = question.graph, question.task.ways
    splits = not graph.directed and not question.what.keys() & {"pairs", "weight"}
    with using(question.aside.get("threads")):
        placed = place(simple(graph) if splits else graph, "auto", "auto", splits)
    where = "host" if placed.device is None else "both" if placed.workers else "device"
    way = next(way for way in ways if way.name == where)
    candidate = _candidate(question, way, placed.device)
    return replace(candidate, options={"device": placed}), placed.reason


def _approximate(question: Question, found: Choices) -> None:
    """Put the way that keeps the budget first; for paths add approximations predicted to keep it."""
    first, found.reason = _within_budget(question)
    if question.task.name != "sssp":
        found.ranked = [first, *(_exactly(c) for c in found.ranked)]
        return
    advice = _advice(question)
    exact = found.ranked[0]
    options = (advice.chosen, *advice.others)
    left_out = [o for o in options if not o.configuration.approximation.exact]
    made = [_approximation(option, exact) for option in left_out[:SHOWN_APPROXIMATIONS]]
    others = [*made, *(_exactly(c) for c in found.ranked)]
    found.ranked = [first, *sorted(others, key=_seconds)]
    if not question.graph.weighted:
        found.reason = advice.reason


def _within_budget(question: Question) -> tuple[Candidate, str]:
    """Return the way that stops when enough is sure, which the algorithm itself finds out."""
    usual = _candidate(question, _default(question), None)
    most: float = question.what["max_error"]
    why = "ends as soon as it can prove that the error is small enough"
    way = replace(usual, name=f"within {most:g}", reason=why, error=most, error_bound=most)
    return way, BUDGET_REASON


def _advice(question: Question) -> Advice:
    from ..decisions.approximation.model import advise
    from ..kernels.runtime.launch import threads as using

    what = question.what
    sources = np.atleast_1d(vertices(question.graph, what["source"], "source"))
    with using(question.aside.get("threads")):
        return advise(question.graph, sources, what["max_error"], what.get("confidence", 0.9))


def _exactly(candidate: Candidate) -> Candidate:
    return replace(candidate, error=0.0, error_bound=0.0, replaces=BUDGET)


def _approximation(option: Option, exact: Candidate) -> Candidate:
    algorithm, approximation = option.configuration
    return Candidate(
        str(option.configuration),
        {"algorithm": algorithm, "approximation": approximation},
        f"{option.gain:.2f} times as fast (at least {option.gain_bound:.2f})",
        Lazy(lambda: exact.estimate.faster(option.gain, option.gain_bound)),
        option.error,
        option.error_bound,
        BUDGET,
    )


def _refuse(question: Question, found: Choices) -> None:
    """Remove the candidates that do not fit into memory."""
    free = memory.available()
    if free is None:
        return
    fits = [c for c in found.ranked if (c.estimate.memory or 0) <= free]
    found.refused += [
        f"{c.name} needs about {human(c.estimate.memory or 0)}, {human(free)} are free"
        for c in found.ranked
        if c not in fits
    ]
    if not fits:
        name, refused = question.task.name, "; ".join(found.refused)
        raise TooLargeError(f"{name} on {question.graph!r} does not fit into memory: {refused}")
    found.ranked = fits
