"""Train the placement: time every call in both places, fit times of a call, a vertex and an arc."""

from __future__ import annotations

import importlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...journal.campaign import Record
from ...util.cores import threads_available
from ..generators import FLOW_PROBLEMS
from ..graphs import about, graph_named
from ..trainer import DeviceTrainer, Quality, run_named
from .state import KERNELS, PLACES, Call

if TYPE_CHECKING:
    from .model import Learned, Model

__all__ = ["Trainer", "count_instructions", "learn", "task_of"]


def task_of(graph: str) -> str:
    """Return the task that a graph is for: flows have a source and a sink."""
    return "maximum_flow" if graph.split()[0] in FLOW_PROBLEMS else "maximal_independent_set"


def count_instructions(task: str) -> dict[str, float]:
    """Count scalar for each vector instruction of the host's kernels, for the break-point equation."""
    from ... import kernels
    from ...kernels.runtime.instructions import instruction_ratio

    found = {}
    for name, kernel in KERNELS[task].items():
        module, _, function = kernel.host.partition(":")
        compiled = getattr(importlib.import_module(f"{kernels.__name__}.{module}"), function)
        found[name] = instruction_ratio(compiled)
    return {name: ratio for name, ratio in found.items() if ratio is not None}


def measure_graph(name: str, device: str, count: int, run: str) -> Record:
    """Return work and times of every call of each kernel on a graph: a task of the campaign."""
    from ...devices.opencl import open_device
    from ...kernels.runtime.launch import threads

    graph, where = graph_named(name), open_device(device)
    with threads(count):
        trace = run_named(run)(task_of(name), graph, device=where, placement="oracle").trace
    columns = ("work", "arcs", *(f"{place}_seconds" for place in PLACES))
    calls: dict[str, list[list[float]]] = defaultdict(list)
    rows = zip(*(trace[name].tolist() for name in columns), strict=True)
    for kernel, row in zip(trace["kernel"], rows, strict=True):
        calls[str(kernel)].append([float(x) for x in row])
    return {**about(name, graph), "calls": dict(calls)}


def learn(records: list[Record]) -> Learned:
    """Fit the times of all kernels of one task."""
    from .model import fit

    samples: dict[str, list[Sequence[float]]] = defaultdict(list)
    for record in records:
        for kernel, calls in record["calls"].items():
            samples[kernel] += calls
    return fit(samples)


@dataclass(frozen=True)
class Trainer(DeviceTrainer["Model"]):
    """Learn where the kernels of independent sets and flows run faster, on the host or on a device.

    Both places are timed at every call on several graphs; the model is used with placement="auto".

    [bold]Example[/bold]

    tacho train placement
    """

    name = "placement"
    kind = "placement-calls"
    state = Call._fields

    def how(self) -> tuple[Record, str]:
        """Return the device and the threads of the host; how long copies take must be known."""
        from ...devices.calibrate import calibrate, calibration

        device, run = self.opened, self.runner.run
        if not device.capabilities.shares_memory and calibration(device) is None:
            calibrate(device)
        common = {"device": device.found.id, "count": threads_available(), "run": run}
        return common, device.key

    def fit(self, records: list[Record]) -> Model:
        """Fit each task that was measured; what is known of other devices stays."""
        from ...devices.host import Host
        from .model import Model, key_of, the_model

        known = the_model.find() or Model()
        host, device = Host(threads_available()), self.opened
        by_task = _by_task(records)
        policies = {key_of(t, host, device): learn(own) for t, own in by_task.items()}
        counted = {task: found for task in by_task if (found := count_instructions(task))}
        return Model({**known.policies, **policies}, {**known.instructions, **counted})

    def evaluate(self, model: Model, records: list[Record]) -> Quality:
        """Return, for each task, how many calls were timed and which share is placed right."""
        from ...devices.host import Host

        host, device = Host(threads_available()), self.opened
        rows = []
        for task, own in _by_task(records).items():
            policy = model.policy(task, host, device)
            assert policy is not None
            right = [
                policy(Call(kernel, 0, int(n), int(arcs), 0)) == PLACES[there < here]
                for record in own
                for kernel, calls in record["calls"].items()
                for n, arcs, here, there in calls
            ]
            kernels = ", ".join(policy.times)
            rows.append({"task": task, "kernels": kernels, "calls": len(right),
                         "right on them": float(np.mean(right))})  # fmt: skip
        return rows


def _by_task(records: list[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        found.setdefault(task_of(record["graph"]), []).append(record)
    return found
