"""Breadth-first search on a simulated GPU: push and pull as our device kernels do them.

A push walks the rows of the frontier and claims fresh neighbours by an atomic compare-and-swap on
their level; a claimed vertex goes to the next queue. A pull walks the rows of unvisited vertices
until a neighbour is found in the bitmap of the frontier: with one work-item for each vertex of the
graph, with a warp for each, or (``balanced`` and ``degree``) with one for each vertex of a list of
those that are unvisited.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...decisions.direction.model import Policy, State
from ...graph.graph import Graph
from .chip import Chip, Touch, ranges

__all__ = ["search"]

BIT = 1 / 8  # of a byte
Chooser = Callable[[State], str]


def search(chip: Chip, source: int, policy: Policy | Chooser) -> np.ndarray:
    """Return the levels; the chip's trace has a row for each level."""
    graph = chip.graph
    tools = _Search(chip, graph)
    choose = policy.choose if isinstance(policy, Policy) else policy
    guards = policy.certain(graph.n) if isinstance(policy, Policy) else -1
    levels = np.full(graph.n, -1, np.int32)
    levels[source] = 0
    front = np.array([source], graph.indices.dtype)
    degrees = graph.degrees
    arcs_left, left = graph.arcs, graph.n
    old = State(graph.n, graph.arcs, 0, 0, 0, 0)
    depth = 0
    hubs = degrees > graph.arcs / max(graph.n, 1)
    while front.size:
        arcs = int(degrees[front].sum())
        arcs_left -= arcs
        left -= front.size
        varied = front.size - old.n_f
        state = State(
            n=graph.n, arcs=graph.arcs, n_f=front.size, m_f=arcs, n_u=left, m_u=arcs_left,
            s_f=varied, c_f=varied - old.s_f, before=old.n_f, m_before=old.m_f,
            previous=old.previous, pulled=old.pulled, depth=depth,
            hubs_f=float(hubs[front].sum()), hubs=float(hubs.sum()),
            p_h=float(hubs.mean()), directed=float(graph.directed),
        )  # fmt: skip
        direction = "push" if arcs <= guards else choose(state)
        walk = tools.pull if direction == "pull" else tools.push
        found = walk(front, levels, depth)
        levels[found] = depth + 1
        chip.rows[-1] |= {
            "frontier_vertices": front.size,
            "frontier_edges": arcs,
            "unvisited": left,
        }
        pulled = direction == "pull"
        old = state._replace(previous=float(pulled), pulled=state.pulled + pulled)
        front, depth = found, depth + 1
    return levels


class _Search:
    """The arrays of a search, and its two kernels."""

    def __init__(self, chip: Chip, graph: Graph) -> None:
        self.chip = chip
        self.level = chip.place(graph.n, 4)
        self.queues = [chip.place(graph.n, 4), chip.place(graph.n, 4)]
        self.bitmaps = [chip.place(graph.n, BIT), chip.place(graph.n, BIT)]
        back = graph.transpose
        self.back = ranges(back.indptr, back.indices)
        self.back_offsets, self.back_columns = chip.offsets, chip.columns
        if graph.directed:
            self.back_offsets = chip.place(graph.n + 1, 8)
            self.back_columns = chip.place(graph.arcs, back.indices.itemsize)

    def push(self, front: np.ndarray, levels: np.ndarray, depth: int) -> np.ndarray:
        """Claim the unvisited neighbours of the frontier."""
        chip, (now, after) = self.chip, self.queues[:: 1 if depth % 2 == 0 else -1]
        touches = [
            Touch(now, "order"),
            Touch(chip.offsets, "item"),
            Touch(chip.columns, "arc"),
            Touch(self.level, "neighbour"),
            Touch(self.level, "claimed"),
            Touch(after, "claims"),
        ]
        fresh = (levels < 0).astype(np.uint8)
        return chip.launch("push", depth, front, touches, fresh=fresh).claimed

    def pull(self, front: np.ndarray, levels: np.ndarray, depth: int) -> np.ndarray:
        """Let unvisited vertices look for a neighbour in the frontier."""
        chip, balance = self.chip, self.chip.balance
        halts = (levels == depth).astype(np.uint8)
        items = np.flatnonzero(levels < 0).astype(front.dtype)
        touches = [
            Touch(self.back_offsets, "item"),
            Touch(self.back_columns, "arc"),
            Touch(self.bitmaps[depth % 2], "neighbour"),
            Touch(self.bitmaps[1 - depth % 2], "stopped"),
            Touch(self.level, "stopped"),
        ]
        if balance in ("balanced", "degree"):  # the list of unvisited vertices
            touches.append(Touch(self.queues[0], "order"))
        walked = "warp" if balance == "warp" else "vertex"
        done = chip.launch(
            "pull", depth, items, touches, balance=walked, halts=halts, rows=self.back
        )
        chip.stream(self.level, levels.size)  # every vertex looks whether it was visited
        found: np.ndarray = items[done.stopped.astype(bool)]
        return found
