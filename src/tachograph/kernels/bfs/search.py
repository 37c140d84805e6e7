"""Breadth-first search that changes direction.

Method: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012. A
team walks through the levels. *Push*: each vertex of the frontier claims its unvisited targets.
*Pull*: each unvisited vertex looks for any source in the frontier. The direction is decided inside
the loop, at every level, by a compiled policy that is given by its address: a function of the state
(``STATE``) and of its own parameters. All workers ask it and get the same answer.

Encoding: ``parents[v]`` is the parent, or, while v is unvisited, -(out-degree + 1), so that the arcs
out of the next frontier are summed without another look at the offsets. The frontier is a stretch of
the queue (push) or a bitmap (pull); it is converted when the direction changes.

Bounds: a vertex enters the queue once, when a push claims it or when a pulled frontier is turned into
a queue, so n slots are enough; a bitmap has a bit for every vertex, rounded up to words of 64.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...util.limits import was_cut
from ..runtime import team as teams
from ..runtime.atomics import fetch_add, ld, ld_acquire, nanoseconds, st, st_release, stop_at
from ..runtime.launch import inline, kernel, read_only, workers_for
from ..runtime.nouns import Rows
from .state import (
    ALL_HUBS,
    ALONE,
    HUBS,
    NEAR,
    PULL,
    PULLED,
    PUSH,
    STATE,
    Chooser,
    Level,
    decide,
    first_level,
    hubs_among,
    hubs_in_bitmap,
    hubs_in_queue,
    next_level,
    tell_constants,
)
from .steps import (
    BUFFER,
    UNLIMITED,
    Bitmaps,
    Tree,
    arcs_out,
    begin,
    pull,
    push,
    pushers,
    to_bitmap,
    to_queue,
)

#: What a row of the trace holds.
COLUMNS = (
    *("direction", "frontier_vertices", "frontier_edges", "unvisited"),
    *("deciding_nanoseconds", "nanoseconds"),
)
TRACED, STATE_SIZE = len(COLUMNS), len(STATE)
ALONE_UP_TO_ARCS = 256  # arcs out of a frontier up to which one worker goes on alone
#: Vertices up to which it also begins alone: others come 20 to 90 microseconds later.
BEGUN_ALONE_UP_TO_VERTICES = 1 << 16
PULL_ARCS_PER_PUSH_ARC = 2  # how many times the arcs of a push a bounded pull may look at
RETRY_FACTOR = 4  # how many times the arcs of a pull that was given up the next one must have
SERIAL_UP_TO_VERTICES = 1 << 14  # pulls look at little more than each vertex once
#: What a worker that goes on alone is handed, and hands back.
LO, HI, CERTAIN, DECIDING, LEVEL = 0, 1, 2, 3, 4
HANDED = LEVEL + len(Level._fields)


class Query(NamedTuple):
    """What is searched for; a cutoff or target of -1 means none."""

    sources: np.ndarray
    cutoff: int
    target: int
    directed: float  # 1.0 or 0.0, for the policy
    traced: bool


@inline
def is_over(query, levels, level):
    """Whether the search need not go on: nobody is left, or the cutoff or the target is reached.

    A faster worker may have found the target in the next level already; that must not count, or the
    team would part.
    """
    if level.vertices == 0 or level.depth == query.cutoff:
        return True
    return query.target >= 0 and 0 <= ld_acquire(levels, query.target) <= level.depth


@inline
def nothing_left(level, directed):
    """Whether a level finds nobody: all are visited or, undirected, no arc leads from the others."""
    return level.unvisited == 0 or (level.unseen == 0 and directed == 0.0)


@inline
def hand(handed, at, lo, hi, certain, deciding, level):
    """Write down where a search is, from place ``at`` on."""
    handed[at + LO] = lo
    handed[at + HI] = hi
    handed[at + CERTAIN] = certain
    handed[at + DECIDING] = deciding
    for k in range(len(level)):
        handed[at + LEVEL + k] = level[k]


@inline
def handed_level(handed, at):
    """The level that ``hand`` wrote down from place ``at`` on."""
    k = at + LEVEL
    a, b, c, d = handed[k], handed[k + 1], handed[k + 2], handed[k + 3]
    e, f, g, h = handed[k + 4], handed[k + 5], handed[k + 6], handed[k + 7]
    return Level(a, b, c, d, e, f, g, h)


@inline
def counted_together(team, phase, count):
    """The sum of what all workers have counted in a phase of its own."""
    control = team.control
    teams.next_phase(control, team.me, phase)
    fetch_add(control, teams.cell(teams.SUM, phase), count)
    teams.meet(team)
    return ld_acquire(control, teams.cell(teams.SUM, phase))


@kernel
def alone(team, rows, query, chooser, tree, state, handed, at, log):
    """Push levels of few arcs by one worker while others wait, until one is not, or the log is full."""
    control = team.control
    indptr, indices = rows
    parents, levels, queue = tree
    lo, hi, certain = handed[at + LO], handed[at + HI], handed[at + CERTAIN]
    deciding = handed[at + DECIDING]  # nanoseconds
    level = handed_level(handed, at)
    while True:
        tail = hi
        arcs = np.int64(0)
        depth = level.depth + 1
        for i in range(lo, hi):
            u = ld(queue, i)
            for k in range(ld(indptr, u), ld(indptr, u + 1)):
                v = ld(indices, k)
                mark = ld(parents, v)
                if mark < 0:
                    st(parents, v, u)
                    st(levels, v, depth)
                    arcs -= mark + 1
                    st(queue, tail, v)
                    tail += 1
        teams.record(log, (np.int64(PUSH), level.vertices, level.edges, level.unvisited, deciding))
        deciding = np.int64(0)
        lo, hi = hi, tail
        level = next_level(level, hi - lo, arcs)
        if level.edges > ALONE_UP_TO_ARCS or is_over(query, levels, level):
            break
        if nothing_left(level, query.directed):
            break
        if teams.is_full(log) or stop_at(control, depth):
            break
        if level.edges > certain:
            begin_deciding = nanoseconds(log.clock)
            if chooser.hub >= 0:
                st(state, HUBS, hubs_in_queue(queue, lo, hi, indptr, chooser.hub))
            if decide(chooser, state, level, np.int64(PUSH)) != PUSH:
                break  # the team asks again
            deciding = nanoseconds(log.clock) - begin_deciding
    st_release(control, teams.TAIL, hi)
    hand(handed, at, lo, hi, certain, deciding, level)


@kernel
def walk(team, rows, back, near, query, chooser, tree, bitmaps, handed):
    """What each worker does; worker 0 keeps the trace and returns it."""
    control, me, workers = team
    indptr, indices = rows
    parents, levels, queue = tree
    words = bitmaps.front.size
    certain = np.int64(chooser.certain)
    state = np.zeros(STATE_SIZE, np.float64)
    buffer = np.empty(BUFFER, queue.dtype)
    edges = arcs_out(indptr, query.sources)
    together = parents.size > BEGUN_ALONE_UP_TO_VERTICES or query.target >= 0 or chooser.hub >= 0
    together = together or edges > min(certain, np.int64(ALONE_UP_TO_ARCS))
    begun = begin(team, indptr, query.sources, tree, together)
    log = teams.new_log(team, query.traced and me == 0, TRACED)
    if not begun:
        return teams.rows_of(log)
    lo, hi = np.int64(0), np.int64(query.sources.size)
    level = first_level(indptr.size - 1, indices.size, hi, edges)
    kept = np.int64(0)  # vertices and arcs that a pull found before it was given up
    kept_arcs = np.int64(0)
    direction = np.int64(PUSH)
    pushing = np.int64(0)  # workers; not known yet
    phase = np.int64(0)
    at = np.int64(0)  # two places alternate: a slow worker may still read the one before
    tell_constants(state, rows, chooser, workers, query.directed)
    st(state, NEAR, near.size > 0)
    deciding = np.int64(0)
    if chooser.hub >= 0:
        first, end = teams.part(team, indptr.size - 1)
        hubs = hubs_among(first, end, indptr, chooser.hub)
        st(state, ALL_HUBS, counted_together(team, phase, hubs))
        phase += 1
        deciding = nanoseconds(log.clock) - log.clock[teams.LAST_TIME]
    while not is_over(query, levels, level):
        over = nothing_left(level, query.directed)
        last = direction
        if level.edges <= certain:
            direction = np.int64(PUSH)
        else:
            begin_deciding = nanoseconds(log.clock)
            if pushing == 0 and not over:
                pushing = pushers(team, parents.size, log.clock)
                st(state, ALONE, pushing < workers)
            if chooser.hub >= 0:
                if direction == PUSH:
                    first, end = teams.part(team, hi - lo)
                    hubs = hubs_in_queue(queue, lo + first, lo + end, indptr, chooser.hub)
                else:
                    first, end = teams.part(team, words)
                    hubs = hubs_in_bitmap(bitmaps.front, first, end, indptr, chooser.hub)
                st(state, HUBS, counted_together(team, phase, hubs))
                phase += 1
            direction = decide(chooser, state, level, last)
            deciding += nanoseconds(log.clock) - begin_deciding
        if over:  # what was chosen is told, as where the level is walked
            row = (direction, level.vertices, level.edges, level.unvisited, deciding)
            log = teams.recorded(log, row)
            break
        if direction == PUSH and last == PUSH and level.edges <= ALONE_UP_TO_ARCS and kept == 0:
            at = HANDED - at
            if me == 0:
                hand(handed, at, lo, hi, certain, deciding, level)
                if teams.is_full(log):
                    log = teams.larger(log)
                alone(team, rows, query, chooser, tree, state, handed, at, log)
            if not teams.meet(team):
                break
            lo, hi = handed[at + LO], handed[at + HI]
            level = handed_level(handed, at)
            deciding = np.int64(0)
            continue
        depth = level.depth + 1
        if direction == PULL and last == PUSH:
            if not to_bitmap(team, queue, lo, hi, levels, level.depth, bitmaps.front):
                break
        elif direction == PUSH and last == PULL:
            lo = ld_acquire(control, teams.TAIL)
            if not teams.meet(team):
                break
            if not to_queue(team, bitmaps.front, words, queue, buffer):
                break
            hi = lo + level.vertices
        teams.next_phase(control, me, phase)
        if direction == PUSH:
            if pushing == 0:
                pushing = pushers(team, parents.size, log.clock)
            claimants = teams.Team(control, me, pushing)
            push(claimants, phase, rows, tree, buffer, (lo, hi), level.edges, depth)
        else:
            st(state, PULLED, ld(state, PULLED) + 1)
            limit = np.int64(UNLIMITED)
            if chooser.bounded:
                limit = PULL_ARCS_PER_PUSH_ARC * (level.edges + level.unvisited) // workers
            pull(team, phase, back, near, tree, bitmaps, depth, limit)
        if not teams.meet(team):
            break
        found, arcs = teams.sums(control, phase)
        if direction == PULL and teams.is_given_up(control, phase):
            done = min(ld_acquire(control, teams.cell(teams.TICKET, phase)), words)
            if last == PULL:
                lo = ld_acquire(control, teams.TAIL)
                hi = lo + level.vertices
            if not teams.meet(team):  # all have read the tail
                break
            if last == PULL and not to_queue(team, bitmaps.front, words, queue, buffer):
                break
            if not to_queue(team, bitmaps.after, done, queue, buffer):
                break
            kept, kept_arcs = found, arcs  # they lie behind the frontier, which is pushed now
            certain = max(certain, RETRY_FACTOR * level.edges)
            direction = np.int64(PUSH)
            phase += 1
            continue
        found += kept
        arcs += kept_arcs
        kept, kept_arcs = np.int64(0), np.int64(0)
        row = (direction, level.vertices, level.edges, level.unvisited, deciding)
        log = teams.recorded(log, row)
        deciding = np.int64(0)
        if direction == PUSH:
            lo, hi = hi, hi + found
        else:
            bitmaps = Bitmaps(bitmaps.after, bitmaps.front)
        level = next_level(level, found, arcs)
        phase += 1
    if not teams.meet(team):  # others may still claim vertices, each once
        return teams.rows_of(log)
    first, end = teams.part(team, parents.size)
    for v in range(first, end):
        if ld(parents, v) < 0:
            st(parents, v, -1)
    teams.finish(team)
    return teams.rows_of(log)


def search_workers(n: int, arcs: int) -> tuple[int, bool]:
    """How many workers search a graph, and whether that is brief (see ``workers_for``)."""
    workers, brief = workers_for("bfs", n + arcs)
    return 1 if n <= SERIAL_UP_TO_VERTICES else workers, brief


def new_tree(n: int, ids: np.dtype) -> Tree:
    """Arrays for the tree of a search."""
    return Tree(np.empty(n, ids), np.empty(n, np.int32), np.empty(n, ids))


def new_bitmaps(n: int) -> Bitmaps:
    """Empty frontiers of n vertices."""
    words = (n + 63) >> 6
    return Bitmaps(np.zeros(words, np.uint64), np.zeros(words, np.uint64))


def mend(tree: Tree, sources: np.ndarray) -> None:
    """Make the tree of a search that was stopped sound: levels and parents where both were found."""
    parents, levels, _ = tree
    parents[sources], levels[sources] = sources, 0
    missing = np.minimum(parents, levels) < 0
    np.copyto(parents, -1, where=missing)
    np.copyto(levels, -1, where=missing)


def traverse(
    rows: Rows,
    back: Rows,
    sources: np.ndarray,
    chooser: Chooser,
    *,
    directed: bool = False,
    cutoff: int = -1,
    target: int = -1,
    traced: bool = True,
    hubs: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Levels, parents, trace and number of workers of a search along arcs from distinct ``sources``.

    ``back`` has the rows of the transpose (the same arrays if undirected); a cutoff or target of -1
    means none. ``hubs`` make pulls faster, if there are any (``hubs_of``). A bounded policy loses
    little by wrong choices: a pull that looks at many more arcs than a push would is given up and the
    rest is pushed, and the next one must be worth more. A deadline ends the search: then only the last
    level that was found may miss vertices. Levels do not depend on the number of threads; a parent is
    any neighbour one level up. The trace has the columns ``COLUMNS`` and a row for each level.
    """
    n = rows.indptr.size - 1
    workers, brief = search_workers(n, rows.indices.size)
    query = Query(sources, cutoff, target, float(directed), traced)
    chooser = chooser._replace(parameters=read_only(chooser.parameters))
    tree = new_tree(n, rows.indices.dtype)
    handed = np.zeros(2 * HANDED, np.int64)
    near = np.empty(0, rows.indices.dtype) if hubs is None else hubs
    shared = (rows, back, near, query, chooser, tree, new_bitmaps(n), handed)
    logs = teams.run_team(walk, workers, *shared, brief=brief, partial=True)
    if was_cut():
        mend(tree, sources)
    return tree.levels, tree.parents, logs[0], workers
