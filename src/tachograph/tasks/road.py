"""The one road: a task, a graph and arguments become a decision, a run, a result and a record.

Every door calls :func:`run`: the public functions, ``tacho run``, the NetworkX backend, the tour,
``what_if`` and the benchmarks. The result says which way was taken, why, and what was predicted.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..algorithms.result import Lazy, Result
from ..graph.convert import as_graph
from ..graph.graph import Graph
from ..journal import Run, content_key, journal
from ..util.limits import deadline as until
from ..util.memory import enough
from ..util.text import plain
from .decide import Candidate, choose, in_words
from .experience import experience, learn
from .question import VERTEX_ARGUMENTS, Question, ask, by_id, mark_of
from .sampling import Sampling
from .table import TASKS, Task, task_named

if TYPE_CHECKING:
    from .plan import Plan

__all__ = ["describe", "execute", "run"]

#: A call that takes longer is kept in the journal: keeping it takes less than a hundredth of that.
WORTH_KEEPING_SECONDS = 0.05
SAMPLING = Sampling()


def run(
    task: str | Task,
    graph: Graph,
    *given: Any,
    keep: bool | None = None,
    graph_name: str | None = None,
    deadline: float | None = None,
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
    deadline
        Seconds after which an answer is wanted: the way is the most accurate one that keeps them, and
        it is stopped then. By default it takes as long as it takes.

    Returns
    -------
    Result
        The result of the task; its ``run`` says how it came about.
    """
    kind = task if isinstance(task, Task) else task_named(task)
    question = ask(kind, graph, *given, deadline=deadline, **told)
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
    with enough(question.task.name), until(question.deadline, question.working_seconds) as end:
        result = question.task.function(question.graph, **arguments)
    _tell_compiled()
    question.graph._use()  # a file that was changed meanwhile would make the result wrong
    why = result.run.reason or reason
    if end is not None and end.cut:
        said = f"stopped at the deadline of {end.seconds:g} s: {result.so_far()}"
        result = result.with_run(stopped=said)
    number = None
    if keep or (keep is None and result.seconds >= WORTH_KEEPING_SECONDS):
        number = _record(question, candidate, why, result, graph_name, plan)
    prediction = Lazy(lambda: candidate.estimate.seconds)
    names = {"names": Lazy(lambda: question.graph.names)} if question.graph.named else {}
    decided = {"way": candidate.name, "reason": why, "number": number, "prediction": prediction}
    return result.with_run(**decided, **names)


def _tell_compiled() -> None:
    from ..kernels.runtime.launch import tell_compiled

    tell_compiled()


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
    decided |= {"low": guess.low, "high": guess.high, "busy": question.slower > 1}
    decided["stretch"] = experience(question.task.name).stretch
    if names := called(question.graph, options):
        decided["names"] = names
    if stands_for > 1:
        decided["one_of"] = stands_for
    if question.deadline is not None:
        decided |= {"deadline": question.deadline, "stopped": result.run.stopped}
    made = Run(
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
    learn(made)
    return kept.record(made)


def _facts(result: Result) -> dict[str, Any]:
    """Return the facts of a result as JSON can hold them."""
    facts = result.facts()
    return {k: v.to_dict() if hasattr(v, "to_dict") else v for k, v in facts.items()}


def called(graph: Graph, options: Mapping[str, Any]) -> dict[str, str]:
    """Return what the graph calls the single vertices in the recorded arguments of a question."""
    if graph.names is None:
        return {}
    given = {k: v for k, v in options.items() if k in VERTEX_ARGUMENTS and isinstance(v, int)}
    return {k: plain(graph.names[v]) for k, v in given.items()}


def describe(graph: Graph, name: str | None = None) -> dict[str, Any]:
    """Describe a graph for a record: its name, its sizes, and a mark that tells it from others."""
    return {
        "name": name or f"{graph.n:,} vertices, {graph.m:,} edges",
        "n": graph.n,
        "m": graph.m,
        "arcs": graph.arcs,
        "directed": graph.directed,
        "weighted": graph.weighted,
        "mark": mark_of(graph),
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
