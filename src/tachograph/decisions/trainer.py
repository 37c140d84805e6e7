"""Training: the same six steps for every fork, and the table of forks.

1. ``choose`` the graphs, 2. ``collect`` measurements on them, 3. ``fit`` a model, 4. ``evaluate`` it on
what it has not seen, 5. write its card, 6. save it. :func:`train` takes them in turn; a fork's
``train.py`` has ``measure_graph``, which measures one graph, and a :class:`Trainer` with what else
differs. Its fields are the options of ``tacho train FORK``.

The forks are below the algorithms that they decide about, so whoever trains hands in how a task is run:
a :class:`Runner`. It names a function instead of holding one, because the processes and machines that
measure have to import it.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, NamedTuple, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..graph.graph import Graph
from ..journal import machine
from ..journal.campaign import Campaign, Executor, Record, code_hash, measured_code
from ..util.errors import DeviceError, InputError, MissingDependencyError
from . import graphs as registry
from .comparison import Comparison, compare
from .model_file import Kept, ModelFile, own_model, write

if TYPE_CHECKING:
    from ..devices.opencl import OpenCL

__all__ = ["FORKS", "DeviceTrainer", "Fork", "Measured", "Run", "Runner", "TimedWay", "Trained"]
__all__ += ["Trainer", "device_here", "run_named", "train"]

Arrays = Mapping[str, NDArray[np.generic]]
Quality = list[Record]  # rows of a table: what was judged, and the numbers


class Columns(Protocol):
    """The trace of a run: columns by name, a row for each step."""

    def __getitem__(self, name: str) -> NDArray[np.generic]: ...
    def __len__(self) -> int: ...


class Measured(Protocol):
    """What training needs of a result."""

    @property
    def seconds(self) -> float: ...
    @property
    def trace(self) -> Columns: ...


class Run(Protocol):
    """Runs a task by its name, which is that of the public function."""

    def __call__(self, task: str, graph: Graph, /, **options: object) -> Measured: ...


class TimedWay(NamedTuple):
    """A way to run a task whose time is learned: the task, the way's name and options.

    ``where`` is ``host``, ``device`` or ``both``; ``needs`` are arguments that the task must be given.
    """

    task: str
    way: str
    where: str
    needs: Sequence[str]
    options: Mapping[str, object]


class Runner(NamedTuple):
    """How training runs tasks: where to import a :class:`Run` from, and which ways there are.

    ``simulated`` and ``measured`` are functions of a graph, a source and a device's name, as
    "package.module:function": they return both directions of every level of a search on a GPU that is
    simulated, or on an OpenCL device.
    """

    run: str = ""  # as "package.module:function"
    ways: tuple[TimedWay, ...] = ()
    simulated: str = ""
    measured: str = ""


class Fitted(Protocol):
    """A model: it can be written to a file."""

    def arrays(self) -> Arrays:
        """Return its numbers."""


Model = TypeVar("Model", bound=Fitted)
NO_RUNNER = Runner()


@lru_cache(4)
def run_named(path: str) -> Run:
    """Import the function that runs tasks, in the process that measures."""
    module, _, name = path.partition(":")
    if not name:
        raise InputError(
            f"training needs a function that runs tasks, as module:function, not {path!r}"
        )
    return cast(Run, getattr(importlib.import_module(module), name))


@dataclass(frozen=True)
class Fork:
    """A decision. Its folder has the same files as every other: rules (if any), model, train."""

    name: str
    question: str
    choices: tuple[str, ...]
    needs_device: bool = False

    def _part(self, file: str, name: str) -> object:
        return getattr(importlib.import_module(f"{__package__}.{self.name}.{file}"), name)

    @property
    def state(self) -> tuple[str, ...]:
        """The names of what is looked at."""
        return self.model.state

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the published rules; not every fork has any."""
        try:
            return cast(tuple[str, ...], self._part("rules", "RULES"))
        except ModuleNotFoundError:
            return ()

    @property
    def model(self) -> Kept[object]:
        """The learned model that is in use."""
        return cast(Kept[object], self._part("model", "the_model"))

    @property
    def trainer(self) -> type[Trainer[Fitted]]:
        """What trains it."""
        return cast("type[Trainer[Fitted]]", self._part("train", "Trainer"))


