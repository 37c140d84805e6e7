"""Error budgets kept and time gained, on live calls of ``tg.sssp``, with everything that they cost.

A case is a graph, a source, a budget and a confidence. Exact calls and calls with budgets take turns,
and the shortest of as many rounds counts, of the whole public call. Searches learn from earlier ones
where nothing can be proved: later ones, which have learned, and first ones are measured apart. Graphs
are those to test, which neither the model nor a constant has seen.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...algorithms.sssp import SsspResult
from ...algorithms.sssp_budget import TRIES_IN_VAIN, forget_tries
from ...decisions import graphs as registry
from ...decisions.approximation.calibrate import sources_of
from ...decisions.approximation.collect import group_of
from ...decisions.approximation.rules import inaccuracy
from ...graph.graph import Graph
from ...tasks.road import run
from ..reproduce import GRAPH_COLUMNS, Cell, Record, Settings, Table, measure, origin
from .tables import shortest

__all__ = ["budgets", "of_graph"]

BUDGETS, CONFIDENCES, USUAL_CONFIDENCE = (0.01, 0.05, 0.1, 0.2), (0.8, 0.9, 0.99), 0.9
SOURCES, FULL_SOURCES = 4, 8  # of each graph
TIMED_ROUNDS = 7
LONG_SECONDS = 0.002  # exact searches that take longer count for times
MANY_ARCS = 1_000_000  # of the graphs for which a gain was promised
ALLOWED_RATIO = 1.03  # of the time of a call with a budget to that of an exact one


def of_graph(name: str, sources: int) -> Record:
    """Return all cases of a graph: a task of the campaign.

    Before later calls are timed, all of them were made as often as it takes to know what is in vain.
    """
    graph = registry.weighted(registry.graph_named(name))
    if graph.directed:
        graph.transpose  # noqa: B018  (without it, nothing is approximated)
    later = [(budget, confidence) for confidence in CONFIDENCES for budget in BUDGETS]
    first = [(budget, USUAL_CONFIDENCE) for budget in BUDGETS]
    cases: list[Record] = []
    for source in sources_of(name, graph, sources):
        for asked in later:
            for _ in range(TRIES_IN_VAIN):
                _timed(graph, source, asked)
        cases += _in_turns(graph, source, later, first=False)
        cases += _in_turns(graph, source, first, first=True)
    return {"graph": name, "family": group_of(name), "arcs": graph.arcs, "cases": cases}


def _in_turns(
    graph: Graph, source: int, told: Sequence[tuple[float, float]], first: bool
) -> list[Record]:
    """Time calls with these budgets and confidences beside exact ones; first ones know of no tries."""
    exact = _timed(graph, source)[0]
    times, best, answers = [], [np.inf] * len(told), [exact] * len(told)
    for _ in range(TIMED_ROUNDS):
        for k, asked in enumerate(told):
            if k % len(BUDGETS) == 0:
                times.append(_timed(graph, source)[1])
            if first:
                forget_tries(graph)
            answers[k], took = _timed(graph, source, asked)
            best[k] = min(best[k], took)
    cases = []
    for (budget, confidence), took, found in zip(told, best, answers, strict=True):
        verdict = found.budget
        assert verdict is not None
        cases.append({
            "budget": budget, "confidence": confidence, "first": first,
            "exact": verdict.exact, "repaired": verdict.repaired,
            "bound": verdict.bound, "certain": verdict.certain,
            "error": inaccuracy(exact.distances, found.distances, source).mean,
            "seconds": took, "exact_seconds": shortest(times, TIMED_ROUNDS),
        })  # fmt: skip
    return cases


def _timed(
    graph: Graph, source: int, asked: tuple[float, float] | None = None
) -> tuple[SsspResult, float]:
    """Make one public call, exact or with a budget and a confidence; return how long all of it took."""
    options: dict[str, Any] = {}
    if asked is not None:
        options = {"max_error": asked[0], "confidence": asked[1]}
    begin = time.perf_counter()
    found: SsspResult = run("sssp", graph, source, trace=False, keep=False, **options)
    return found, time.perf_counter() - begin


def budgets(settings: Settings) -> Iterator[Table]:
    """Kept budgets and gains, on graphs to test."""
    usual = registry.present(registry.names_of("approximation", "test"))
    names = settings.graphs or usual
    count = FULL_SOURCES if settings.full else SOURCES
    found = measure(
        settings, "approximation.budget:of_graph", [{"name": n, "sources": count} for n in names]
    )
    every = [
        {**c, **{k: g[k] for k in ("graph", "family", "arcs")}} for g in found for c in g["cases"]
    ]
    later = _where(every, first=False)
    yield _kept(later)
    yield _by_graph(later)
    yield _times(every)
    yield _gains(later)


def _where(cases: Sequence[Record], **conditions: object) -> list[Record]:
    return [c for c in cases if all(c[k] == v for k, v in conditions.items())]


def _kept(every: Sequence[Record]) -> Table:
    rows: list[list[Cell]] = []
    for confidence in CONFIDENCES:
        for budget in BUDGETS:
            own = _where(every, confidence=confidence, budget=budget)
            tried = _where(own, exact=False)
            kept = [c["error"] <= budget for c in tried]
            worst = max((c["error"] / budget for c in tried), default=0.0)
            broken = sum(c["error"] > c["certain"] for c in tried)
            share = sum(kept) / len(kept) if kept else None
            repaired = sum(c["repaired"] for c in own)
            rows.append([confidence, budget, len(own), len(tried), share, worst, repaired, broken])
    columns = ["confidence", "budget", "cases", "approximated", "of which kept"]
    columns += ["largest error / budget", "repaired", "certain bounds broken"]
    note = "Exact answers keep any budget and are not counted as kept."
    return Table("Budgets kept on live calls", columns, rows, [note])


def _by_graph(every: Sequence[Record]) -> Table:
    rows: list[list[Cell]] = []
    for graph in dict.fromkeys(c["graph"] for c in every):
        own = _where(every, graph=graph)
        tried = _where(own, exact=False)
        at_90 = _where(tried, confidence=USUAL_CONFIDENCE)
        share = float(np.mean([c["error"] <= c["budget"] for c in at_90])) if at_90 else None
        tight = float(np.median([c["error"] / c["bound"] for c in tried])) if tried else None
        numbers: list[Cell] = [own[0]["arcs"], len(own), len(tried), len(at_90), share, tight]
        rows.append([*[graph, *origin(graph, "approximation")], own[0]["family"], *numbers])
    columns = [*GRAPH_COLUMNS, "family", "arcs", "cases", "approximated", "with 90 %"]
    columns += ["of which kept", "error / bound, median"]
    return Table("Budgets kept, by graph", columns, rows)


def _times(every: Sequence[Record]) -> Table:
    rows: list[list[Cell]] = []
    for first in (False, True):
        for budget in BUDGETS:
            own = _where(every, budget=budget, first=first)
            own = [c for c in own if c["exact_seconds"] >= LONG_SECONDS]
            ratio = np.array([c["seconds"] / c["exact_seconds"] for c in own])
            middle = [float(np.median(ratio)), float(ratio.max())] if own else [None, None]
            above = int((ratio > ALLOWED_RATIO).sum())
            rows.append(["first" if first else "later", budget, len(own), *middle, above])
    columns = ["searches", "budget", "cases", "time / exact, median", "largest"]
    note = (
        f"Cases that take at least {LONG_SECONDS * 1000:g} ms exactly; the shortest of {TIMED_ROUNDS} "
        "rounds in turns, whole calls. First: nothing was tried in vain before, at "
        f"{USUAL_CONFIDENCE:.0%} confidence. Later: each was called {TRIES_IN_VAIN} times before."
    )
    columns.append(f"above {ALLOWED_RATIO}")
    return Table("Time of calls with a budget", columns, rows, [note])


def _gains(every: Sequence[Record]) -> Table:
    rows: list[list[Cell]] = []
    families = dict.fromkeys(c["family"] for c in every)
    for budget in BUDGETS:
        for family in families:
            own = _where(every, budget=budget, family=family, confidence=USUAL_CONFIDENCE)
            for large in (False, True):
                part = [c for c in own if (c["arcs"] >= MANY_ARCS) == large]
                if not part:
                    continue
                gain = np.array([c["exact_seconds"] / c["seconds"] for c in part])
                share = float(np.mean([not c["exact"] for c in part]))
                size = "from 1 M arcs" if large else "smaller"
                numbers = [float(np.median(gain)), float(gain.max()), share]
                rows.append([budget, family, size, len(part), *numbers])
    columns = ["budget", "family", "graphs", "cases", "median gain", "best", "share approximated"]
    return Table("Gains over exact searches, at 90 % confidence", columns, rows)
