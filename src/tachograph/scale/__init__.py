"""Beyond one process and one machine, on Dask: graphs in parts.

>>> import tachograph as tg
>>> parts = tg.scale.partition(tg.star(9), parts=3, directory="parts")
>>> tg.scale.connected_components(parts).count
1

Everything is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .manifest import Partition
    from .partitioning import partition
    from .programs.bfs import bfs
    from .programs.components import connected_components
    from .programs.independent_set import maximal_independent_set
    from .programs.jaccard import jaccard
    from .programs.pagerank import pagerank
    from .programs.sssp import sssp

# fmt: off
__all__ = ["Partition", "bfs", "connected_components", "jaccard", "maximal_independent_set",
           "pagerank", "partition", "sssp"]

_HOMES = {
    "Partition": ".manifest", "bfs": ".programs.bfs", "connected_components": ".programs.components",
    "jaccard": ".programs.jaccard", "maximal_independent_set": ".programs.independent_set",
    "pagerank": ".programs.pagerank", "partition": ".partitioning", "sssp": ".programs.sssp",
}
# fmt: on


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tachograph.scale' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
