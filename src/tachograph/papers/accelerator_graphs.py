"""The graphs of the accelerators' paper: what was published about them, and how to get them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from ..graph.datasets import dataset, datasets
from ..graph.generate import kronecker
from ..graph.graph import Graph
from .published import published

__all__ = ["GRAPHS", "TABLE_5", "TABLE_6", "Loaded", "error", "load", "missing"]

Cells: TypeAlias = dict[str, dict[str, tuple[float, float]]]


def _cells(table: str) -> Cells:
    """Return by task and graph what hardware and the paper's simulation took."""
    made: Cells = {}
    for task, graph, hardware, simulation in published("accelerators", table).rows:
        made.setdefault(str(task), {})[str(graph)] = float(hardware or 0), float(simulation or 0)
    return made


TABLE_5 = _cells("table-5")
TABLE_6 = _cells("table-6")


@dataclass(frozen=True)
class Known:
    """A graph of the paper: its data set, or how it is generated."""

    dataset: str | None = None
    scale: int = 0
    edge_factor: int = 0
    small: int = 0  # the scale that is used unless the full size is asked for


GRAPHS = {
    "slashdot": Known("soc-Slashdot0902"),
    "dblp": Known("com-DBLP"),
    "youtube": Known("com-Youtube"),
    "wiki-talk": Known("wiki-Talk"),
    "berk-stan": Known("web-BerkStan"),
    "roadnet-ca": Known("roadNet-CA"),
    "live-journal": Known("soc-LiveJournal1"),
    "orkut": Known("com-Orkut"),
    "twitter": Known("twitter-2010"),
    "rmat-21-86": Known(None, 21, 86, 14),
    "rmat-24-16": Known(None, 24, 16, 16),
}


@dataclass(frozen=True)
class Loaded:
    """A graph that can be run; ``share`` is how many times smaller than the paper's it is."""

    name: str
    graph: Graph
    share: int = 1

    @property
    def label(self) -> str:
        """Its name, and how many times smaller it is."""
        return self.name if self.share == 1 else f"{self.name}, 1/{self.share}"

    def scaled(self, size: int) -> int:
        """Return a partition size that cuts this graph into as many partitions as the paper's."""
        return max(1, size // self.share)


def load(names: list[str], full: bool) -> Iterator[Loaded]:
    """Yield the graphs that are here, one at a time."""
    gone = missing(names)
    for name in names:
        known = GRAPHS[name]
        if known.dataset is None:
            scale = known.scale if full else known.small
            made = kronecker(scale, known.edge_factor, directed=True, simple=False, rng=1)
            yield Loaded(name, made, 1 << (known.scale - scale))
        elif name not in gone:
            yield Loaded(name, dataset(known.dataset))


def missing(names: list[str]) -> list[str]:
    """Return the graphs that are not on this machine."""
    here = {None, *(name for name, found in datasets().items() if found.file is not None)}
    return [name for name in names if GRAPHS[name].dataset not in here]


def error(found: float, truth: float) -> float:
    """Return the percentage error of the paper: 100 |s - t| / t."""
    return 100 * abs(found - truth) / truth
