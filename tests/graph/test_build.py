from __future__ import annotations

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tests import oracles
from tests.strategies import FLOAT32, REAL, WHOLE, edge_lists


def make(edges, n, dtype=None, **options):
    columns = [[e[i] for e in edges] for i in range(2)]
    weight = np.array([e[2] for e in edges], dtype) if dtype else None
    return tg.Graph.from_edges(*columns, weight, n=n, **options)


def rows_of(g):
    values = [None] * g.arcs if g.weights is None else g.weights.tolist()
    pairs = list(zip(g.indices.tolist(), values, strict=True))
    return [pairs[lo:hi] for lo, hi in zip(g.indptr[:-1], g.indptr[1:], strict=True)]


KINDS = {None: st.none(), "int32": WHOLE, "float32": FLOAT32, "float64": REAL}


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("dedupe", ["keep", "first", "min", "sum"])
@given(data=st.data(), directed=st.booleans(), drop=st.booleans())
@settings(max_examples=30, deadline=None)
def test_from_edges_is_the_oracle(dtype, dedupe, data, directed, drop):
    n, edges = data.draw(edge_lists(weights=KINDS[dtype]))
    g = make(edges, n, dtype, directed=directed, dedupe=dedupe, drop_self_loops=drop)
    expected = oracles.rows(edges, n, symmetrize=not directed, dedupe=dedupe, drop_self_loops=drop)
    found = rows_of(g)
    if dedupe == "sum" and dtype in ("float32", "float64"):
        for a, b in zip(found, expected, strict=True):
            assert [t for t, _ in a] == [t for t, _ in b]
            np.testing.assert_allclose([w for _, w in a], [w for _, w in b], rtol=1e-5, atol=0.2)
    else:
        assert found == expected
    kept = [e for e in edges if not (drop and e[0] == e[1])]
    assert (g.n, g.weights is None or g.weights.dtype == dtype) == (n, True)
    if dedupe == "keep":
        assert g.m == len(kept)
    assert g.self_loops == sum(t == v for v, row in enumerate(expected) for t, _ in row)


@given(edge_lists(weights=WHOLE))
@settings(max_examples=60, deadline=None)
def test_transpose_and_sorted(case):
    n, edges = case
    g = make(edges, n, "int32")
    turned = [(v, u, w) for u, v, w in edges]
    by_target = [sorted(row, key=lambda p: p[0]) for row in oracles.rows(turned, n)]
    assert [sorted(row) for row in rows_of(g.transpose)] == [sorted(row) for row in by_target]
    assert g.transpose.is_sorted
    assert rows_of(g.sorted) == [sorted(r, key=lambda p: p[0]) for r in oracles.rows(edges, n)]
    assert g.transpose is g.transpose
    assert g.sorted.sorted is g.sorted
    u = make(edges, n, "int32", directed=False)
    assert u.transpose is u


@given(edge_lists(weights=WHOLE), st.booleans())
@settings(max_examples=60, deadline=None)
def test_edges_go_in_and_come_out(case, directed):
    n, edges = case
    g = make(edges, n, "int32", directed=directed)
    found = sorted(zip(*(a.tolist() for a in g.to_edges()), strict=True))
    assert found == sorted(e if directed or e[0] <= e[1] else (e[1], e[0], e[2]) for e in edges)


def test_widths():
    assert tg.Graph.from_edges([0], [1]).indices.dtype == np.int32
    assert tg.Graph.from_edges([0], [1]).indptr.dtype == np.int64
    cases = [
        ([1], np.int32), (np.array([1], np.uint8), np.int32), ([True], np.int32),
        ([2**31], np.float64), ([0.5], np.float64), (np.array([0.5], np.float32), np.float32),
        (np.array([0.5], np.float16), np.float32),
    ]  # fmt: skip
    for weight, dtype in cases:
        g = tg.Graph.from_edges([0], [1], weight)
        assert g.weights.dtype == dtype
        assert g.weights[0] == weight[0]


