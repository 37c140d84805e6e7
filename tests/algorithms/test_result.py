"""What all results have in common."""

from __future__ import annotations

import time

import numpy as np
import pytest

import tachograph as tg
from tachograph.kernels.runtime import launch as runtime

CALLS = {
    "bfs": lambda g: tg.bfs(g, 0),
    "components": tg.connected_components,
    "pagerank": tg.pagerank,
    "sssp": lambda g: tg.sssp(g, 0, algorithm="delta-stepping"),
    "spmv": lambda g: tg.spmv(g, np.ones(g.n)),
    "triangles": tg.triangles,
}


@pytest.mark.parametrize("name", CALLS)
def test_seconds_leave_compiling_out(monkeypatch, name):
    g = tg.complete(9)
    CALLS[name](g)
    typeof = runtime.numba.typeof

    def slowly(value):  # asked for the types of a kernel's arguments before it is compiled
        time.sleep(0.05)
        return typeof(value)

    monkeypatch.setattr(runtime, "_ready", {})
    monkeypatch.setattr(runtime.numba, "typeof", slowly)
    begin = time.perf_counter()
    result = CALLS[name](g)
    assert 0 < result.seconds < (time.perf_counter() - begin) / 2


def test_pictures_of_traces(tmp_path):
    result = tg.maximal_independent_set(tg.kronecker(8, rng=1), device="host")
    drawn = result.plot("kernels.svg")
    bars = [m for m in drawn.marks if m.tip]
    assert len(bars) == len(result.trace)
    assert {m.tip.partition(",")[0] for m in bars} == {"randomize", "select", "deactivate"}
    assert (tmp_path / "kernels.svg").read_text() == drawn.svg() + "\n"
    parts = {"iterations", "seconds", "randomize", "select", "deactivate"}
    assert set(result.trace.summary()) == parts
    with pytest.raises(tg.InputError, match="there is no chart of this trace"):
        tg.connected_components(tg.path(3)).trace.plot()


def test_what_a_result_does_not_have_is_not_shown():
    assert "None" not in repr(tg.triangles(tg.path(3)))
    assert "modularity=" in repr(tg.leiden(tg.path(3)))
    assert "approximation" not in repr(tg.sssp(tg.path(3), 0))


def test_what_a_result_has_is_shown_briefly():
    g = tg.Graph.from_edges([0, 0], [1, 2], directed=True)
    assert "edges: int32[1, 2]" in repr(tg.minimum_cut(g, 0, 1))
    close = tg.closeness_centrality(tg.kronecker(10, rng=1), max_error=0.05)
    assert f"budget=at most {close.budget.bound:.2%}," in repr(close)
    run = tg.bfs(g, 0).run
    assert repr(run).startswith("Run(auto on host, ")
    assert repr(run).endswith("s measured: it decides by itself while it runs)")
    # degrees 1, 2, 1: differences of 4 in all, over 2 * 3 vertices * 4 arcs
    assert "gini=0.1667," in repr(tg.path(3).features)


def test_results_show_themselves_in_notebooks():
    result = tg.bfs(tg.path(4), 0)
    shown = result._repr_html_()
    assert "<svg" in shown
    assert "<td>4 values of type int32</td>" in shown
    assert result.trace._repr_html_().count("<tr>") == 1 + len(result.trace)


def test_results_and_traces_are_arrow_streams_and_arrays():
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    found = tg.bfs(tg.path(4), 0)
    frame = polars.DataFrame(found)
    assert frame["levels"].to_list() == [0, 1, 2, 3]
    assert polars.DataFrame(found.trace).columns == list(found.trace.columns)
    deepest = duckdb.sql("SELECT max(levels) AS deepest FROM found")
    assert deepest.pl()["deepest"].to_list() == [3]
    assert polars.DataFrame(tg.sssp(tg.path(3), 0))["predecessors"].to_list() == [0, 0, 1]
    ranks = tg.pagerank(tg.star(5))
    assert np.array_equal(np.asarray(ranks), ranks.scores)
    assert np.asarray(ranks, np.float32).dtype == np.float32
    with pytest.raises(TypeError, match="not one array"):
        np.asarray(found)
    with pytest.raises(TypeError, match="not a table"):
        tg.triangles(tg.path(3)).to_arrow()
