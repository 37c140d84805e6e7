"""The papers' tables and figures, run again and set beside the published numbers."""

from __future__ import annotations

import importlib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ..decisions.graphs import family, seen_by
from ..journal import home
from ..journal.campaign import Campaign, Executor, code_hash
from ..util.errors import InputError
from ..util.text import did_you_mean

__all__ = ["EXPERIMENTS", "GRAPH_COLUMNS", "ON_GPUS", "Experiment", "Settings", "Table", "measure"]
__all__ += ["needs", "origin", "reproduce"]

GRAPH_COLUMNS = ("graph", "graph is", "chosen on it")
Cell = str | float | list[float] | None
Record = dict[str, Any]  # what a task of a campaign returns, as JSON


class Experiment(NamedTuple):
    """What can be reproduced: a function of this package that yields tables, and its page in docs."""

    function: str
    page: str
    about: str


#: By the page in docs: the name, the function, and what it shows.
PAGES = {
    "accelerators": (
        (
            "hitgraph-table-5",
            "accelerators:table_5",
            "HitGraph's run times on the paper's graphs, simulated.",
        ),
        (
            "hitgraph-components",
            "components:table",
            "What could explain the time of HitGraph's connected components.",
        ),
        (
            "accugraph-table-6",
            "accelerators:table_6",
            "AccuGraph's edges per second on the paper's graphs, simulated.",
        ),
        (
            "thundergp-table-9",
            "thundergp:table_9",
            "ThunderGP's edges per second on two boards, simulated.",
        ),
        (
            "scalabfs-table-2",
            "scalabfs:table_2",
            "ScalaBFS's edges per second on 32 pseudo channels, simulated.",
        ),
        (
            "comparability-figure-13",
            "accelerators:comparability",
            "HitGraph and AccuGraph on the same memory and clock.",
        ),
        (
            "enhancements-figure-14",
            "accelerators:enhancements",
            "What skipping prefetches and partitions brings to AccuGraph.",
        ),
        (
            "accelerators-table-1",
            "comparison:table_1",
            "The graphs of the accelerators' comparison, and ours beside them.",
        ),
        (
            "errors-figure-2b",
            "comparison:figure_2b",
            "Mean error of the simulation by design and task.",
        ),
        (
            "roots-figure-10",
            "comparison:figure_10",
            "How much shortest paths vary with their root.",
        ),
        ("degrees-figure-12", "comparison:figure_12", "AccuGraph's rate as the mean degree grows."),
        (
            "comparability-matrix",
            "comparison:matrix",
            "All designs on all memories, tasks and graphs.",
        ),
    ),
    "similarity": (
        (
            "jaccard-figure-1",
            "jaccard:figure_1",
            "Time of Jaccard's similarity by the share that the host computes.",
        ),
    ),
    "directions": (
        ("surf-table-2", "surf:table_2", "The graphs of the comparison of directions."),
        (
            "surf-table-3",
            "surf:table_3",
            "How often policies choose the faster direction, and what they save.",
        ),
        (
            "surf-table-4",
            "surf:table_4",
            "Run time of whole searches by policy, and what deciding takes.",
        ),
        ("surf-table-5", "surf:table_5", "Edges per second by policy."),
        ("surf-validation", "surf:validation", "Accuracy on graphs that training has not seen."),
        (
            "surf-features",
            "surf_features:importance",
            "What each feature does to the choices of the networks.",
        ),
        (
            "surf-observations",
            "surf_features:observations",
            "The paper's four observations, tested graph by graph.",
        ),
    ),
    "approximation": (
        (
            "sssp-table-1",
            "approximation.tables:table_1",
            "The best trade-offs between error and time.",
        ),
        (
            "sssp-table-4",
            "approximation.tables:table_4",
            "How well models predict error and speedup.",
        ),
        (
            "sssp-figures",
            "approximation.figures:figures",
            "Figures 2 to 15: error and speedup by parameter.",
        ),
        (
            "sssp-methods",
            "approximation.methods:method_figures",
            "Figures 1 to 9 with the paper's own methods.",
        ),
        (
            "sssp-budget",
            "approximation.budget:budgets",
            "Whether error budgets are kept, and the time they gain.",
        ),
    ),
    "heterogeneous": (
        (
            "mis-overlap",
            "heterogeneous:mis_overlap",
            "Independent sets with host and device overlapping.",
        ),
        ("mis-power", "heterogeneous:mis_power", "Power of independent sets that overlap."),
        ("mis-hot", "heterogeneous:mis_hot", "Independent sets with hot vertices first."),
        (
            "mis-switch",
            "switching:mis_switch",
            "Independent sets with each kernel placed on host or device.",
        ),
        (
            "flow-switch",
            "switching:flow_switch",
            "Maximum flow with each kernel placed on host or device.",
        ),
        ("break-point", "switching:equation", "The equation of the break point, to the digit."),
    ),
}
EXPERIMENTS = {
    name: Experiment(function, page, about)
    for page, rows in PAGES.items()
    for name, function, about in rows
}
#: The functions of those that can be run on a simulated GPU.
ON_GPUS = {
    "surf-table-3": "surf_on_gpus:surf_tables",
    "surf-table-4": "surf_on_gpus:surf_tables",
    "surf-table-5": "surf_on_gpus:surf_tables",
    "sssp-table-1": "sssp_on_gpus:sssp_table_1",
    "sssp-methods": "sssp_on_gpus:sssp_methods",
    "jaccard-figure-1": "on_gpus:jaccard_figure_1",
    "mis-overlap": "on_gpus:mis_overlap",
    "mis-switch": "on_gpus:mis_switch",
    "flow-switch": "on_gpus:flow_switch",
}


