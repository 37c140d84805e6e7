"""How good a model of directions is on measured searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .levels import levels_of, score
from .model import cost_policy

if TYPE_CHECKING:
    from ...journal.campaign import Record
    from .model import Model

__all__ = ["WHAT", "judge"]

WHAT = "time over the best possible"


def judge(model: Model, records: list[Record]) -> list[float]:
    """Return, for each graph, the logarithm of the time over that of the best directions."""
    levels = levels_of(records)
    found = score(levels, levels.chosen_by(cost_policy(model.cost)))
    return [float(x) for x in np.log(found.slowdown)]
