"""Where each kernel runs: C. Eryilmaz, "Fine-Grain Acceleration of Graph Algorithms on a Heterogeneous
Chip" (2017), equation 2 and figures 15 to 18.

Runs are timed end to end, with what is copied between host and device: all kernels on the host, all on
the device, by the paper's own tables, by the break point of this machine, and as learned. The oracle's
time is the sum of the better times of all calls; no policy can know it.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ..algorithms.flow import maximum_flow
from ..algorithms.independent_set import maximal_independent_set
from ..algorithms.placed import accuracy
from ..algorithms.result import Trace
from ..decisions.generators import layers
from ..decisions.placement.hardware import chip_of
from ..decisions.placement.model import Learned, named, with_copies
from ..decisions.placement.rules import PAPERS_CHIP, Fixed, Policy, break_point, published_hints
from ..decisions.placement.state import KERNELS, Call
from ..decisions.placement.train import Trainer, learn, task_of
from ..devices.opencl import OpenCL
from ..graph import generate
from ..graph.graph import Graph
from ..kernels.runtime.launch import threads
from ..plots.charts import ratios
from ..plots.drawing import stacked
from ..plots.traces import placements
from ..tasks.measure import runner
from ..util.errors import DeviceError
from .heterogeneous import about, both, graph_of, graphs, notes, stencil
from .published import published
from .reproduce import GRAPH_COLUMNS, Cell, Record, Settings, Table, measure

__all__ = ["equation", "flow_switch", "mis_switch"]

TURNS = 7  # runs of each policy, in turns
SET, FLOW = "maximal_independent_set", "maximum_flow"
SOLVE: dict[str, Callable[..., Any]] = {SET: maximal_independent_set, FLOW: maximum_flow}
POLICIES = ("host", "device", "published", "break-point", "learned")
WEIGHTED = "weighted: by the difference between both places"
ONE_PLACE = (
    "the same place is best for every kernel of every row: always saying it would be right, too, so "
    "that a policy is right says nothing about it"
)
TIMED = (
    "speedups over the host only, of whole runs, copies included; the oracle's is that of the better "
    "times of all calls in one run, without copies, so only noise lets a policy be faster"
)
DRAWN_GRAPHS = 4  # of which the placements are drawn


def _problems(task: str, full: bool) -> dict[str, Callable[[], Graph]]:
    if task == SET:
        return graphs(full)
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
        "ecology1": lambda: graphs(full)["ecology1"]().with_meta(source=0, sink=999_999),
    }


def time_placements(
    name: str, full: bool, task: str, count: int, learned: dict[str, Any]
) -> Record:
    """Return median seconds of whole runs by policy, and a trace with both times of each call: a task
    of a campaign.
    """
    device, _ = both()
    graph, solve = graph_of(name, _problems(task, full)), SOLVE[task]
    ways: dict[str, str | Policy] = {p: p for p in POLICIES[:-1]}
    ways["device"] = Fixed(dict.fromkeys(KERNELS[task], "device"))  # in rounds, as on the host
    ways["learned"] = Learned(learned["times"], learned["byte_seconds"])
    taken: dict[str, list[float]] = {p: [] for p in ways}
    shown: dict[str, Any] = {}
    with threads(count):
        for turn in range(TURNS + 1):
            order = list(ways)
            order = order[turn % len(order) :] + order[: turn % len(order)]
            for policy in order:
                begin = time.perf_counter()
                found = solve(graph, device=device, placement=ways[policy])
                if turn:  # the first round warms up
                    taken[policy].append(time.perf_counter() - begin)
                shown[policy] = found.trace
        trace = solve(graph, device=device, placement="oracle").trace
    seconds = {policy: statistics.median(times) for policy, times in taken.items()}
    return {
        "name": name,
        "n": graph.n,
        "seconds": seconds,
        "trace": trace.to_dict(),
        "placed": shown["learned"].to_dict(),
    }


def _learned(settings: Settings, task: str, device: OpenCL) -> Learned:
    """Train on the usual graphs, which are none of those that are shown."""
    trainer = Trainer(None, math.inf, settings.executor, runner(), device=device.id)
    names = [name for name in trainer.choose() if task_of(name) == task]
    return with_copies(learn(trainer.collect(names)), device)


def _one_place(counts: Sequence[tuple[int, int]]) -> bool:
    """Return whether the same place is best for all calls, of so many and so many on the device.

    >>> _one_place([(9, 0), (5, 0)]), _one_place([(9, 9), (5, 3)])
    (True, False)
    """
    return all(there == 0 for _, there in counts) or all(c == there for c, there in counts)


def _switch(
    settings: Settings, title: str, task: str, names: Iterable[str], figure: str
) -> Iterator[Table]:
    """Yield whole runs by policy, and how policies do on calls that the oracle has timed."""
    device, host = both()
    with threads(host.threads):
        model = _learned(settings, task, device)
        policies: dict[str, Policy] = {
            "published": published_hints(task),
            "break-point": named("break-point", task, host, device),
            "learned": model,
        }
    known = {"times": model.times, "byte_seconds": model.byte_seconds}
    how = {"full": settings.full, "task": task, "count": host.threads, "learned": known}
    tasks = [{"name": name, **how} for name in settings.graphs or names]
    runs = measure(settings, "switching:time_placements", tasks, device.key)
    whole, calls = [], []
    counts = list[tuple[int, int]]()
    for run in runs:
        trace, seconds = Trace(run["trace"]), run["seconds"]
        found = {p: accuracy(trace, policy, run["n"]) for p, policy in policies.items()}
        gains = [seconds["host"] / seconds[p] for p in POLICIES]
        bound = found["learned"]["host"] / found["learned"]["best"]
        better = min(seconds["host"], seconds["device"])
        row: list[Cell] = [*about(run["name"]), round(1e3 * seconds["host"], 2)]
        row += [round(gain, 2) for gain in (*gains[1:], bound)]
        whole.append([*row, round(seconds["learned"] / better, 3)])
        counts.append((len(trace), int((trace["best"] == "device").sum())))
        row = [*about(run["name"]), *counts[-1]]
        for each in found.values():
            row += [round(100 * each["right"], 1), round(100 * each["weighted"], 1)]
            row.append(round(each["seconds"] / each["best"], 3))
        calls.append(row)
    columns = [*GRAPH_COLUMNS, "host only, ms", *(f"{p}, ×" for p in POLICIES[1:]), "oracle, ×"]
    columns += ["learned over the better fixed one, time"]
    said = notes(figure, device, host)
    yield Table(f"{title}: whole runs", columns, whole, [TIMED, *said])
    columns = [*GRAPH_COLUMNS, "calls", "best on device"]
    columns += [f"{p}, {what}" for p in policies for what in ("right %", "weighted %", "time")]
    more = ["times relative to the oracle's, without copies", WEIGHTED]
    if _one_place(counts):
        more.insert(0, ONE_PLACE)
    yield Table(f"{title}: calls", columns, calls, [*more, *said])
    yield _kernels(title, task, runs, policies, said)
    if settings.output is not None:
        gains_of = {r["name"]: {p: r["seconds"]["host"] / r["seconds"][p] for p in POLICIES[1:]}
                    for r in runs}  # fmt: skip
        drawn = ratios(f"{title}: whole runs", gains_of, "times as fast as the host only")
        drawn.save(settings.output / f"fine-grain-{figure}-speedup.svg")
        lines = [placements(Trace(r["placed"]).to_dict()) for r in runs[:DRAWN_GRAPHS]]
        stacked(lines, columns=1, title=f"{title}: where kernels ran").save(
            settings.output / f"fine-grain-{figure}-placements.svg"
        )


def _kernels(
    title: str, task: str, runs: list[Record], policies: dict[str, Policy], said: list[str]
) -> Table:
    """Return, for each kernel, the share of calls that policies place right, beside the paper's."""
    theirs = _published_right(task)
    rows: list[list[Cell]] = []
    for kernel in KERNELS[task]:
        right: dict[str, list[bool]] = {p: [] for p in policies}
        for run in runs:
            for r in Trace(run["trace"]):
                if r["kernel"] != kernel:
                    continue
                call = Call(
                    kernel, r["iteration"], r["work"], r["arcs"], run["n"], r["parallelism"]
                )
                for p, policy in policies.items():
                    right[p].append(policy(call) == r["best"])
        own = [round(100 * float(np.mean(x)), 1) if x else None for x in right.values()]
        rows.append([kernel, len(next(iter(right.values()))), *own, theirs.get(kernel)])
    counts = np.array([row[1] for row in rows], float)
    means: list[Cell] = [
        round(float(np.average([float(row[k] or 0) for row in rows], weights=counts)), 1)  # type: ignore[arg-type]
        for k in range(2, 2 + len(policies))
    ]
    rows.append(["all", int(counts.sum()), *means, theirs.get("all")])
    columns = [
        "kernel",
        "calls",
        *(f"{p}, right %" for p in policies),
        "paper's figure 17, right %",
    ]
    return Table(f"{title}: kernels", columns, rows, said)


