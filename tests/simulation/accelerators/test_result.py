from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import tachograph as tg
from tachograph.plots.numbers import seconds
from tachograph.simulation.accelerators.base import Machine, Parameter
from tachograph.simulation.accelerators.problem import Question
from tachograph.simulation.accelerators.simulate import accelerator_named
from tachograph.simulation.accelerators.verify import check_answer
from tachograph.util.names import canonical

G = tg.kronecker(7, rng=1)
WEIGHTED = tg.kronecker(7, rng=1, weights=True)


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
    assert "s simulated (validated on 1 graph, 11 % off)" in repr(result)
    assert seconds(result.seconds) in repr(result)
    assert "DRAM bandwidth" in result.plot("a.svg").title


def test_a_machine_needs_no_accelerator():
    class Gpu(Machine):
        lanes = Parameter(32, "threads of a warp", "the programming guide", low=1)

    made = Gpu(lanes="16")
    assert (made.lanes, made.given, Gpu().lanes) == (16, {"lanes": 16}, 32)
    assert repr(made) == "Gpu(lanes=16)"
    with pytest.raises(AttributeError, match=r"Gpu\(lanes=16\) cannot be changed"):
        made.lanes = 8


@pytest.mark.parametrize("design", ["hitgraph", "accugraph", "thundergp", "foregraph", "scalabfs"])
@pytest.mark.parametrize(("task", "told"), [
    ("bfs", {"source": 3}), ("sssp", {"source": 3}), ("wcc", {}), ("spmv", {"iterations": 2}),
    ("pagerank", {"iterations": 3, "damping": 0.7}),
])  # fmt: skip
def test_values_are_verified(design, task, told):
    accelerator = accelerator_named(design)()
    if canonical(task) not in map(canonical, accelerator.tasks):
        pytest.skip(f"{design} does not run {task}")
    tg.simulate(task, G, accelerator, verify=True, **told)


def test_a_wrong_value_is_found():
    answer = tg.simulate("sssp", WEIGHTED, "hitgraph", source=3, verify=True).answer.copy()
    answer[5] += 1
    with pytest.raises(tg.VerificationError, match="sssp of vertex 5 is"):
        check_answer(Question("sssp", 3), WEIGHTED, answer)
    scores = tg.simulate("pagerank", G, "accugraph", iterations=2).answer
    with pytest.raises(tg.VerificationError, match="pagerank of vertex"):
        check_answer(Question("pagerank", iterations=3), G, scores)


def test_notes_say_what_limits_a_run_and_what_it_ignores():
    plain = tg.simulate("wcc", G, "accugraph")
    weighted = tg.simulate("wcc", WEIGHTED, "accugraph")
    assert plain.notes == ()
    assert weighted.notes == ("connected_components does not look at the weights",)
    assert weighted.seconds == plain.seconds
    assert weighted.notes[0] in repr(weighted)
    idle = tg.simulate("wcc", G, "hitgraph")  # one partition, four PEs
    assert "3 of 4 channels had no requests; smaller partitions would use more" in idle.notes
    assert not tg.simulate("wcc", G, tg.HitGraph(partition_size=32)).notes
    slow = tg.simulate("wcc", tg.kronecker(9, rng=1), tg.AccuGraph(inject=1), memory="HBM")
    assert ("bound by its ports" in str(slow.notes)) == (
        slow.memory.requests > 0.95 * slow.seconds * 200e6
    )
    assert set(idle.sources) == set(idle.parameters)
