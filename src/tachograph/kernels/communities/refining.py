"""Refinement: communities are built again from single vertices, within their bounds.

Only a vertex that is still alone may join others, and only those that its edges lead to; so every part
is connected. A vertex must be tied well to the rest of its community. In a batch (``moving.py``) nobody
joins a vertex of the same batch that is still alone, which could be leaving itself.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import fetch_add, ld, st
from ..runtime.launch import inline, kernel, workers_for
from ..runtime.team import meet, next_phase, run_team, take
from .moving import CHUNK_BLOCKS, Rule, State, in_batch
from .table import EMPTY, Level, add, mask_for, new_table

__all__ = ["refine"]


@inline
def join(v, level, bounds, parts, table, rule, batch):
    """The part within its community that v gains most by joining; v itself if it stays alone."""
    indptr, indices, weights, strength = level
    community, total, _ = bounds
    part, part_total, alone = parts
    key, price, bits, _, _ = rule
    keys, ties, places = table
    mine = ld(community, v)
    k = ld(strength, v)
    begin = ld(indptr, v)
    end = ld(indptr, v + 1)
    mask = mask_for(end - begin + 1)
    used = np.int64(0)
    weighted = weights.size > 0
    inside = np.int64(0)
    for i in range(begin, end):
        u = ld(indices, i)
        if u != v and ld(community, u) == mine:
            weight = ld(weights, i) if weighted else np.int64(1)
            inside += weight
            used = add(table, mask, used, np.int64(ld(part, u)), weight)
    price *= k
    tied = inside >= price * (ld(total, mine) - k)
    top = 0.0
    chosen = np.int64(v)
    for i in range(used):
        at = ld(places, i)
        c = ld(keys, at)
        st(keys, at, EMPTY)
        if not tied or (ld(alone, c) and in_batch(c >> bits, batch, bits, key) == c):
            continue
        gain = ld(ties, at) - price * ld(part_total, c)
        if gain > top or (gain == top and chosen != v and c < chosen):
            top = gain
            chosen = c
    return chosen


@kernel
def walk(team, level, bounds, parts, rule, longest):
    """What each worker does; ``parts.due`` says who is alone."""
    control, me, _ = team
    part, part_total, alone = parts
    n = part.size
    lots = rule.key
    bits = rule.bits
    batches = np.int64(1) << bits
    blocks = (n + batches - 1) >> bits
    table = new_table(longest)
    joining = np.empty(blocks, np.int64)
    goals = np.empty(blocks, np.int64)
    phase = np.int64(0)
    for batch in range(batches):
        next_phase(control, me, phase)
        held = np.int64(0)
        while True:
            first, last = take(control, phase, CHUNK_BLOCKS, blocks)
            if first >= last:
                break
            for block in range(first, last):
                v = in_batch(block, batch, bits, lots)
                if v < n and ld(alone, v):
                    goal = join(v, level, bounds, parts, table, rule, batch)
                    if goal != v:
                        st(joining, held, v)
                        st(goals, held, goal)
                        held += 1
        if not meet(team):
            return
        phase += 1
        next_phase(control, me, phase)
        for i in range(held):
            v = ld(joining, i)
            goal = ld(goals, i)
            k = ld(level.strength, v)
            fetch_add(part_total, v, -k)
            fetch_add(part_total, goal, k)
            st(part, v, goal)
            st(alone, v, 0)
            st(alone, goal, 0)
        if not meet(team):
            return
        phase += 1


def refine(level: Level, bounds: State, rule: Rule) -> State:
    """Return the parts that communities consist of, each called by one of its vertices."""
    n = level.strength.size
    workers, brief = workers_for("communities", n + level.indices.size)
    longest = int(np.diff(level.indptr).max(initial=0)) + 1
    label = np.arange(n, dtype=bounds.label.dtype)
    parts = State(label, level.strength.copy(), np.ones(n, np.uint8))
    run_team(walk, workers, level, bounds, parts, rule, longest, brief=brief)
    return parts
