"""Kernels on host and device: C. Eryilmaz, "Fine-Grain Acceleration of Graph Algorithms on a
Heterogeneous Chip" (2017), figures 12 to 18.

The nine graphs are in the style of the paper's Table 1: meshes, circuits, a power-law graph, grids.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..algorithms.flow import maximum_flow
from ..algorithms.independent_set import maximal_independent_set
from ..algorithms.placed import accuracy
from ..algorithms.result import Trace
from ..decisions.generators import layers
from ..decisions.graphs import graph_named
from ..decisions.placement.model import named
from ..decisions.placement.rules import Policy
from ..decisions.placement.state import Call
from ..decisions.placement.train import Trainer, learn, task_of
from ..devices.host import Host
from ..devices.opencl import OpenCL, open_device
from ..graph import generate
from ..graph.graph import Graph
from ..kernels.runtime.launch import threads
from ..tasks.measure import runner
from .published import published
from .reproduce import GRAPH_COLUMNS, Cell, Record, Settings, Table, measure, origin

__all__ = ["flow_switch", "graphs", "mis_hot", "mis_overlap", "mis_switch"]

TURNS = 12  # runs of each variant; each comes at every place in turn
REPEAT_SECONDS, MOST_TURNS = 0.25, 100  # short runs are repeated until either is reached
PLACES = {"randomize": "host", "select": "device", "deactivate": "device"}  # as in the paper
MACHINE = "the paper's chip has 4 CPU cores and an integrated GPU of 512 threads (AMD A10-7850K)"
WEIGHTED = "weighted: by the difference between both places"
Variants = dict[str, dict[str, Any]]  #: options of the algorithm, by the name of the variant


def stencil(shape: tuple[int, ...], reach: int = 1, corners: bool = False, links: int = 0) -> Graph:
    """Return a grid: vertices up to ``reach`` steps apart are joined, and ``links`` random pairs."""
    ids = np.arange(int(np.prod(shape))).reshape(shape)
    offsets = [
        o
        for o in itertools.product(range(-reach, reach + 1), repeat=len(shape))
        if o > (0,) * len(shape) and (corners or sum(x != 0 for x in o) == 1)
    ]
    source, target = [], []
    for offset in offsets:
        here = tuple(slice(max(0, -o), s - max(0, o)) for o, s in zip(offset, shape, strict=True))
        there = tuple(slice(max(0, o), s - max(0, -o)) for o, s in zip(offset, shape, strict=True))
        source.append(ids[here].ravel())
        target.append(ids[there].ravel())
    far = np.random.default_rng(1).integers(0, ids.size, (2, links))
    ends = np.concatenate([*source, far[0]]), np.concatenate([*target, far[1]])
    return Graph.from_edges(*ends, n=ids.size, directed=False, dedupe="first", drop_self_loops=True)


def graphs(full: bool) -> dict[str, Callable[[], Graph]]:
    """Return nine graphs, each by the name of the graph in the paper that it resembles."""
    side, edge = (1000, 80) if full else (250, 32)
    n = side * side
    return {
        "af_shell9": lambda: stencil((side // 2, side // 2), 2, corners=True),
        "audikw_1": lambda: stencil((edge,) * 3, 1, corners=True, links=n // 10),
        "cage15": lambda: generate.uniform(n // 2, 18, rng=1),
        "ecology1": lambda: stencil((side, side)),
        "g3_circuit": lambda: stencil((side, side), links=n // 10),
        "kkt_power": lambda: generate.preferential_attachment(n, 3, rng=1),
        "ldoor": lambda: stencil((edge, edge, edge // 2), 1, corners=True),
        "nlpkkt120": lambda: stencil((edge,) * 3, 2),
        "thermal2": lambda: stencil((side, side), 1, corners=True),
    }


ONE_PLACE = (
    "the host is best for every kernel of every row: always saying host would be right, too, so that a "
    "policy is right says nothing about it"
)


def _graph(name: str, usual: dict[str, Callable[[], Graph]]) -> Graph:
    """Return a graph that was asked for; flows without ends go between vertices of high degree."""
    if name in usual:
        return usual[name]()
    made = graph_named(name)
    first, *_, last = np.argsort(-made.degrees, kind="stable")[:10].tolist()
    return made.with_meta(**{"source": first, "sink": last, **made.meta})


def _about(name: str) -> list[Cell]:
    """Return a graph's name, whether it is like one of the paper's, and what was chosen on it."""
    kind, seen = origin(name, "placement")
    alike = {str(row[0]) for row in published("heterogeneous", "figure-17").rows}
    return [name, "generated alike" if name in alike else kind, seen]


def _device() -> tuple[OpenCL, Host]:
    """Open the device; it and the host get a core each if it computes on the host's cores."""
    device = open_device("opencl")
    return device, Host(device.host_threads(1 + device.threads))


