"""Plans: what would be run, what it is predicted to give, the alternatives, and why this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..algorithms.result import Result
from ..errors import InputError
from ..graph.graph import Graph

__all__ = ["Alternative", "Plan", "plan"]

#: A planner for each task: the module of this package that has ``plan(graph, **arguments)``.
PLANNERS = {"sssp": "sssp"}


@dataclass(frozen=True)
class Alternative:
    """A way to do the task. Predictions are estimates with the bounds they stay within."""

    name: str
    predicted: dict[str, float]
    details: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        p = self.predicted
        return (
            f"{self.name}: error {p['error']:.2%} (at most {p['error_bound']:.2%}), "
            f"{p['gain']:.2f} times as fast as exact (at least {p['gain_bound']:.2f})"
        )


@dataclass(frozen=True)
class Plan:
    """What would be run: ``chosen``, the ``others`` from fast to slow, and the ``reason``."""

    task: str
    graph: Graph
    chosen: Alternative
    others: tuple[Alternative, ...]
    reason: str
    confidence: float
    _run: Callable[..., Result] = field(repr=False)

    def run(self, **options: Any) -> Any:
        """Do what was chosen; ``audit=True`` checks an approximate result on a random sample."""
        return self._run(**options)

    def __str__(self) -> str:
        lines = [f"{self.task} on {self.graph!r}", f"run    {self.chosen}", f"why    {self.reason}"]
        lines += [f"{'or' if not k else '':6} {other}" for k, other in enumerate(self.others)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "task": self.task,
            "chosen": _shown(self.chosen),
            "reason": self.reason,
            "confidence": self.confidence,
            "others": [_shown(other) for other in self.others],
        }


def _shown(alternative: Alternative) -> dict[str, Any]:
    return {"name": alternative.name, **alternative.predicted, **alternative.details}


def plan(task: str, graph: Graph, **arguments: Any) -> Plan:
    """What would be run for a task, without running it.

    Parameters
    ----------
    task
        ``"sssp"``.
    graph
        On what.
    arguments
        For shortest paths: ``source``, ``max_error`` (the mean relative error that is allowed) and
        ``confidence``.

    Returns
    -------
    Plan
        Print it; ``plan.run()`` does it.

    Raises
    ------
    InputError
        If there is no such task, or for arguments that it does not take.

    Examples
    --------
    >>> import tachograph as tg
    >>> g = tg.kronecker(12, seed=1, weights=True)
    >>> plan = tg.plan("sssp", g, source=0, max_error=0.05)
    >>> plan.chosen.predicted["error_bound"] <= 0.05
    True
    >>> float(plan.run().distances[0])
    0.0
    """
    if task not in PLANNERS:
        raise InputError(f"there is no plan for {task!r}: choose {', '.join(PLANNERS)}")
    import importlib

    module = importlib.import_module(f".{PLANNERS[task]}", __package__)
    try:
        made: Plan = module.plan(graph, **arguments)
    except TypeError as error:
        if "argument" not in str(error):
            raise
        raise InputError(f"plan({task!r}): {str(error).partition(') ')[2]}") from None
    return made