def _published_right(task: str) -> dict[str, float]:
    """Return the share of calls that the paper's tables place right by its figure 17, by kernel."""
    if task != FLOW:
        return {}
    policy, right = published_hints(task), dict[str, list[bool]]()
    for _, kernel, every, _, device in published("heterogeneous", "figure-17").rows:
        for i in range(
            int(every or 0)
        ):  # the device's are the first, as the text says of af_shell9
            best = "device" if i < int(device or 0) else "host"
            right.setdefault(str(kernel), []).append(policy(Call(str(kernel), i, 1, 1, 1)) == best)
    right["all"] = [x for found in right.values() for x in found]
    return {kernel: round(100 * float(np.mean(x)), 1) for kernel, x in right.items()}


def mis_switch(settings: Settings) -> Iterator[Table]:
    """Figures 15 and 16: where each kernel of each round runs."""
    title = "Task switcher: independent sets (figures 15, 16)"
    yield from _switch(settings, title, SET, graphs(settings.full), "figure-15")


def flow_switch(settings: Settings) -> Iterator[Table]:
    """Figures 17 and 18: where each kernel of a flow's rounds runs."""
    title = "Task switcher: maximum flow (figures 17, 18)"
    yield from _switch(settings, title, FLOW, _problems(FLOW, settings.full), "figure-17")