def _notes(table: str, device: OpenCL, host: Host) -> list[str]:
    cores = device.threads or "its own"
    here = f"here: {host} beside {device.name} with {cores} cores; times relative"
    return [published("heterogeneous", table).note, MACHINE, here]


def _placed(call: Call) -> str:
    return PLACES[call.kernel]


def time_variants(name: str, full: bool, variants: Variants, rounds: int, count: int) -> Record:
    """Return median seconds of each variant on a graph, in turns: a task of a campaign."""
    device, _ = _device()
    graph = _graph(name, graphs(full))
    taken: dict[str, list[float]] = {v: [] for v in variants}
    polls = dict.fromkeys(variants, 0)
    order = list(variants)
    with threads(count):
        turn = 0
        while turn <= rounds or (sum(taken[order[0]]) < REPEAT_SECONDS and turn <= MOST_TURNS):
            at = turn % len(order)  # no variant always comes after the same one
            for v in order[at:] + order[:at]:
                r = maximal_independent_set(graph, device=device, placement=_placed, **variants[v])
                polls[v] = int(r.trace["polls"].sum())
                if turn:  # the first round warms up
                    taken[v].append(r.seconds)
            turn += 1
    seconds = {v: statistics.median(t) for v, t in taken.items()}
    return {"name": name, "n": graph.n, "m": graph.m, "seconds": seconds, "polls": polls}


def _compared(settings: Settings, title: str, variants: Variants, table: str) -> Table:
    """Return the median of each variant relative to the first."""
    device, host = _device()
    how = {"full": settings.full, "variants": variants, "rounds": TURNS, "count": host.threads}
    tasks = [{"name": name, **how} for name in settings.graphs or graphs(settings.full)]
    first, *others = variants
    rows: list[list[Cell]] = []
    for found in measure(settings, "heterogeneous:time_variants", tasks, device.key):
        base = found["seconds"][first]
        ratios = [found["seconds"][other] / base for other in others]
        row = [*_about(found["name"]), found["n"], found["m"], round(base * 1e3, 2)]
        row += [round(ratio, 3) for ratio in ratios]
        rows.append([*row, round(1 / min(ratios), 2), found["polls"][others[-1]]])
    columns = [*GRAPH_COLUMNS, "vertices", "edges", f"{first}, ms", *others]
    columns += ["best speedup", f"polls, {others[-1]}"]
    return Table(title, columns, rows, _notes(table, device, host))


def mis_overlap(settings: Settings) -> Iterator[Table]:
    """Figure 12: Randomize on the host overlaps Select on the device."""
    variants = {"no overlap": {"overlap": 0}}
    variants |= {f"{o} %": {"overlap": o} for o in (20, 50, 80, 95, 99)}
    title = "Overlapping threads: time relative to no overlap (figure 12)"
    yield _compared(settings, title, variants, "figure-12")


