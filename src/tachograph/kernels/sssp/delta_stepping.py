"""Shortest paths by delta-stepping: chooses the kernel and the width of its buckets, and runs it.

Graphs with few arcs per vertex and no hubs (roads) go to ``delta_owned`` if most arcs stay with one
worker, as does everything small enough for one worker; others to ``delta_shared``. Integer distances
are computed as int32 and, if they turn out too large for that, again as float64, which is exact up to
2**53. A team that finds too little to do in each round is replaced by one worker.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...util.limits import was_cut
from ..runtime.atomics import ld, st, stopped
from ..runtime.launch import BRIEF_BELOW, kernel, over_parts, threads_available
from ..runtime.nouns import Rows, WeightedRows
from ..runtime.team import new_board, run_team, were_far_apart
from . import delta_owned, delta_shared
from .buckets import MOST_LISTS, Scale
from .certificate import Allowance, Proof
from .problem import TOO_FAR, TOO_NARROW, UNLIMITED, Limits, Problem, one_is_enough
from .shared_steps import Front, Pull

ROAD_MEAN_DEGREE, ROAD_LARGEST_DEGREE = 8, 64  # up to which vertices are owned
OWNED_BLOCK_BITS = 14  # vertices in a block of one owner, as a power of two
#: The part of a sample of arcs that leads to another owner, from which on messages cost more than they
#: save, unless the graph is nearly a tree, where a vertex hardly gets two.
SCATTERED_FROM, TREE_MEAN_DEGREE = 0.25, 3
SAMPLED_ROWS = 256
OWNED_DELTA = 6400  # delta of owned vertices in mean weights, times the root of n
#: With an error budget, a search can end when a bucket is empty: narrower ones let it end earlier, but
#: in graphs of a higher mean degree they hold too little, and without hubs most is found at once. A hub
#: has so many times the mean degree.
FINER_FOR_BUDGETS, FINER_UP_TO_DEGREE, HUB_FROM_MEANS = 2, 64, 8
FINEST_BUCKETS = 1 << 15  # in the mean weight, at most: the far list is sorted again and again
MESSAGES = 1 << 19  # places for messages in one round, over all pairs of workers
TRIGGER_PART = 256  # a bucket with this part of all arcs sets the limit for the pull
PULL_REACH = 7  # from there to the limit, in units of 2 * mean weight / mean degree
#: A search that has come so many times as far before it meets such a bucket (in a mesh) is not near its
#: end at the limit: nothing is pulled.
SLOW_FROM_REACHES = 2


NOTHING_ALLOWED = Allowance()


class Choice(NamedTuple):
    """How a graph is searched: by how many workers, and whether each vertex belongs to one of them."""

    workers: int
    owned: bool


class Facts(NamedTuple):
    """What is known of a graph's weights and degrees."""

    mean_weight: float
    heaviest: float
    largest_degree: int


class Found(NamedTuple):
    """Distances (float64), the trace (``problem.COLUMNS``), workers, and what is proved of errors."""

    distances: np.ndarray
    trace: np.ndarray
    workers: int
    proof: Proof


def choose(rows: Rows, largest_degree: int, threads: int) -> Choice:
    """The kernel that searches a graph on so many threads, and its workers."""
    n, arcs = rows.indptr.size - 1, rows.indices.size
    workers = 1 if one_is_enough(n, arcs) else threads
    road = arcs <= ROAD_MEAN_DEGREE * n and largest_degree <= ROAD_LARGEST_DEGREE
    owners = 1 << (workers.bit_length() - 1)
    tree = arcs <= TREE_MEAN_DEGREE * n
    owned = workers == 1 or (road and (tree or crossing(rows, owners) < SCATTERED_FROM))
    return Choice(owners if owned else workers, owned)


