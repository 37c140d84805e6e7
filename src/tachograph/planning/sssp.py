"""Plans for shortest paths: exact, or as approximate as an error budget allows."""

from __future__ import annotations

from typing import Any

from ..algorithms.bfs import vertices
from ..algorithms.sssp import ShortestPaths, audited, sssp
from ..decisions.approximation_advisor import Option, advise
from ..graph.graph import Graph
from .plan import Alternative, Plan

__all__ = ["plan"]


def plan(graph: Graph, source: Any, max_error: float, confidence: float = 0.9) -> Plan:
    """The fastest configuration whose error keeps the budget with this confidence."""
    sources = vertices(graph, source, "source")
    advice = advise(graph, sources, max_error, confidence)
    algorithm, approximation = advice.chosen.configuration

    def run(
        *, audit: bool = False, threads: int | None = None, trace: bool = True, verify: bool = False
    ) -> ShortestPaths:
        result = sssp(graph, sources, algorithm=algorithm, approximation=approximation,
                      threads=threads, trace=trace, verify=verify)  # fmt: skip
        return audited(graph, sources, result, threads) if audit else result

    others = tuple(map(_alternative, advice.others))
    return Plan("sssp", graph, _alternative(advice.chosen), others, advice.reason, confidence, run)


def _alternative(option: Option) -> Alternative:
    facts = option.to_dict()
    details = {name: facts.pop(name) for name in ("algorithm", "approximation")}
    return Alternative(str(option.configuration), facts, details)
