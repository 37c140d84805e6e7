"""Delta-stepping in which all workers lower all distances: for graphs with many arcs per vertex.

Method: U. Meyer, P. Sanders, "Delta-stepping", J. Algorithms 49 (2003), with buckets of each worker's
own and several rounds of a small bucket at once (Y. Zhang et al., "Optimizing ordered graph
algorithms with GraphIt", CGO 2020). Added here: one pull in the middle. When the arcs out of a bucket
are a good part of the graph, most of them lead to vertices that will be reached much better later. So
from then on an arc is left out if it ends beyond a limit; when everything below the limit is settled,
each other vertex looks at its in-arcs once and takes the best distance; the rest is pushed again, with
wider buckets. Where buckets grow slowly, as in a mesh, all of it is pushed.

Encoding: ``dist`` holds int32 or float64; ``infinity`` is its largest value. An int32 distance above
``ceiling`` = infinity - heaviest arc ends the run: the caller repeats it with float64. Each worker
writes what it did on the board; two rows of it for each worker alternate between rounds.

Bounds: the frontier is collected when no distance changes and only of valid entries, of which there
is one for each vertex: n slots are enough. Room for ``arcs_at_once`` entries is made before
``process``, which looks at no more arcs than that.
"""

from __future__ import annotations

import numpy as np

from ..runtime.atomics import fetch_add, ld, st, stopped
from ..runtime.launch import inline, kernel
from ..runtime.team import (
    FAR_UP_TO_ENTRIES,
    TICKET,
    cell,
    far_apart,
    finish,
    least,
    meet,
    next_phase,
    part,
    report,
    rows_of,
    sums,
    total,
)
from .buckets import BLOCK_ENTRIES, LATER, bucket_of, clear, lowest, size_of, sort_far, take
from .certificate import KEPT, NOT_TRIED, REPAIRED, Standing, certify, promising, proved
from .problem import (
    BOUNDED,
    CERTIFY,
    DONE,
    FIRST_REACHED,
    LOW,
    MISSED,
    PULL,
    PUSH,
    SCANNED,
    SETTLE,
    TOO_NARROW,
    UNLIMITED,
    WRONG,
    is_there,
    logged,
    new_trace,
    outcome_of,
    picky,
)
from .shared_steps import CHUNK_ENTRIES, Front, Turn, collect, new_desk, pull, relax

FUSED_ENTRIES = 1000  # of its own bucket, with which a worker goes on without meeting the others
FUSED_ARCS = 4096  # looked at by then, before it is known whether to pull
WIDER = 16  # factor of delta after the pull
FAR_UP_TO_DEGREE = 12  # above, workers are worth it though their cores are far apart


@inline
def push(team, problem, desk, turn, front, tail, own, fuse):
    """Relax the arcs out of a share of ``front[:tail]``, then out of what this worker has found in the
    current bucket, as long as that is little. Without ``fuse`` that ends after a few arcs.
    """
    control, kept = team.control, desk.kept
    while True:
        begin = fetch_add(control, cell(TICKET, turn.phase), CHUNK_ENTRIES)
        if begin >= tail or stopped(control):
            break
        relax(problem, desk, turn, front, begin, min(begin + CHUNK_ENTRIES, tail))
    at = turn.current & (problem.scale.ring - 1)
    while (fuse or ld(desk.notes, SCANNED) < FUSED_ARCS) and not stopped(control):
        size = size_of(kept, at)
        if size == 0 or size >= FUSED_ENTRIES:
            break
        got = np.int64(0)
        while got < size:
            got += take(kept, at, own.vertices, own.distances, got)
        relax(problem, desk, turn, own, np.int64(0), size)
    st(desk.notes, LOW, lowest(kept, turn.current))


