"""What all results have in common."""

from __future__ import annotations

import time

import numpy as np
import pytest

import tachograph as tg
from tachograph.kernels import runtime

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

    monkeypatch.setattr(runtime, "_ready", set())
    monkeypatch.setattr(runtime.numba, "typeof", slowly)
    begin = time.perf_counter()
    result = CALLS[name](g)
    assert 0 < result.seconds < (time.perf_counter() - begin) / 2


def test_a_timeline_of_kernels():
    trace = tg.maximal_independent_set(tg.kronecker(8, seed=1), devices="host").trace
    axes = trace.plot().axes[0]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["randomize", "select", "deactivate"]
    assert len(axes.patches) == len(trace)
    assert set(trace.summary()) == {"iterations", "seconds", "randomize", "select", "deactivate"}
    with pytest.raises(tg.InputError, match="only traces of breadth-first searches and of kernels"):
        tg.pagerank(tg.path(3)).trace.plot()
