"""What both kernels of delta-stepping are given, and how a search can end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.launch import inline
from ..runtime.nouns import WeightedRows
from .buckets import Scale
from .limits import Limits
from .rounds import too_narrow

__all__ = ["DONE", "TOO_FAR", "TOO_NARROW", "Problem", "outcome_of"]

DONE, TOO_FAR, TOO_NARROW = 0, 1, 2


class Problem(NamedTuple):
    """A graph, where to begin, where distances go, and what each worker reports to the others."""

    rows: WeightedRows
    sources: np.ndarray
    dist: np.ndarray
    scale: Scale
    largest_degree: int
    limits: Limits
    board: np.ndarray
    traced: bool


@inline
def outcome_of(team, scale, current, phase, taken):
    """Whether a search must end because distances in the next bucket may be too large for their type,
    or because ``taken`` vertices are too few for a team; else DONE.
    """
    if (current + 1) * scale.delta > scale.ceiling:
        return TOO_FAR
    if team.workers > 1 and too_narrow(phase, taken):
        return TOO_NARROW
    return DONE