def test_arrays_cannot_be_written():
    g = tg.star(5, weights=True)
    for array in (g.indptr, g.indices, g.weights, g.degrees, g.neighbors(0)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_undirected_edges_listed_twice():
    g = tg.Graph.from_edges([0, 1], [1, 0], directed=False, symmetrize=False)
    assert (g.m, g.arcs) == (1, 2)
    with pytest.raises(tg.InputError, match="lack their reverse"):
        tg.Graph.from_edges([0], [1], directed=False, symmetrize=False)
    with pytest.raises(tg.InputError, match="lack their reverse"):
        tg.Graph.from_edges([0, 1], [1, 0], [1, 2], directed=False, symmetrize=False)


def test_names():
    g = tg.Graph.from_edges(["b", "c"], ["a", "b"], relabel=True)
    assert g.names.tolist() == ["a", "b", "c"]
    assert [g.id_of(x) for x in "abc"] == [0, 1, 2]
    big = tg.Graph.from_edges([10**17, -5], [7, 10**17], [1, 2], relabel=True)
    assert big.names.tolist() == [-5, 7, 10**17]
    assert big.id_of(10**17) == 2
    assert rows_of(big) == [[(2, 2)], [], [(1, 1)]]
    small = tg.Graph.from_edges([5], [3], relabel=True)
    assert (small.names.tolist(), rows_of(small)) == ([3, 5], [[], [(0, None)]])
    assert tg.Graph.from_edges([], [], relabel=True).n == 0
    for g, name in ((g, "z"), (big, 8), (tg.path(3), 3), (tg.path(3), "a")):
        with pytest.raises(tg.InputError, match="no vertex"):
            g.id_of(name)


BAD = {
    "negative": (([0, -3], [1, 1]), {}, r"source\[1\] is -3"),
    "fraction": (([0.5], [1]), {}, "source has ids that are not whole"),
    "not a number": (([np.nan], [1]), {}, "not whole"),
    "words": ((["a"], ["b"]), {}, "relabel=True"),
    "above n": (([0], [5]), {"n": 5}, r"target\[0\] is 5, not below n = 5"),
    "negative n": (([], []), {"n": -1}, "cannot be negative"),
    "lengths": (([0, 1], [1]), {}, r"source \(2\) and target \(1\) must agree"),
    "matrix": (([[0]], [[1]]), {}, "one-dimensional"),
    "too large": ((np.array([2**64 - 1], np.uint64), [1]), {}, "too large for an id"),
    "nan weight": (([0], [1], [np.nan]), {}, r"weight\[0\] is nan"),
    "inf weight": (([0], [1], [-np.inf]), {}, "must be finite"),
    "weight count": (([0], [1], [1, 2]), {}, "1 edges but weights of shape"),
    "weight words": (([0], [1], ["x"]), {}, "must be numbers"),
    "weight range": (([0], [1], [2**60]), {}, r"2\*\*53"),
    "dedupe": (([0], [1]), {"dedupe": "max"}, "not one of keep, first, min, sum"),
    "relabel with n": (([0], [1]), {"relabel": True, "n": 3}, "n cannot be given"),
    "sum overflow": (
        ([0, 0], [1, 1], [2**31 - 1, 1]),
        {"dedupe": "sum"},
        "leaves the range of int32",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_edges(case):
    arguments, options, message = BAD[case]
    with pytest.raises(tg.InputError, match=message):
        tg.Graph.from_edges(*arguments, **options)


DECREASES = r"indptr must not decrease, but indptr\[2\] < indptr\[1\]"


@pytest.mark.parametrize(
    ("indptr", "indices", "message"),
    [
        ([], [], "indptr is empty"),
        ([1, 1], [], "must go from 0"),
        ([0, 2], [0], "must go from 0 to 1"),
        ([0, 2, 1, 3], [0, 1, 2], DECREASES),
        ([0, 2**63 - 1, -(2**63), 2], [0, 1], DECREASES),
        ([0, 1], [1], "outside 0..0"),
        ([0, 1], [-1], "outside 0..0"),
        ([0, 1], [2**40], "outside 0..0"),
    ],
)
def test_bad_rows(indptr, indices, message):
    with pytest.raises(tg.InputError, match=message):
        tg.Graph.from_csr(indptr, indices)


def test_too_large_is_refused_before_allocating():
    with pytest.raises(tg.TooLargeError, match=r"needs about .* TB .* relabel=True"):
        tg.Graph.from_edges([0], [10**14])


def test_a_vertex_that_does_not_exist():
    for v in (-1, 3):
        with pytest.raises(tg.InputError, match="ids go from 0 to 2"):
            tg.path(3).neighbors(v)


def test_repr_and_pickle():
    g = tg.road(3, 3, deleted=0, weights=(0.0, 1.0)).with_meta(source=1)
    assert repr(g) == "Graph(undirected, 9 vertices, 12 edges, float32 weights, 272 B)"
    back = pickle.loads(pickle.dumps(g))
    assert rows_of(back) == rows_of(g)
    assert (back.directed, dict(back.meta)) == (False, {"source": 1})


def test_empty_and_single():
    for n in (0, 1):
        g = tg.Graph.from_edges([], [], n=n)
        assert (g.n, g.m, g.transpose.n, g.sorted.n) == (n, 0, n, n)
    assert tg.Graph.from_edges([], []).n == 0


PEAK = """
import sys, numpy as np, tachograph as tg
def status(key):
    return next(int(x.split()[1]) * 1024 for x in open("/proc/self/status") if x.startswith(key))
kind, n, m = sys.argv[1], 200_000, 12_000_000
rng = np.random.default_rng(0)
source = np.zeros(m, np.int32) if kind == "star" else rng.integers(0, n, m, dtype=np.int32)
target = rng.integers(0, n, m, dtype=np.int32)
if kind == "int64":
    source, target = source.astype(np.int64), target.astype(np.int64)
weight = np.ones(m, np.float32) if kind == "weighted" else None
tg.Graph.from_edges(source[:10], target[:10], None if weight is None else weight[:10], n=n,
                    directed=kind != "undirected", dedupe="first")
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
before = status("VmRSS")
g = tg.Graph.from_edges(source, target, weight, n=n, directed=kind != "undirected",
                        dedupe="first" if kind == "dedupe" else "keep")
print((status("VmHWM") - before) / g.nbytes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's peak memory")
@pytest.mark.parametrize("kind", ["directed", "undirected", "weighted", "star", "dedupe", "int64"])
def test_peak_memory_is_at_most_three_graphs(kind):
    run = subprocess.run(
        [sys.executable, "-c", PEAK, kind],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ,
    )
    print(run.stdout)
    assert 1 <= float(run.stdout) <= 3
