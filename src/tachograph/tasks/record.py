"""Record a run in the journal: the question, the way, the prediction and the outcome."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from ..algorithms.result import Result
from ..graph.graph import Graph
from ..journal import journal
from ..journal.runs import Run
from .decide import Candidate, in_words
from .question import Question

if TYPE_CHECKING:
    from .plan import Plan

__all__ = ["describe", "record"]

FINGERPRINT_ARCS = 4096  # entries that tell one graph from another


def describe(graph: Graph, name: str | None = None) -> dict[str, Any]:
    """Describe a graph for a record: its name, its sizes, and a mark that tells it from others."""
    spread = np.linspace(0, max(graph.arcs - 1, 0), min(FINGERPRINT_ARCS, graph.arcs))
    places = spread.astype(np.int64)
    mark = zlib.crc32(np.ascontiguousarray(graph.indices[places]).tobytes())
    if graph.weights is not None:
        mark = zlib.crc32(np.ascontiguousarray(graph.weights[places]).tobytes(), mark)
    return {
        "name": name or f"{graph.n:,} vertices, {graph.m:,} edges",
        "n": graph.n,
        "m": graph.m,
        "arcs": graph.arcs,
        "directed": graph.directed,
        "weighted": graph.weighted,
        "mark": f"{mark:08x}",
    }


def record(
    question: Question,
    candidate: Candidate,
    reason: str,
    result: Result,
    name: str | None = None,
    plan: Plan | None = None,
) -> int | None:
    """Keep a run in the journal; return its number, or None if there is no journal."""
    kept = journal()
    if kept.path is None:
        return None
    about, guess = describe(question.graph, name), candidate.estimate
    if guess.seconds is not None:
        about["shape"] = dict(question.shape)
    how = {k: in_words(v) for k, v in {**question.how, **candidate.options}.items()}
    decided = {"way": candidate.name, "reason": reason, "how": how, "base": guess.base}
    return kept.record(
        Run(
            task=question.task.name,
            graph=about,
            seconds=result.seconds,
            options=question.recorded(),
            plan=decided if plan is None else plan.to_dict() | decided,
            predicted=guess.seconds,
            provenance=result.provenance,
            facts=_facts(result),
            trace=result.trace,
        )
    )


def _facts(result: Result) -> dict[str, Any]:
    """Return the facts of a result as JSON can hold them."""
    facts = result.facts()
    return {k: v.to_dict() if hasattr(v, "to_dict") else v for k, v in facts.items()}
