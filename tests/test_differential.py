"""Every algorithm on random graphs against SciPy, NetworkX and igraph; ``python -m tests.differential`` takes more."""

from __future__ import annotations

import importlib.util
from inspect import signature

import pytest

import tachograph as tg
from tachograph.tasks.table import TASKS
from tests import differential
from tests.devices.support import needs_pyopencl
from tests.differential import CHECKS, GRAPHS, ON_DEVICES, THREADS, differ, there
from tests.peer_answers import Case

MORE_GRAPHS = 5000


@pytest.fixture(autouse=True)
def _always_several(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, limit in differential.SERIAL_BELOW.items():
        monkeypatch.setitem(differential.SERIAL_BELOW, kind, limit)  # put back at the end
    differential.always_several(monkeypatch.setattr)


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """One for all tests: their answers are made once."""
    return [Case(seed) for seed in range(GRAPHS)]


def test_every_task_is_here() -> None:
    assert set(TASKS) - {"jaccard", "overlap", "sorensen", "cosine"} <= CHECKS.keys()


def test_every_task_that_takes_a_device_is_compared_there() -> None:
    takes = {name for name in TASKS if "device" in signature(getattr(tg, name)).parameters}
    assert takes - {"jaccard", "overlap", "sorensen", "cosine"} | {"similarity"} == set(ON_DEVICES)


def test_all_peers_are_here() -> None:
    assert importlib.util.find_spec("igraph"), "pip install igraph, as the extra dev does"


@pytest.mark.parametrize("name", CHECKS)
def test_threads(name: str, cases: list[Case]) -> None:
    assert [problem for case in cases for problem in differ(case, name, THREADS)] == []


@needs_pyopencl
@pytest.mark.parametrize("name", ON_DEVICES)
def test_devices(name: str, cases: list[Case]) -> None:
    ways = there(name, differential.devices())
    if not ways:
        pytest.skip("no OpenCL device that works")
    assert [problem for case in cases for problem in differ(case, name, ways)] == []


@pytest.mark.slow
@pytest.mark.parametrize("begin", range(GRAPHS, GRAPHS + MORE_GRAPHS, 500))
def test_many_graphs(begin: int) -> None:
    problems = []
    for case in map(Case, range(begin, begin + 500)):
        for name in CHECKS:
            for ways in (THREADS, there(name, differential.devices())):
                problems += differ(case, name, ways) if ways else []
    assert problems == []
