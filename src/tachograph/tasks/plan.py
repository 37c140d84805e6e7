"""Plans: what would be run and why, its predicted time, and the alternatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..graph.graph import Graph
from ..util.errors import InputError
from .decide import Candidate, candidates
from .question import Question, ask, check
from .road import execute
from .table import task_named

__all__ = ["Candidate", "Plan", "plan"]


@dataclass(frozen=True)
class Plan:
    """What would be run for a task: the candidates, best first. Print it, then ``run`` it.

    >>> import tachograph as tg
    >>> plan = tg.plan("connected_components", tg.path(5))
    >>> plan.chosen.name, plan.run().count
    ('auto', 1)
    """

    question: Question = field(repr=False)
    candidates: tuple[Candidate, ...]
    reason: str
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def task(self) -> str:
        """The task's name."""
        return self.question.task.name

    @property
    def graph(self) -> Graph:
        """The graph that the plan is for."""
        return self.question.graph

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments that say what is asked."""
        return self.question.what

    @property
    def chosen(self) -> Candidate:
        """The first candidate."""
        return self.candidates[0]

    def run(self, choice: int = 0, **options: Any) -> Any:
        """Run a candidate, and record its predicted and its actual time in the journal.

        Parameters
        ----------
        choice
            Which candidate: 0 is the first.
        options
            For the algorithm, such as ``threads``, ``verify`` or, for shortest paths, ``audit``.

        Returns
        -------
        Result
            Its ``run`` says which candidate was taken.
        """
        if not 0 <= choice < len(self.candidates):
            raise InputError(
                f"there is no candidate {choice}: choose 0 to {len(self.candidates) - 1}"
            )
        asked = self.question
        for name in options:
            if name not in asked.task.parameters or name in asked.task.how:
                raise InputError(f"{self.task} takes no {name!r} when a plan is run")
        told = {**asked.what, **asked.aside, **options}
        question = ask(asked.task, asked.graph, **told)
        chosen = self.candidates[choice]
        reason = self.reason if choice == 0 else f"candidate {choice} of the plan was asked for"
        return execute(question, chosen, reason, keep=True, plan=self)

    def __str__(self) -> str:
        from .show import text

        return text(self)

    def _repr_html_(self) -> str:
        from .show import html

        return html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON can hold it."""
        return {
            "task": self.task,
            "arguments": self.question.recorded(),
            "reason": self.reason,
            "candidates": [c.to_dict() for c in self.candidates],
            "refused": list(self.refused),
            "notes": list(self.notes),
        }


def plan(task: str, graph: Graph, **arguments: Any) -> Plan:
    """Show what would be run for a task, without running it.

    Parameters
    ----------
    task
        The name of its public function, such as ``"bfs"`` or ``"connected_components"``.
    graph
        On what.
    arguments
        The arguments that the task needs (``source``, or ``source`` and ``sink`` of a flow), and
        anything else that its function takes, except what the plan chooses. With ``max_error`` (the
        mean relative error that is allowed) and ``confidence``, approximate shortest paths are among
        the candidates.

    Returns
    -------
    Plan
        Print it; ``plan.run()`` runs the first candidate, ``plan.run(2)`` the third.

    Raises
    ------
    InputError
        If there is no such task, or if it does not take one of the arguments.
    TooLargeError
        If no candidate fits into memory; the message says what each would need.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.kronecker(12, rng=1, weights=True)
    >>> plan = tg.plan("sssp", g, source=0, max_error=0.05)
    >>> plan.chosen.error_bound <= 0.05
    True
    >>> float(plan.run().distances[0])
    0.0
    """
    kind = task_named(task)
    check(kind, graph, arguments)
    question = ask(kind, graph, **arguments)
    found = candidates(question)
    refused, notes = tuple(found.refused), tuple(found.notes)
    return Plan(question, tuple(found.ranked), found.reason, refused, notes)
