"""What the page asks: a task with arguments that are text in an address; in Python, and for a shell."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..graph.graph import Graph
from ..simulation.gpus.gpu import known_gpus
from ..tasks.decide import Candidate, in_words
from ..tasks.plan import Plan, plan
from ..tasks.question import VERTEX_ARGUMENTS
from ..tasks.table import TASKS, Task, task_named
from ..util.errors import InputError
from .sources import Opened, vertex_of

__all__ = ["Asked", "asked", "copied", "options_of", "tasks"]

#: Arguments that an address cannot hold, that a plan chooses, or that would write files.
NOT_ASKED = {
    "personalization",
    "capacity",
    "vector",
    "approximation",
    "output",
    "trace",
    "pairs",
    "memory_limit",
}
NUMBERS = {
    "max_error": float,
    "deadline": float,
    "cutoff": int,
    "threads": int,
    "topk": int,
}  # those without a default


@dataclass(frozen=True)
class Asked:
    """A task on a graph, with arguments as the public functions take them: vertices by their names."""

    opened: Opened
    task: Task
    arguments: dict[str, Any]

    def plan(self) -> Plan:
        """Return the plan."""
        made = plan(self.task.name, self.opened.graph, **self.arguments)
        return replace(made, graph_name=self.opened.name)

    def python(self, call: str = "plan") -> str:
        """Return the call in Python: of ``plan`` with the task's name, or of the task itself."""
        given = [
            f"{k}={'[1.0] * g.n' if k == 'vector' else repr(v)}" for k, v in self.arguments.items()
        ]
        if call == "run":
            return f"tg.{self.task.name}({', '.join(['g', *given])})"
        return f"tg.{call}({', '.join([repr(self.task.name), 'g', *given])})"

    def command(self, command: str = "plan") -> str:
        """Return the words of a ``tacho`` command, for ``Opened.command``."""
        words = [command, self.task.name, "{graph}"]
        for name, value in self.arguments.items():
            flag = "--" + name.replace("_", "-")
            if name == "vector" or value is False:
                continue
            text = ",".join(value) if isinstance(value, list) else str(value)
            words += [flag] if value is True else [flag, shlex.quote(text)]
        return " ".join(words)


def copied(question: Asked, every: Sequence[Candidate], way: str) -> dict[str, str]:
    """Return what runs a way without the lab, in Python and for a shell; "" is what is best."""
    told = repr(way) if way else ""
    lines = f"plan = {question.python()}\nresult = plan.run({told})\nprint(result)"
    words = question.command("run")
    chosen = next((c for c in every if c.name == way), None)
    for name, value in chosen.options.items() if chosen else ():
        if isinstance(value, str | int | float | list):
            words += f" --{name.replace('_', '-')} {shlex.quote(in_words(value))}"
    return {"python": question.opened.code(lines), "command": question.opened.command(words)}


def asked(opened: Opened, task: str, told: Mapping[str, Any]) -> Asked:
    """Return a question from the page: ``told`` has arguments as text; what is empty is not given.

    A search that is not told where to begin begins at the vertex of highest degree; a flow goes from
    there to the next one.

    Raises
    ------
    InputError
        If there is no such task, or it takes no such argument.
    """
    kind, graph = task_named(task), opened.graph
    allowed = options_of(kind)
    made: dict[str, Any] = {}
    for name, value in told.items():
        if value is None or value == "":
            continue
        if name not in allowed:
            raise InputError(f"{kind.name} takes no {name!r} here: {', '.join(allowed)}")
        made[name] = _value(opened, kind, name, value)
    if made.get("max_error") is None:
        made.pop("confidence", None)
    return Asked(opened, kind, _needed(kind, graph) | made)


def options_of(task: Task) -> list[str]:
    """Return the arguments of a task that the page can ask with."""
    found = [k for k in task.parameters if k not in task.how | NOT_ASKED]
    return [*found, "deadline", "device"]


def _value(opened: Opened, task: Task, name: str, value: Any) -> Any:
    text = str(value)
    if name in VERTEX_ARGUMENTS:
        return _named(opened.graph, vertex_of(opened, text))
    if name == "device":
        named = [part for part in text.split(",") if part]
        if not set(named) <= set(known_gpus()):
            raise InputError(f"device = {text!r}: {', '.join(known_gpus())} can be simulated")
        return named[0] if len(named) == 1 else named
    if name == "weight":
        return "weight" if text in ("true", "weight") else None
    kind = NUMBERS[name] if name in NUMBERS else type(task.parameters[name].default)
    if kind is bool:
        return text == "true"
    try:
        made: Any = kind(float(text)) if kind in (int, float) else text
    except (ValueError, OverflowError):
        raise InputError(f"{name} = {text!r}: a number is needed") from None
    if name == "threads" and made < 1:
        raise InputError(f"threads = {text}: at least one is needed")
    return made


def _named(graph: Graph, vertex: int) -> Any:
    """Return the name of a vertex, or its id if it has none."""
    if graph.names is None:
        return vertex
    name = graph.names[vertex]
    return name.item() if isinstance(name, np.generic) else name


def _needed(task: Task, graph: Graph) -> dict[str, Any]:
    """Return the arguments that a task must have, where the graph's own data do not say them."""
    made: dict[str, Any] = {}
    ends = [k for k in task.needs if k in VERTEX_ARGUMENTS and k not in graph.meta]
    if ends and graph.n:
        many = min(len(ends), graph.n)
        top = np.argpartition(graph.degrees, graph.n - many)[graph.n - many :]
        order = top[np.argsort(-graph.degrees[top], kind="stable")].tolist()
        made = {k: _named(graph, v) for k, v in zip(ends, order, strict=False)}
    if "vector" in task.needs:
        made["vector"] = [1.0] * graph.n
    return made


def tasks() -> list[dict[str, Any]]:
    """List the tasks: name, what it does, the arguments that can be asked with, and those it needs."""
    from ..util.docs import summary_of

    return [
        {
            "name": t.name,
            "about": summary_of(t.function),
            "options": options_of(t),
            "needs": list(t.needs),
        }
        for t in TASKS.values()
    ]
