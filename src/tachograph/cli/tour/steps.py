"""The table of steps: five tasks, each with the decision that a paper is about."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

import tachograph as tg

from ...graph.graph import Graph
from ...plots import numbers as show
from ...plots.charts import bars
from ...plots.report.page import Figure, Section
from ...plots.report.sections import memory_figure, plan_figure, trace_figures
from ...plots.tables import Table, table_of
from ...plots.traces import directions, placements, rates_of, split_curve
from ..graphs import degree_classes
from .race import (
    Asked,
    Found,
    Outcome,
    Raced,
    Setting,
    Skip,
    Step,
    Told,
    nearest,
    race,
    saving,
    weighted,
)

__all__ = ["STEPS"]

BUDGET = 0.05  # mean relative error that is allowed
#: Arcs of the largest part of a graph that a task is shown on.
MOST_SIMILARITY, MOST_SET, MOST_FLOW = 1 << 23, 1 << 25, 1 << 22
HOST, DEVICE = "rounds, all on the host", "rounds, all on the device"
PLACED = "rounds, each kernel placed"
MOST_SIMULATED = 1 << 22  # arcs: a simulation of so many takes some seconds
DESIGNS = (
    ("HitGraph", tg.HitGraph, None),
    ("AccuGraph", tg.AccuGraph, None),
    ("AccuGraph with HBM", tg.AccuGraph, "HBM"),
)
KERNEL_COLUMNS = ("kernel", "iteration", "device", "work", "seconds")
LEVEL_COLUMNS = ("direction", "frontier_vertices", "frontier_edges", "seconds")


def _welcome(setting: Setting) -> Outcome:
    """Tell counts and degrees."""
    graph, f = setting.graph, setting.graph.features
    facts = [
        ("vertices", show.count(f.n)),
        ("edges", show.count(f.m)),
        ("kind", "directed" if graph.directed else "undirected"),
        ("weights", "none" if graph.weights is None else str(graph.weights.dtype)),
        ("mean degree", f"{f.mean_degree:.1f}"),
        ("highest degree", show.count(f.max_degree)),
        ("Gini index of degrees", f"{f.gini:.2f}"),
        ("diameter, at least", show.count(f.diameter)),
    ]
    text = [f"{setting.name}: {graph!r}. Decisions below are made from numbers like these."]
    rows = [
        (f"degree {label}", float(total), "vertices")
        for label, total in degree_classes(f.degree_counts)
    ]
    chart = Figure(lambda width: bars(rows, "Vertices by degree", width, show.count))
    return Outcome(Section("The graph", text, facts, [chart] if graph.n else []))


def _search(setting: Setting) -> Asked:
    graph, source = setting.graph, setting.source
    intro = (
        f"From vertex {setting.called(source)}, that of the highest degree. Before every level the "
        "time of both directions is predicted, and the faster one is taken."
    )
    rule = {"rule of GAPBS": partial(tg.bfs, graph, source, direction="gapbs")}
    return Asked(graph, {"source": source}, intro, rule)


def _levels(raced: Raced) -> Told:
    """Tell the directions of the chosen run, beside a run that timed both at every level."""
    graph, source = raced.asked.graph, raced.setting.source
    result = raced.chosen.result
    tg.bfs(graph, source, verify=True)
    timed = tg.bfs(graph, source, direction="oracle").trace
    columns = {k: v for k, v in result.trace.to_dict().items() if k in LEVEL_COLUMNS}
    way, judged = result.trace["direction"], []
    if len(timed) == len(way):
        push, pull = timed["push_seconds"], timed["pull_seconds"]
        columns |= {"push_seconds": push.tolist(), "pull_seconds": pull.tolist()}
        best, took = np.fmin(push, pull), np.where(way == "pull", pull, push)
        right, lost = int((took == best).sum()), show.seconds(float(np.nansum(took - best)))
        others = f"; the others cost {lost}" if right < len(best) else ""
        judged = [f"The faster direction was taken in {right} of {len(best)} levels{others}."]
    pulled = int((way == "pull").sum())
    facts = [
        ("vertices reached", show.count(int((result.levels >= 0).sum()))),
        ("levels", show.count(int(result.levels.max()) + 1)),
        ("checked", "levels and parents verified"),
    ]
    note = "Rings: what the other direction took in a run that timed both at every level."
    figure = Figure(
        partial(directions, columns),
        table_of(columns, "Levels (push and pull: times in another run)"),
        note,
    )
    return Told(facts, [figure], judged, f"{way.size - pulled} levels pushed, {pulled} pulled")


def _paths(setting: Setting) -> Asked:
    graph, note = weighted(setting.graph)
    intro = f"A mean error of {show.percent(BUDGET)} is allowed. {note}".strip()
    return Asked(graph, {"source": setting.source, "max_error": BUDGET}, intro)


def _audited(raced: Raced) -> Told:
    """Tell the error of the chosen run, found on a sample of vertices."""
    audit = raced.plan.run(audit=True).audit
    facts = [
        ("error, audited", show.percent(audit.error)),
        ("allowed", show.percent(BUDGET)),
        ("vertices compared", show.count(audit.sample)),
    ]
    figures = plan_figure(raced.plan.to_dict(), (raced.chosen.median, audit.error), BUDGET)
    figures += trace_figures(raced.chosen.result.trace.to_dict())
    return Told(facts, figures, [f"Audit: {audit}."])


def _similarity(setting: Setting) -> Asked:
    graph, what = nearest(setting.undirected, setting.source, MOST_SIMILARITY)
    intro = "For every edge: the neighbours its ends have in common, by all they have."
    if what != "the whole graph":
        intro += f" Shown on {what}."
    return Asked(graph, {}, intro + (" Directions were dropped." if setting.graph.directed else ""))


def _shares(raced: Raced) -> Told:
    """Tell how host and device shared the edges."""
    graph, result = raced.asked.graph, raced.chosen.result
    tg.jaccard(graph, device="host", verify=True)
    mean = float(result.values.sum()) / max(1, graph.m)
    facts = [
        ("edges", show.count(result.values.size)),
        ("mean similarity", f"{mean:.4f}"),
        ("host's share", show.percent(result.share)),
    ]
    both = next((name for name in raced.laps if name.startswith("both")), None)
    if both is None:
        return Told(facts, trace_figures(result.trace.to_dict()), raced.setting.notes)
    trace = raced.laps[both].result.trace.to_dict()
    figures = trace_figures(trace)[:1]
    if (rates := rates_of(trace)) is not None:
        runs = [(float(lap.result.share), lap.median, name) for name, lap in raced.laps.items()]
        figures.append(Figure(partial(split_curve, rates, runs)))
    shared = (
        "The charts show the run that both devices shared: they take chunks of edges from the two "
        "ends of one queue until they meet."
    )
    return Told(facts, figures, [shared, *_same_cores(raced.setting)])


def _same_cores(setting: Setting) -> list[str]:
    """Say so if the device is not another one."""
    if setting.device is None or not setting.device.found.shares_cores:
        return []
    return [
        f"{setting.device.id} computes on this host's own cores: two names for the same cores show how "
        "work is shared, but what they gain or lose together is not that of a second device."
    ]


def _in_rounds(setting: Setting, solve: Callable[..., Found]) -> dict[str, Callable[..., Found]]:
    """Return the ways that run a task in rounds of kernels."""
    ways: dict[str, Callable[..., Found]] = {HOST: partial(solve, device="host")}
    if setting.device is not None:
        for name, placement in ((DEVICE, "device"), (PLACED, "auto")):
            ways[name] = partial(solve, device=setting.device, placement=placement)
    return ways


def _set(setting: Setting) -> Asked:
    graph, what = nearest(setting.graph, setting.source, MOST_SET)
    ways = _in_rounds(setting, partial(tg.maximal_independent_set, graph, rng=1))
    intro = f"Vertices without edges between them, to which none can be added; {what}."
    return Asked(graph, {"rng": 1}, intro, ways)


def _flow(setting: Setting) -> Asked:
    graph, what = nearest(setting.graph, setting.source, MOST_FLOW)
    whole = graph is setting.graph
    source = setting.source if whole else 0
    sink = _sink(graph, source)
    limits = "weights are capacities"
    if graph.weights is None or graph.weights.min() < 0:
        graph = Graph.from_csr(graph.indptr, graph.indices, directed=graph.directed)
        limits = "each edge carries 1"
    ends = [setting.called(end) if whole else str(end) for end in (source, sink)]
    intro = f"From vertex {ends[0]} to vertex {ends[1]}; {limits}; {what}."
    ways = _in_rounds(setting, partial(tg.maximum_flow, graph, source, sink))
    return Asked(graph, {"source": source, "sink": sink}, intro, ways)


def _sink(graph: Graph, source: int) -> int:
    """Return a vertex of high degree, two steps away if there is one."""
    levels = tg.bfs(graph, source, trace=False).levels
    for least in (2, 1):
        far = np.flatnonzero(levels >= least)
        if far.size:
            return int(far[np.argmax(graph.transpose.degrees[far])])
    raise Skip("no vertex can be reached from the source")


def _placements(label: str, value: Callable[[Found], float], raced: Raced) -> Told:
    """Tell where each kernel of each round ran, beside a run that timed both places."""
    laps, device = raced.laps, raced.setting.device
    raced.plan.run(verify=True)
    values = [float(value(lap.result)) for lap in laps.values()]
    agree = "yes, and verified" if np.allclose(values, values[0]) else "NO"
    facts = [(label, show.count(values[0])), ("all ways agree", agree)]
    rounds = HOST if device is None else PLACED
    trace = laps[rounds].result.trace
    columns = {name: trace[name].tolist() for name in KERNEL_COLUMNS}
    if device is None:
        text = [*raced.setting.notes, "Without a second device every kernel runs on the host."]
    else:
        sentence = "In rounds, a policy decides before every kernel, from its work, where it runs."
        for name, words in ((DEVICE, "all rounds on the device"), (HOST, "all on the host")):
            sentence += f" {saving(laps[PLACED].median, laps[name].median, words)}"
        timed = raced.asked.extra[PLACED](placement="oracle").trace
        if timed["kernel"].tolist() == trace["kernel"].tolist():
            for name in ("host_seconds", "device_seconds"):
                columns[name] = timed[name].tolist()
            right = int((timed["best"] == trace["device"]).sum())
            sentence += f" {right} of {len(trace)} kernels ran where they are faster."
        text = [sentence, *_same_cores(raced.setting)]
    figure = Figure(partial(placements, columns), table_of(columns, f"Kernels: {rounds}"))
    return Told(facts, [figure], text)


def _accelerators(setting: Setting) -> Outcome:
    """Simulate connected components on several designs, and run them on this machine."""
    graph, what = nearest(setting.undirected, setting.source, MOST_SIMULATED)
    if setting.graph.directed:
        what += " without directions"
    task = "connected_components"
    done = {name: tg.simulate(task, graph, design(), memory) for name, design, memory in DESIGNS}
    here = race({"host": lambda: tg.connected_components(graph)})["host"]
    same = all(bool((run.labels == here.result.labels).all()) for run in done.values())
    fastest = min(done, key=lambda name: done[name].seconds)
    text = [
        f"Connected components of {what}, simulated request by request on accelerators with their "
        "memories; the host's time is measured.",
        f"The fastest is {fastest}: {show.seconds(done[fastest].seconds)} "
        f"({done[fastest].error_band}); this host takes {show.seconds(here.median)}.",
    ]
    facts = [
        ("all give the same components", "yes" if same else "NO"),
        ("components", show.count(here.result.count)),
    ]
    times = [(name, run.seconds, "simulated") for name, run in done.items()]
    times.append(("this host", here.median, "measured"))
    rows = []
    for name, run in done.items():
        hits, speed = show.percent(run.memory.row_hit_rate), f"{run.memory.gbps:.1f}"
        requests = show.count(run.memory.requests)
        rows.append((name, show.seconds(run.seconds), f"{run.iterations}", requests, speed, hits))
    columns = ("accelerator", "time", "iterations", "requests", "GB/s", "row hits")
    table = Table("Simulated", columns, rows)
    figures = [
        Figure(lambda width: bars(times, "Connected components", width), table),
        memory_figure({name: run.memory.timeline() for name, run in done.items()}),
    ]
    return Outcome(Section("Accelerators, simulated", text, facts, figures))


STEPS: dict[str, Callable[[Setting], Outcome]] = {
    "The graph": _welcome,
    "Breadth-first search": Step(
        "Breadth-first search: push or pull",
        "bfs",
        (_search, _levels),
        ("push", "always pushing"),
        ("push",),
    ),
    "Shortest paths within an error budget": Step(
        "Shortest paths within an error budget",
        "sssp",
        (_paths, _audited),
        ("auto", "the exact search"),
        ("auto",),
    ),
    "Jaccard's similarity": Step(
        "Jaccard's similarity: host, device or both",
        "jaccard",
        (_similarity, _shares),
        ("host", "the host alone"),
        ("host", "device", "both"),
    ),
    "A maximal independent set": Step(
        "An independent set: where each kernel runs",
        "maximal_independent_set",
        (_set, partial(_placements, "vertices in the set", lambda result: result.vertices.size)),
        (HOST, "the textbook's rounds on the host"),
    ),
    "Maximum flow": Step(
        "Maximum flow: where each kernel runs",
        "maximum_flow",
        (_flow, partial(_placements, "value of the flow", lambda result: result.value)),
        (HOST, "the textbook's rounds on the host"),
    ),
    "Accelerators, simulated": _accelerators,
}
