"""``tacho warm`` compiles everything that other commands use."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import pytest

import tachograph as tg
from tachograph.cli.warm import ROOMS_WITH_LOOPS, exercises
from tests.cli.test_cli import tacho

TWO = {"NUMBA_NUM_THREADS": "2"}


def test_a_second_time_all_is_warm():
    first = tacho("warm", **TWO)
    assert first.returncode == 0, first.stderr
    second = tacho("warm", **TWO)
    assert (second.returncode, second.stdout) == (0, "")
    assert second.stderr.startswith("all is warm: ")
    assert "compiling" not in first.stderr + second.stderr  # only the summary


def test_the_exercises_have_names_of_their_own():
    tables = [import_module(f"{room}.exercises").EXERCISES for room in ROOMS_WITH_LOOPS]
    found = exercises()
    assert len(found) == sum(map(len, tables))
    seconds = [exercise.seconds for exercise in found.values()]
    assert seconds == sorted(seconds, reverse=True)


def test_what_plans_look_at_is_among_them():
    """In a process of its own: here, other tests have compiled everything."""
    code = (
        "from tachograph.cli.warm import exercises\n"
        "from tachograph.kernels import features\n"
        "loops = features.grow, features.gather, features.wait_often\n"
        "plans = exercises()['plans']\n"
        "assert not any(loop.overloads for loop in loops)\n"
        "plans.run()\n"
        "assert all(loop.overloads for loop in loops)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.slow
def test_nothing_is_compiled_after_it(tmp_path):
    cache = tmp_path / "cache"
    here = {"NUMBA_CACHE_DIR": str(cache), **TWO}

    def kept() -> set[Path]:
        return set(cache.rglob("*.nbc"))

    done = tacho("warm", **here)
    assert done.stderr.startswith("compiled "), done.stderr
    before = kept()
    assert before
    tg.write(tg.road(10, 10, rng=1), "roads.gr")
    tg.write(tg.kronecker(8, rng=1), "k.txt")
    tg.write(tg.kronecker(8, rng=1, weights=(0.0, 1.0)), "w.mtx")
    tg.write(tg.kronecker(8, rng=1, directed=True), "d.tgraph")
    for graph in ("roads.gr", "k.txt", "w.mtx", "d.tgraph"):
        for words in (
            ["info", graph],
            ["convert", graph, "out.parquet", "--undirected", "--dedupe", "sum"],
            ["run", "bfs", graph, "--source", "0", "--deterministic", "--verify"],
            ["run", "components", graph, "--verify"],
            ["run", "triangles", graph, "--undirected", "--verify"],
            ["run", "pagerank", graph, "--damping", "1"],
            ["run", "spmv", graph],
            ["plan", "bfs", graph, "--source", "0"],
            ["generate", "uniform", "--n", "100", "--weights", "0.0:1.0", "u.tgraph"],
        ):
            used = tacho(*words, **here)
            assert used.returncode == 0, used.stderr
            assert "compiling" not in used.stderr, words
            assert kept() == before, words


def test_ctrl_c_ends_the_processes_at_once(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "tachograph", "warm"],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), **TWO},
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list((tmp_path / "cache").rglob("*.nbc")) and time.monotonic() < deadline:
        time.sleep(0.05)  # until they compile
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    _, said = process.communicate(timeout=30)
    assert time.monotonic() - begin < 3
    assert (process.returncode, said) == (130, "tacho: stopped\n")
