"""Plans: what would be run and why, its predicted time, and the alternatives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from ..devices.choice import NAME_BEGINNINGS
from ..graph.convert import as_graph
from ..graph.graph import Graph
from ..plots.numbers import seconds
from ..simulation.gpus.gpu import gpu_named, is_gpu
from ..simulation.gpus.simulate import simulate
from ..util.arguments import single
from ..util.errors import InputError
from ..util.memory import human
from ..util.printed import explained, wrapped
from .decide import Candidate, Choices, candidates, surely
from .elsewhere import SIMULATED, options_of, simulated_candidates
from .layout import pays_after, total
from .question import VERTEX_ARGUMENTS, Question, ask, by_id, check
from .road import execute
from .table import task_named

__all__ = ["Candidate", "Plan", "plan"]


@dataclass(frozen=True, repr=False)
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
    graph_name: str | None = field(default=None, repr=False)  # what the journal calls the graph

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
    def deadline(self) -> float | None:
        """The seconds after which an answer is wanted, finished or not; None if there are none."""
        return self.question.deadline

    @property
    def chosen(self) -> Candidate:
        """The first candidate."""
        return self.candidates[0]

    def run(self, choice: int | str = 0, **options: Any) -> Any:
        """Run a candidate, and record its predicted and its actual time in the journal.

        Parameters
        ----------
        choice
            Which candidate: its place, where 0 is the first, or its name.
        options
            For the algorithm, such as ``threads``, ``verify`` or, for shortest paths, ``audit``.

        Returns
        -------
        Result
            Its ``run`` says which candidate was taken.
        """
        number, asked = self.place_of(choice), self.question
        for name in options:
            if name not in asked.task.parameters or name in asked.task.how:
                raise InputError(f"{self.task} takes no {name!r} when a plan is run")
        told = {**asked.what, **asked.aside, **options}
        question = ask(asked.task, asked.graph, deadline=asked.deadline, **told)
        question = replace(question, probe=asked.probe)
        chosen = self.candidates[number]
        if SIMULATED in chosen.options:  # such a device is not here: its run is simulated
            return simulate(self.task, asked.graph, chosen.options[SIMULATED], **options_of(asked))
        if chosen.prepare is not None:
            chosen.prepare()
        reason = self.reason if number == 0 else f"candidate {number} of the plan was asked for"
        return execute(question, chosen, reason, True, self.graph_name, self)

    def place_of(self, choice: int | str) -> int:
        """Return the place of a candidate that is given by its place or its name.

        Names last longer: another plan for the same question may have another order.
        """
        names = [candidate.name for candidate in self.candidates]
        if isinstance(choice, str) and choice in names:
            return names.index(choice)
        if isinstance(choice, str) or not 0 <= choice < len(names):
            known = ", ".join(f"{k} ({name})" for k, name in enumerate(names))
            raise InputError(f"there is no candidate {choice}: choose {known}")
        return choice

    def __str__(self) -> str:
        return _text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _html(self)

    def widget(self) -> Any:
        """Return a widget for a notebook, as in the lab: the candidates, which can be run from it.

        Raises
        ------
        MissingDependencyError
            If anywidget is not installed: ``pip install 'tachograph[lab]'``.
        """
        lab = import_module("tachograph.lab.widget")  # a door, which no room may import
        return lab.of(self)

    def _told(self, c: Candidate) -> dict[str, object]:
        made, runs = c.to_dict(), self.question.reuse
        if self.deadline is not None:
            made["in_time"] = c.estimate.chance(self.question.working_seconds)
        if runs is not None:
            made["in_all"] = total(c, runs) if c.seconds is not None else None
        if c.prepare is not None:
            made["pays_after"] = pays_after(c, list(self.candidates))
        return made

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON can hold it.

        ``in_time`` is the chance to keep the deadline, ``in_all`` the seconds of all runs
        (``reuse``) with what is prepared ``once``.
        """
        return {
            "task": self.task,
            "arguments": self.question.recorded(),
            "reason": self.reason,
            "deadline": self.deadline,
            "reuse": self.question.reuse,
            "candidates": [self._told(c) for c in self.candidates],
            "refused": list(self.refused),
            "notes": list(self.notes),
        }


