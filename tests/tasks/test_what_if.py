from __future__ import annotations

import pytest

import tachograph as tg


@pytest.fixture
def graph():
    return tg.kronecker(9, rng=2, weights=True)


def told_there(told):
    return {"iterations" if k == "max_iter" else k: v for k, v in told.items()}


@pytest.mark.parametrize(
    ("task", "told"),
    [("bfs", {"source": 1}), ("components", {}), ("pagerank", {"max_iter": 3})],
)
def test_measured_beside_simulated(graph, task, told):
    plain = tg.Graph.from_csr(graph.indptr, graph.indices, directed=False)
    found = tg.what_if(task, plain, ["host", "hitgraph@ddr3-1600k", "accugraph@hbm"], **told)
    assert [row.provenance for row in found.rows] == ["measured", "simulated", "simulated"]
    for row in found.rows:
        assert row.seconds > 0
        assert row.low is None or row.low <= row.seconds <= row.high
        assert row.name in str(found)
    assert found.rows[0].low is not None  # runs have a range
    assert "all runs" in str(found)
    for row in found.rows[1:]:  # what an error is taken for is said: it is no interval
        error = tg.simulate(task, plain, *row.name.split("@"), **told_there(told)).expected_error
        assert row.bounds == ("" if error is None else "error on 1 graph")  # no mean of several
        assert row.low == (
            None if error is None else pytest.approx(row.seconds / (1 + error / 100))
        )
    assert len(found.to_dict()["machines"]) == 3


def test_weights_that_a_task_ignores_do_not_matter(graph):
    assert tg.what_if("wcc", graph, ["accugraph"]).rows[0].seconds > 0


def test_usual_machines_that_are_left_out_are_told():
    directed = tg.Graph.from_edges([0, 1], [1, 2])
    shown = " ".join(str(tg.what_if("wcc", directed)).split())
    assert "Left out: hitgraph, accugraph: connected_components finds" in shown
    assert "Left out" not in str(tg.what_if("wcc", directed, ["host"]))


def test_what_takes_too_long_is_modelled(graph, monkeypatch):
    monkeypatch.setattr("tachograph.tasks.what_if.LONGEST_RUN_SECONDS", 0.0)
    assert tg.what_if("wcc", graph, ["host"]).rows[0].provenance == "modelled"


def test_machines_that_do_not_exist(graph):
    with pytest.raises(tg.InputError, match="unknown accelerator 'abacus'"):
        tg.what_if("wcc", graph, ["abacus"])
    with pytest.raises(tg.InputError, match="no machine 'hots'; did you mean host"):
        tg.what_if("wcc", graph, ["hots"])
    with pytest.raises(tg.InputError, match="triangles does not run on opencl:0"):
        tg.what_if("triangles", graph, ["opencl:0"])
    with pytest.raises(tg.InputError, match=r"tg\.simulate takes designs"):
        tg.what_if("wcc", graph, ["host", tg.HitGraph(pipelines=16)])
    with pytest.raises(tg.InputError, match="needs names of machines"):
        tg.what_if("wcc", graph, [])
    with pytest.raises(tg.InputError, match="does not run 'maximal_independent_set'"):
        tg.what_if("mis", graph, ["hitgraph"])


def test_gpus_stand_beside_the_host():
    graph = tg.kronecker(8, rng=1)
    found = tg.what_if("bfs", graph, ["host", "v100", "rtx3080"], source=1)
    assert [row.provenance for row in found.rows] == ["measured", "simulated", "simulated"]
    v100 = found.rows[1]
    assert v100.low < v100.seconds < v100.high
    assert v100.bounds == "90 %"
    assert "copies" in v100.how
    assert "no copies" in tg.what_if("mis", graph, ["a10-7850k"]).rows[0].how
    with pytest.raises(tg.InputError, match="does not run on v100"):
        tg.what_if("pagerank", graph, ["v100"])


def test_plans_with_a_gpu_that_is_not_here():
    graph = tg.kronecker(9, rng=1)
    plan = tg.plan("bfs", graph, source=1, device="rtx3080")
    names = [c.name for c in plan.candidates]
    assert {"rtx3080 (simulated)", "rtx3080 (simulated), copied", "auto"} <= set(names)
    run = plan.run(names.index("rtx3080 (simulated)"))
    assert run.provenance == "simulated"
    assert (run.levels == tg.bfs(graph, 1).levels).all()
    assert "host and a100 (simulated)" in str(tg.plan("jaccard", graph, device="a100"))
    shared = tg.plan("mis", graph, device="a10-7850k")
    assert "share one memory" in str(shared)


def test_usual_machines_are_those_that_can_do_the_task():
    named = tg.Graph.from_edges(["a", "b"], ["b", "c"], [1, 2], relabel=True, directed=False)
    found = [row.name for row in tg.what_if("bfs", named, source="a").rows]
    assert found == ["host", "hitgraph", "accugraph", "v100"]
    assert [row.name for row in tg.what_if("triangles", named).rows] == ["host"]
    assert "source=a" in str(tg.plan("bfs", named, source="a"))
