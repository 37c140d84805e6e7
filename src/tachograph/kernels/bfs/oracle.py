"""A breadth-first search that times both directions at every level: the oracle.

From the same state each level is pushed and pulled several times, in turns, and taken back after each;
the changes of the frontier's form are timed, too. Long thin graphs have thousands of levels of a few
arcs, at which a pull looks at the whole graph: of these, fewer and fewer are timed as the search goes
on, and each stands for those after it. Whatever is chosen, a level's state is the same, so
one such walk tells what any policy would have met, and what each choice would have cost: ``choices``,
``best`` and ``spent`` tell it of rows of several walks, of which ``first`` marks the beginnings.

Bounds: those of ``search``. A level that is taken back frees its part of the queue before the next try.
"""

from __future__ import annotations

import numpy as np

from ..runtime import team as teams
from ..runtime.atomics import ask, ld, nanoseconds, st, st_release
from ..runtime.launch import inline, kernel
from ..runtime.nouns import Rows
from .hubs import in_bitmap
from .search import Query, new_bitmaps, new_tree, search_workers
from .state import (
    M_F,
    PREVIOUS,
    PULL,
    PULLED,
    PUSH,
    N,
    first_level,
    hubs_in_queue,
    next_level,
)
from .steps import (
    BUFFER,
    UNLIMITED,
    VERTICES_PER_CERTAIN_ARC,
    arcs_out,
    begin,
    make_unvisited,
    pull,
    push,
    pushers,
    to_bitmap,
    to_queue,
)

COLUMNS = (
    *("frontier_vertices", "frontier_edges", "unvisited", "unseen_edges", "hubs", "scanned"),
    *("push_nanoseconds", "pull_nanoseconds", "to_bitmap_nanoseconds", "to_queue_nanoseconds"),
    *("push_mean_nanoseconds", "pull_mean_nanoseconds"),
)
WIDTH = len(COLUMNS)  # and a log adds one
PUSHING, PULLING, MAPPING, QUEUING = 0, 1, 2, 3  # what is timed
TIMED_PER_STRIDE = 16  # thin levels that are timed before only half as many of the next ones are


@kernel
def together(team, box):
    """The time, read when nobody is still at work and before anybody begins anew."""
    teams.meet(team)
    now = nanoseconds(box)
    teams.meet(team)
    return now


@kernel
def take_back_bitmap(team, indptr, after, tree):
    """Make the vertices of a bitmap unvisited again."""
    parents, levels, _ = tree
    first, last = teams.part(team, after.size)
    for w in range(first, last):
        bits = ld(after, w)
        if bits:
            for v in range(w << 6, min((w + 1) << 6, parents.size)):
                if (bits >> np.uint64(v & 63)) & np.uint64(1):
                    make_unvisited(v, indptr, parents, levels)


@kernel
def arcs_of_pull(team, back, parents, front):
    """A worker's part of the arcs that a pull would look at."""
    indptr, indices = back
    scanned = np.int64(0)
    first, last = teams.part(team, parents.size)
    for v in range(first, last):
        if ld(parents, v) < 0:
            for k in range(ld(indptr, v), ld(indptr, v + 1)):
                scanned += 1
                if in_bitmap(front, ld(indices, k)):
                    break
    return scanned


@inline
def is_timed(thin_levels):
    """Whether a thin level is timed, before which there were so many thin ones.

    All of the first ``TIMED_PER_STRIDE`` are, then every second of twice as many, and so on.
    """
    stride = 1
    first = np.int64(0)
    while thin_levels >= first + TIMED_PER_STRIDE * stride:
        first += TIMED_PER_STRIDE * stride
        stride *= 2
    return (thin_levels - first) % stride == 0


