"""Plans, and their candidates as ways of a race."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...algorithms.result import Result
from ...plots import numbers as show
from ...tasks.plan import Plan, plan
from .setting import Setting

__all__ = ["Planned", "planned"]


class Planned:
    """A plan: its first candidate is what was decided."""

    def __init__(self, made: Plan) -> None:
        self.plan = made
        self.names = [c.name for c in made.candidates]

    @property
    def chosen(self) -> str:
        return self.names[0]

    def way(self, start: str) -> str:
        """The candidate whose name begins so; the first one if there is none."""
        return next((name for name in self.names if name.startswith(start)), self.chosen)

    def ways(self, *starts: str) -> dict[str, Callable[[], Result]]:
        """The first candidate and those whose names begin so, to be run."""
        wanted = [name for name in self.names[1:] if name.startswith(starts)]
        return {name: self._runs(name) for name in (self.chosen, *wanted)}

    def _runs(self, name: str) -> Callable[[], Result]:
        place = self.names.index(name)
        return lambda: self.plan.run(place)

    @property
    def predicted(self) -> dict[str, float]:
        """Seconds of the candidates, where they are known."""
        return {c.name: c.seconds for c in self.plan.candidates if c.seconds is not None}

    def told(self) -> str:
        """What was decided and why, in a sentence."""
        first = self.plan.chosen
        between = ""
        if first.estimate.low is not None and first.estimate.high is not None:
            low, high = show.seconds(first.estimate.low), show.seconds(first.estimate.high)
            between = f" Predicted: {show.seconds(first.seconds or 0)}, between {low} and {high}."
        return f"Decided: {first.name}; {self.plan.reason}.{between}"


def planned(setting: Setting, task: str, graph: Any, **arguments: Any) -> Planned:
    """A plan that knows the second device, if there is one."""
    _ = setting.device  # is calibrated when it is first asked for
    return Planned(plan(task, graph, **arguments))
