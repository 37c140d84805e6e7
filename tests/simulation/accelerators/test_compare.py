from __future__ import annotations

import pytest

import tachograph as tg
from tachograph.journal.processes import Local
from tachograph.simulation.accelerators import compare as module
from tachograph.simulation.accelerators.compare import Job, compare, jobs
from tachograph.simulation.accelerators.roots import roots, variation
from tachograph.util.errors import InputError

G = tg.kronecker(7, rng=1)


def test_every_combination_once():
    made = jobs("wcc", ["hitgraph", "accugraph"], ["DDR3-1600K", "HBM"],
                settings={"partition_size": ["32", "64"], "stalls": ["no"]},
                memory_settings={"channels": [1, 2]})  # fmt: skip
    assert len(made) == 2 * 2 * 2 * 2
    assert len({str(job) for job in made}) == len(made)
    assert {tuple(job.settings) for job in made} == {
        ("partition_size",),
        ("partition_size", "stalls"),
    }
    assert made[0].settings == {"partition_size": 32}
    alone = jobs("bfs", ["accugraph"], sources=[1, 2], iterations=3)
    assert [job.options for job in alone] == [
        {"iterations": 3, "source": 1},
        {"iterations": 3, "source": 2},
    ]


def test_results_are_those_of_simulate_and_kept(monkeypatch):
    todo = jobs("wcc", ["hitgraph", "accugraph"], settings={"clock_mhz": [100, 200]})
    first = compare(G, todo)
    begun = next(first)
    first.close()  # interrupted
    runs = []
    real = Job.run
    monkeypatch.setattr(Job, "run", lambda job, g: runs.append(job) or real(job, g))
    found = dict(compare(G, todo))
    assert len(runs) == 3  # the first was in the journal
    assert found[begun[0]] == begun[1]
    for i, job in enumerate(todo):
        result = tg.simulate("wcc", G, module.design(job.accelerator)(**job.settings))
        assert found[i]["seconds"] == result.seconds
        assert found[i]["requests"] == result.requests
    assert dict(compare(G, todo)) == found
    assert len(runs) == 3
    other = tg.kronecker(7, rng=2)
    assert dict(compare(other, todo[:1]))[0]["seconds"] != found[0]["seconds"]  # another graph


def test_processes_give_the_same():
    todo = jobs("bfs", ["accugraph"], settings={"edge_pipelines": [8, 16]}, sources=[0])
    side_by_side = dict(compare(G, todo, Local(2)))
    for i, job in enumerate(todo):
        assert side_by_side[i]["seconds"] == job.run(G).seconds


def test_accelerators_of_others():
    name = "tachograph.simulation.accelerators.hitgraph:HitGraph"
    assert module.design(name) is tg.HitGraph
    assert module.design("AccuGraph") is tg.AccuGraph
    for bad, said in [("hit", "unknown accelerator 'hit'; known: hitgraph, accugraph"),
                      ("nowhere:X", "No module named 'nowhere'"), ("tachograph:bfs", "not a subclass")]:  # fmt: skip
        with pytest.raises(InputError, match=said):
            module.design(bad)
    with pytest.raises(
        InputError, match="no accelerator here has a parameter 'pipes'; known: assignment"
    ):
        jobs("wcc", ["hitgraph"], settings={"pipes": [1]})


def test_roots_are_those_of_cpp():
    """The C++ standard: the 10,000th number of mt19937 with its default seed 5489 is 4123659995."""
    assert roots(2**32, 10_000, 5489)[-1] == 4123659995
    assert roots(2**32, 1, 5489) == [3499211612]  # the first one, in every implementation
    drawn = roots(82_168)
    assert len(drawn) == 20
    assert all(0 <= r < 82_168 for r in drawn)
    assert roots(1, 3) == [0, 0, 0]
    with pytest.raises(InputError, match="at least one of each"):
        roots(0)


def test_variation():
    found = variation([2.0, 4.0, 9.0])
    assert found["mean"] == 5.0
    assert found["deviation"] == pytest.approx(((9 + 1 + 16) / 3) ** 0.5)
    assert found["coefficient"] == pytest.approx(found["deviation"] / 5)
