"""What a search for shortest paths gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..decisions.approximation.rules import EXACT, Approximation
from ..util.errors import InputError
from .audit import Audit
from .budget import Budget
from .result import NOT_REACHED, Lazy, Result, back_to_source

__all__ = ["SsspResult"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class SsspResult(Result):
    """Distances, and the paths that have them.

    ``distances`` is inf where no path leads; ``approximation`` says what was left out on request,
    ``budget`` what became of an error budget, ``audit`` what a check of approximate distances found.

    >>> import tachograph as tg
    >>> found = tg.sssp(tg.road(4, 4, deleted=0, weights=(1, 1)), 0)
    >>> found.distances[15], found.path(15).size, str(found.approximation)
    (np.float64(6.0), 7, 'exact')
    """

    task: ClassVar[str] = "sssp"
    table: ClassVar[tuple[str, ...]] = ("distances", "predecessors")
    ids: ClassVar[tuple[str, ...]] = ("predecessors",)

    distances: NDArray[np.float64]
    late_predecessors: Lazy[NDArray[np.integer]]
    approximation: Approximation = EXACT
    budget: Budget | None = None
    audit: Audit | None = None

    @property
    def exact(self) -> bool:
        """Whether all paths are shortest ones."""
        if self.run.stopped:
            return False
        return self.approximation.exact and (self.budget is None or self.budget.exact)

    @property
    def predecessors(self) -> NDArray[np.integer]:
        """The vertex before each on a shortest path; a source is its own, -1 if not reached."""
        return self.late_predecessors()

    def so_far(self) -> str:
        """What distances are worth that were not finished."""
        share = float(np.isfinite(self.distances).mean())
        return f"distances are those of paths found by then, to {share:.0%} of the vertices"

    def facts(self) -> dict[str, object]:
        """How many vertices were reached, how far the farthest is, what was left out and checked."""
        reached = self.distances[np.isfinite(self.distances)]
        farthest = float(reached.max(initial=0.0))
        made: dict[str, object] = {"reached": reached.size, "farthest": farthest}
        if not self.approximation.exact or (self.budget is None and self.audit is not None):
            made["left out"] = str(self.approximation)
        if self.budget is not None:
            made["budget"] = self.budget
        if self.audit is not None:
            made["audit"] = self.audit
        return made

    def to_dict(self) -> dict[str, object]:
        """Distances and predecessors."""
        return {"distances": self.distances, "predecessors": self.predecessors}

    def path(self, target: object) -> NDArray[Any]:
        """The vertices of a shortest path to ``target``, both ends included.

        They are names if the graph's vertices have names, and so is ``target``.

        Raises
        ------
        InputError
            If there is no such vertex or no path.

        Examples
        --------
        >>> import tachograph as tg
        >>> tg.sssp(tg.path(5), 1).path(4).tolist()
        [1, 2, 3, 4]
        """
        end = self.vertex(target)
        n = self.distances.size
        if not 0 <= end < n:
            raise InputError(f"target: there is no vertex {target}; ids go from 0 to {n - 1}")
        if np.isinf(self.distances[end]):
            raise InputError(f"there is no path to vertex {target!r}: {NOT_REACHED}")
        found = back_to_source(self.predecessors, end)
        if found is None:
            raise InputError(
                f"the path to vertex {target} is lost in rounding: a cycle of weight zero with "
                "negative weights is on it; scale the weights to whole numbers"
            )
        return self.named(found)
