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
from ..decisions.graphs import layers
from ..decisions.placement.model import named
from ..decisions.placement.rules import Policy
from ..decisions.placement.train import Trainer, learn, task_of
from ..devices.host import Host, host_threads
from ..devices.opencl import OpenCL, open_device
from ..graph import generate
from ..graph.graph import Graph
from ..kernels.runtime.launch import threads
from ..tasks.measure import runner
from .reproduce import Settings, Table, measure

__all__ = ["flow_switch", "graphs", "mis_hot", "mis_overlap", "mis_switch"]

ROUNDS = 12  # each variant comes at every place in turn
LONG, MOST = 0.25, 100  # seconds of a variant, or rounds, until which short runs are repeated
APART = {"randomize": "host", "select": "device", "deactivate": "device"}  # as in the paper
MACHINE = "the paper's chip has 4 CPU cores and an integrated GPU of 512 threads (AMD A10-7850K)"


def stencil(shape: tuple[int, ...], reach: int = 1, corners: bool = False, links: int = 0) -> Graph:
    """A grid in which vertices up to ``reach`` steps apart are joined, and ``links`` random pairs."""
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
    """Nine graphs by the name of the one in the paper that they resemble."""
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


def _device() -> tuple[OpenCL, Host]:
    """One core for each, if the device computes on the host's cores."""
    device = open_device("opencl")
    return device, Host(host_threads(1 + device.threads, device.found, device.threads))


def time_variants(
    name: str, full: bool, variants: dict[str, dict[str, Any]], rounds: int, count: int
) -> dict[str, Any]:
    """Median seconds of each variant on a graph, in turns: a task of a campaign."""
    device, _ = _device()
    graph = graphs(full)[name]()
    taken: dict[str, list[float]] = {v: [] for v in variants}
    polls = dict.fromkeys(variants, 0)
    base = next(iter(variants))
    with threads(count):
        turn = 0
        while turn <= rounds or (sum(taken[base]) < LONG and turn <= MOST):
            at = turn % len(variants)  # nobody always comes after the same one
            for variant, options in [*variants.items()][at:] + [*variants.items()][:at]:
                r = maximal_independent_set(graph, device=device, placement=_apart, **options)
                polls[variant] = int(r.trace["polls"].sum())
                if turn:  # the first round warms up
                    taken[variant].append(r.seconds)
            turn += 1
    seconds = {v: statistics.median(t) for v, t in taken.items()}
    return {"name": name, "n": graph.n, "m": graph.m, "seconds": seconds, "polls": polls}


def _compared(
    settings: Settings, title: str, variants: dict[str, dict[str, Any]], published: str
) -> Iterator[Table]:
    """Medians of each variant relative to the first, in turns."""
    device, host = _device()
    tasks = [
        {"name": name, "full": settings.full, "variants": variants, "rounds": ROUNDS,
         "count": host.threads}
        for name in graphs(settings.full)
    ]  # fmt: skip
    rows = []
    for found in measure(settings, "heterogeneous:time_variants", tasks, device.key):
        medians = found["seconds"]
        base = next(iter(medians.values()))
        ratios = [round(m / base, 3) for m in medians.values()]
        best = base / min(list(medians.values())[1:])
        rows.append([found["name"], found["n"], found["m"], round(base * 1e3, 2), *ratios[1:],
                     round(best, 2), found["polls"][list(variants)[-1]]])  # fmt: skip
    first, *others = variants
    columns = [
        "graph",
        "vertices",
        "edges",
        f"{first}, ms",
        *others,
        "best speedup",
        f"polls, {others[-1]}",
    ]
    yield Table(title, columns, rows, [published, MACHINE, _here(device, host)])


def _apart(call: Any) -> str:
    return APART[call.kernel]


def _here(device: OpenCL, host: Host) -> str:
    return f"here: {host} beside {device.name} with {device.threads or 'its own'} cores; times relative"


