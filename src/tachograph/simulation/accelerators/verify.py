"""Are the values that an accelerator computes those of the exact algorithm?"""

from __future__ import annotations

import numpy as np

from ...algorithms.bfs import bfs
from ...algorithms.components import connected_components
from ...algorithms.sssp import sssp
from ...graph.graph import Graph
from ...util.errors import InputError, VerificationError
from .problem import Question

__all__ = ["check_answer"]

ROUNDING = 1e-9  # relative: sums are in another order


def check_answer(question: Question, graph: Graph, answer: np.ndarray) -> None:
    """Raise VerificationError if a vertex has another value than the exact algorithm gives it."""
    task = question.task
    limited = question.iterations is not None and task not in ("pagerank", "spmv")
    if limited or (question.along_arcs and graph.directed):
        raise InputError(
            f"verify compares with the end of {task}: leave iterations and along_arcs out"
        )
    exact = _exact(question, graph)
    wrong = np.flatnonzero(~np.isclose(answer, exact, rtol=ROUNDING, atol=0.0))
    if wrong.size:
        v = int(wrong[0])
        raise VerificationError(f"{task} of vertex {v} is {exact[v]}, not {answer[v]}")


def _exact(question: Question, graph: Graph) -> np.ndarray:
    """Return the values: of the algorithms themselves, or iterated with SciPy."""
    if question.source is not None:
        if question.task == "bfs":
            return bfs(graph, question.source).levels
        return sssp(graph, question.source).distances
    if question.task == "connected_components":
        return connected_components(graph).labels
    matrix = graph.to_scipy().astype(np.float64)
    values, out = np.ones(graph.n), matrix.sum(axis=1)
    if question.task == "spmv":
        for _ in range(question.iterations or 1):
            values = matrix.T @ values
        return values
    values /= max(1, graph.n)
    for _ in range(question.iterations or 1):
        share = np.divide(values, out, out=np.zeros(graph.n), where=out > 0)
        lost = float(values[out == 0].sum()) / max(1, graph.n)
        jump = (1 - question.damping) / max(1, graph.n)
        values = question.damping * (matrix.T @ share + lost) + jump
    return values
