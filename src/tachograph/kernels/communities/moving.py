"""Local moving: every vertex joins the community that it is tied to most.

Method: V. Traag, L. Waltman, N. van Eck, "From Louvain to Leiden: guaranteeing well-connected
communities", 2019. A vertex v of strength k gains ``w - resolution k K / 2m`` in a community of
strength K (without v) to which its edges weigh w. It is looked at again when a neighbour has gone
elsewhere.

Vertices are taken in batches. All of a batch decide by the communities as they were when it began, and
move together afterwards; so the result does not depend on the number of threads. A block of as many
consecutive vertices as there are batches has one vertex in each batch, by lot and anew in each pass, so
neighbours are rarely in the same batch. Weights are whole numbers: sums do not depend on their order.

With resolution 0 this is label propagation.

Bounds: communities are called by ids of vertices; a worker's list of moves has room for a batch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.atomics import fetch_add, ld, st
from ..runtime.launch import inline, kernel, workers_for
from ..runtime.random import draw
from ..runtime.team import add_to_sums, meet, next_phase, run_team, sums, take
from .table import EMPTY, Level, add, mask_for, new_table

__all__ = ["Rule", "State", "bits_for", "in_batch", "move"]

CHUNK_BLOCKS = 64  # that a worker takes at a time
MOST_BATCH_BITS = 6  # in how many batches vertices are taken, as a power of two


class State(NamedTuple):
    """The community of every vertex, the strength of every community, and who is to be looked at."""

    label: np.ndarray
    total: np.ndarray
    due: np.ndarray


class Rule(NamedTuple):
    """The key of the lots, resolution / 2m, how many batches (2 ** bits), and when to stop."""

    key: np.uint64
    price: float
    bits: int
    passes: int
    few: int  # moves in a pass after which no other one follows


def bits_for(n: int) -> int:
    """In how many batches the vertices of a graph are taken, as a power of two.

    A small graph has one vertex in each batch.

    >>> bits_for(1), bits_for(10), bits_for(10**6)
    (0, 4, 6)
    """
    return min(MOST_BATCH_BITS, max(n - 1, 0).bit_length())


@inline
def in_batch(block, batch, bits, key):
    """The vertex of a block of 2 ** bits vertices that is in a batch."""
    lot = batch ^ np.int64(draw(key, block) >> np.uint64(40))
    return (block << bits) + (lot & ((1 << bits) - 1))


@inline
def best(v, level, label, total, table, price, lots):
    """The community in which v gains most; its own if none is better, else lots decide."""
    indptr, indices, weights, strength = level
    keys, ties, places = table
    mine = np.int64(ld(label, v))
    k = ld(strength, v)
    begin = ld(indptr, v)
    end = ld(indptr, v + 1)
    mask = mask_for(end - begin + 1)
    used = add(table, mask, np.int64(0), mine, np.int64(0))
    weighted = weights.size > 0
    for i in range(begin, end):
        u = ld(indices, i)
        if u != v:
            weight = ld(weights, i) if weighted else np.int64(1)
            used = add(table, mask, used, np.int64(ld(label, u)), weight)
    price *= k
    at = ld(places, 0)
    top = ld(ties, at) - price * (ld(total, mine) - k)
    st(keys, at, EMPTY)
    chosen = mine
    if top < 0 and ld(total, v) == 0:  # nobody is in the community of its own name
        top = 0.0
        chosen = v
    for i in range(1, used):
        at = ld(places, i)
        c = ld(keys, at)
        st(keys, at, EMPTY)
        gain = ld(ties, at) - price * ld(total, c)
        if gain > top or (gain == top and chosen != mine and draw(lots, c) < draw(lots, chosen)):
            top = gain
            chosen = c
    return chosen


@kernel
def walk(team, level, state, rule, longest):
    """What each worker does; returns the number of moves."""
    control, me, _ = team
    indptr, indices, _, strength = level
    label, total, due = state
    key, price, bits, passes, few = rule
    n = label.size
    batches = np.int64(1) << bits
    blocks = (n + batches - 1) >> bits
    table = new_table(longest)
    moving = np.empty(blocks, np.int64)
    goals = np.empty(blocks, np.int64)
    phase = np.int64(0)
    every = np.int64(0)
    for turn in range(passes):
        lots = key + np.uint64(turn)
        moves = np.int64(0)
        for batch in range(batches):
            next_phase(control, me, phase)
            held = np.int64(0)
            while True:
                first, last = take(control, phase, CHUNK_BLOCKS, blocks)
                if first >= last:
                    break
                for block in range(first, last):
                    v = in_batch(block, batch, bits, lots)
                    if v < n and ld(due, v):
                        st(due, v, 0)
                        goal = best(v, level, label, total, table, price, lots)
                        if goal != ld(label, v):
                            st(moving, held, v)
                            st(goals, held, goal)
                            held += 1
            if not meet(team):
                return every
            phase += 1
            next_phase(control, me, phase)
            for i in range(held):
                v = ld(moving, i)
                goal = ld(goals, i)
                k = ld(strength, v)
                fetch_add(total, np.int64(ld(label, v)), -k)
                fetch_add(total, goal, k)
                st(label, v, goal)
                for j in range(ld(indptr, v), ld(indptr, v + 1)):
                    u = np.int64(ld(indices, j))
                    if ld(label, u) != goal or in_batch(u >> bits, batch, bits, lots) == u:
                        st(due, u, 1)
            add_to_sums(control, phase, held, np.int64(0))
            if not meet(team):
                return every
            moves += sums(control, phase)[0]
            phase += 1
        every += moves
        if moves <= few:
            break
    return every


def move(level: Level, state: State, rule: Rule) -> int:
    """Move vertices until few move in a pass; return how many moves there were."""
    n = level.strength.size
    workers, brief = workers_for("communities", n + level.indices.size)
    longest = int(np.diff(level.indptr).max(initial=0)) + 1
    return int(run_team(walk, workers, level, state, rule, longest, brief=brief)[0])
