"""Centralities: how near each vertex is to all others, and how many shortest paths lead through it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph
from ..util.rng import Rng, seed_of
from .audit import Audit
from .budget import Budget, check_budget
from .many_searches import Distances, Paths, Searches
from .result import Result, Run, Trace
from .sampled import Growing, largest_width, relative, rounds, shortfall, widths
from .simple import simple
from .verify import check_betweenness, check_distance_sums

__all__ = ["BetweennessResult", "ClosenessResult", "HarmonicResult", "betweenness_centrality"]
__all__ += ["closeness_centrality", "harmonic_centrality"]

FIXED_POINT_BITS = 62  # of sums of parts of 1, which must not overflow
Numbers = NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Centrality(Result):
    """A score for each vertex."""

    array: ClassVar[str] = "scores"
    table: ClassVar[tuple[str, ...]] = ("scores",)

    scores: Numbers
    sources: int  # searches that were made
    budget: Budget | None = None
    audit: Audit | None = None

    def facts(self) -> dict[str, object]:
        """The largest score, who has it, how many searches that took, and what became of a budget."""
        made: dict[str, object] = {}
        if self.scores.size:
            largest = int(self.scores.argmax())
            name = self.named(np.array([largest])).tolist()[0]
            made = {"largest": float(self.scores[largest]), "vertex": name}
        made["sources"] = self.sources
        if self.budget is not None:
            made["budget"] = self.budget
        if self.audit is not None:
            made["audit"] = self.audit
        return made


class ClosenessResult(Centrality):
    """The closeness of every vertex.

    >>> import tachograph as tg
    >>> tg.closeness_centrality(tg.path(3)).scores.round(3).tolist()
    [0.667, 1.0, 0.667]
    """

    task: ClassVar[str] = "closeness_centrality"


class HarmonicResult(Centrality):
    """The harmonic centrality of every vertex.

    >>> import tachograph as tg
    >>> tg.harmonic_centrality(tg.path(3)).scores.tolist()
    [1.5, 2.0, 1.5]
    """

    task: ClassVar[str] = "harmonic_centrality"


class BetweennessResult(Centrality):
    """The betweenness of every vertex.

    >>> import tachograph as tg
    >>> tg.betweenness_centrality(tg.path(3)).scores.tolist()
    [0.0, 1.0, 0.0]
    """

    task: ClassVar[str] = "betweenness_centrality"


def closeness_centrality(
    graph: Graph,
    *,
    wf_improved: bool = True,
    max_error: float | None = None,
    confidence: float = 0.9,
    audit: bool = False,
    rng: Rng = 0,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> ClosenessResult:
    """Compute how near every vertex is to those that reach it: one over the mean distance.

    Parameters
    ----------
    graph
        The graph; every arc counts 1. Of a directed graph, distances to the vertex count, as in
        NetworkX.
    wf_improved
        Multiply by the share of the other vertices that reach it, so that vertices of small parts do
        not come first (Wasserman and Faust).
    max_error
        The error that is allowed: the sum of all differences over the sum of the exact scores; by
        default none. Then only random sources are searched from, until a bound of it is small enough.
    confidence
        The share of such calls for which ``max_error`` is to be kept.
    audit
        Compute approximate scores exactly, too, and compare.
    rng
        Seed of the random sources, or a Generator.
    threads
        The number of threads; by default all cores. The scores do not depend on it.
    trace
        Keep a row for each round of searches.
    verify
        Check the result by its defining properties; ``VerificationError`` if it is wrong.

    Returns
    -------
    ClosenessResult
        ``scores`` (float64, 0 for a vertex that no other reaches), ``sources``, ``budget``, ``audit``.

    Raises
    ------
    InputError
        If ``max_error`` or ``confidence`` is not a share.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.closeness_centrality(tg.star(4)).scores.round(3).tolist()
    [1.0, 0.6, 0.6, 0.6]
    """
    searches = Distances(graph, lambda level: level, lambda level: level * level)
    reachable = _reachable(graph) if max_error is not None else None

    def scores(k: int) -> tuple[Numbers, float]:
        return _added_up(*searches.closeness(k, shortfall(confidence), wf_improved, reachable))

    asked = (max_error, confidence, seed_of(rng))
    found = _computed(ClosenessResult, searches, scores, asked, threads, trace)
    if verify:
        check_distance_sums(graph, searches.sources, searches.sums.reached, searches.sums.worth)
    if not audit:
        return found
    return _audited(found, lambda: closeness_centrality(graph, wf_improved=wf_improved))


def harmonic_centrality(
    graph: Graph,
    *,
    max_error: float | None = None,
    confidence: float = 0.9,
    audit: bool = False,
    rng: Rng = 0,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> HarmonicResult:
    """Add up one over the distance from every other vertex; what is not reached adds nothing.

    Parameters
    ----------
    graph
        The graph; every arc counts 1. Of a directed graph, distances to the vertex count, as in
        NetworkX.
    max_error
        The error that is allowed: the sum of all differences over the sum of the exact scores; by
        default none. Then only random sources are searched from, until a bound of it is small enough.
    confidence
        The share of such calls for which ``max_error`` is to be kept.
    audit
        Compute approximate scores exactly, too, and compare.
    rng
        Seed of the random sources, or a Generator.
    threads
        The number of threads; by default all cores. The scores do not depend on it.
    trace
        Keep a row for each round of searches.
    verify
        Check the result by its defining properties; ``VerificationError`` if it is wrong.

    Returns
    -------
    HarmonicResult
        ``scores`` (float64), ``sources``, ``budget``, ``audit``.

    Raises
    ------
    InputError
        If ``max_error`` or ``confidence`` is not a share.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.harmonic_centrality(tg.star(4)).scores.tolist()
    [3.0, 2.0, 2.0, 2.0]
    """
    # sums of whole numbers do not depend on their order: one is so many parts
    one = 1 << (FIXED_POINT_BITS - max(graph.n, 1).bit_length())
    searches = Distances(graph, lambda level: one // level, lambda level: one // level**2)

    def scores(k: int) -> tuple[Numbers, float]:
        sums, squares = searches.sums.worth / one, searches.sums.squares / one
        n = graph.n
        return _added_up(sums * (n / max(k, 1)), n * widths(sums, squares, k, n, confidence))

    asked = (max_error, confidence, seed_of(rng))
    found = _computed(HarmonicResult, searches, scores, asked, threads, trace)
    if verify:
        check_distance_sums(graph, searches.sources, searches.sums.reached, None, found.scores)
    return _audited(found, lambda: harmonic_centrality(graph)) if audit else found


def betweenness_centrality(
    graph: Graph,
    *,
    normalized: bool = True,
    max_error: float | None = None,
    confidence: float = 0.9,
    audit: bool = False,
    rng: Rng = 0,
    threads: int | None = None,
    trace: bool = True,
    verify: bool = False,
) -> BetweennessResult:
    """Compute the share of all shortest paths that lead through each vertex.

    Parameters
    ----------
    graph
        The graph; every arc counts 1, parallel ones count once.
    normalized
        Divide by the number of pairs of other vertices, so that scores are shares.
    max_error
        The error that is allowed: the largest difference of any score, as a share of all pairs of
        other vertices, whether scores are normalized or not; by default none. Then only random
        sources are searched from, until a bound of it is small enough. Few vertices of a large graph
        have scores above 0.05: to compare the others, allow less.
    confidence
        The share of such calls for which ``max_error`` is to be kept.
    audit
        Compute approximate scores exactly, too, and compare.
    rng
        Seed of the random sources, or a Generator.
    threads
        The number of threads; by default all cores. The scores do not depend on it.
    trace
        Keep a row for each round of searches.
    verify
        Check the result by its defining properties; ``VerificationError`` if it is wrong.

    Returns
    -------
    BetweennessResult
        ``scores`` (float64), ``sources``, ``budget``, ``audit``.

    Raises
    ------
    InputError
        If ``max_error`` or ``confidence`` is not a share.

    Examples
    --------
    >>> import tachograph as tg
    >>> tg.betweenness_centrality(tg.star(4), normalized=False).scores.tolist()
    [3.0, 0.0, 0.0, 0.0]
    """
    searches = Paths(simple(graph))
    n = graph.n
    every_pair = max((n - 1) * (n - 2), 1)
    scale = 1 / every_pair if normalized else 1.0 if graph.directed else 0.5
    looks = 0

    def scores(k: int) -> tuple[Numbers, float]:
        nonlocal looks
        looks += 1
        risk = (1 - confidence) / 2**looks  # of all looks together: what was asked for
        sums, squares, most = searches.total, searches.squares, max(n - 2, 0)
        width = largest_width(sums, squares, k, n, most, risk)
        return sums * (scale * n / max(k, 1)), min(width * n / every_pair, 1.0)

    asked = (max_error, confidence, seed_of(rng))
    found = _computed(BetweennessResult, searches, scores, asked, threads, trace)
    if verify:
        check_betweenness(searches.graph, searches.sources, searches.total)
    if not audit:
        return found
    return _audited(
        found,
        lambda: betweenness_centrality(graph, normalized=normalized),
        lambda off, _: float(off.max(initial=0.0)) / scale / every_pair,
    )


C = TypeVar("C", bound=Centrality)


def _computed(
    kind: type[C],
    searches: Searches,
    scores: Callable[[int], tuple[Numbers, float]],
    asked: tuple[float | None, float, int],
    threads: int | None,
    trace: bool,
) -> C:
    """Search from as many sources as are needed, and return the scores.

    ``scores(k)`` are those from ``k`` sources, and the error that they may have.
    """
    from ..kernels.runtime.launch import clock
    from ..kernels.runtime.launch import threads as using

    max_error, confidence, seed = asked
    check_budget(0.5 if max_error is None else max_error, confidence)
    n = searches.graph.n
    rows: list[tuple[int, float, int]] = []

    def search(sources: NDArray[np.int64]) -> None:
        begin = clock()
        workers = searches.add(sources)
        rows.append((sources.size, clock() - begin, workers))

    budget = None
    with using(threads):
        begin = clock()
        steps: Iterable[Growing | Budget] = ()
        if max_error is not None:
            steps = rounds(n, max_error, confidence, seed, lambda k: scores(k)[1])
        for step in steps:
            if isinstance(step, Growing):
                search(step.sources)
            else:
                budget = step
        if budget is None or budget.exact:
            searches.clear()
            search(searches.every())
        values, _ = scores(searches.sources.size)
        seconds = clock() - begin
    columns = dict(zip(("sources", "seconds", "threads"), zip(*rows, strict=True), strict=True))
    run = Run(seconds, Trace(columns, trace), reason="" if budget is None else budget.how)
    return kind(scores=values, sources=searches.sources.size, budget=budget, run=run)


def _added_up(scores: Numbers, wide: Numbers) -> tuple[Numbers, float]:
    """Return the scores, and how far their sum of differences may be off, relative to their sum."""
    return scores, relative(float(wide.sum()), float(scores.sum()))


def _of_sums(off: Numbers, exact: Numbers) -> float:
    """Return the sum of differences over that of the exact scores."""
    total = float(exact.sum())
    return float(off.sum()) / total if total else 0.0


def _audited(
    found: C, exactly: Callable[[], C], of: Callable[[Numbers, Numbers], float] = _of_sums
) -> C:
    """Return the result with the error of its scores, ``of`` the differences and the exact ones."""
    exact = found.scores if found.budget is None or found.budget.exact else exactly().scores
    error = of(np.abs(found.scores - exact), exact)
    return replace(found, audit=Audit(error, error, error, exact.size, exact.size))


def _reachable(graph: Graph) -> NDArray[np.int64] | None:
    """Return how many others reach each vertex of an undirected graph."""
    from .components import connected_components

    if graph.directed:
        return None
    labels = connected_components(graph, trace=False).labels
    _, place, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return np.asarray(sizes[place] - 1)
