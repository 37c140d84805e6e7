"""The papers' tables and figures, run again and set beside the published numbers."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..decisions.model_file import models_home
from ..journal.campaign import Campaign, Executor, code_hash
from ..util.errors import InputError

__all__ = ["EXPERIMENTS", "Settings", "Table", "measure", "reproduce"]

# What can be reproduced: the module of this package and the function that yields its tables.
EXPERIMENTS: dict[str, str] = {
    "hitgraph-table-5": "accelerators:table_5",
    "accugraph-table-6": "accelerators:table_6",
    "comparability-figure-13": "accelerators:comparability",
    "enhancements-figure-14": "accelerators:enhancements",
    "jaccard-figure-1": "jaccard:figure_1",
    "surf-table-3": "surf:table_3",
    "surf-table-4": "surf:table_4",
    "surf-table-5": "surf:table_5",
    "sssp-table-1": "trade_offs:table_1",
    "sssp-table-4": "approximation:table_4",
    "sssp-figures": "approximation_figures:figures",
    "mis-overlap": "heterogeneous:mis_overlap",
    "mis-hot": "heterogeneous:mis_hot",
    "mis-switch": "heterogeneous:mis_switch",
    "flow-switch": "heterogeneous:flow_switch",
}


@dataclass(frozen=True)
class Settings:
    """How an experiment is to run.

    ``full`` asks for the sizes of the paper; otherwise sizes that take a minute or two. Pictures and
    files go to the directory ``output``, if there is one. ``executor`` does the tasks of campaigns.
    """

    full: bool = False
    output: Path | None = None
    executor: Executor | None = None


@dataclass(frozen=True)
class Table:
    """Numbers beside published ones; ``notes`` say where they come from and why they differ."""

    title: str
    columns: list[str]
    rows: list[list[Any]]
    notes: list[str] = field(default_factory=list)


def measure(
    settings: Settings, function: str, tasks: list[dict[str, Any]], mark: str = ""
) -> list[Any]:
    """Records of measurements, a campaign's: those that this code made here are not made again.

    Parameters
    ----------
    function
        Of this package, as ``module:name``.
    tasks
        The arguments of each call.
    mark
        What else they depend on, beside code and models.
    """
    models = [path.read_bytes() for path in sorted(models_home().glob("*")) if path.is_file()]
    own = sha256(b"".join(models)).hexdigest()[:16]
    campaign = Campaign(
        "experiment", f"{__package__}.{function}", tasks, mark=f"{code_hash()} {own} {mark}",
        measured=True, label="measuring",
    )  # fmt: skip
    return [record for record in campaign.records(settings.executor) if record is not None]


def reproduce(name: str, settings: Settings) -> Iterator[Table]:
    """The tables of one experiment, as they get ready.

    Raises
    ------
    InputError
        If there is no experiment of that name.
    """
    if name not in EXPERIMENTS:
        raise InputError(f"there is no experiment {name!r}; known are {', '.join(EXPERIMENTS)}")
    module, function = EXPERIMENTS[name].split(":")
    yield from getattr(importlib.import_module(f"{__package__}.{module}"), function)(settings)