@kernel
def walk(team, problem, front, behind, allowed):
    """What each worker does. Returns the trace (of worker 0), how it ended, and its proof (all).

    Of the pushing from the limit on, at most ``limits.rounds`` are done; a pull, if possible, is then
    the last thing, and looks at all distances. If an error is ``allowed``, the search ends as soon as a
    certificate says that no more than that is left; if it says otherwise, the search goes on from what
    it has found by then, and its distances are exact.
    """
    control, me, workers = team
    dist, sources, board = problem.dist, problem.sources, problem.board
    width, delta, ring, ceiling, infinity = problem.scale
    n = dist.size
    proof = (np.int64(NOT_TRIED), 0.0, 0.0)
    exact = problem.limits.rounds == UNLIMITED and not picky(problem.limits)
    thin = problem.rows.indices.size < FAR_UP_TO_DEGREE * n
    certain = exact and not allowed.error > 0
    if certain and thin and far_apart(team, n, FAR_UP_TO_ENTRIES, np.empty(2, np.int64)):
        finish(team)
        return rows_of(new_trace(team, False)), TOO_NARROW, proof
    first, last = part(team, n)
    for v in range(first, last):
        st(dist, v, infinity)
    if not meet(team):
        return rows_of(new_trace(team, False)), DONE, proof
    if me == 0:
        for i in range(sources.size):
            s = ld(sources, i)
            st(dist, s, 0)
            st(front.vertices, i, s)
            st(front.distances, i, 0)
    desk = new_desk(problem)
    ids, kind = front.vertices.dtype, dist.dtype
    own = Front(
        np.empty(FUSED_ENTRIES + BLOCK_ENTRIES, ids), np.empty(FUSED_ENTRIES + BLOCK_ENTRIES, kind)
    )
    log = new_trace(team, problem.traced)
    if not meet(team):
        return rows_of(log), DONE, proof
    hopeful = allowed.error > 0
    tail = sources.size
    unvisited = n - tail
    current = np.int64(0)
    emptied = np.int64(0)
    phase = np.int64(0)
    stage = PUSH if behind.trigger_arcs > 0 else SETTLE
    counted = np.int64(0)
    limit = infinity
    outcome = DONE
    taken = np.int64(0)
    while True:
        next_phase(control, me, phase)
        turn = Turn(phase, current, limit, width)
        push(team, problem, desk, turn, front, tail, own, stage != PUSH)
        if not report(team, board, phase, desk.notes):
            break
        nearest = least(board, phase, workers, LOW)
        log, popped, reached = logged(log, stage, team, board, phase, unvisited)
        unvisited -= reached
        taken += popped
        if is_there(problem, nearest, delta, limit):
            break
        counted += stage != PUSH and phase > 0
        ended = counted >= problem.limits.rounds
        known = limit
        if ended and stage != SETTLE and nearest != LATER:
            stage = BOUNDED
            limit = min(limit, nearest * delta)
            known = infinity
        if hopeful and stage == BOUNDED and current < nearest and nearest * delta < limit:
            here = nearest * delta
            reached = n - unvisited - sources.size
            standing = Standing(here, limit, reached)
            # two arcs from here must not end beyond the type (no question for floats: nan)
            fits = not here > 2 * ceiling - infinity
            if fits and promising(problem, behind, allowed, standing):
                phase += 1
                next_phase(control, me, phase)
                after = front.distances
                certify(team, problem, behind, allowed, standing, after, desk, phase)
                if not report(team, board, phase, desk.notes):
                    break
                log, _, new = logged(log, CERTIFY, team, board, phase, unvisited)
                unvisited -= new
                wrong = total(board, phase, workers, WRONG)
                lately = total(board, phase, workers, FIRST_REACHED)
                never = total(board, phase, workers, MISSED)
                doubt, lost = proved(allowed, reached + new, wrong, lately, never)
                for v in range(first, last):
                    st(dist, v, ld(after, v))
                if not meet(team):
                    break
                if allowed.share * doubt + lost <= allowed.error:
                    proof = (np.int64(KEPT), doubt, lost)
                    break
                proof = (np.int64(REPAIRED), doubt, lost)
                hopeful = False
                limit = here
                known = here
        if stage == BOUNDED and (nearest == LATER or nearest * delta >= limit):
            clear(desk.kept)
            phase += 1
            next_phase(control, me, phase)
            width = behind.width
            delta *= WIDER
            current = bucket_of(limit, width)
            pull(team, problem, behind, desk, Turn(phase, current, limit, width), known)
            if not report(team, board, phase, desk.notes):
                break
            nearest = least(board, phase, workers, LOW)
            log, _, reached = logged(log, PULL, team, board, phase, unvisited)
            unvisited -= reached
            stage = SETTLE
            limit = infinity
        if nearest == LATER or ended:
            break
        emptied += nearest > current
        current = nearest
        outcome = outcome_of(team, delta, ceiling, current, phase, taken)
        if outcome != DONE:
            break
        sort_far(desk.kept, current, dist, width)
        collect(team, problem, desk, front, current & (ring - 1), phase)
        if not meet(team):
            break
        tail, arcs = sums(control, phase)
        beyond = (current + behind.reach) * delta
        if stage == PUSH and arcs >= behind.trigger_arcs and beyond < infinity:
            if emptied > behind.most_before:
                stage = SETTLE
            else:
                limit = beyond
                stage = BOUNDED
        phase += 1
    finish(team)
    return rows_of(log), outcome, proof