@kernel
def walk_both(team, rows, back, near, query, tree, bitmaps, board, repeats, pushing):
    """What each worker does; worker 0 returns the rows, and writes down how many push."""
    control, me, workers = team
    indptr, indices = rows
    parents, levels, queue = tree
    front, after = bitmaps
    n = parents.size
    words = front.size
    hub = indices.size / n if n else 0.0
    log = teams.new_log(team, me == 0, WIDTH + 1)
    buffer = np.empty(BUFFER, queue.dtype)
    box = np.empty(2, np.int64)
    best = np.empty(4, np.int64)
    sums = np.empty(2, np.int64)
    notes = np.zeros(2, np.int64)
    if not begin(team, indptr, query.sources, tree, True):
        return teams.rows_of(log)
    edges = arcs_out(indptr, query.sources)
    claimants = teams.Team(control, me, pushers(team, n, box))
    if me == 0:
        pushing[0] = claimants.workers
    lo, hi = np.int64(0), np.int64(query.sources.size)
    level = first_level(n, indices.size, hi, edges)
    phase = np.int64(0)
    thin_levels = np.int64(0)
    while lo < hi and level.depth != query.cutoff:
        depth = level.depth + 1
        for k in range(4):
            best[k] = UNLIMITED
        sums[PUSHING] = sums[PULLING] = 0
        pulls = True
        if level.edges <= n // VERTICES_PER_CERTAIN_ARC:
            pulls = is_timed(thin_levels)
            thin_levels += 1
        hubs = np.int64(0)
        scanned = np.int64(0)
        if pulls:
            for _ in range(repeats):  # the frontier in its other form, and back
                start = together(team, box)
                if not to_bitmap(team, queue, lo, hi, levels, level.depth, front):
                    return teams.rows_of(log)
                best[MAPPING] = min(best[MAPPING], nanoseconds(box) - start)
                if me == 0:
                    st_release(control, teams.TAIL, lo)
                start = together(team, box)
                if not to_queue(team, front, words, queue, buffer):
                    return teams.rows_of(log)
                best[QUEUING] = min(best[QUEUING], nanoseconds(box) - start)
            first, last = teams.part(team, hi - lo)
            st(notes, 0, hubs_in_queue(queue, lo + first, lo + last, indptr, hub))
            st(notes, 1, arcs_of_pull(team, back, parents, front))
            if not teams.report(team, board, phase, notes):
                return teams.rows_of(log)
            hubs = teams.total(board, phase, workers, 0)
            scanned = teams.total(board, phase, workers, 1)
        found = np.int64(0)
        arcs = np.int64(0)
        for r in range(repeats if pulls else 1):
            if pulls:
                teams.next_phase(control, me, phase)
                start = together(team, box)
                pull(team, phase, back, near, tree, bitmaps, depth, np.int64(UNLIMITED))
                if not teams.meet(team):
                    return teams.rows_of(log)
                taken = nanoseconds(box) - start
                best[PULLING] = min(best[PULLING], taken)
                sums[PULLING] += taken
                phase += 1
                take_back_bitmap(team, indptr, after, tree)
            teams.next_phase(control, me, phase)
            start = together(team, box)
            push(claimants, phase, rows, tree, buffer, (lo, hi), level.edges, depth)
            if not teams.meet(team):
                return teams.rows_of(log)
            taken = nanoseconds(box) - start
            best[PUSHING] = min(best[PUSHING], taken)
            sums[PUSHING] += taken
            found, arcs = teams.sums(control, phase)
            phase += 1
            if pulls and r < repeats - 1:
                first, last = teams.part(team, found)
                for i in range(hi + first, hi + last):
                    make_unvisited(ld(queue, i), indptr, parents, levels)
                if not teams.meet(team):
                    return teams.rows_of(log)
                if me == 0:
                    st_release(control, teams.TAIL, hi)
        if me == 0:
            if pulls:
                means = (sums[PUSHING] // repeats, sums[PULLING] // repeats)
            else:
                best[PULLING] = best[MAPPING] = best[QUEUING] = -1
                means = (best[PUSHING], np.int64(-1))
            state = (level.vertices, level.edges, level.unvisited, level.unseen, hubs, scanned)
            times = (best[PUSHING], best[PULLING], best[MAPPING], best[QUEUING])
            log = teams.recorded(log, state + times + means)
        lo, hi = hi, hi + found
        level = next_level(level, found, arcs)
    return teams.rows_of(log)


def both(
    rows: Rows,
    back: Rows,
    sources: np.ndarray,
    *,
    hubs: np.ndarray | None = None,
    cutoff: int = -1,
    repeats: int = 3,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]]:
    """Levels, parents, a row for each level (``COLUMNS``), and how many workers pull and push.

    Pulls look at ``hubs`` first, if they are given. ``repeats`` is how often each direction of a level
    runs; rows have the least times, and the means. A
    pull is not timed, and its times are -1, at some of the thin levels (``VERTICES_PER_CERTAIN_ARC``).
    ``hubs`` counts vertices of the frontier of more than the mean degree, ``scanned`` the arcs that a
    pull looks at.
    """
    n = rows.indptr.size - 1
    workers, _ = search_workers(n, rows.indices.size)
    query = Query(sources, cutoff, -1, 0.0, True)
    tree = new_tree(n, rows.indices.dtype)
    near = np.empty(0, rows.indices.dtype) if hubs is None else hubs
    pushing, board = np.zeros(1, np.int64), teams.new_board(workers)
    shared = (rows, back, near, query, tree, new_bitmaps(n), board, repeats, pushing)
    lines = teams.run_team(walk_both, workers, *shared)
    tree.parents[tree.parents < 0] = -1
    return tree.levels, tree.parents, lines[0][:, :WIDTH], (workers, int(pushing[0]))


