"""A trained model beside the one in use, on graphs that the new one has not seen.

The graphs that were measured are dealt to a few hands. For each hand a model is fitted to the others
and judged by this one; so is the model in use, which may have seen these graphs before. A fork whose
folder has no ``judge.py`` cannot be compared.
"""

from __future__ import annotations

import importlib
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from ..util.errors import TachographError

if TYPE_CHECKING:
    from ..journal.campaign import Record
    from .trainer import Fitted, Trainer

__all__ = ["Comparison", "compare"]

HANDS = 4  # that graphs are dealt to


class Comparison(NamedTuple):
    """Geometric means of a factor that is 1 at best: of the new model, and of the one in use."""

    what: str
    new: float
    used: float
    judged: int

    @property
    def better(self) -> bool:
        """Whether the new model is not worse."""
        return self.new <= self.used

    def __str__(self) -> str:
        return (
            f"{self.what}: {self.new:.3f} by the new model, {self.used:.3f} by the one in use "
            f"({self.judged:,} judged, on graphs that were left out)"
        )


def part(fork: str, name: str) -> Any:
    """Import a module of a fork's folder."""
    return importlib.import_module(f"{__package__}.{fork}.{name}")


def compare(trainer: Trainer[Fitted], records: list[Record]) -> Comparison | None:
    """Judge a training by graphs that are left out; None if that is not possible."""
    try:
        judging, model = part(trainer.name, "judge"), part(trainer.name, "model").the_model()
    except (ModuleNotFoundError, TachographError):
        return None
    graphs = sorted({r["graph"] for r in records})
    new: list[float] = []
    used: list[float] = []
    for hand in (set(graphs[k::HANDS]) for k in range(HANDS)):
        mine = [r for r in records if r["graph"] in hand]
        others = [r for r in records if r["graph"] not in hand]
        if mine and others:
            found = [judging.judge(m, mine) for m in (trainer.fit(others), model)]
            if len(found[0]) == len(found[1]):  # else one of them does not know all ways
                new, used = [*new, *found[0]], [*used, *found[1]]
    if not new:
        return None
    ours, theirs = (math.exp(sum(values) / len(values)) for values in (new, used))
    return Comparison(judging.WHAT, ours, theirs, len(new))
