"""What is seen of a run while it goes on is what its trace says afterwards."""

from __future__ import annotations

import threading

import pytest

import tachograph as tg
from tachograph.tasks.watch import MOST_ROWS, Watch, watching
from tachograph.util.progress import watcher


def watched(call):
    """What a call returns, and what another thread has seen of it."""
    ended = threading.Event()
    with watching() as seen:

        def look():
            while not ended.wait(0.001):
                seen.look()

        other = threading.Thread(target=look)
        other.start()
        try:
            found = call()
        finally:
            ended.set()
            other.join()
    return found, seen


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("task", ["bfs", "sssp"])
def test_rows_of_compiled_loops_are_those_of_the_trace(task, threads):
    """Some may be missing: those of a worker alone, and those that were overwritten."""
    graph = tg.kronecker(15, rng=2, weights=True)
    run = getattr(tg, task)
    source = int(graph.degrees.argmax())
    run(graph, source, threads=threads)  # compiled and warm
    result, seen = watched(lambda: run(graph, source, threads=threads))
    kinds = result.trace["direction" if task == "bfs" else "phase"].tolist()
    sizes = result.trace["frontier_vertices"].tolist()
    rows = [row for row in seen.rows if row.size is not None]
    assert rows or result.seconds < 0.002
    for row in rows:
        assert (row.lane, row.size) == (kinds[row.step], sizes[row.step])
        assert row.seconds == pytest.approx(result.trace["seconds"][row.step], abs=1e-6)
    steps = [row.step for row in rows]
    assert steps == sorted(set(steps))


def test_rounds_of_kernels_are_told_by_python():
    graph = tg.kronecker(12, rng=2)
    result, seen = watched(lambda: tg.maximal_independent_set(graph, device="host"))
    told = [(r.lane, r.step) for r in seen.rows if " on " in r.lane]
    expected = zip(result.trace["kernel"], result.trace["iteration"], strict=True)
    assert told == [(f"{kernel} on host", iteration) for kernel, iteration in expected]


def test_phases_are_counted_where_there_is_no_log():
    graph = tg.kronecker(15, rng=2)
    tg.pagerank(graph)
    _, seen = watched(lambda: tg.pagerank(graph, tol=1e-12, max_iter=60))
    steps = [(row.lane, row.step) for row in seen.rows if row.step]
    assert steps
    for lane in dict(steps):  # one loop may hand over to another
        counted = [step for place, step in steps if place == lane]
        assert counted == sorted(counted)
    assert all(row.seconds >= 0 for row in seen.rows)


def test_nobody_watches_after_the_block_and_an_error_ends_it():
    with pytest.raises(RuntimeError, match="over"), watching():
        raise RuntimeError("over")
    assert watcher.get() is None


def test_the_number_of_rows_is_bounded():
    seen = Watch()
    for k in range(MOST_ROWS + 5):
        seen.row({"kernel": "k", "device": "host", "seconds": 0.0, "iteration": k})
    assert seen.look() == MOST_ROWS