def plan(
    task: str,
    graph: Graph,
    *,
    deadline: float | None = None,
    probe: bool = True,
    reuse: int | None = None,
    **arguments: Any,
) -> Plan:
    """Show what would be run for a task, without running it.

    Parameters
    ----------
    task
        The name of its public function, such as ``"bfs"`` or ``"connected_components"``.
    graph
        On what.
    deadline
        Seconds after which an answer is wanted. The most accurate candidate comes first of those that
        are predicted to keep it, with ``confidence`` (90 % by default). A run that would be late is
        stopped, and ``result.run.stopped`` says what its values are then; if there is nothing to show,
        that is a ``TimeLimitError``.
    probe
        Whether to time some blocks of rows first, which takes less than a millisecond, once for a
        graph. Without it, intervals are wider.
    reuse
        How many such runs there will be on this graph. Layouts that are prepared once join the
        candidates. One comes first if all runs take less time with it, and the plan says after how many
        runs it pays.
    arguments
        The arguments that the task needs (``source``, or ``source`` and ``sink`` of a flow), and
        anything else that its function takes, except what the plan chooses. ``device`` may name a GPU
        that is not here, such as ``"rtx3080"``, or several in a list: they join the candidates,
        predicted, and are simulated if they are run. With ``max_error`` (the
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
    graph = as_graph(graph, f"plan({task!r})")
    gpus = _gpus(arguments.get("device"))
    if gpus:
        del arguments["device"]
    check(kind, graph, arguments)
    if graph.named:
        arguments = by_id(kind, graph, (), arguments)[1]
    if reuse is not None and (reuse := single("reuse", reuse, "int")) < 1:
        raise InputError(f"reuse = {reuse}: at least one run is needed")
    probe = single("probe", probe, "bool")
    if reuse is not None and not probe:
        raise InputError(
            "reuse needs a probe, which tells what a layout costs: leave probe=False out"
        )
    asked = ask(kind, graph, deadline=deadline, **arguments)
    question = replace(asked, probe=probe, reuse=reuse)
    found = candidates(question)
    if gpus:
        host = found.ranked[0]
        _join(found, [c for gpu in gpus for c in simulated_candidates(question, gpu, host)])
    refused, notes = tuple(found.refused), tuple(found.notes)
    return Plan(question, tuple(found.ranked), found.reason, refused, notes)


def _gpus(device: object) -> list[str]:
    """Return the names of GPUs that are not here; none if ``device`` means something else."""
    named = device if isinstance(device, list | tuple) else [device]
    for name in named:
        if isinstance(name, str) and not is_gpu(name) and not name.startswith(NAME_BEGINNINGS):
            gpu_named(name)  # raises, and lists those that are known
    return [str(d) for d in named] if all(is_gpu(str(d)) for d in named) else []


def _join(found: Choices, others: list[Candidate]) -> None:
    """Add simulated candidates; one comes first only if it is faster than the host beyond doubt."""
    known = [c for c in others if surely(c.estimate, found.ranked[0].estimate)]
    if known:
        first = min(known, key=lambda c: c.seconds or math.inf)
        found.reason = "faster than the host beyond doubt, if it were here"
        found.ranked.insert(0, first)
        others = [c for c in others if c is not first]
    rest = sorted([*found.ranked[1:], *others], key=lambda c: c.seconds or math.inf)
    found.ranked[1:] = rest
    found.notes.append("those of a GPU simulated, with the 90 % of such runs where validated")


def _text(plan: Plan) -> str:
    """Return a plan as a table, with a note that says where its times come from."""
    head, cells = _table(plan)
    reasons = [candidate.reason for candidate in plan.candidates]
    table = explained(head, cells, ("why", reasons), right=range(2, len(head)))
    asked = {k: v for k, v in plan.arguments.items() if not hasattr(v, "__len__")}
    if plan.graph.names is not None:
        asked |= {k: plan.graph.names[asked[k]] for k in VERTEX_ARGUMENTS if k in asked}
    asked |= {} if plan.deadline is None else {"deadline": plan.deadline}
    told = "".join(f", {k}={v}" for k, v in asked.items())
    times = f"Times are predictions with 90 % intervals, {'; '.join(plan.notes)}."
    if all(candidate.seconds is None for candidate in plan.candidates):
        times = "No model predicts the time of this task; the journal keeps what it takes."
    below = [
        f"{plan.chosen.name} comes first: {plan.reason}.",
        times,
        *(f"Refused: {refusal}." for refusal in plan.refused),
    ]
    asked_for = wrapped(f"{plan.task} on {plan.graph!r}{told}")
    notes = [line for text in below for line in wrapped(text)]
    return "\n".join([*asked_for, "", *table, "", *notes])


def _html(plan: Plan) -> str:
    """Return a plan as a table for a notebook, with the chosen way first."""
    from ..plots.tables import table_html

    head, cells = _table(plan)
    rows = [[*row, c.reason] for row, c in zip(cells, plan.candidates, strict=True)]
    note = f"{plan.chosen.name} comes first: {plan.reason}."
    return table_html(f"{plan.task} on {plan.graph!r}", [*head, "why"], rows, note)


def _table(plan: Plan) -> tuple[list[str], list[list[str]]]:
    """Return the head and the rows of the table of candidates, without the reasons."""
    made: dict[str, list[str]] = {"": [], "way": [], "time": [], "between": []}
    errors = any(c.error_bound for c in plan.candidates)
    for place, c in enumerate(plan.candidates):
        e = c.estimate
        between = "not measured" if e.seconds is None else f"{seconds(e.low)} to {seconds(e.high)}"
        for name, cell in zip(
            made, (str(place), c.name, seconds(e.seconds), between), strict=False
        ):
            made[name].append(cell)
        if plan.deadline is not None:
            chance = e.chance(plan.question.working_seconds)
            made.setdefault("in time", []).append("?" if chance is None else f"{chance:.0%}")
        if plan.question.reuse is not None:
            for name, cell in _of_reuse(plan, c).items():
                made.setdefault(name, []).append(cell)
        if errors:
            error = f"{c.error:.1%} (< {c.error_bound:.1%})" if c.error_bound else "exact"
            made.setdefault("error", []).append(error)
        made.setdefault("memory", []).append("?" if e.memory is None else human(e.memory))
    return list(made), [list(row) for row in zip(*made.values(), strict=True)]


def _of_reuse(plan: Plan, c: Candidate) -> dict[str, str]:
    """Return what runs on the same graph share: its price, the time of all of them, and if it pays."""
    runs, said = plan.question.reuse or 1, "-"
    if c.prepare is not None:
        after = pays_after(c, list(plan.candidates))
        said = "never" if after is None else f"{after:,} runs"
    in_all = seconds(total(c, runs)) if c.seconds is not None else "?"
    return {
        "once": seconds(c.once) if c.once else "-",
        f"{runs:,} runs": in_all,
        "pays after": said,
    }
