"""A question on machines that are not here: formulas at once, simulations one after the other."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

from ..plots import numbers as show
from ..simulation.accelerators.base import Accelerator, Parameter
from ..simulation.accelerators.explore import Formulas
from ..simulation.accelerators.problem import Question as Asking
from ..simulation.accelerators.simulate import ACCELERATORS, Job, compare
from ..simulation.dram import Memory, names
from ..simulation.gpus.gpu import GPU, known_gpus
from ..simulation.gpus.simulate import PROGRAMS
from ..simulation.gpus.simulate import simulate as on_gpu
from ..tasks.decide import on_machine
from ..tasks.elsewhere import estimate_there, options_of
from ..tasks.question import VERTEX_ARGUMENTS, Question, ask, by_id
from ..tasks.what_if import (
    SIMULATED_UP_TO_ARCS,
    Row,
    accelerator_options,
    bounds_of,
    off_by,
    what_if,
)
from ..util.errors import InputError
from ..util.executor import Local
from ..util.names import canonical
from .asking import Asked

__all__ = ["Found", "Machine", "Place", "simulated_tasks", "sweepable"]

HOST = "host"
CHANNELS = "channels"  # the one parameter of a memory that a sweep changes
CHANNELS_TRIED = (1, 2, 4, 8)
STEPS = (0.25, 0.5, 1, 2, 4)  # times the default, where a parameter does not say what to try
QUICK_ON_GPU = ("bfs", "jaccard", "cosine", "overlap", "sorensen")  # those with a fast path


def simulated_tasks() -> list[str]:
    """List the tasks that some machine that is not here can do."""
    named = [canonical(t) for kind in ACCELERATORS.values() for t in kind.tasks]
    return list(dict.fromkeys([*named, *PROGRAMS]))


@dataclass(frozen=True)
class Machine:
    """A machine by its name, an accelerator's memory ("" is its own), and changed parameters.

    Only names that are listed are taken: neither files nor classes of somebody else are loaded.
    """

    name: str
    memory: str = ""
    settings: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def of(cls, name: str, memory: str = "", settings: Mapping[str, Any] | None = None) -> Machine:
        """Check a machine that a page names."""
        made = cls(name, memory, tuple((settings or {}).items()))._without_usual()
        if made.name in ACCELERATORS:
            if memory and memory not in names():
                raise InputError(f"there is no memory {memory!r}: tacho dram list has their names")
            made.accelerator()
            made.dram()
        elif made.name in known_gpus():
            made.gpu()
        elif made.name != HOST:
            known = ", ".join((HOST, *ACCELERATORS, *known_gpus()))
            raise InputError(f"there is no machine {name!r}: {known}")
        if made.name not in ACCELERATORS and memory:
            raise InputError(f"{name} has a memory of its own: leave {memory} out")
        return made

    def _without_usual(self) -> Machine:
        """Return the machine without settings that change nothing, so that it is the same machine."""
        if not self.settings or self.name == HOST:
            return self
        here = Machine(self.name, self.memory)
        if self.name in ACCELERATORS:
            own = here.dram() or here.accelerator().memory()
            usual = {**here.accelerator().settings, CHANNELS: own.channels}
        else:
            usual = here.gpu().settings
        return replace(here, settings=tuple((k, v) for k, v in self.settings if usual.get(k) != v))

    @property
    def told(self) -> dict[str, Any]:
        """The changed parameters, without that of the memory."""
        return {k: v for k, v in self.settings if k != CHANNELS or self.name not in ACCELERATORS}

    def accelerator(self) -> Accelerator:
        """Return the accelerator, with its parameters checked."""
        return ACCELERATORS[self.name](**self.told)

    def dram(self) -> Memory | None:
        """Return the memory of an accelerator; None if it is its own, unchanged."""
        channels = dict(self.settings).get(CHANNELS)
        if channels is None:
            return Memory(self.memory) if self.memory else None
        own = Memory(self.memory) if self.memory else ACCELERATORS[self.name]().memory()
        given: dict[str, Any] = {**own.given, CHANNELS: int(channels)}
        return Memory(own.name, **given)

    def gpu(self) -> GPU:
        """Return the GPU, with its parameters checked."""
        return GPU(self.name, **self.told)

    @property
    def word(self) -> str:
        """What ``tg.what_if`` calls it."""
        return f"{self.name}@{self.memory}" if self.memory else self.name

    def python(self) -> str:
        """Return code that makes the machine, and its memory if that is not its own."""
        given = ", ".join(f"{k}={v!r}" for k, v in self.told.items())
        if self.name not in ACCELERATORS:
            return f"tg.GPU({self.name!r}{', ' * bool(given)}{given})"
        made = f"tg.{ACCELERATORS[self.name].__name__}({given})"
        if (memory := self.dram()) is None:
            return made
        sizes = "".join(f", {k}={v!r}" for k, v in memory.given.items())
        return f"{made}, tg.Memory({memory.name!r}{sizes})"


def sweepable(machine: Machine) -> dict[str, tuple[str, list[Any]]]:
    """Return the parameters that a sweep can change: what each means, and the values to try."""
    if machine.name == HOST:
        return {}
    gpu = machine.name not in ACCELERATORS
    declared = machine.gpu().declared() if gpu else machine.accelerator().declared()
    current = machine.gpu().settings if gpu else machine.accelerator().settings
    made = {}
    for name, parameter in declared.items():
        values = _tried(parameter, current[name])
        if len(values) > 1:
            made[name] = (f"{parameter.about} ({parameter.source})", values)
    if not gpu:
        made[CHANNELS] = ("channels of the memory", list(CHANNELS_TRIED))
    return made


def _tried(parameter: Parameter[Any], usual: Any) -> list[Any]:
    """Return the values that a parameter says to try, or some around the usual one."""
    if parameter.search:
        return [v for v in parameter.search if v is not None]
    if parameter.choices is not None:
        return list(parameter.choices)
    if parameter.kind is bool:
        return [False, True]
    if parameter.kind in (int, float) and usual:
        tried = [parameter.kind(usual * step) for step in STEPS]
        low = parameter.low if parameter.low is not None else 0
        return sorted({v for v in tried if v >= low})
    return []


@dataclass(frozen=True)
class Found:
    """What a machine would take, and what a simulation has to show for it."""

    row: Row
    numbers: Mapping[str, Any] = field(default_factory=dict)
    trace: Mapping[str, Sequence[Any]] = field(default_factory=dict)


class Place:
    """A question on a graph, as machines elsewhere are asked it, and what was found so far."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        graph, kind = asked.opened.graph, asked.task
        told = by_id(kind, graph, (), asked.arguments)[1] if graph.named else asked.arguments
        self.question: Question = ask(kind, graph, **told)
        self.found: dict[Machine, Found] = {}

    @cached_property
    def asking(self) -> Asking:
        """The question for accelerators."""
        return Asking(canonical(self.question.task.name), **accelerator_options(self.question))

    @cached_property
    def formulas(self) -> Formulas:
        """Formulas for accelerators."""
        return Formulas(self.asking, self.question.graph)

    def _must_run(self, machine: Machine) -> None:
        task = self.question.task.name
        runs = PROGRAMS if machine.name not in ACCELERATORS else machine.accelerator().tasks
        if machine.name != HOST and task not in {canonical(t) for t in runs}:
            raise InputError(f"{machine.name} does not run {task}")

    def quick(self, machine: Machine) -> Row | None:
        """Return what formulas say at once; None if there are none."""
        self._must_run(machine)
        if machine.name == HOST:
            guess = on_machine(self.question, HOST).estimate
        elif machine.name in ACCELERATORS:
            made = self.formulas(machine.accelerator(), machine.dram())
            if made is None:
                return None
            how = "by formulas" + (f", median error {made.error:.0f} %" if made.error else "")
            bounds = off_by(made.seconds, made.error)
            return Row(machine.word, made.seconds, *bounds, "modelled", how, "median error")
        elif self.question.task.name not in QUICK_ON_GPU:
            return None
        else:
            guess = estimate_there(self.question, machine.gpu())
        if guess.seconds is None:
            return None
        times = guess.seconds, guess.low, guess.high
        return Row(machine.word, *times, "modelled", "by formulas", "90 %")

    def simulate(self, machine: Machine) -> Found:
        """Simulate a machine, or run it here; the journal keeps simulations of accelerators."""
        self._must_run(machine)
        graph, task = self.question.graph, self.question.task.name
        if machine.name == HOST:
            row = what_if(task, graph, [HOST], **self.asked.arguments).rows[0]
            return self.found.setdefault(machine, Found(row))
        if graph.arcs > SIMULATED_UP_TO_ARCS:
            raise InputError(
                f"{graph.arcs:,} arcs are too many to be simulated here: formulas tell the time, or "
                "take a smaller graph"
            )
        if machine.name in ACCELERATORS:
            job = Job(self.asking, machine.accelerator(), machine.dram())
            (_, numbers), = compare(graph, [job], Local(1), self.asked.opened.name)  # fmt: skip
            seconds, kind = numbers["seconds"], bounds_of(numbers["graphs_validated"])
            how = f"{numbers['iterations']} iterations; {numbers['error_band']}"
            bounds = off_by(seconds, numbers["expected_error"])
            row = Row(machine.word, seconds, *bounds, "simulated", how, kind)
            made = Found(row, cast(Mapping[str, Any], numbers))
        else:
            gpu = on_gpu(task, graph, machine.gpu(), **options_of(self.question))
            low, high = gpu.interval or (None, None)
            how = (
                f"{gpu.iterations} rounds; copies {show.seconds(gpu.copy_seconds)} more; {gpu.band}"
            )
            row = Row(machine.word, gpu.seconds, low, high, "simulated", how, "90 %")
            made = Found(row, gpu.numbers(), gpu.trace.to_dict())
        self.found[machine] = made
        return made

    def python(self, machine: Machine) -> str:
        """Return code that does the same."""
        task = self.question.task.name
        if machine.name == HOST:
            given = "".join(f", {k}={v!r}" for k, v in self.asked.arguments.items())
            return f'print(tg.what_if("{task}", g, ["host"]{given}))'
        options = self.asking.options if machine.name in ACCELERATORS else options_of(self.question)
        options = options | {k: v for k, v in self.asked.arguments.items() if k in VERTEX_ARGUMENTS}
        given = "".join(f", {k}={v!r}" for k, v in options.items() if k != "approximation")
        return f'result = tg.simulate("{task}", g, {machine.python()}{given})\nprint(result)'

    def command(self, machine: Machine) -> str:
        """Return the words of the command that does the same."""
        task = self.question.task.name
        if machine.name == HOST:
            return self.asked.command("what-if") + " --machine host"
        words = [f"simulate {task} {{graph}}"]
        for name in VERTEX_ARGUMENTS:  # by their names, if they have some
            if name in self.asked.arguments:
                words.append(f"--{name} {shlex.quote(str(self.asked.arguments[name]))}")
        if machine.name not in ACCELERATORS:
            changed = [f"--set {k}={shlex.quote(str(v))}" for k, v in machine.settings]
            return " ".join([*words, f"--gpu {machine.name}", *changed])
        if iterations := self.asking.iterations:
            words.append(f"--iterations {iterations}")
        words.append(f"--accelerator {machine.name}")
        if (memory := machine.dram()) is not None:
            words.append(f"--memory {memory.name}")
        for name, value in machine.settings:
            text = shlex.quote(str(value))
            if name != CHANNELS:
                words.append(f"--set {name}={text}")
        if memory is not None:  # also sizes of the accelerator's own memory, if it is named here
            words += [f"--{k} {v}" for k, v in memory.given.items()]
        return " ".join(words)
