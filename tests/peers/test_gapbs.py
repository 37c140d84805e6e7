"""What GAPBS prints, without GAPBS: a program of the same name that prints it."""

from __future__ import annotations

import pytest

import tachograph as tg
from tachograph.peers import bench, gapbs
from tachograph.peers.peer import TRIALS, Job

PRINTED = """#!/bin/sh
echo "$@ threads=$OMP_NUM_THREADS" >> "$0.calls"
for time in {times}; do echo "Trial Time:          $time"; done
echo "BFS Tree has 5 nodes and 8 edges"
exit {code}
"""


@pytest.fixture
def peer(tmp_path, monkeypatch):
    """Return what makes GAPBS print times, or fail; there is only ``bfs``."""
    monkeypatch.setenv("GAPBS", str(tmp_path))
    graph = tg.path(5)

    def made(times: str = "0.00300 0.00200 0.00100", code: int = 0) -> gapbs.Gapbs:
        program = tmp_path / "bfs"
        program.write_text(PRINTED.format(times=times, code=code))
        program.chmod(0o755)
        return gapbs.Gapbs(Job(graph, graph, 1, 2, tmp_path))

    return made


def test_the_median_of_its_trials_counts(peer, tmp_path):
    case = peer().bfs()
    seconds, said = case.run()
    assert seconds == said.seconds == 0.002
    assert case.facts(said) == {"reached": 5}
    called = (tmp_path / "bfs.calls").read_text()
    assert called == f"-f {tmp_path}/graph.sg -n 1 -a -r 1 threads=2\n"
    case.run()  # now it is known that several of them take no time
    assert f"-n {TRIALS} " in (tmp_path / "bfs.calls").read_text()


def test_a_time_below_what_can_be_printed_is_not_nothing(peer):
    assert peer("0.00000").bfs().run()[0] == gapbs.SHORTEST_SECONDS


def test_a_program_that_fails_or_is_not_there(peer):
    with pytest.raises(tg.InputError, match="-a -r 1 failed"):
        peer(code=3).bfs().run()
    assert peer().triangles() is None


def test_only_tasks_of_the_peers_that_are_given_are_rows(peer, tmp_path):
    peer()
    rows = list(bench.rows("path", tg.path(5), 1, 3, tmp_path, peers=[gapbs.Gapbs]))
    assert {row.task for row in rows} == {t for t in bench.TASKS if hasattr(gapbs.Gapbs, t)}
    timed = [row.task for row in rows if "GAPBS" in row.seconds]
    assert timed == ["bfs"]  # there are no other programs


def test_ratios_of_medians_and_of_the_shortest():
    row = bench.Row("g", "bfs", {bench.OURS: [4.0, 6.0, 1.0], "GAPBS": [2.0, 9.0, 1.5]})
    assert row.ratio("GAPBS") == 4 / 2
    assert row.least_ratio("GAPBS") == 1 / 1.5
