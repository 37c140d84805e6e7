"""The tasks that are planned, and the ways each can be run: one table for plans, models and runs.

The first way of a task is what a call without options does; it takes its own decisions while it runs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..algorithms.result import Result
from ..util.errors import InputError

__all__ = ["DEVICE", "TASKS", "Task", "Way", "find_task", "task_named"]

DEVICE = "opencl"  # stands for the device a plan is made for


@dataclass(frozen=True)
class Way:
    """Options that say how, not what; ``reason`` is when it is good."""

    name: str
    reason: str
    options: dict[str, Any] = field(default_factory=dict)
    where: str = "host"  # "device", "both"

    def on(self, device: str) -> dict[str, Any]:
        """The options for a device."""

        def named(value: Any) -> Any:
            if isinstance(value, list):
                return [named(v) for v in value]
            return device if value == DEVICE else value

        return {name: named(value) for name, value in self.options.items()}


@dataclass(frozen=True)
class Task:
    """A public function: what it must be told, and the ways it can be run."""

    name: str
    home: str
    needs: tuple[str, ...]
    ways: tuple[Way, ...]
    also: tuple[str, ...] = ()  # other names

    @property
    def function(self) -> Callable[..., Result]:
        """What runs it."""
        module, _, name = self.home.partition(":")
        made: Callable[..., Result] = getattr(importlib.import_module(module, __package__), name)
        return made

    @property
    def how(self) -> frozenset[str]:
        """Options that choose a way."""
        return frozenset(name for way in self.ways for name in way.options)


# fmt: off
_ALL = (
    Task("bfs", "..algorithms.bfs:bfs", ("source",), (
        Way("auto", "pushes or pulls at every level, whichever is predicted to be faster there"),
        Way("surf", "a small neural network chooses the direction", {"direction": "surf"}),
        Way("push", "never looks at arcs backwards, so it needs no transpose", {"direction": "push"}),
        Way("one thread", "leaves the other cores alone", {"threads": 1}),
        Way("device", "all levels there", {"device": DEVICE}, "device"),
    )),
    Task("sssp", "..algorithms.sssp:sssp", ("source",), (
        Way("auto", "delta-stepping; without weights a breadth-first search"),
        Way("bellman-ford", "few rounds, if paths have few arcs", {"algorithm": "bellman-ford"}),
        Way("dijkstra", "settles every vertex once", {"algorithm": "dijkstra"}),
        Way("hybrid", "Bellman-Ford first, then Dijkstra", {"algorithm": "hybrid"}),
        Way("device", "Bellman-Ford there", {"device": DEVICE, "algorithm": "bellman-ford"}, "device"),
    )),
    Task("pagerank", "..algorithms.pagerank:pagerank", (), (
        Way("auto", "every iteration reads all arcs once, on all cores"),
        Way("one thread", "leaves the other cores alone", {"threads": 1}),
    )),
    Task("components", "..algorithms.components:connected_components", (), (
        Way("auto", "joins samples first, so that most arcs are never looked at"),
        Way("one thread", "leaves the other cores alone", {"threads": 1}),
    ), ("wcc",)),
    Task("similarity", "..algorithms.similarity:jaccard", (), (
        Way("host", "all cores", {"device": "host"}),
        Way("device", "all edges there", {"device": DEVICE}, "device"),
        Way("both", "both take edges from the two ends of one queue until they meet",
            {"device": ["host", DEVICE]}, "both"),
    ), ("jaccard",)),
    Task("mis", "..algorithms.independent_set:maximal_independent_set", (), (
        Way("auto", "takes vertices in one pass, as soon as their neighbours are decided"),
        Way("rounds", "in rounds of three kernels, as a device would", {"device": "host"}),
        Way("device", "each kernel of each round on host or device", {"device": DEVICE}, "both"),
    )),
    Task("max-flow", "..algorithms.flow:maximum_flow", ("source", "sink"), (
        Way("auto", "preflow-push from the end that promises less work"),
        Way("rounds", "in rounds, as a device would", {"device": "host"}),
        Way("device", "each kernel of each round on host or device", {"device": DEVICE}, "both"),
    ), ("maxflow",)),
)
# fmt: on
TASKS = {task.name: task for task in _ALL}
_NAMES = {name: task for task in _ALL for name in (task.name, *task.also)}


def find_task(name: str) -> Task | None:
    """The task of that name, or None if it is not one that is planned."""
    return _NAMES.get(name)


def task_named(name: str) -> Task:
    """The task of that name.

    >>> task_named("wcc").name
    'components'
    """
    if name not in _NAMES:
        raise InputError(f"there is no plan for {name!r}: choose {', '.join(TASKS)}")
    return _NAMES[name]