@kernel
def choices(stop, policy, parameters, certain, states, first, chosen):
    """Ask the policy at every level; frontiers of at most n / ``certain`` arcs are pushed (0: none)."""
    previous, pulled = PUSH, 0
    state = np.empty(states.shape[1])
    for i in range(states.shape[0]):
        if first[i]:
            previous, pulled = PUSH, 0
        for k in range(state.size):
            state[k] = states[i, k]
        state[PREVIOUS] = previous
        state[PULLED] = pulled
        previous = PUSH
        if certain == 0 or state[M_F] > state[N] // certain:
            previous = ask(policy, state, parameters)
        pulled += previous == PULL
        chosen[i] = previous


@kernel
def best(stop, first, push, pull, to_bitmap, to_queue, chosen):
    """The cheapest directions of every search, changes of form included (a shortest path in time)."""
    rows = first.size
    came_from = np.zeros((rows, 2), np.int8)
    end = rows
    ahead = back = 0.0
    for i in range(rows):
        if first[i]:
            ahead, back = push[i], to_bitmap[i] + pull[i]
        else:
            stay_ahead, turn_ahead = ahead, back + to_queue[i]
            stay_back, turn_back = back, ahead + to_bitmap[i]
            came_from[i, PUSH] = PUSH if stay_ahead <= turn_ahead else PULL
            came_from[i, PULL] = PULL if stay_back <= turn_back else PUSH
            ahead = min(stay_ahead, turn_ahead) + push[i]
            back = min(stay_back, turn_back) + pull[i]
        end = i + 1
        if end == rows or first[end]:  # the search is over: walk back
            direction = PUSH if ahead <= back else PULL
            for k in range(i, -1, -1):
                chosen[k] = direction
                if first[k]:
                    break
                direction = came_from[k, direction]


@kernel
def spent(stop, first, push, pull, to_bitmap, to_queue, chosen, times):
    """What each level takes with these directions, the change of form before it included."""
    previous = PUSH
    for i in range(first.size):
        if first[i]:
            previous = PUSH
        if chosen[i] == PUSH:
            times[i] = push[i] + (to_queue[i] if previous == PULL else 0.0)
        else:
            times[i] = pull[i] + (to_bitmap[i] if previous == PUSH else 0.0)
        previous = chosen[i]
