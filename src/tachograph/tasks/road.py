"""The one road: a task, a graph and arguments become a decision, a run, a result and a record.

Every door calls :func:`run`: the public functions, ``tacho run``, the NetworkX backend, the tour,
``what_if`` and the benchmarks. The result says which way was taken, why, and what was predicted.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..algorithms.result import Lazy, Result
from ..graph.graph import Graph
from .decide import Candidate, choose
from .question import Question, ask
from .table import TASKS, Task, task_named

if TYPE_CHECKING:
    from .plan import Plan

__all__ = ["execute", "run"]

#: A call that takes longer is kept in the journal: keeping it takes less than a hundredth of that.
WORTH_KEEPING_SECONDS = 0.05


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
    result = question.task.function(question.graph, **arguments)
    why = result.run.reason or reason
    number = None
    if keep or (keep is None and result.seconds >= WORTH_KEEPING_SECONDS):
        from .record import record

        number = record(question, candidate, why, result, graph_name, plan)
    prediction = Lazy(lambda: candidate.estimate.seconds)
    return result.with_run(way=candidate.name, reason=why, number=number, prediction=prediction)


def public(task: Task) -> Callable[..., Any]:
    """Make the public function of a task: the algorithm's signature and help, the road's behaviour."""

    @functools.wraps(task.function)
    def call(graph: Graph, *given: Any, **told: Any) -> Any:
        return run(task, graph, *given, **told)

    call.__module__ = "tachograph"  # where pickle finds it
    return call


def __getattr__(name: str) -> Any:
    """Make a public function when it is first asked for, so that the others need not be loaded."""
    if name not in TASKS:
        raise AttributeError(name)
    return globals().setdefault(name, public(TASKS[name]))
