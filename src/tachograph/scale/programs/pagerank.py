"""PageRank of a partitioned graph: every part pulls from its own vertices and its ghosts.

State: the scores of its vertices. Mail: score by weight of out-arcs, for everybody's ghosts. Scores of
vertices without out-arcs are summed by the driver, and spread in the next superstep.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import ClassVar, Unpack

import numpy as np

from ...algorithms.pagerank import PageRankResult
from ...algorithms.scaling import LEAST_OUT_WEIGHT, MOST_OUT_WEIGHT, extreme
from ...kernels.pagerank.pull import multiply
from ...util.arguments import checked
from ...util.errors import InputError, TachographWarning
from ..manifest import Partition, Parts, open_partition
from ..piece import Arrays, Inbox, Piece
from ..supersteps import Where, solve
from . import Memory, Notes, Order, Outcome, Outputs, Program, total

__all__ = ["pagerank"]


@checked
def pagerank(
    graph: Parts,
    *,
    damping: float = 0.85,
    tol: float = 1e-6,
    max_iter: int = 100,
    **where: Unpack[Where],
) -> PageRankResult:
    """PageRank; parameters as in :func:`tachograph.pagerank` and :func:`tachograph.scale.bfs`.

    Returns
    -------
    PageRankResult
        ``scores`` (float64, sum 1), ``iterations``, ``converged``.

    Raises
    ------
    InputError
        For parameters outside their range or negative weights; and as in :func:`tachograph.scale.bfs`.

    Examples
    --------
    >>> import tachograph as tg
    >>> parts = tg.scale.partition(tg.star(5), parts=2, directory="star")
    >>> tg.scale.pagerank(parts).scores.round(3).tolist()
    [0.476, 0.131, 0.131, 0.131, 0.131]
    """
    if not 0 <= damping <= 1:
        raise InputError(f"damping = {damping} is a probability: from 0 to 1")
    if not tol > 0:
        raise InputError(f"tol = {tol} must be above 0")
    if max_iter < 1:
        raise InputError(f"max_iter = {max_iter}: at least one is needed")
    partition = open_partition(graph)
    program = Ranks(float(damping), float(tol), int(max_iter), partition.n)
    return solve(PageRankResult, program, partition, **where)


@dataclass(frozen=True)
class Ranks(Program):
    """PageRank of a graph of ``n`` vertices."""

    task: ClassVar[str] = "pagerank"
    outputs: ClassVar[Outputs] = {"scores": np.float64}
    damping: float
    tol: float
    max_iter: int
    n: int

    def check(self, partition: Partition) -> None:
        if partition.lightest < 0:
            raise InputError("PageRank needs weights that are not negative")

    def start(self, piece: Piece) -> Outcome:
        """Give all the same score. ``inverse`` is 1 by the weight of the out-arcs, or 0."""
        rows = piece.out
        out = piece.degrees[piece.own].astype(np.float64)
        if rows.weights is not None:
            out = multiply(rows.rows, rows.weights, np.ones(piece.n))[piece.own]
            if extreme(out):
                raise InputError(
                    "PageRank of parts needs weights whose sums over a vertex's arcs are from "
                    f"{LEAST_OUT_WEIGHT:.0e} to {MOST_OUT_WEIGHT:.0e}: scale them"
                )
        inverse = np.divide(1.0, out, out=np.zeros(piece.size), where=out > 0)
        scores = np.full(piece.size, 1 / max(self.n, 1))
        made = self._outcome(piece, scores, inverse, 0.0)
        return replace(made, kept={"inverse": inverse})

    def step(self, piece: Piece, state: Arrays, inbox: Inbox, order: Order) -> Outcome:
        scores, inverse = state["scores"], state["inverse"]
        share = np.zeros(piece.n)
        share[piece.own] = scores * inverse
        piece.from_owners(inbox, "share", share)
        rows = piece.into
        total_in = multiply(rows.rows, rows.weights, share)[piece.own]
        jump = 1 / self.n
        new = self.damping * (total_in + order["lost"] * jump) + (1 - self.damping) * jump
        change = float(np.abs(new - scores).sum())
        return self._outcome(piece, new, inverse, change)

    def _outcome(
        self, piece: Piece, scores: np.ndarray, inverse: np.ndarray, change: float
    ) -> Outcome:
        notes = {"lost": float(scores[inverse == 0].sum()), "change": change}
        share = np.zeros(piece.n)
        share[piece.own] = scores * inverse
        return Outcome({"scores": scores}, notes, piece.to_ghosts("share", share))

    def decide(self, memory: Memory, notes: list[Notes]) -> Order | None:
        """Iterate until scores settle."""
        iterations = memory["iterations"] = memory.get("iterations", -1) + 1
        change = memory["change"] = total(notes, "change") if iterations and self.n else 0.0
        ended = (iterations and change < self.tol) or iterations == self.max_iter
        if ended or not self.n:
            return None
        return {"phase": "iterate", "lost": total(notes, "lost")}

    def finish(self, piece: Piece, state: Arrays, inbox: Inbox) -> dict[str, np.ndarray]:
        return {"scores": np.asarray(state["scores"])}

    def values(self, partition: Partition, arrays: Arrays, memory: Memory) -> dict[str, object]:
        iterations, converged = memory["iterations"], memory["change"] < self.tol
        if not converged:
            warnings.warn(
                f"PageRank did not converge: after max_iter = {iterations} the scores still change by "
                f"{memory['change']:.1e} in an iteration, more than tol = {self.tol}; raise max_iter "
                "or tol",
                TachographWarning,
                stacklevel=2,
            )
        return {**arrays, "iterations": iterations, "converged": converged}