def needs(name: str) -> str:
    """Return what an experiment cannot do without: a device, or a GPU that is simulated instead.

    >>> needs("mis-overlap"), needs("surf-table-3")
    ('OpenCL or --gpu', '')
    """
    if EXPERIMENTS[name].page not in ("similarity", "heterogeneous") or name == "break-point":
        return ""
    return "OpenCL" + " or --gpu" * (name in ON_GPUS)


@dataclass(frozen=True)
class Settings:
    """How an experiment is to run.

    ``full`` asks for the sizes of the paper; otherwise sizes that take a minute or two. Pictures and
    files go to the directory ``output``, if there is one. ``executor`` does the tasks of campaigns.
    ``graphs`` (data sets, generators with arguments, or files) take the place of the usual ones.
    ``gpu`` names a GPU that is simulated instead of running here.
    """

    full: bool = False
    output: Path | None = None
    executor: Executor | None = None
    graphs: tuple[str, ...] = ()
    gpu: str | None = None


@dataclass(frozen=True)
class Table:
    """Numbers beside published ones; ``notes`` say where they come from and why they differ.

    ``provenance`` is that of our numbers. A table with a row for each graph has ``GRAPH_COLUMNS``.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = field(default=())
    provenance: str = "measured"  # or "modelled" or "simulated"


def origin(
    name: str, fork: str, own: Container[str] = (), alike: Container[str] = ()
) -> list[Cell]:
    """Return whether a graph is one of the paper's own, and what of a fork was chosen by looking at it.

    A file is the user's own graph.

    ``alike`` are families that the paper generates, too.

    >>> origin("soc-Slashdot0902", "direction")
    ['stand-in', 'the model']
    """
    if Path(name).is_file():
        return ["yours", ""]
    kind = "same" if name in own else "generated alike" if family(name) in alike else "stand-in"
    return [kind, ", ".join(seen_by(fork, name))]


def measure(
    settings: Settings, function: str, tasks: Sequence[Mapping[str, object]], mark: str = ""
) -> list[Record]:
    """Return the records of a campaign of measurements; what this code measured here is not repeated.

    ``function`` is one of this package, as ``module:name``, and ``tasks`` the arguments of each call.
    ``mark`` names what else the records depend on, besides code and models.
    """
    models = [path.read_bytes() for path in sorted((home() / "models").glob("*.json"))]
    mark = f"{code_hash()} {sha256(b''.join(models)).hexdigest()[:16]} {mark}"
    target = f"{__package__}.{function}"
    campaign = Campaign("experiment", target, tasks, mark, measured=True, label="measuring")
    return [record for record in campaign.records(settings.executor) if record is not None]


def reproduce(name: str, settings: Settings) -> Iterator[Table]:
    """Yield the tables of one experiment as they get ready.

    Raises
    ------
    InputError
        If there is no experiment of that name.
    """
    if name not in EXPERIMENTS:
        near = did_you_mean(name, EXPERIMENTS)
        raise InputError(f"there is no experiment {name!r}{near} (all: tacho reproduce)")
    if settings.gpu is not None and name not in ON_GPUS:
        raise InputError(f"{name} cannot be simulated on a GPU; these can: {', '.join(ON_GPUS)}")
    known = EXPERIMENTS[name].function if settings.gpu is None else ON_GPUS[name]
    module, function = known.split(":")
    yield from getattr(importlib.import_module(f"{__package__}.{module}"), function)(settings)
