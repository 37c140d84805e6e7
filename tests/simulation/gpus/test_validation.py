"""What the validation computes, on cells that are made up from constants that are known."""

from __future__ import annotations

import numpy as np
import pytest

from tachograph.simulation.gpus.constants import Constants
from tachograph.simulation.gpus.gpu import GPU
from tachograph.simulation.gpus.validation.bars import left_out
from tachograph.simulation.gpus.validation.features import COUNTED
from tachograph.simulation.gpus.validation.fit import Sample, predicted
from tachograph.simulation.gpus.validation.runs import Cell
from tachograph.simulation.gpus.validation.validate import _carried_over

TRUE = Constants(40.0, 60.0, 0.6, 70.0, 5.0, 0.08)


def sample(gpu: str, dataset: str, arcs: float, levels: float, slower: float = 1.0) -> Sample:
    """A cell whose time is what the true constants say, times ``slower``."""
    work = {"steps": arcs / 16, "far_sectors": arcs, "far_fetched": arcs / 4, "fetched": arcs / 2}
    rows = {name: np.array([work.get(name, 0.0)]) for name in COUNTED}
    rows |= {"pull": np.zeros(1), "launches": np.array([levels]), "share": np.ones(1)}
    ms = slower * predicted(GPU(gpu), TRUE, rows)
    sizes = (int(arcs) // 8, int(arcs), 0.0, 0.0, levels, (), ())
    return Sample(Cell(dataset, True, gpu, "LB_CULL", False, ms, ms, *sizes), rows)


GRAPHS = {"a": (1e3, 900.0), "b": (1e7, 6.0), "c": (1e8, 5.0), "d": (1e6, 30.0)}
SAMPLES = [
    sample(gpu, dataset, *GRAPHS[dataset])
    for gpu in ("k40c", "titan-xp", "v100")
    for dataset in GRAPHS
]


@pytest.mark.parametrize("by", ["gpu", "dataset"])
def test_what_is_left_out_is_predicted(by):
    found = left_out(SAMPLES, lambda cell: getattr(cell, by))
    assert sorted(found) == sorted(map(id, SAMPLES))
    assert all(0.85 < ratio < 1.18 for ratio in found.values())


def test_a_gpu_that_is_left_out_is_not_learned_from():
    """Runs of one GPU take three times as long: nobody who has not seen it can know."""
    odd = [sample("v100", dataset, *GRAPHS[dataset], slower=3.0) for dataset in GRAPHS]
    others = [s for s in SAMPLES if s.cell.gpu != "v100"]
    found = left_out([*others, *odd], lambda cell: cell.gpu)
    assert all(found[id(s)] < 0.6 for s in odd)


def test_paths_are_predicted_by_searches():
    paths = [sample(gpu, "b", 3e7, 12.0, slower=2.0) for gpu in ("k40c", "v100")]
    for by in ("gpu", "dataset"):
        found = _carried_over(SAMPLES, paths, by)
        assert all(0.4 < found[id(s)] < 0.6 for s in paths)
