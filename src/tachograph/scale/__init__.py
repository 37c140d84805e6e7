"""Beyond one process and one machine: graphs in parts, here or on Dask.

>>> import tachograph as tg
>>> parts = tg.scale.partition(tg.star(9), parts=3, directory="parts")
>>> tg.scale.connected_components(parts).count
1

Everything is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ..util.errors import InputError
from ..util.names import ALIASES

if TYPE_CHECKING:
    from .manifest import Partition
    from .partitioning import partition
    from .programs.bfs import bfs
    from .programs.components import connected_components
    from .programs.independent_set import maximal_independent_set
    from .programs.jaccard import jaccard
    from .programs.pagerank import pagerank
    from .programs.sssp import sssp

__all__ = [
    "Partition",
    "bfs",
    "connected_components",
    "jaccard",
    "maximal_independent_set",
    "pagerank",
    "partition",
    "sssp",
]

#: The tasks that can be run on parts: where each is, and whether it needs a source.
TASKS = {
    "bfs": (".programs.bfs", True),
    "sssp": (".programs.sssp", True),
    "pagerank": (".programs.pagerank", False),
    "connected_components": (".programs.components", False),
    "jaccard": (".programs.jaccard", False),
    "maximal_independent_set": (".programs.independent_set", False),
}
_HOMES = {name: home for name, (home, _) in TASKS.items()} | {
    "Partition": ".manifest",
    "partition": ".partitioning",
}


def task_named(name: str) -> str:
    """Return the name of the task that can be run on parts, for its name or an alias."""
    plain = name.lower().replace("-", "_")
    found = ALIASES.get(plain, plain)
    if found not in TASKS:
        raise InputError(f"task = {name!r} cannot be run on parts: choose {', '.join(TASKS)}")
    return found


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'tachograph.scale' has no attribute {name!r}")
    value: object = getattr(importlib.import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