def mis_overlap(settings: Settings) -> Iterator[Table]:
    """Figure 12: Randomize on the host overlaps Select on the device."""
    variants = {"no overlap": {"overlap": 0}}
    variants |= {f"{o} %": {"overlap": o} for o in (20, 50, 80, 95, 99)}
    title = "Overlapping threads: time relative to no overlap (figure 12)"
    yield from _compared(
        settings, title, variants, "published: speedups of 1.3 to 1.6, none above 80 %"
    )


def mis_hot(settings: Settings) -> Iterator[Table]:
    """Figure 14: vertices of high degree first."""
    variants: dict[str, dict[str, Any]] = {"no overlap": {"overlap": 0}}
    variants |= {f"99 %, {h} % hot": {"overlap": 99, "hot": h} for h in (0, 2, 10, 20)}
    title = "Hot vertices: time relative to no overlap (figure 14)"
    yield from _compared(
        settings, title, variants, "published as a picture: times fall with hot vertices"
    )


def time_placements(name: str, full: bool, task: str, count: int) -> dict[str, Any]:
    """The trace of a run whose kernels are timed in both places: a task of a campaign."""
    device, _ = _device()
    with threads(count):
        if task == "maximal_independent_set":
            graph = graphs(full)[name]()
            trace = maximal_independent_set(graph, device=device, placement="oracle").trace
        else:
            graph = _flow_problems(full)[name]()
            trace = maximum_flow(graph, device=device, placement="oracle").trace
    columns = {column: trace[column].tolist() for column in trace.columns}
    return {"name": name, "n": graph.n, "trace": columns}


def _switch(
    settings: Settings, title: str, task: str, names: Iterable[str], notes: list[str]
) -> Table:
    """Policies on calls that the oracle has timed."""
    device, host = _device()
    tasks = [
        {"name": name, "full": settings.full, "task": task, "count": host.threads} for name in names
    ]
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
        row: list[Any] = [run["name"], len(trace), int((trace["best"] == "device").sum())]
        row += [round(one["host"] / one["best"], 2), round(one["device"] / one["best"], 2)]
        for each in found.values():
            row += [round(100 * each["right"], 1), round(100 * each["weighted"], 1),
                    round(each["seconds"] / each["best"], 3)]  # fmt: skip
        rows.append(row)
    columns = ["graph", "calls", "best on device", "host only", "device only"]
    for policy in policies:
        columns += [f"{policy}, right %", f"{policy}, weighted %", f"{policy}, time"]
    return Table(title, columns, rows, [*notes, MACHINE, _here(device, host)])


def mis_switch(settings: Settings) -> Iterator[Table]:
    """Figures 15 and 16: where each kernel of each round runs."""
    notes = ["times relative to the oracle's; published: 1.6 to 1.9 times as fast as the host only",
             "weighted: by the difference between both places"]  # fmt: skip
    title = "Task switcher: independent sets (figures 15, 16)"
    yield _switch(settings, title, "maximal_independent_set", graphs(settings.full), notes)


def _flow_problems(full: bool) -> dict[str, Callable[[], Graph]]:
    wide, scale = (4096, 16) if full else (1024, 12)

    def power_law() -> Graph:
        g = generate.kronecker(scale, 16, rng=1, directed=True, weights=True)
        by_degree = np.argsort(-g.degrees)
        return g.with_meta(source=int(by_degree[1]), sink=int(by_degree[5]))

    def grid() -> Graph:
        g = stencil((wide // 8, wide // 8))
        return g.with_meta(source=0, sink=g.n - 1)

    return {
        "layers, wide": lambda: layers(8, wide, rng=1),
        "layers, long": lambda: layers(64, wide // 8, rng=1),
        "power law": power_law,
        "grid": grid,
        "circuit": lambda: stencil((wide // 8, wide // 8), links=wide).with_meta(
            source=0, sink=wide
        ),
    }


def flow_switch(settings: Settings) -> Iterator[Table]:
    """Figures 17 and 18: where each kernel of a flow's rounds runs."""
    notes = ["times relative to the oracle's; published: 1.3 to 2.4 times as fast as the host only, "
             "84 % of placements right", "weighted: by the difference between both places"]  # fmt: skip
    title = "Task switcher: maximum flow (figures 17, 18)"
    yield _switch(settings, title, "maximum_flow", _flow_problems(settings.full), notes)
