"""What errors keep of the doubts that a search has proved: measured on live calls, family by family.

A search with an error budget ends when the doubts that are left are small enough. The errors are
smaller than the doubts; the score of a search is how much smaller, a share. For a confidence, the
conformal quantile of the scores is taken for each family, and the largest of them counts. Exact answers
have no score.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...journal.campaign import Campaign, Executor, Record, measured_code
from .. import graphs as registry
from ..trainer import Measured, run_named
from .collect import group_of
from .model import CONFIDENCES, LEAST_SHARE, conformal
from .rules import inaccuracy

__all__ = ["CALIBRATED_BUDGETS", "budget_cases", "live_cases", "shares_of", "sources_of"]

KIND = "budget-1"  # of records; a new one when what is measured changes
CALIBRATED_BUDGETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
CALIBRATED_SOURCES = 8  # of each graph: the vertex of highest degree, and random ones
FEWEST_SCORES = 10  # of a family, to be looked at alone
CERTAIN = 0.999  # a confidence above all that are calibrated: proved bounds count in full


class Verdict(Protocol):
    """What a result says of its budget."""

    @property
    def exact(self) -> bool: ...
    @property
    def seen(self) -> Mapping[str, float]: ...


class Bounded(Measured, Protocol):
    """What is needed of the result of a search with a budget."""

    @property
    def distances(self) -> NDArray[np.float64]: ...
    @property
    def budget(self) -> Verdict: ...


def sources_of(name: str, graph: Graph, count: int) -> list[int]:
    """Return the vertex of highest degree, and random ones that have arcs."""
    some = np.flatnonzero(graph.degrees)
    drawn = np.random.default_rng(zlib.crc32(name.encode())).choice(some, count - 1)
    return [int(graph.degrees.argmax()), *drawn.tolist()]


def budget_cases(graph: str, run: str) -> Record:
    """Search a graph with all budgets from all sources: a task of the campaign."""
    search = run_named(run)
    made = registry.weighted(registry.graph_named(graph))
    if made.directed:
        made.transpose  # noqa: B018  (without it nothing is approximated)
    scores = []
    for source in sources_of(graph, made, CALIBRATED_SOURCES):
        exact = cast(Bounded, search("sssp", made, source=source)).distances
        for budget in CALIBRATED_BUDGETS:
            told = {"source": source, "max_error": budget, "confidence": CERTAIN}
            found = cast(Bounded, search("sssp", made, **told))
            if found.budget.exact:
                continue
            seen, error = found.budget.seen, inaccuracy(exact, found.distances, source).mean
            if seen["doubt"] > 0:
                scores.append(max(error - seen["lost"], 0.0) / seen["doubt"])
    about = {"graph": graph, "hash": registry.hash_of(made), "family": group_of(graph)}
    return {**about, "scores": scores}


def live_cases(names: Sequence[str], run: str, executor: Executor | None) -> list[Record]:
    """Return the scores of all searches on these graphs; the journal keeps them."""
    tasks = [{"graph": name, "run": run} for name in names]
    function = f"{__package__}.calibrate:budget_cases"
    campaign = Campaign(KIND, function, tasks, measured_code(), label="calibrating budgets")
    return [r for r in campaign.records(executor) if r is not None]


def shares_of(cases: Sequence[Record]) -> tuple[float, ...]:
    """Return the share of each of ``CONFIDENCES``: 1 where there is too little to tell.

    >>> cases = [{"family": "a", "scores": [0.1] * 30}, {"family": "b", "scores": [0.7] * 30}]
    >>> shares_of(cases)
    (0.7, 0.7, 0.7, 1.0)
    """
    families: dict[str, list[float]] = {}
    for case in cases:
        families.setdefault(case["family"], []).extend(case["scores"])
    pooled = np.sort([score for scores in families.values() for score in scores])
    groups = [np.sort(v) for v in families.values() if len(v) >= FEWEST_SCORES]
    made = []
    for confidence in CONFIDENCES:
        if math.isinf(conformal(pooled, confidence)):
            made.append(1.0)
            continue
        worst = [min(conformal(s, confidence), float(s[-1])) for s in (*groups, pooled)]
        made.append(float(min(1.0, max(LEAST_SHARE, *worst))))
    return tuple(made)
