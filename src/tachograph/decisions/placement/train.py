"""Learn how long the kernels of rounds take on the host and on a device."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...algorithms.flow import maximum_flow
from ...algorithms.independent_set import maximal_independent_set
from ...algorithms.result import Trace
from ...devices.host import Host
from ...devices.opencl import OpenCL, open_device
from ...graph import generate
from ...graph.graph import Graph
from ...journal import journal
from ...journal.campaign import Campaign, Executor, code_hash
from ...kernels.runtime.launch import threads, threads_available
from .rules import KERNELS, Learned, fit, remember

__all__ = ["TASKS", "count_instructions", "layers", "train_placement"]


def layers(levels: int, width: int, degree: int = 3, seed: int = 0) -> Graph:
    """A flow problem of layers: each vertex has ``degree`` arcs to random ones of the next layer."""
    rng = np.random.default_rng(seed)
    n = levels * width
    tails = np.repeat(np.arange(n - width), degree)
    heads = (tails // width + 1) * width + rng.integers(0, width, tails.size)
    ends = np.arange(width), np.arange(n - width, n)
    source = np.concatenate([tails, np.full(width, n), ends[1]])
    target = np.concatenate([heads, ends[0], np.full(width, n + 1)])
    most = np.full(2 * width, 1000 * degree)
    capacity = np.concatenate([rng.integers(1, 1000, tails.size), most])
    made = Graph.from_edges(source, target, capacity.astype(np.int32), n=n + 2)
    return made.with_meta(source=n, sink=n + 1)


def _sets() -> list[Callable[[], Graph]]:
    sizes = ((10, 8), (13, 16), (16, 8), (17, 16))
    return [
        *(partial(generate.kronecker, *size, rng=7) for size in sizes),
        *(partial(generate.road, side, side, rng=7) for side in (30, 150, 500)),
        partial(generate.uniform, 1 << 16, 24, rng=7),
    ]


def _power_law_flow(scale: int) -> Graph:
    g = generate.kronecker(scale, 16, rng=7, directed=True, weights=True)
    by_degree = np.argsort(-g.degrees)
    return g.with_meta(source=int(by_degree[0]), sink=int(by_degree[9]))


def _flows() -> list[Callable[[], Graph]]:
    return [
        *(partial(layers, *shape, seed=7) for shape in ((8, 256), (16, 2048))),
        *(partial(_power_law_flow, scale) for scale in (10, 14)),
    ]


#: What makes the graphs of each algorithm, and what runs the oracle on one.
TASKS: dict[str, tuple[list[Callable[[], Graph]], Callable[[Graph, OpenCL], Trace]]] = {
    "mis": (
        _sets(),
        lambda g, d: maximal_independent_set(g, device=d, placement="oracle").trace,
    ),
    "maxflow": (_flows(), lambda g, d: maximum_flow(g, device=d, placement="oracle").trace),
}


def count_instructions(task: str) -> dict[str, float]:
    """Count the instructions of the host's kernels for the break-point equation, and remember them."""
    from ...kernels.flow import rounds as flow_rounds
    from ...kernels.independent_set import rounds as independent_rounds
    from ...kernels.runtime.instructions import instruction_ratio

    kernels = {
        "mis": {name: getattr(independent_rounds, name) for name in KERNELS["mis"]},
        "maxflow": {
            "preflow": flow_rounds.preflow,
            "push-adjust": flow_rounds.adjust,
            "bfs": flow_rounds.bfs,
        },
    }
    found = {name: instruction_ratio(kernel) for name, kernel in kernels[task].items()}
    known = {name: ratio for name, ratio in found.items() if ratio is not None}
    journal().put("instructions", task, known)
    return known


def measure(task: str, number: int, device: str, count: int) -> dict[str, Any]:
    """Work and times of every call of each kernel on one of the graphs: a campaign's task."""
    graphs, oracle = TASKS[task]
    samples: dict[str, list[Sequence[float]]] = defaultdict(list)
    with threads(count):
        timed = oracle(graphs[number](), open_device(device))
    for row in timed:
        times = (row["host_seconds"], row["device_seconds"])
        samples[row["kernel"]].append([row["work"], row["arcs"], *times])
    return samples


def train_placement(
    task: str, device: OpenCL, executor: Executor | None = None
) -> tuple[Learned, int]:
    """Time the kernels of ``task`` in both places, fit a model and remember it.

    Returns
    -------
    Learned, int
        The policy; how many calls it was fitted to.
    """
    count = threads_available()
    tasks = [
        {"task": task, "number": i, "device": device.found.id, "count": count}
        for i in range(len(TASKS[task][0]))
    ]
    campaign = Campaign(
        "placement-calls", f"{__name__}:measure", tasks, measured=True, label=f"timing {task}",
        mark=f"{device.key} {code_hash()}",
    )  # fmt: skip
    samples: dict[str, list[Sequence[float]]] = defaultdict(list)
    for record in campaign.records(executor):
        for kernel, calls in (record or {}).items():
            samples[kernel] += calls
    model = fit(samples)
    count_instructions(task)
    remember(model, task, Host(count), device)
    return model, sum(map(len, samples.values()))
