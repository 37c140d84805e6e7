"""The graphs of the accelerators' paper: what was published about them, and how to get them.

Numbers are those of Tables 1, 5 and 6 of "Exploring Memory Access Patterns for Graph Processing
Accelerators" (Dann, Ritter, Fröning; 2021).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..graph.datasets import datasets
from ..graph.graph import Graph

__all__ = ["GRAPHS", "TABLE_5", "TABLE_6", "Loaded", "error", "load", "missing"]

# Table 5: seconds of HitGraph, hardware and the paper's simulation.
TABLE_5 = {
    "spmv": {"berk-stan": (0.0032, 0.0026), "wiki-talk": (0.0050, 0.0066),
             "roadnet-ca": (0.0028, 0.0027), "live-journal": (0.0362, 0.0411),
             "twitter": (0.6525, 0.8184), "rmat-21-86": (0.0567, 0.0484),
             "rmat-24-16": (0.1435, 0.0770)},
    "pagerank": {"berk-stan": (0.0030, 0.0026), "wiki-talk": (0.0045, 0.0066),
                 "roadnet-ca": (0.0027, 0.0027), "live-journal": (0.0327, 0.0411),
                 "twitter": (0.5904, 0.8184), "rmat-21-86": (0.0534, 0.0484),
                 "rmat-24-16": (0.1403, 0.0770)},
    "sssp": {"berk-stan": (0.7824, 1.2554), "wiki-talk": (0.0255, 0.0027),
             "roadnet-ca": (1.1133, 1.3436), "live-journal": (0.5921, 0.3872),
             "twitter": (5.5768, 6.2380), "rmat-21-86": (0.9671, 0.0725),
             "rmat-24-16": (0.9213, 0.1111)},
    "wcc": {"berk-stan": (1.7690, 1.8578), "wiki-talk": (0.0460, 0.0461),
            "roadnet-ca": (1.4800, 1.4526), "live-journal": (0.4130, 0.4694),
            "twitter": (6.6170, 9.4139), "rmat-21-86": (0.4500, 0.4653),
            "rmat-24-16": (1.1080, 0.9307)},
}  # fmt: skip
# Table 6: GREPS of AccuGraph, hardware and the paper's simulation.
TABLE_6 = {
    "bfs": {"slashdot": (2.867, 2.880), "dblp": (2.397, 2.515), "youtube": (1.899, 2.530),
            "wiki-talk": (1.653, 1.999), "live-journal": (3.370, 2.946), "orkut": (3.638, 3.192)},
    "pagerank": {"slashdot": (2.242, 2.518), "dblp": (1.931, 1.944), "youtube": (1.560, 1.978),
                 "wiki-talk": (1.318, 1.283), "live-journal": (1.921, 1.926),
                 "orkut": (2.587, 2.920)},
    "wcc": {"slashdot": (2.950, 2.634), "dblp": (2.468, 2.183), "youtube": (1.954, 2.284),
            "wiki-talk": (1.729, 1.532), "live-journal": (2.407, 2.254), "orkut": (3.365, 2.998)},
}  # fmt: skip


@dataclass(frozen=True)
class Known:
    """A graph of the paper: its data set, or how it is generated."""

    dataset: str | None = None
    scale: int = 0
    edge_factor: int = 0
    small: int = 0  # the scale that is used unless the full size is asked for


GRAPHS = {
    "slashdot": Known("soc-Slashdot0902"), "dblp": Known("com-DBLP"),
    "youtube": Known("com-Youtube"), "wiki-talk": Known("wiki-Talk"),
    "berk-stan": Known("web-BerkStan"), "roadnet-ca": Known("roadNet-CA"),
    "live-journal": Known("soc-LiveJournal1"), "orkut": Known("com-Orkut"),
    "twitter": Known("twitter-2010"), "rmat-21-86": Known(None, 21, 86, 14),
    "rmat-24-16": Known(None, 24, 16, 16),
}  # fmt: skip


@dataclass(frozen=True)
class Loaded:
    """A graph that can be run; ``share`` is how many times smaller than the paper's it is."""

    name: str
    graph: Graph
    share: int = 1

    @property
    def label(self) -> str:
        """Its name, and that it is smaller."""
        return self.name if self.share == 1 else f"{self.name}, 1/{self.share}"

    def scaled(self, size: int) -> int:
        """A partition size that cuts this graph into as many partitions as the paper's."""
        return max(1, size // self.share)


def load(names: Iterator[str] | list[str], full: bool) -> Iterator[Loaded]:
    """The graphs that are here, one at a time."""
    found = datasets()
    for name in names:
        known = GRAPHS[name]
        if known.dataset is None:
            from ..graph.generate import kronecker

            scale = known.scale if full else known.small
            made = kronecker(scale, known.edge_factor, directed=True, simple=False, rng=1)
            yield Loaded(name, made, 1 << (known.scale - scale))
        elif known.dataset in found and found[known.dataset].file is not None:
            from ..graph.datasets import dataset

            yield Loaded(name, dataset(known.dataset))


def missing(names: list[str]) -> list[str]:
    """Which graphs are not on this machine."""
    found = datasets()
    return [n for n in names if (d := GRAPHS[n].dataset) is not None
            and (d not in found or found[d].file is None)]  # fmt: skip


def error(found: float, truth: float) -> float:
    """The percentage error of the paper: 100 |s - t| / t."""
    return float(100 * np.abs(found - truth) / truth)