def equation(settings: Settings) -> Iterator[Table]:
    """Equation 2, from its own inputs, from the paper's hardware, and on this machine."""
    known = published("heterogeneous", "equation-2")
    told = {str(name): float(value or 0) for name, value in known.rows}
    kernels = KERNELS[SET]
    instructions = [told[name] for name in kernels]
    chips = {"the paper's hardware": PAPERS_CHIP}
    with suppress(DeviceError):  # the paper's numbers need none
        device, host = both()
        chips["this machine"] = chip_of(host, device)
    rows: list[list[Cell]] = []
    inputs = [("the paper's inputs", told["ratio of clock rates"], told["lanes"])]
    inputs += [(what, c.host_ghz / c.device_ghz, c.lanes) for what, c in chips.items()]
    for what, ratio, lanes in inputs:
        percent = break_point(ratio, 1 / lanes, instructions)
        cut = math.floor(10 * percent) / 10
        rows.append([what, round(ratio, 3), lanes, sum(instructions), round(percent, 2), cut])
    columns = ["from", "ratio of clock rates", "lanes", "sum of ratios", "break point, %", "cut"]
    said = [known.note, "the paper cuts its numbers after one digit, and 5.56 to 5.5"]
    yield Table("The break point of independent sets (equation 2)", columns, rows, said, "modelled")
