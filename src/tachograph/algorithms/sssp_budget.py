"""An error budget of shortest paths: what a search may leave, and what it has proved in the end.

The kernel proves a bound of the mean relative error (``kernels/sssp/certificate.py``): the mean doubt,
and the share of the vertices that may be lost. That is never broken; the true error is smaller. By how
much was measured on graphs that the advisor was calibrated with (``Model.share``): with a confidence of
90 %, the errors are at most that share of the doubts in at least 90 of 100 searches of the family where
it is largest.
"""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph
from ..kernels.sssp.certificate import KEPT, REPAIRED, Allowance, Proof
from .budget import Budget, check_budget

__all__ = ["TRIES_IN_VAIN", "Wanted", "forget_tries"]


class _Reach(NamedTuple):
    """What the exact search that reached most has reached: marks, their number, and the share of the
    vertices that arcs lead to, but that it has not reached.
    """

    marks: NDArray[np.bool_]
    total: int
    beyond: float


_reached: weakref.WeakKeyDictionary[Graph, _Reach] = weakref.WeakKeyDictionary()


#: What searches of a graph that proved nothing were allowed, as mean doubts, though it was known what
#: they could reach.
_in_vain: weakref.WeakKeyDictionary[Graph, list[float]] = weakref.WeakKeyDictionary()
TRIES_IN_VAIN = 2  # after which a graph is searched exactly at once, with no more allowed than then


def forget_tries(graph: Graph) -> None:
    """Forget which searches of a graph could prove nothing: the next one tries again."""
    _in_vain.pop(graph, None)


def _remember(graph: Graph, sources: np.ndarray, distances: np.ndarray) -> bool:
    """Keep what an exact search has reached, if that is more than what is known.

    Return whether it was known before what it could reach.
    """
    known = _reached.get(graph)
    if known is not None and known.marks[sources].all():
        return True  # from there, no search gets further
    marks = np.isfinite(distances)
    total = int(marks.sum())
    if known is None or known.total < total:
        behind = graph.transpose if graph.directed else graph
        touched = int(np.count_nonzero(np.diff(behind.indptr)))
        _reached[graph] = _Reach(marks, total, max(0.0, 1 - total / max(touched, 1)))
    return False


class Wanted(NamedTuple):
    """An error budget that somebody asked for."""

    max_error: float
    confidence: float

    def checked(self) -> Wanted:
        """Return it if both are shares."""
        check_budget(*self)
        return self

    def exactly(self, why: str) -> Budget:
        """Return what is said of an exact answer."""
        return Budget(*self, 0.0, 0.0, why)

    def unfinished(self) -> Budget:
        """Return what is said of a search that a deadline has stopped."""
        return Budget(*self, 1.0, None, "the deadline came first: nothing is proved")

    @property
    def share(self) -> float:
        """The part of a proved bound that errors keep with this confidence."""
        from ..decisions.approximation.model import the_model

        return the_model().share(self.confidence)

    @property
    def doubt(self) -> float:
        """The mean doubt that may be left."""
        return self.max_error / self.share

    def allowance(
        self, graph: Graph, sources: np.ndarray, owned: bool, pulls: bool
    ) -> Allowance | str:
        """Return what delta-stepping may leave on a graph, or why it may leave nothing."""
        if owned:
            return "the graph is small or a road network: nothing would be gained"
        if not pulls:
            return "the arcs that lead to a vertex are not at hand (graph.transpose makes them)"
        if sum(doubt >= self.doubt for doubt in _in_vain.get(graph, ())) >= TRIES_IN_VAIN:
            return "earlier searches of this graph, with no less allowed, could prove nothing"
        lightest = (graph.features.weights or {"min": 1.0})["min"]
        allowed = Allowance(self.max_error, self.share, float(lightest))
        known = _reached.get(graph)
        if known is None or not known.marks[sources].all():
            return allowed
        return allowed._replace(reachable=known.total - sources.size, beyond=known.beyond)

    def report(
        self, graph: Graph, sources: np.ndarray, proof: Proof, distances: np.ndarray
    ) -> Budget:
        """Return what is to be said of a search, and remember what is of use to the next."""
        if proof.outcome == KEPT:
            # with less allowed, it may still be in vain
            _in_vain[graph] = [d for d in _in_vain.get(graph, ()) if d < self.doubt]
            return self._kept(proof)
        if _remember(graph, sources, distances):
            _in_vain[graph] = [*_in_vain.get(graph, ()), self.doubt][-TRIES_IN_VAIN:]
        if proof.outcome == REPAIRED:
            why = f"the first answer could be {self._bound(proof):.2%} off, so the search went on"
            return replace(self.exactly(why), repaired=True, seen=_seen(proof))
        return self.exactly("at no point before the end was enough sure")

    def _kept(self, proof: Proof) -> Budget:
        how = "proved by settled distances and the arcs to all others"
        if proof.lost:
            how += f"; {proof.lost:.2%} of the vertices may be lost"
        certain = proof.doubt + proof.lost
        return Budget(*self, self._bound(proof), certain, how, seen=_seen(proof))

    def _bound(self, proof: Proof) -> float:
        return self.share * proof.doubt + proof.lost


def _seen(proof: Proof) -> dict[str, float]:
    return {"doubt": proof.doubt, "lost": proof.lost}
