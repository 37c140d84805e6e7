"""Arrays that callers give to algorithms: any byte order works, and what is no array is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tachograph as tg

GRAPH = tg.Graph.from_edges([0, 1, 2, 3, 0], [1, 2, 3, 4, 3], [2.0, 1.0, 3.0, 1.0, 4.0])

#: Every argument of a task that may be an array, with values for GRAPH and what else is needed.
ARRAYS: list[tuple[str, str, Any, dict[str, Any]]] = [
    ("bfs", "source", [0, 2], {}),
    ("sssp", "source", [0, 2], {}),
    ("pagerank", "personalization", [1.0, 2.0, 3.0, 0.0, 1.0], {}),
    ("jaccard", "pairs", [(0, 1), (0, 2)], {}),
    ("cosine", "pairs", [(0, 1), (0, 2)], {"weight": "weight"}),
    ("maximum_flow", "capacity", [1.0, 2.0, 3.0, 4.0, 5.0], {"source": 0, "sink": 4}),
    ("maximum_flow", "source", 0, {"sink": 4}),
    ("minimum_cut", "capacity", [1, 2, 3, 4, 5], {"source": 0, "sink": 4}),
    ("spmv", "vector", [1.0, 2.0, 3.0, 4.0, 5.0], {}),
]
CASES = pytest.mark.parametrize(("task", "argument", "value", "others"), ARRAYS)


def values(result: tg.Result) -> dict[str, Any]:
    return {k: np.asarray(v).tolist() for k, v in result.to_dict().items()}


@CASES
@pytest.mark.parametrize("order", [">", "<"])
def test_any_byte_order(
    task: str, argument: str, value: Any, others: dict[str, Any], order: str
) -> None:
    array = np.asarray(value)
    swapped = array.astype(array.dtype.newbyteorder(order))
    function = getattr(tg, task)
    want = values(function(GRAPH, **{argument: value}, **others))
    assert values(function(GRAPH, **{argument: swapped}, **others)) == want


@CASES
@pytest.mark.parametrize(
    "wrong",
    [
        [[0], [1, 2]],
        [[0, 1], 2],
        [0, "a"],
        [None, 1],
        "nonsense",
        {"a": 1},
        [2**70],
        [1j],
        object(),
        np.ma.masked_array([0, 1, 2, 3, 4], mask=[0, 1, 0, 0, 0]),
        np.array(["2020-01-01"], "M8[D]"),
    ],
    ids=lambda wrong: type(wrong).__name__,
)
def test_what_is_no_array_of_numbers(
    task: str, argument: str, value: Any, others: dict[str, Any], wrong: Any
) -> None:
    with pytest.raises(tg.InputError, match=argument):
        getattr(tg, task)(GRAPH, **{argument: wrong}, **others)


def test_targets_of_searches() -> None:
    with pytest.raises(tg.InputError, match="target"):
        tg.bfs(GRAPH, 0, target=[[1], [2, 3]])
    for search in (tg.bfs, tg.sssp):
        with pytest.raises(tg.InputError, match=r"target = \[1, 2\]: it is one vertex"):
            search(GRAPH, 0, target=[1, 2])  # all but the first would be left out


@pytest.mark.parametrize("odd", [5, None, {0: 1}, [[0, 1, 2]], [[None, 0]], "x", np.bool_(1)])
def test_pairs_of_names_that_are_none(odd: Any) -> None:
    named = tg.Graph.from_edges(["a", "b"], ["b", "c"], relabel=True)
    with pytest.raises(tg.InputError):
        tg.jaccard(named, odd)


def test_numbers_that_python_does_not_write() -> None:
    named = tg.Graph.from_edges(["a", "b"], ["b", "c"], relabel=True)
    for graph in (named, GRAPH):
        for call in (graph.neighbors, graph.row, graph.id_of, lambda v, g=graph: tg.bfs(g, v)):
            with pytest.raises(tg.InputError):
                call(10**5000)


def test_no_time_is_no_number() -> None:
    with pytest.raises(tg.InputError, match="max_error = .*NaT.*a number is needed"):
        tg.sssp(GRAPH, 0, max_error=np.datetime64("NaT"))
