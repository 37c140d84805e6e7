from __future__ import annotations

import re
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.algorithms import independent_overlap, independent_rounds
from tachograph.algorithms.independent_on_device import COLUMNS, LOG_ROWS
from tachograph.algorithms.independent_rounds import SetRounds
from tachograph.algorithms.on_device import Runner, rows_on
from tests.algorithms.test_bfs import GRAPHS
from tests.devices.support import any_device, needs_pyopencl
from tests.graph.test_build import make
from tests.strategies import edge_lists


@given(case=edge_lists(max_n=20, max_edges=50), directed=st.booleans(), seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_rounds_give_the_greedy_set(case, directed, seed):
    n, edges = case
    g = make(edges, n, directed=directed)
    rounds = tg.maximal_independent_set(g, rng=seed, device="host", verify=True)
    assert np.array_equal(rounds.mask, tg.maximal_independent_set(g, rng=seed).mask)
    assert rounds.trace.columns[:4] == ("kernel", "iteration", "device", "work")


def test_several_threads_make_the_same_set(monkeypatch):
    monkeypatch.setattr(independent_rounds, "SERIAL_BELOW_VERTICES", 0)
    g = tg.kronecker(12, rng=1)
    expected = tg.maximal_independent_set(g, rng=2).mask
    for _ in range(20):
        found = tg.maximal_independent_set(g, rng=2, device="host", threads=4)
        assert np.array_equal(found.mask, expected)


@needs_pyopencl
@pytest.mark.parametrize("name", GRAPHS)
def test_every_place_makes_the_same_set(name):
    g = GRAPHS[name]()
    device = any_device()
    expected = tg.maximal_independent_set(g, rng=1).mask
    for masked in ((), ("svm",), ("svm", "shares_memory")):
        for placement in ("device", _in_turns):
            found = tg.maximal_independent_set(
                g, rng=1, device=device.masked(*masked), placement=placement, threads=1
            )
            assert np.array_equal(found.mask, expected)
            kernels = 1 if placement == "device" else 3  # alone, it does all three at once
            assert found.trace["iteration"].max() + 1 == len(found.trace) // kernels


def _in_turns(call):
    """Another place for every kernel and round."""
    return "host" if (call.iteration + len(call.kernel)) % 2 else "device"


@needs_pyopencl
def test_the_oracle_marks_the_better_place():
    found = tg.maximal_independent_set(
        tg.kronecker(10, rng=1), device=any_device(), placement="oracle"
    )
    t = found.trace
    better = np.where(t["host_seconds"] <= t["device_seconds"], "host", "device")
    assert (t["best"] == better).all()
    assert (t["device"] == better).all()
    assert np.array_equal(found.mask, tg.maximal_independent_set(tg.kronecker(10, rng=1)).mask)


@needs_pyopencl
@pytest.mark.parametrize("producer", ["host", "device"])
@pytest.mark.parametrize("masked", [(), ("svm_atomics",), ("svm", "shares_memory")])
def test_overlapping_makes_the_same_set(producer, masked, monkeypatch):
    monkeypatch.setattr(independent_overlap, "OVERLAP_FROM_WORK", 1)
    g = tg.kronecker(13, rng=1)
    device = any_device().masked(*masked)
    expected = tg.maximal_independent_set(g, rng=3).mask
    for overlap, hot in ((20, 0), (80, 10), (99, 2), (99, 20)) * (5 if not masked else 1):
        found = tg.maximal_independent_set(g, rng=3, device=device, placement="device", overlap=overlap,
                                           hot=hot, producer=producer, helping=hot != 2, threads=2)  # fmt: skip
        assert np.array_equal(found.mask, expected)
        rows = [r for r in found.trace if r["kernel"] == "randomize+select"]
        if "from now on" not in rows[-1]["note"]:  # a busy machine: they were not at the same time
            assert len(rows) == found.trace["iteration"].max() + 1
        assert {r["device"] for r in rows} == {
            f"{producer}+{'device' if producer == 'host' else 'host'}"
        }
        if masked:
            assert all(r["note"].startswith("bulk-synchronous") for r in rows)
            assert not found.trace["polls"].any()
    hot = (found.trace["kernel"] == "hot vertices").sum()
    assert hot == (0 if masked else len(rows))


@needs_pyopencl
@pytest.mark.parametrize("producer", ["host", "device"])
def test_a_producer_that_does_not_help_leaves_the_list_to_the_consumer(producer, monkeypatch):
    monkeypatch.setattr(independent_overlap, "OVERLAP_FROM_WORK", 1)
    shared = {}
    for side in ("host_shared", "there_shared"):
        original = getattr(SetRounds, side)

        def noted(self, count, helps, patience, original=original, side=side):
            if count:
                shared[side] = helps
            original(self, count, helps, patience)

        monkeypatch.setattr(SetRounds, side, noted)
    g = tg.kronecker(11, rng=1)
    for helping in (False, True):
        shared.clear()
        found = tg.maximal_independent_set(
            g, device=any_device(), placement="device", overlap=60, producer=producer,
            helping=helping,
        )  # fmt: skip
        assert np.array_equal(found.mask, tg.maximal_independent_set(g).mask)
        assert sorted(shared.values()) == ([False, True] if helping else [False])
        consumer = "there_shared" if producer == "host" else "host_shared"
        assert shared[consumer] is False


@needs_pyopencl
@pytest.mark.parametrize("solve", [tg.maximal_independent_set, tg.maximum_flow])
def test_a_policy_hears_what_must_be_copied_and_how_much_can_be_done(solve):
    calls = []

    def policy(call):
        calls.append(call)
        return "device" if len(calls) % 3 else "host"

    g = tg.kronecker(9, rng=1).with_meta(source=0, sink=5)
    found = solve(g, device=any_device().masked("svm", "shares_memory"), placement=policy)
    assert any(call.moves[0] for call in calls)
    assert any(call.moves[1] for call in calls)
    assert all(0 <= call.parallelism <= 1 for call in calls)
    assert found.trace["parallelism"].tolist() == [call.parallelism for call in calls]
    calls.clear()
    solve(g, device=any_device(), placement=policy)
    if any_device().capabilities.svm == "fine":
        assert not any(call.moves[0] for call in calls)  # both use the same memory,
        assert calls[0].moves[1]  # to which arrays move once
        assert not any(call.moves[1] for call in calls[1:])


@pytest.mark.slow
@needs_pyopencl
def test_five_hundred_schedules_make_the_same_set(monkeypatch):
    monkeypatch.setattr(independent_overlap, "OVERLAP_FROM_WORK", 1)
    rng = np.random.default_rng(5)
    graphs = [tg.kronecker(14, rng=2), tg.road(200, 200, rng=1), tg.star(20_000), tg.path(30_000)]
    expected = [tg.maximal_independent_set(g, rng=5, verify=True).mask for g in graphs]
    device = any_device()
    for turn in range(500):
        which = turn % len(graphs)
        patience, share = [(256, 1 / 256), (1, 0), (20, 0)][turn % 3]
        monkeypatch.setattr(independent_overlap, "LOOKS_AT_LEAST", patience)
        monkeypatch.setattr(independent_overlap, "LOOKS_PER_VERTEX", share)
        found = tg.maximal_independent_set(
            graphs[which], rng=5, device=device, placement=str(rng.choice(["host", "device"])),
            overlap=int(rng.integers(1, 100)), hot=int(rng.integers(0, 30)),
            producer=str(rng.choice(["host", "device"])), threads=int(rng.integers(1, 5)),
        )  # fmt: skip
        assert np.array_equal(found.mask, expected[which])


@needs_pyopencl
def test_a_producer_that_stands_still_is_noticed(monkeypatch):
    """The consumer gives up within a second; the rest is selected when all is produced."""
    waited = []

    def slow(self, name, lo, hi, work="work"):
        if name == "randomize" and lo > 0:
            begin = time.perf_counter()
            self.device.finish()  # the consumer, which waits for marks that do not come
            waited.append(time.perf_counter() - begin)
        original(self, name, lo, hi, work)

    original = SetRounds.host
    monkeypatch.setattr(SetRounds, "host", slow)
    g = tg.uniform(1 << 15, 16, rng=1)
    found = tg.maximal_independent_set(g, device=any_device(), placement="device", overlap=80)
    assert len(waited) == 1
    assert waited[0] < 1
    assert "left waiting" in found.trace["note"][0]
    assert "from now on one kernel after the other" in found.trace["note"][0]
    assert (found.trace["kernel"] == "randomize+select").sum() == 1
    assert found.trace["polls"][0] > 0
    assert np.array_equal(found.mask, tg.maximal_independent_set(g).mask)


@needs_pyopencl
@pytest.mark.parametrize("after", [0, 2, 5])
@pytest.mark.parametrize("masked", [(), ("svm", "shares_memory")])
def test_a_device_that_is_lost(after, masked):
    device = any_device().masked(*masked)
    working, calls = device.launch, []

    def launch(*arguments, **options):
        calls.append(1)
        if len(calls) > after:
            raise tg.DeviceError("the device has gone")
        working(*arguments, **options)

    device.launch = launch
    g = tg.kronecker(11, rng=1)
    found = tg.maximal_independent_set(g, device=device, placement="device", verify=True)
    assert np.array_equal(found.mask, tg.maximal_independent_set(g).mask)
    assert found.trace["note"][-1] == "the device has gone"
    assert found.trace["device"][-1] == "host"
    device.room.graphs.clear()
    assert device.room.used == 0  # a failed run leaves nothing there


@needs_pyopencl
@pytest.mark.parametrize("solve", [tg.maximal_independent_set, tg.maximum_flow])
def test_a_device_that_nothing_is_placed_on_is_left_alone(solve, monkeypatch):
    device = any_device().masked()
    touched = []
    monkeypatch.setattr(device, "kernel", lambda *given: touched.append(given))
    monkeypatch.setattr(device, "shared", lambda *given: touched.append(given))
    g = tg.kronecker(9, rng=1).with_meta(source=0, sink=5)
    found = solve(g, device=device, placement="host")
    assert set(found.trace["device"]) == {"host"}
    assert not touched
    assert not any(found.trace["note"])


@needs_pyopencl
def test_a_graph_that_does_not_fit_stays_on_the_host():
    device = any_device().masked("svm", "shares_memory", memory=1 << 20, largest=1 << 12)
    found = tg.maximal_independent_set(tg.kronecker(11, rng=1), device=device, placement="device",
                                       verify=True)  # fmt: skip
    assert "use the host" in found.trace["note"][-1]


@pytest.mark.parametrize(
    ("options", "problem"),
    [({"overlap": 100}, "from 0 to 99"), ({"hot": -1}, "from 0 to 100"), ({"overlap": 5}, "name one"),
     ({"hot": 5, "device": "opencl"}, "with overlap="),
     ({"producer": "x"}, "'host' or 'device'"), ({"device": "moon:1"}, "moon|pyopencl")],
)  # fmt: skip
def test_what_is_refused(options, problem):
    with pytest.raises(tg.TachographError, match=problem):
        tg.maximal_independent_set(tg.path(3), **options)


@needs_pyopencl
@pytest.mark.parametrize("percent", [2, 10, 20, 100])
@pytest.mark.parametrize("name", ["kronecker", "grid", "star"])
def test_the_device_finds_exactly_so_many_hot_vertices(percent, name, monkeypatch):
    """None of them has fewer bits in its degree than one that was left out."""
    monkeypatch.setattr(independent_overlap, "OVERLAP_FROM_WORK", 1)
    g = {
        "kronecker": tg.kronecker(11, rng=1),
        "grid": tg.road(40, 40, rng=1),
        "star": tg.star(999),
    }[name]
    lists, find = [], independent_overlap.Overlapped._sorted

    def noted(self):
        found = find(self)
        lists.append(self.arrays.host("hot")[0][:found].copy())
        return found

    monkeypatch.setattr(independent_overlap.Overlapped, "_sorted", noted)
    found = tg.maximal_independent_set(
        g, device=any_device(), placement="device", overlap=99, hot=percent
    )
    assert np.array_equal(found.mask, tg.maximal_independent_set(g).mask)
    bits = np.array([int(d).bit_length() for d in g.degrees])
    assert lists
    for hot in lists:
        assert np.unique(hot).size == hot.size == g.n * percent // 100
        cold = np.delete(bits, hot)
        assert bits[hot].min() >= cold.max(initial=0)
    row = found.trace["kernel"].tolist().index("hot vertices")
    assert found.trace["device"][row] == "device"  # and its time is counted
    assert found.trace["work"][row] == g.n * percent // 100


def test_hot_vertices_that_are_decided_are_dropped():
    from tachograph.kernels.independent_set.rounds import remaining

    hot = np.array([4, 1, 3, 0], np.int32)
    state = np.array([2, 0, 2, 1, 2], np.uint8)
    assert remaining(np.zeros(1, np.int64), 4, hot, state) == 2
    assert hot[:2].tolist() == [4, 0]


@pytest.mark.parametrize("helps", [False, True])
@pytest.mark.parametrize("front_at", [0, 1000])
@pytest.mark.parametrize("workers", [1, 5])
def test_both_ends_of_the_work_list_meet(helps, front_at, workers):
    """What the other side has taken already is passed over, and nothing else."""
    from tachograph.kernels.independent_set import rounds as kernels
    from tachograph.kernels.runtime.launch import run

    g = tg.uniform(5000, 4, rng=1)
    key, word = np.uint64(7), np.zeros(g.n, np.int32)
    work, state = np.arange(g.n, dtype=np.int32), np.full(g.n, kernels.ACTIVE, np.uint8)
    words = kernels.Words(key, 1, word)
    run(kernels.randomize, [(0, g.n, work, g.degrees.astype(np.int64), words)])
    expected, found = np.full(g.n, 9, np.uint8), np.full(g.n, 9, np.uint8)
    rows = g.rows
    run(kernels.select, [(0, g.n, work, rows, words, state, expected)])
    tally = np.zeros(kernels.TALLY, np.int32)
    tally[kernels.FRONT], tally[kernels.REAR] = front_at, g.n
    sharing = kernels.Sharing(helps, 9, np.empty(g.n, np.int32), tally)
    run(kernels.select_shared, [(work, rows, words, state, found, sharing)] * workers)
    assert np.array_equal(found[front_at:], expected[front_at:])
    assert (found[: max(front_at - kernels.VERTICES_PER_TAKE, 0)] == 9).all()
    assert not tally[: kernels.KEPT].any()


def test_words_that_do_not_come_are_left():
    from tachograph.kernels.independent_set import rounds as kernels
    from tachograph.kernels.runtime.launch import run

    g = tg.path(3000)
    word = np.full(g.n, 1 << 8, np.int32)
    word[2000:] = 0
    work, state = np.arange(g.n, dtype=np.int32), np.full(g.n, kernels.ACTIVE, np.uint8)
    tally, left = np.zeros(kernels.TALLY, np.int32), np.full(g.n, -1, np.int32)
    tally[kernels.REAR] = g.n
    chosen = np.zeros(g.n, np.uint8)
    words, sharing = kernels.Words(np.uint64(1), 1, word), kernels.Sharing(False, 5, left, tally)
    call = (work, g.rows, words, state, chosen, sharing)
    run(kernels.select_shared, [call])
    missing = int(tally[kernels.LEFT])
    assert set(range(2000, 3000)) <= set(left[:missing].tolist()) <= set(range(1999, 3000))
    assert (chosen[left[:missing]] == kernels.UNKNOWN).all()
    assert missing <= tally[kernels.POLLS] <= missing + 6


def test_the_device_has_the_same_numbers():
    from tachograph.kernels.independent_set import greedy, rounds

    text = Path(rounds.__file__).with_name("independent_set.cl").read_text()
    there = dict(re.findall(r"#define ([A-Z_]+) (\d+)", text))
    here = {name: getattr(rounds, name, None) or getattr(greedy, name, 0) for name in there}
    assert here == {name: int(value) for name, value in there.items()}


@needs_pyopencl
@pytest.mark.parametrize(("most_arcs", "rounds"), [(5, 0), (6, 1)])
def test_one_group_alone_takes_no_rounds_of_many_arcs(most_arcs, rounds):
    """Few vertices may have long rows, and then a launch would not end for seconds."""
    device, g, turn = any_device(), tg.path(4), 1
    rows = rows_on(device, g)
    runner = Runner(device, "greedy", f"-DOFFSET={rows.offset}")
    level = device.result(g.n, np.uint8)
    at = device.output(g.indptr[:-1].astype(rows.kind))
    queues = device.output(np.tile(np.arange(4, dtype=np.int32), 2))
    log = np.zeros(LOG_ROWS * COLUMNS + 1, np.int32)
    log[:4] = g.n, 0, g.arcs, 0  # all wait after round 0
    logged, size = device.output(log), np.int32(g.n)
    key = np.uint64(7)
    runner.each("levels", g.n, rows.indptr, rows.indptr, np.int32(0), key, size, level)
    given = (rows.indptr, rows.indices, level, at, queues, logged, key, size)
    runner.once("decide_alone", *given, *map(np.int32, (turn, 8, 100, most_arcs)))
    assert (logged.fetch()[-1] > turn) == bool(rounds)
    assert (level.fetch()[: g.n] <= 1).all() == bool(rounds)  # everybody is IN or OUT
