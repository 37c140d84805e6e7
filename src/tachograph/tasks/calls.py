"""The public functions: each does what stands first in the plan for it, and keeps what took long.

On the host that is what the algorithm itself decides, so a call goes straight to it. Only where a
device with cores of its own is calibrated is a plan made first.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..algorithms.result import Result
from ..graph.graph import Graph
from .devices import apart
from .table import TASKS, Task

__all__: list[str] = []  # the functions of the tasks, made when they are first asked for

#: Seconds from which on a call is kept in the journal: that takes less than a hundredth of them.
WORTH_KEEPING = 0.05


def _planned(task: Task) -> Callable[..., Any]:
    function = task.function

    @functools.wraps(function)
    def call(graph: Graph, *given: Any, **options: Any) -> Result:
        if apart() and not given[len(task.needs) :] and not task.how & options.keys():
            told = dict(zip(task.needs, given, strict=False)) | options
            return _by_plan(task, graph, told)
        result = function(graph, *given, **options)
        if result.seconds >= WORTH_KEEPING:
            from .record import remember

            remember(task, graph, {**dict(zip(task.needs, given, strict=False)), **options}, result)
        return result

    return call


def _by_plan(task: Task, graph: Graph, told: dict[str, Any]) -> Result:
    """Make the plan that the arguments ask for, and run it with the others."""
    from .plan import plan

    aside = {k: told.pop(k) for k in ("threads", "trace", "verify") if k in told}
    result: Result = plan(task.name, graph, **told).run(**aside)
    return result


def __getattr__(name: str) -> Any:
    """A function when it is first asked for, so that the others need not be loaded."""
    task = next((t for t in TASKS.values() if t.home.endswith(f":{name}")), None)
    if task is None:
        raise AttributeError(name)
    return globals().setdefault(name, _planned(task))
