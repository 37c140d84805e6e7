from __future__ import annotations

import pickle

import pytest

import tachograph as tg
from tachograph.journal import journal
from tachograph.simulation.accelerators import Job, simulate
from tachograph.simulation.accelerators.problem import Question, roots, variation
from tachograph.simulation.accelerators.simulate import accelerator_named, compare, jobs
from tachograph.util.errors import InputError, TachographWarning
from tachograph.util.executor import Local

G = tg.kronecker(7, rng=1)
WCC = Question("connected_components")


def test_every_combination_once():
    memories = [tg.Memory(name, channels=c) for name in ("DDR3-1600K", "HBM") for c in (1, 2)]
    made = jobs(WCC, ["hitgraph", "accugraph"], memories,
                settings={"partition_size": ["32", "64"], "stalls": ["no"]})  # fmt: skip
    assert len(made) == 2 * 2 * 2 * 2
    assert len({str(job) for job in made}) == len(made)
    assert {tuple(job.accelerator.given) for job in made} == {
        ("partition_size",),
        ("partition_size", "stalls"),
    }
    assert made[0].accelerator.given == {"partition_size": 32}
    alone = jobs(Question("bfs", iterations=3), ["accugraph"], sources=[1, 2])
    assert [job.question.options for job in alone] == [
        {"source": 1, "iterations": 3},
        {"source": 2, "iterations": 3},
    ]


def test_results_are_those_of_simulate_and_kept(monkeypatch):
    todo = jobs(WCC, ["hitgraph", "accugraph"], settings={"clock_mhz": [100, 200]})
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
        result = real(job, G)
        assert found[i]["seconds"] == result.seconds
        assert found[i]["requests"] == result.requests
    assert dict(compare(G, todo)) == found
    assert len(runs) == 3
    other = tg.kronecker(7, rng=2)
    assert dict(compare(other, todo[:1]))[0]["seconds"] != found[0]["seconds"]  # another graph


def test_a_simulation_is_one_run_in_the_journal():
    todo = jobs(WCC, ["hitgraph", "accugraph"])
    found = dict(compare(G, todo, name="small"))
    runs = journal().runs()
    assert [run.id for run in runs] == [found[i]["run"] for i in range(2)]
    assert [run.task for run in runs] == [
        "connected_components on hitgraph",
        "connected_components on accugraph",
    ]
    assert runs[0].seconds == runs[0].facts["seconds"] == found[0]["seconds"]
    assert (runs[0].provenance, runs[0].graph["name"]) == ("simulated", "small")
    assert journal().kinds() == []  # nothing else was kept
    dict(compare(G, todo))
    assert len(journal().runs()) == 2


def test_settings_that_text_does_not_show_are_told_apart():
    todo = [Job(WCC, tg.AccuGraph(), tg.Memory("HBM", cap=cap)) for cap in (1, 16)]
    assert repr(todo[0].memory) == repr(todo[1].memory)
    found = dict(compare(G, todo))
    assert found[0]["run"] != found[1]["run"]


def test_a_job_that_fails_is_left_out():
    todo = jobs(Question("spmv"), ["hitgraph", "accugraph"])
    with pytest.warns(
        TachographWarning, match=r"1 of 2 tasks failed.*AccuGraph does not run 'spmv'"
    ):
        assert list(dict(compare(G, todo))) == [0]


def test_processes_give_the_same():
    todo = jobs(Question("bfs"), ["accugraph"], [tg.Memory("HBM", cap=4)],
                settings={"edge_pipelines": [8, 16]}, sources=[0])  # fmt: skip
    side_by_side = dict(compare(G, todo, Local(2)))
    for i, job in enumerate(todo):
        assert side_by_side[i]["seconds"] == job.run(G).seconds
        assert str(pickle.loads(pickle.dumps(job))) == str(job)


def test_accelerators_by_name():
    name = "tachograph.simulation.accelerators.hitgraph:HitGraph"
    assert accelerator_named(name) is tg.HitGraph
    assert accelerator_named("AccuGraph") is tg.AccuGraph
    by_object = simulate("wcc", G, tg.HitGraph(), tg.Memory("HBM"))
    for given in ("hitgraph", name):
        result = simulate("wcc", G, accelerator=given, memory="HBM")
        assert result.seconds == by_object.seconds
        assert (result.task, result.accelerator) == ("connected_components", "HitGraph")
    for bad, said in [("hit", "unknown accelerator 'hit'; known: hitgraph, accugraph"),
                      ("nowhere:X", "No module named 'nowhere'"), ("tachograph:bfs", "not a subclass")]:  # fmt: skip
        with pytest.raises(InputError, match=said):
            accelerator_named(bad)
    with pytest.raises(
        InputError, match="no accelerator here has a parameter 'pipes'; known: assignment"
    ):
        jobs(WCC, ["hitgraph"], settings={"pipes": [1]})


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


def test_a_job_that_fails_is_named_as_its_user_would():
    weighted = tg.kronecker(7, rng=1, weights=True)
    todo = jobs(Question("sssp", source=0), ["accugraph", "hitgraph"])
    with pytest.warns(TachographWarning, match=r"'job': sssp on accugraph}: AccuGraph reads edges"):
        assert list(dict(compare(weighted, todo))) == [1]
    changed = jobs(WCC, ["hitgraph"], [tg.Memory("HBM")], settings={"pes": [2]})
    assert repr(changed[0]) == "connected_components on hitgraph pes=2 with HBM"
