"""Plans: what would be run, what it is predicted to take, the alternatives, and why this one."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..graph.graph import Graph
from ..util.errors import InputError
from .estimate import Estimate
from .table import Task, task_named

__all__ = ["Candidate", "Plan", "check", "plan"]


@dataclass(frozen=True)
class Candidate:
    """A way to do the task, with what it is predicted to take; None where nothing is known.

    ``low`` and ``high`` bound the seconds with 90 % confidence, ``error_bound`` the error of an
    approximation with the confidence that was asked for.
    """

    name: str
    options: Mapping[str, Any]
    reason: str
    estimate: Estimate
    error: float | None = None
    error_bound: float | None = None

    @property
    def seconds(self) -> float | None:
        """Predicted."""
        return self.estimate.seconds

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        e = self.estimate
        made: dict[str, Any] = {"name": self.name, "seconds": e.seconds, "low": e.low, "high": e.high,
                "memory": e.memory, "reason": self.reason}  # fmt: skip
        made["options"] = {k: v if _is_plain(v) else str(v) for k, v in self.options.items()}
        if self.error is not None:
            made |= {"error": self.error, "error_bound": self.error_bound}
        return made


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str | list)


@dataclass(frozen=True)
class Plan:
    """What would be run for a task: the candidates, best first. Print it, then ``run`` it.

    >>> import tachograph as tg
    >>> plan = tg.plan("components", tg.path(5))
    >>> plan.chosen.name, plan.run().count
    ('auto', 1)
    """

    task: str
    graph: Graph
    arguments: Mapping[str, Any]
    candidates: tuple[Candidate, ...]
    reason: str
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    _kind: Task = field(default=None, repr=False)  # type: ignore[assignment]

    @property
    def chosen(self) -> Candidate:
        """The first candidate."""
        return self.candidates[0]

    def run(self, choice: int = 0, *, audit: bool = False, **options: Any) -> Any:
        """Do it, and remember in the journal what was predicted and what it took.

        Parameters
        ----------
        choice
            Which candidate: 0 is the first.
        audit
            Check approximate distances on a random sample.
        options
            For the algorithm, such as ``threads`` or ``verify``.

        Returns
        -------
        Result
            Its ``plan`` is this one.
        """
        from .record import remember

        if not 0 <= choice < len(self.candidates):
            raise InputError(f"there is no candidate {choice}: 0 to {len(self.candidates) - 1}")
        chosen = self.candidates[choice]
        told = {**self.arguments, **chosen.options, **options}
        result: Any = self._kind.function(self.graph, **told)
        if audit:
            from ..algorithms.sssp import audited

            if self.task != "sssp":
                raise InputError("audit is for shortest paths")
            source, threads = self.arguments["source"], options.get("threads")
            result = audited(self.graph, source, result, threads)
        result.__dict__["plan"] = self
        remember(self._kind, self.graph, told, result, chosen, self)
        return result

    def __str__(self) -> str:
        from .show import text

        return text(self)

    def _repr_html_(self) -> str:
        from .show import html

        return html(self)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "task": self.task,
            "arguments": {k: v if _is_plain(v) else str(v) for k, v in self.arguments.items()},
            "reason": self.reason,
            "candidates": [c.to_dict() for c in self.candidates],
            "refused": list(self.refused),
            "notes": list(self.notes),
        }


def plan(task: str, graph: Graph, **arguments: Any) -> Plan:
    """What would be run for a task, without running it.

    Parameters
    ----------
    task
        ``"bfs"``, ``"sssp"``, ``"pagerank"``, ``"components"``, ``"similarity"``, ``"mis"`` or
        ``"max-flow"``.
    graph
        On what.
    arguments
        What the task needs to be told: ``source``; ``source`` and ``sink`` of a flow; and anything
        else its function takes, except what the plan chooses. For shortest paths also ``max_error``
        (the mean relative error that is allowed) and ``confidence``: then approximations are among the
        candidates.

    Returns
    -------
    Plan
        Print it; ``plan.run()`` does what stands first, ``plan.run(2)`` what stands third.

    Raises
    ------
    InputError
        If there is no such task, or for arguments that it does not take.
    TooLargeError
        If no way to do it fits into memory; says what each would need.

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
    from .candidates import candidates

    kind = task_named(task)
    check(kind, graph, arguments)
    found = candidates(kind, graph, arguments)
    known = {k: v for k, v in arguments.items() if k not in ("max_error", "confidence")}
    return Plan(kind.name, graph, known, tuple(found.ranked), found.reason, tuple(found.refused),
                tuple(found.notes), kind)  # fmt: skip


def check(kind: Task, graph: Graph, arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that the task does not take, and the lack of those it needs."""
    known = list(inspect.signature(kind.function).parameters)[1:]
    for name in arguments:
        if name not in known:
            raise InputError(
                f"plan({kind.name!r}): there is no {name!r}: it takes "
                f"{', '.join(k for k in known if k not in kind.how)}"
            )
        if name in kind.how:
            raise InputError(
                f"plan({kind.name!r}): {name} is what a plan chooses: leave it out, or call "
                f"the function with it"
            )
    for name in kind.needs:
        if name not in arguments and name not in graph.meta:
            raise InputError(f"plan({kind.name!r}) needs {name}=")