FORKS = {
    fork.name: fork
    for fork in (
        Fork("direction", "When does a breadth-first search push, and when pull?", ("push", "pull")),
        Fork("approximation", "What may a shortest-path search leave out within an error budget?",
             ("iterations", "min_degree", "max_degree", "fraction", "atomic")),
        Fork("times", "How long does each way to run a task take?", ()),
        Fork("split", "Which part of the edges does the host compute, and which the device?",
             ("host", "device", "both"), needs_device=True),
        Fork("placement", "Does a kernel run on the host or on the device?", ("host", "device"),
             needs_device=True),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Trainer(ABC, Generic[Model]):
    """One training: its options, and the steps that differ from fork to fork."""

    graphs: Sequence[str] | None = None  # by name; by default those to fit of the table
    budget: float = 600.0  # seconds of measuring
    executor: Executor | None = None
    runner: Runner = NO_RUNNER

    name: ClassVar[str]  # of the fork, and of its model file
    state: ClassVar[tuple[str, ...]] = ()  # what the model looks at
    without: ClassVar[tuple[str, ...]] = ()  # options of ``tacho train`` that make no sense here
    kind: ClassVar[str] = ""  # of records in the journal, if it is not the name
    measures: ClassVar[str] = "train:measure_graph"  # the task of the campaign
    fewest: ClassVar[tuple[int, int]] = (0, 0)  # graphs and families that a fit needs

    @property
    def file(self) -> str:
        """The name of the model's file: that of the fork, unless it is for another device."""
        return self.name

    def choose(self) -> list[str]:
        """Return the graphs to measure: those that were asked for, or all to fit that are here."""
        if self.graphs is not None:
            return list(self.graphs)
        return registry.present(registry.names_of(self.name, "fit"))

    def how(self) -> tuple[Record, str]:
        """Return the arguments of ``measures`` after the name, and what else its times depend on."""
        return {}, ""

    def collect(self, names: Sequence[str]) -> list[Record]:
        """Measure; return a record for each graph, or several, with its name and hash."""
        arguments, mark = self.how()
        return self.measured([{"name": name, **arguments} for name in names], mark)

    def measured(self, tasks: list[Record], mark: str = "") -> list[Record]:
        """Return the records of a campaign, without what failed or did not fit in the budget.

        What other code has measured is not taken: it is measured again.
        """
        function, label = f"{__package__}.{self.name}.{self.measures}", f"measuring for {self.name}"
        kind = self.kind or self.name
        mark = f"{mark} {measured_code()}"
        campaign = Campaign(kind, function, tasks, mark, measured=True, label=label)
        found = [r for r in campaign.records(self.executor, self.budget) if r is not None]
        return [
            {**record, "code": graph["code"]}
            for graph in found
            for record in graph.get("records", [graph])
        ]

    def used(self, records: list[Record]) -> list[Record]:
        """Return the records that the model is fitted to."""
        return records

    @abstractmethod
    def fit(self, records: list[Record]) -> Model:
        """Fit a model to the records that are used."""

    @abstractmethod
    def evaluate(self, model: Model, records: list[Record]) -> Quality:
        """Return a table that says how good the model is where it has not seen the answer."""

    def facts(self, model: Model) -> Record:
        """Return what else the card should tell."""
        return {}


@dataclass(frozen=True)
class DeviceTrainer(Trainer[Model]):
    """A training that measures a device beside the host."""

    without = ("workers",)  # the device is there once
    device: str = field(default="opencl", metadata={"help": "The OpenCL device beside the host."})

    @property
    def opened(self) -> OpenCL:
        """The device."""
        from ..devices.opencl import open_device

        return open_device(self.device)

    def facts(self, model: Model) -> Record:
        """Return which device was measured."""
        return {"device": self.opened.name}


class Trained(NamedTuple):
    """What a training has made: the model's file, where it is, or would be, and how it compares."""

    file: ModelFile
    path: Path
    comparison: Comparison | None = None
    written: bool = True


def train(
    trainer: Trainer[Model], output: Path | None = None, force: bool = False, dry_run: bool = False
) -> Trained:
    """Take the six steps; without ``output`` the model is used on this machine from now on.

    It is used only if it is not worse than the model in use, as far as they can be compared, or by
    ``force``. With ``dry_run`` nothing is written.
    """
    records = trainer.collect(trainer.choose())
    used = trainer.used(records)
    graphs, families = (len({r.get(key) for r in used}) for key in ("graph", "family"))
    fewest, kinds = trainer.fewest
    if graphs < fewest or families < kinds:
        measured = f"{graphs} graph{'s' * (graphs != 1)}"
        least = f"{fewest} graphs"
        advice = "name more graphs, or allow a larger --budget"
        if kinds > 1:
            measured += f" of {families} famil{'y' if families == 1 else 'ies'}"
            least += f" of {kinds} families"
            advice += " (files are one family; 'kronecker 14 8' and 'road 300 300' are others)"
        were = "was" if graphs == 1 else "were"
        raise InputError(f"{measured} {were} measured, and {least} are needed: {advice}")
    codes = sorted({r["code"] for r in used if "code" in r})
    if len(codes) > 1:
        raise InputError(
            f"measurements of {len(codes)} versions of the code ({', '.join(codes)}) would be mixed: "
            "measure all of them again"
        )
    model = trainer.fit(used)
    card = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine()[1],
        "code": code_hash(),
        "measured code": codes,
        "graphs": dict(sorted({r["graph"]: r.get("hash") for r in used}.items())),
        "quality": trainer.evaluate(model, records),
    }
    arrays, path = model.arrays(), output or own_model(trainer.file)
    apart = output is not None or trainer.file != trainer.name  # not the model in use
    compared = None if apart else compare(cast("Trainer[Fitted]", trainer), used)
    if compared is not None:
        card["comparison"] = str(compared)
    file = ModelFile(trainer.name, trainer.state, arrays, card | trainer.facts(model))
    written = not dry_run and (compared is None or compared.better or force)
    if written:
        write(path, file)
    return Trained(file, path, compared, written)


def device_here() -> OpenCL | None:
    """Return the OpenCL device that is used by default, or None."""
    from ..devices.opencl import open_device

    try:
        return open_device()
    except (DeviceError, MissingDependencyError, ImportError):
        return None
