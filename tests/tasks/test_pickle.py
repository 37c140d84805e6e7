"""Public functions, graphs and results travel to other processes, however these are started."""

from __future__ import annotations

import multiprocessing
import pickle

import numpy as np
import pytest

import tachograph as tg
from tachograph.tasks.table import TASKS

GRAPH = tg.Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3], [2.0, 1.0, 3.0, 4.0], directed=False)
ARGUMENTS = {
    "bfs": {"source": 0},
    "sssp": {"source": 0},
    "maximum_flow": {"source": 0, "sink": 2},
    "minimum_cut": {"source": 0, "sink": 2},
    "similar_to": {"source": 0},
    "distances": {"source": 0},
    "spmv": {"vector": [1.0, 2.0, 3.0, 4.0]},
}


def test_every_public_function_and_class() -> None:
    for name in tg.__all__:
        if callable(value := getattr(tg, name)):
            assert pickle.loads(pickle.dumps(value)) is value


def test_functions_for_parts() -> None:
    for name in tg.scale.__all__:
        if callable(value := getattr(tg.scale, name)):
            assert pickle.loads(pickle.dumps(value)) is value


@pytest.mark.parametrize("how", ["spawn", "fork"])
def test_every_task_in_another_process(how: str) -> None:
    want = {name: getattr(tg, name)(GRAPH, **ARGUMENTS.get(name, {})) for name in TASKS}
    with multiprocessing.get_context(how).Pool(1) as pool:
        calls = {
            name: pool.apply_async(getattr(tg, name), (GRAPH,), ARGUMENTS.get(name, {}))
            for name in TASKS
        }
        for name, call in calls.items():
            found = call.get(timeout=120)
            assert type(found) is type(want[name])
            for value, expected in zip(
                found.to_dict().values(), want[name].to_dict().values(), strict=True
            ):
                np.testing.assert_array_equal(value, expected)
            assert found.run.way == want[name].run.way
