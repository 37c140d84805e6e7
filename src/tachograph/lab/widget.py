"""Plans and results as widgets of notebooks (anywidget), with the views of the panel Run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ..tasks.plan import Plan
from ..util.errors import MissingDependencyError, TachographError
from ..util.text import plain
from .api.run import payload, plan_payload
from .bundle import script, style
from .runs import Outcome, outcome_of

if TYPE_CHECKING:
    from ..algorithms.result import Result

__all__ = ["of"]


def of(thing: Plan | Result) -> Any:
    """Return the widget of a plan, whose candidates can be run from it, or of a result.

    Raises
    ------
    MissingDependencyError
        If anywidget is not installed.
    """
    made = _kind()()
    if isinstance(thing, Plan):
        _Candidates(made, thing)
    else:
        made.told = {"outcome": payload(outcome_of(thing))}
    return made


@cache
def _kind() -> type:
    """Return the class of our widgets."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        install = "python -m pip install 'tachograph[lab]'"
        raise MissingDependencyError(f"widgets need anywidget: {install}") from None

    class Widget(anywidget.AnyWidget):
        """Shows ``told``: the payloads that the server of the lab would have sent."""

        _esm, _css = script("widget.js"), style()
        told = traitlets.Dict().tag(sync=True)

    return Widget


class _Candidates:
    """A plan in a widget: runs what is asked for, and shows what it took."""

    def __init__(self, widget: Any, plan: Plan) -> None:
        self.widget, self.plan = widget, plan
        self.outcomes: dict[str, Outcome] = {}
        widget.on_msg(self.hear)
        self.show(None)

    def hear(self, _: object, message: dict[str, Any], buffers: Sequence[object] = ()) -> None:
        """Run the candidates that a message names, or show the run of one."""
        error, last = "", message.get("show")
        for way in message.get("run", ()):
            try:
                chosen = self.plan.candidates[self.plan.place_of(str(way))]
                self.outcomes[chosen.name] = outcome_of(self.plan.run(chosen.name), chosen)
            except TachographError as problem:
                error = plain(problem)
                continue
            last = chosen.name
        self.show(last, error)

    def show(self, way: str | None, error: str = "") -> None:
        """Show the plan, and the run of a candidate."""
        told: dict[str, Any] = {"plan": plan_payload(self.plan, self.outcomes), "error": error}
        if way in self.outcomes:
            told["outcome"] = payload(self.outcomes[way])
        self.widget.told = told
