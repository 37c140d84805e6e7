"""Directions of a search whose levels are walked elsewhere: on a device, or on a simulated one.

The host's own code decides (``kernels.bfs.state``); only the numbers of vertices and arcs come from
elsewhere.

>>> import tachograph as tg
>>> from tachograph.decisions.direction.model import policy_named
>>> walk = Walk(tg.star(5), policy_named("hbfs"), Counts(vertices=1, hubs=1, arcs=4))
>>> walk.choose()
1
>>> walk.walked(1, Counts(vertices=4, hubs=0, arcs=4))
>>> walk.level.unvisited, walk.choose()
(0, 1)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...graph.graph import Graph
from ...kernels.bfs.state import (
    ALL_ARCS,
    ALL_HUBS,
    DIRECTED,
    HUBS,
    M_U,
    N_U,
    P_H,
    PULL,
    PULLED,
    PUSH,
    STATE,
    THREADS,
    Chooser,
    Level,
    N,
    decide,
    first_level,
    next_level,
)
from ...kernels.runtime.launch import prepare
from .model import Policy

__all__ = ["Counts", "Walk", "chooser_of"]


class Counts(NamedTuple):
    """What a level has found: vertices, how many of them are hubs, and arcs out of them."""

    vertices: int
    hubs: int
    arcs: int

    @classmethod
    def of(cls, block: np.ndarray) -> Counts:
        """Read them from four int32, as devices count: the last two are halves of the arcs."""
        vertices, hubs, low, high = block.view(np.uint32).tolist()
        return cls(vertices, hubs, (high << 32) + low)


def chooser_of(policy: Policy, graph: Graph) -> Chooser:
    """Return what asks ``policy`` in searches of ``graph``."""
    return Chooser(
        policy.address,
        policy.parameters,
        certain=policy.certain(graph.n),
        bounded=policy.guarded,
        hub=graph.features.mean_degree if policy.counts_hubs else -1.0,
        hub_share=graph.features.hub_probability_sampled if policy.samples_hubs else 0.0,
    )


class Walk:
    """A search before its next level: ``level``, and the direction of the one before, ``last``.

    ``fixed`` is the direction of all levels, if the policy has only one, else None.
    """

    def __init__(self, graph: Graph, policy: Policy, found: Counts, *, threads: int = 1) -> None:
        self.chooser = chooser_of(policy, graph)
        self.fixed: int | None = {"push": PUSH, "pull": PULL}.get(policy.name)
        self.level: Level = first_level.py_func(graph.n, graph.arcs, found.vertices, found.arcs)
        self.last: int = PUSH
        self._state = np.zeros(len(STATE))
        self._state[N] = graph.n
        self._state[ALL_ARCS] = graph.arcs
        self._state[P_H] = self.chooser.hub_share
        self._state[THREADS] = threads
        self._state[DIRECTED] = graph.directed
        self._state[HUBS] = found.hubs
        if policy.counts_hubs:
            self._state[ALL_HUBS] = round(graph.features.hub_probability * graph.n)
        self._decide = prepare(decide, (self.chooser, self._state, self.level, self.last))

    def numbers(self) -> np.ndarray:
        """Return what ``bfs.cl`` keeps of a policy before the first level: the state without levels,
        how the frontier grew, arcs up to which a level is certainly pushed, and the parameters.
        """
        state = self._state.copy()
        state[N_U], state[M_U] = state[N], state[ALL_ARCS]
        return np.concatenate([state, [0.0, self.chooser.certain], self.chooser.parameters])

    def choose(self) -> int:
        """Return the direction of the next level, ``PUSH`` or ``PULL``."""
        if self.fixed is not None:
            return self.fixed
        if self.level.edges <= self.chooser.certain:
            return PUSH
        return int(self._decide(self.chooser, self._state, self.level, self.last))

    def walked(self, direction: int, found: Counts) -> None:
        """Go on: the level was walked in this direction, and these vertices were found."""
        self._state[PULLED] += direction == PULL
        self._state[HUBS] = found.hubs
        self.level = next_level.py_func(self.level, found.vertices, found.arcs)
        self.last = direction