def crossing(rows: Rows, owners: int) -> float:
    """The part of the arcs that lead to another owner: of the first and the last in some rows."""
    indptr, indices = rows
    sample = np.arange(0, indptr.size - 1, max(1, (indptr.size - 1) // SAMPLED_ROWS))
    first, last = indptr[sample], indptr[sample + 1] - 1
    some = first <= last
    sample = sample[some]
    apart = [(sample ^ indices[k[some]]) >> OWNED_BLOCK_BITS for k in (first, last)]
    return float(np.mean((np.concatenate(apart) & (owners - 1)) != 0)) if sample.size else 0.0


def power_of_two(value: float, whole: bool) -> float:
    """The power of two at or below a positive number, for whole numbers at least 1."""
    if not value > 0:
        return 1 if whole else 1.0
    exponent = math.floor(math.log2(min(value, 2.0**1000)))
    return 2 ** max(exponent, 0) if whole else 2.0 ** max(min(exponent, 900), -900)


def scale_of(step: float, heaviest: float, narrow: bool) -> tuple[Scale, type]:
    """How distances are counted in buckets of ``step``, and their type."""
    # lists for a power of two of buckets, enough for the heaviest arc if that is within limits
    ring = 1 << max(1, math.ceil(math.log2(min(heaviest / step + 3, MOST_LISTS))))
    if narrow:
        infinity = 2**31 - 1
        shift = int(step).bit_length() - 1
        return Scale(shift, int(step), ring, infinity - int(heaviest) - 1, infinity), np.int32
    return Scale(1.0 / step, step, ring, math.inf, math.inf), np.float64


def shortest_distances(
    rows: WeightedRows,
    back: WeightedRows | None,
    sources: np.ndarray,
    facts: Facts,
    *,
    delta: float | None,
    traced: bool,
    limits: Limits,
    allowed: Allowance = NOTHING_ALLOWED,
    target: int = -1,
) -> Found:
    """Find distances from distinct ``sources``.

    ``back`` are the rows of the transpose: the same arrays if undirected, None if there are none;
    then nothing is pulled. Weights must not be negative. Distances do not depend on the number of
    threads, unless ``limits`` make them approximate or a deadline stops the search: then they are those
    of paths that were found. Rounds are counted after that of the sources or,
    if something is pulled, from the first with many arcs on. The mean relative error is what is
    ``allowed`` at most; that takes rows to pull along. If there is a ``target``, distances beyond its
    own may be too large.
    """
    n, arcs = rows.indptr.size - 1, rows.indices.size
    mean_weight = min(facts.mean_weight, facts.heaviest)  # a sum of floats may overflow
    facts = facts._replace(mean_weight=mean_weight)
    thin = arcs < delta_shared.FAR_UP_TO_DEGREE * n
    plain = limits._replace(seed=0) == Limits() and not allowed.error > 0
    threads = 1 if plain and thin and were_far_apart(n) else threads_available()
    narrow = rows.weights.dtype.kind == "i" and facts.heaviest < 2**30
    while True:
        workers, owned = choose(Rows(*rows[:2]), facts.largest_degree, threads)
        spread = _spread(n, arcs, workers, owned, limits)
        hubs = facts.largest_degree * n >= HUB_FROM_MEANS * arcs
        if allowed.error > 0 and hubs and arcs <= FINER_UP_TO_DEGREE * n:
            spread /= FINER_FOR_BUDGETS
        step = spread * mean_weight if delta is None else max(delta, mean_weight / FINEST_BUCKETS)
        # one bucket must not reach beyond what int32 distances may be
        step = power_of_two(min(step, 2**28) if narrow else step, narrow)
        scale, kind = scale_of(step, facts.heaviest, narrow)
        board = new_board(workers)
        dist: np.ndarray = np.empty(n, kind)
        given = rows, sources, dist, scale, facts.largest_degree, limits, board, traced, target
        problem = Problem(*given)
        proof = Proof()
        if owned:
            trace, outcome = _run_owned(problem, workers)
        else:
            trace, outcome, proof = _run_shared(problem, workers, back, mean_weight, allowed)
        if was_cut():  # maybe before the sources had their distance
            if outcome == TOO_NARROW:  # or any vertex: a team that is far apart writes nothing
                dist[:] = scale.infinity
            dist[sources] = 0
            break
        if outcome == TOO_FAR:
            narrow = False
        elif outcome == TOO_NARROW:
            threads = 1
        else:
            break
    if narrow:
        exact = np.empty(n)
        over_parts(widen, n, dist, exact, kind="copies")
        dist = exact
    return Found(dist, trace, workers, proof)


def _spread(n: int, arcs: int, workers: int, owned: bool, limits: Limits) -> float:
    """The width of buckets in mean weights.

    Owners meet after every bucket, which must hold enough for all; but where many arcs lead on from a
    vertex, most in a wide one are looked at several times. A limit of rounds was made for wide ones.
    """
    limited = limits.rounds < UNLIMITED
    if not owned or (workers == 1 and not limited):
        return 2 * n / max(arcs, 1)
    enough = OWNED_DELTA / math.sqrt(n)
    return enough if limited else min(enough, 2 * n / max(arcs - 2 * n, 1))


def _run_owned(problem: Problem, workers: int) -> tuple[np.ndarray, int]:
    n, arcs = problem.dist.size, problem.rows.indices.size
    largest = max(problem.largest_degree, 1)
    room = max(largest, min(arcs, MESSAGES // workers**2))
    boxes = 2 * workers * workers
    slots = boxes * room if workers > 1 else 0
    mail = delta_owned.Mail(
        OWNED_BLOCK_BITS,
        room,
        np.empty(slots, problem.rows.indices.dtype),
        np.empty(slots, problem.dist.dtype),
        np.zeros(boxes, np.int64),
    )
    problem = problem._replace(largest_degree=largest)
    brief = n + arcs < BRIEF_BELOW
    return tuple(run_team(delta_owned.walk, workers, problem, mail, brief=brief, partial=True)[0])


def _run_shared(
    problem: Problem,
    workers: int,
    back: WeightedRows | None,
    mean_weight: float,
    allowed: Allowance,
) -> tuple[np.ndarray, int, Proof]:
    n, arcs = problem.dist.size, problem.rows.indices.size
    width, delta = problem.scale.width, problem.scale.delta
    whole = problem.dist.dtype.kind == "i"
    reach = max(1, math.ceil(min(PULL_REACH * 2 * mean_weight * (n / arcs / delta), 2**40)))
    # rounds of what is approximate count from the limit on
    exact = problem.limits.rounds == UNLIMITED
    behind = Pull(
        problem.rows if back is None else back,
        back is None or back.indptr is problem.rows.indptr,
        0 if back is None else max(arcs // TRIGGER_PART, 1),
        reach,
        SLOW_FROM_REACHES * reach if exact else UNLIMITED,
        width + delta_shared.WIDER.bit_length() - 1 if whole else width / delta_shared.WIDER,
    )
    front = Front(np.empty(n, problem.rows.indices.dtype), np.empty(n, problem.dist.dtype))
    given, brief = (problem, front, behind, allowed), n + arcs < BRIEF_BELOW
    made = run_team(delta_shared.walk, workers, *given, brief=brief, partial=True)
    trace, outcome, proof = made[0]
    return trace, outcome, Proof(*proof)


@kernel
def widen(stop, lo, hi, distances, exact):
    """int32 distances as float64, the largest as infinity."""
    if stopped(stop):
        return
    for v in range(lo, hi):
        d = ld(distances, v)
        st(exact, v, np.inf if d == 2147483647 else np.float64(d))
