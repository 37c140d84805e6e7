from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import tachograph as tg
from tachograph.simulation.accelerators.base import Machine, Parameter

G = tg.kronecker(7, rng=1)


@pytest.mark.parametrize(("task", "name", "told"), [
    ("bfs", "levels", {"source": 0}), ("sssp", "distances", {"source": 0}), ("wcc", "labels", {}),
    ("pagerank", "scores", {}), ("spmv", "values", {}),
])  # fmt: skip
def test_values_have_the_names_of_the_exact_results(task, name, told):
    result = tg.simulate(task, G, "hitgraph", **told)
    assert getattr(result, name) is result.answer
    assert result.to_dict()[name].size == G.n
    assert not result.answer.flags.writeable
    assert result.provenance == "simulated"
    other = "levels" if name != "levels" else "labels"
    with pytest.raises(AttributeError, match=f"has no '{other}', but '{name}'"):
        getattr(result, other)


def test_a_result_is_frozen_and_can_be_sent():
    result = tg.simulate("components", G, "accugraph")
    with pytest.raises(FrozenInstanceError):
        result.seconds = 1.0
    again = pickle.loads(pickle.dumps(result))
    assert np.array_equal(again.labels, result.labels)
    assert again.numbers() == result.numbers()
    assert "connected_components on AccuGraph" in result._repr_html_()
    assert "ms simulated (mean error" in repr(result)
    assert "DRAM bandwidth" in result.plot("a.svg").title


def test_a_machine_needs_no_accelerator():
    class Gpu(Machine):
        lanes = Parameter(32, "threads of a warp", "the programming guide", low=1)

    made = Gpu(lanes="16")
    assert (made.lanes, made.given, Gpu().lanes) == (16, {"lanes": 16}, 32)
    assert repr(made) == "Gpu(lanes=16)"
    with pytest.raises(AttributeError, match=r"Gpu\(lanes=16\) cannot be changed"):
        made.lanes = 8
