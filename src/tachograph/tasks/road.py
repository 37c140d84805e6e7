"""The one road: a task, a graph and arguments become a decision, a run, a result and a record.

Every door calls :func:`run`: the public functions, ``tacho run``, the NetworkX backend, the tour,
``what_if`` and the benchmarks. The result says which way was taken, why, and what was predicted.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.result import Lazy, Result
from ..graph.convert import as_graph
from ..graph.graph import Graph
from ..journal import Run, content_key, journal
from ..util.memory import enough
from .decide import Candidate, choose, in_words
from .question import Question, ask, by_id
from .sampling import Sampling
from .table import TASKS, Task, task_named

if TYPE_CHECKING:
    from .plan import Plan

__all__ = ["describe", "execute", "run"]

#: A call that takes longer is kept in the journal: keeping it takes less than a hundredth of that.
WORTH_KEEPING_SECONDS = 0.05
FINGERPRINT_ARCS = 4096  # entries that tell one graph from another
SAMPLING = Sampling()


def run(
    task: str | Task,
    graph: Graph,
    *given: Any,
    keep: bool | None = None,
    graph_name: str | None = None,
    **told: Any,
) -> Any:
    """Run a task in the way that its arguments ask for, or in the way that is decided here.

    Parameters
    ----------
    task
        Its name (or an alias), or a row of the table.
    graph
        The graph to run it on.
    given, told
        The arguments of the task's function.
    keep
        Whether to keep the run in the journal. Default: only if it took long.
    graph_name
        What the journal calls the graph.

    Returns
    -------
    Result
        The result of the task; its ``run`` says how it came about.
    """
    kind = task if isinstance(task, Task) else task_named(task)
    question = ask(kind, graph, *given, **told)
    candidate, reason = choose(question)
    return execute(question, candidate, reason, keep, graph_name)


def execute(
    question: Question,
    candidate: Candidate,
    reason: str,
    keep: bool | None = None,
    graph_name: str | None = None,
    plan: Plan | None = None,
) -> Result:
    """Answer a question in the way of a candidate, and keep the run if it is worth it."""
    arguments = {**question.what, **question.how, **question.aside, **candidate.options}
    for name in candidate.replaces:
        arguments.pop(name, None)
    with enough(question.task.name):
        result = question.task.function(question.graph, **arguments)
    question.graph._use()  # a file that was changed meanwhile would make the result wrong
    why = result.run.reason or reason
    number = None
    if keep or (keep is None and result.seconds >= WORTH_KEEPING_SECONDS):
        number = _record(question, candidate, why, result, graph_name, plan)
    prediction = Lazy(lambda: candidate.estimate.seconds)
    names = {"names": Lazy(lambda: question.graph.names)} if question.graph.named else {}
    known = result.with_run(number=number, prediction=prediction, **names)
    return known.with_run(way=candidate.name, reason=why)


def _record(
    question: Question,
    candidate: Candidate,
    reason: str,
    result: Result,
    name: str | None,
    plan: Plan | None,
) -> int | None:
    """Keep a run in the journal; return its number, or None if it is not kept."""
    kept = journal()
    if kept.path is None:
        return None
    about, options = describe(question.graph, name), question.recorded()
    asked = content_key(str(kept.path), question.task.name, candidate.name, about, options)
    if not (stands_for := SAMPLING.stands_for(asked)):
        return None
    guess = candidate.estimate
    if guess.seconds is not None:
        about["shape"] = dict(question.shape)
    how = {k: in_words(v) for k, v in {**question.how, **candidate.options}.items()}
    decided = {"way": candidate.name, "reason": reason, "how": how, "base": guess.base}
    if stands_for > 1:
        decided["one_of"] = stands_for
    return kept.record(
        Run(
            task=question.task.name,
            graph=about,
            seconds=result.seconds,
            options=options,
            plan=decided if plan is None else plan.to_dict() | decided,
            predicted=guess.seconds,
            provenance=result.provenance,
            facts=_facts(result),
            trace=result.trace,
        )
    )


def _facts(result: Result) -> dict[str, Any]:
    """Return the facts of a result as JSON can hold them."""
    facts = result.facts()
    return {k: v.to_dict() if hasattr(v, "to_dict") else v for k, v in facts.items()}


def describe(graph: Graph, name: str | None = None) -> dict[str, Any]:
    """Describe a graph for a record: its name, its sizes, and a mark that tells it from others."""
    spread = np.linspace(0, max(graph.arcs - 1, 0), min(FINGERPRINT_ARCS, graph.arcs))
    places = spread.astype(np.int64)
    mark = zlib.crc32(np.ascontiguousarray(graph.indices[places]).tobytes())
    if graph.weights is not None:
        mark = zlib.crc32(np.ascontiguousarray(graph.weights[places]).tobytes(), mark)
    return {
        "name": name or f"{graph.n:,} vertices, {graph.m:,} edges",
        "n": graph.n,
        "m": graph.m,
        "arcs": graph.arcs,
        "directed": graph.directed,
        "weighted": graph.weighted,
        "mark": f"{mark:08x}",
    }


def public(task: Task) -> Callable[..., Any]:
    """Make the public function of a task: the algorithm's signature and help, the road's behaviour."""

    @functools.wraps(task.function)
    def call(graph: Graph, *given: Any, **told: Any) -> Any:
        known = as_graph(graph, task.name)
        if known.named:
            given, told = by_id(task, known, given, told)
        return run(task, known, *given, **told)

    call.__module__ = "tachograph"  # where pickle finds it
    return call


def __getattr__(name: str) -> Any:
    """Make a public function when it is first asked for, so that the others need not be loaded."""
    if name not in TASKS:
        raise AttributeError(name)
    return globals().setdefault(name, public(TASKS[name]))