def mis_hot(settings: Settings) -> Iterator[Table]:
    """Figure 14: vertices of high degree first."""
    variants = {"no overlap": {"overlap": 0}}
    variants |= {f"99 %, {h} % hot": {"overlap": 99, "hot": h} for h in (0, 2, 10, 20)}
    title = "Hot vertices: time relative to no overlap (figure 14)"
    yield _compared(settings, title, variants, "figure-14")


def time_placements(name: str, full: bool, task: str, count: int) -> Record:
    """Return the trace of a run whose kernels are timed in both places: a task of a campaign."""
    device, _ = _device()
    in_sets = task == "maximal_independent_set"
    graph = _graph(name, (graphs if in_sets else _flow_problems)(full))
    with threads(count):
        if in_sets:
            trace = maximal_independent_set(graph, device=device, placement="oracle").trace
        else:
            trace = maximum_flow(graph, device=device, placement="oracle").trace
    return {"name": name, "n": graph.n, "trace": trace.to_dict()}


def _switch(settings: Settings, title: str, task: str, names: Iterable[str], table: str) -> Table:
    """Return how policies do on calls that the oracle has timed."""
    device, host = _device()
    how = {"full": settings.full, "task": task, "count": host.threads}
    tasks = [{"name": name, **how} for name in settings.graphs or names]
    runs = measure(settings, "heterogeneous:time_placements", tasks, device.key)
    with threads(host.threads):
        trainer = Trainer(None, math.inf, settings.executor, runner(), device=device.id)
        own = [name for name in trainer.choose() if task_of(name) == task]
        policies: dict[str, Policy] = {
            "break-point": named("break-point", task, host, device),
            "learned": learn(trainer.collect(own)),
        }
    rows = []
    for run in runs:
        trace = Trace(run["trace"])
        found = {p: accuracy(trace, policy, run["n"]) for p, policy in policies.items()}
        one = found["learned"]
        row: list[Cell] = [*_about(run["name"]), len(trace)]
        row.append(int((trace["best"] == "device").sum()))
        row += [round(one["host"] / one["best"], 2), round(one["device"] / one["best"], 2)]
        for each in found.values():
            row += [round(100 * each["right"], 1), round(100 * each["weighted"], 1)]
            row.append(round(each["seconds"] / each["best"], 3))
        rows.append(row)
    columns = [*GRAPH_COLUMNS, "calls", "best on device", "host only", "device only"]
    columns += [f"{p}, {what}" for p in policies for what in ("right %", "weighted %", "time")]
    notes = ["times relative to the oracle's", WEIGHTED, *_notes(table, device, host)]
    if not any(row[4] for row in rows):
        notes.insert(0, ONE_PLACE)
    return Table(title, columns, rows, notes)


def mis_switch(settings: Settings) -> Iterator[Table]:
    """Figures 15 and 16: where each kernel of each round runs."""
    title = "Task switcher: independent sets (figures 15, 16)"
    yield _switch(settings, title, "maximal_independent_set", graphs(settings.full), "figure-15")


def _flow_problems(full: bool) -> dict[str, Callable[[], Graph]]:
    wide, scale = (4096, 16) if full else (1024, 12)
    side = wide // 8

    def power_law() -> Graph:
        g = generate.kronecker(scale, 16, rng=1, directed=True, weights=True)
        by_degree = np.argsort(-g.degrees)
        return g.with_meta(source=int(by_degree[1]), sink=int(by_degree[5]))

    return {
        "layers, wide": lambda: layers(8, wide, rng=1),
        "layers, long": lambda: layers(64, side, rng=1),
        "power law": power_law,
        "grid": lambda: stencil((side, side)).with_meta(source=0, sink=side * side - 1),
        "circuit": lambda: stencil((side, side), links=wide).with_meta(source=0, sink=wide),
    }


def flow_switch(settings: Settings) -> Iterator[Table]:
    """Figures 17 and 18: where each kernel of a flow's rounds runs."""
    title = "Task switcher: maximum flow (figures 17, 18)"
    yield _switch(settings, title, "maximum_flow", _flow_problems(settings.full), "figure-17")
