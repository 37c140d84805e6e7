"""Rules that choose the direction of a breadth-first search, and the compiled door to them.

Each is a function of the state before a level (``State``) and gives PUSH or PULL; the constants are
those of its source. They are compiled into functions that the search's loop calls by their address
(``built_in``): one for all rules, whose first parameter says which is meant, one for the network, one
for the cost model. Numba renews its caches when this file changes, and a change of ``State`` is also a
change of ``as_state`` here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Protocol, cast

import numba
import numpy as np
from numba import types

from ...kernels.bfs.state import PULL, PUSH
from ...kernels.runtime.launch import inline, kernel
from ...util.errors import InputError
from ...util.text import did_you_mean
from .state import State

__all__ = ["COST_NAMES", "RULES", "SCRIPT", "Compiled", "built_in", "compiled", "expected_times"]
__all__ += ["raw_features", "surf_features", "times_missed"]


class Compiled(Protocol):
    """A function that Numba has compiled for C: of pointers to state and parameters."""

    @property
    def address(self) -> int: ...


@inline
def push(s):
    """Always push."""
    return PUSH


@inline
def pull(s):
    """Always pull."""
    return PULL


@inline
def hbfs(s):
    """Beamer and others, as algorithm 4 of the SURF paper has it."""
    if s.previous == PUSH:
        return PUSH if s.m_f <= s.m_u / 14 else PULL
    return PUSH if s.n_f < s.n / 24 else PULL


@inline
def gunrock(s):
    """Algorithm 5 of the SURF paper; looks at vertices only."""
    predicted_push = s.n_f * s.arcs / s.n
    predicted_pull = s.n_u * s.n / (s.n - s.n_u)
    threshold = 0.001 if s.previous == PUSH else 0.2
    return PUSH if predicted_push <= predicted_pull * threshold else PULL


@inline
def enterprise(s):
    """Algorithm 6 of the SURF paper: pulls while the frontier has 30 % of all hubs."""
    return PUSH if s.hubs_f <= s.hubs * 0.3 else PULL


@inline
def gapbs(s):
    """Pulls until the frontier shrinks below n / 18."""
    if s.previous == PUSH:
        return PULL if s.m_f > s.m_u / 15 else PUSH
    return PUSH if s.n_f < s.before and s.n_f <= s.n / 18 else PULL


@inline
def lagraph(s):
    """Pulls a growing frontier; the second time by its vertices; never when little is left."""
    if s.previous == PULL:
        return PUSH if s.n_f < s.before and s.n_f <= s.n / 512 else PULL
    if s.n_f <= s.before or s.m_u + s.m_f < s.n:
        return PUSH
    if s.pulled > 0:
        return PULL if s.n_f > s.n / 8 else PUSH
    return PULL if s.m_f > s.m_u / 8 else PUSH


@inline
def cugraph(s):
    """The first threshold is the mean degree."""
    if s.previous == PUSH:
        return PULL if s.n_f > s.before and s.m_f * (s.arcs / s.n) > s.m_u else PUSH
    return PUSH if s.n_f < s.before and s.n_f * 24 < s.n else PULL


RULES = ("push", "pull", "hbfs", "gunrock", "enterprise", "gapbs", "lagraph", "cugraph")
SCRIPT = len(RULES)
MOST_FAR = 1.5  # how much "far" parameters count, on the largest graphs
SIGNATURE = types.int64(types.CPointer(types.float64), types.CPointer(types.float64))


@inline
def script(s, p):
    """Repeat p[1] directions, which follow; push after them."""
    return int(p[2 + int(s.depth)]) if s.depth < p[1] else PUSH


@inline
def surf_output(s, p):
    """What a network of SURF's kind gives: six features, one hidden layer; positive means pull.

    If p[0] is 1, it is the paper's: raw features, sigmoids. If it is 0, ours: features that do not
    depend on sizes, and rectified units. p[1] is the size of the hidden layer; then come six
    weights and a bias for each hidden unit, the weights of the output, and its bias.
    """
    hidden = int(p[1])
    as_published = p[0] == 1.0
    features = raw_features(s) if as_published else surf_features(s)
    at = 2
    total = p[2 + 8 * hidden]
    for h in range(hidden):
        unit = p[at + 6]
        for k in range(6):
            unit += p[at + k] * features[k]
        at += 7
        active = 1.0 / (1.0 + math.exp(-unit)) if as_published else max(unit, 0.0)
        total += p[2 + 7 * hidden + h] * active
    return total


@inline
def raw_features(s):
    """m_d, p_h, s_f, c_f, r_f, r_u as the paper has them; s_f and c_f are shares of the vertices."""
    return (s.arcs / s.n, s.p_h, s.s_f / s.n, s.c_f / s.n, s.n_f / s.n, s.n_u / s.n)


@inline
def surf_features(s):
    """m_d, p_h, s_f, c_f, r_f, r_u, in logarithms or as shares, so that sizes do not matter."""
    return (
        math.log(s.arcs / s.n + 0.01),
        s.p_h,
        math.asinh(1000.0 * s.s_f / s.n),
        math.asinh(1000.0 * s.c_f / s.n),
        math.log(s.n_f / s.n),
        math.log((s.n_u + 1.0) / s.n),
    )


@inline
def meeting(n_f, m_f, n_u, m_u, directed, share, p):
    """How many of ``n_u`` vertices with ``m_u`` arcs a frontier finds; how likely an arc meets it.

    Arcs that lead onward (an undirected frontier has one for each vertex that leads back) and arcs of
    unvisited vertices meet at random.
    """
    onward = share * p[2] * (m_f if directed > 0.0 else max(m_f - n_f, 0.0))
    chance = min(max(onward / (onward + m_u + 1e-9), 1e-9), 1.0)
    return n_u * (1.0 - math.exp(-p[3] * chance * m_u / max(n_u, 1.0))), chance


@inline
def costs(s, p):
    """Nanoseconds that a push and a pull of this level should take, the change of form included.

    A push costs its arcs and what it finds, a pull the vertices and the arcs that are looked at. Where
    the level before, or all of them, have found fewer than expected (neighbours share neighbours), this
    one does, too. Large graphs cost more for each arc, because it misses the caches. Names of p are
    in ``COST_NAMES``.
    """
    far = min(max((math.log2(s.n) - p[1]) / 4.0, 0.0), MOST_FAR)
    expected, _ = meeting(s.before, s.m_before, s.n_u + s.n_f, s.m_u + s.m_f, s.directed, 1.0, p)
    fewer = min(max((s.n_f + 1.0) / (expected + 1.0), 0.02), 1.0) ** p[18]
    walked = max(s.arcs - s.m_u - s.m_f, 0.0)
    expected = s.arcs * (1.0 - math.exp(-walked / s.n))
    fewer *= min(max((s.arcs - s.m_u + 1.0) / (expected + 1.0), 0.02), 1.0) ** p[19]
    found, chance = meeting(s.n_f, s.m_f, s.n_u, s.m_u, s.directed, fewer, p)
    looked_at = min(s.m_u, found / chance)
    team = 200.0 + p[4] * (s.threads - 1.0)
    push = p[5] * s.n_f + (p[6] * s.m_f + p[7] * found) * (1.0 + p[8] * far)
    if s.near > 0.0:
        pull = p[20] * s.n_u + p[21] * looked_at * (1.0 + p[12] * far)
    else:
        pull = p[10] * s.n_u + p[11] * looked_at * (1.0 + p[12] * far)
    pull += p[9] * s.n + p[13] * found
    pushers = 1.0 if s.alone > 0.0 else s.threads
    push /= pushers
    if s.previous == PUSH:
        pull += p[14] * s.n_f + p[15] * s.n
    else:
        push += (p[16] * s.n_f + p[17] * s.n) / s.threads
    return team + push, team + pull / s.threads


@inline
def surely_push(s, p):
    """Whether bounds say already that ``costs`` prefers a push; they take a tenth of its time.

    After a push: an arc finds at most what it would find among unvisited vertices only, and misses the
    caches as on the largest graphs; a pull finds nothing, and looks at no arc.
    """
    arc = (p[6] + p[7] * p[2] * p[3]) * (1.0 + p[8] * MOST_FAR)
    most = (p[5] * s.n_f + arc * s.m_f) * (s.threads if s.alone > 0.0 else 1.0)
    least = (p[20] if s.near > 0.0 else p[10]) * s.n_u + (p[9] + p[15]) * s.n + p[14] * s.n_f
    return s.previous == PUSH and most < least


@inline
def cheaper(s, p):
    """The direction that takes less time by ``costs``."""
    if surely_push(s, p):
        return PUSH
    ahead, back = costs(s, p)
    return PULL if back < ahead else PUSH


# parameters of ``costs`` after the first; costs are in nanoseconds of one thread
COST_NAMES = (
    "log2 of n where arcs begin to be far", "arcs that lead onward", "how often arcs meet",
    "team", "push vertex", "push arc", "push found", "push far", "pull vertex", "pull unvisited",
    "pull arc", "pull far", "pull found", "bitmap vertex", "bitmap n", "queue vertex", "queue n",
    "trust in what the level before found", "trust in what was found so far",
    "pull unvisited, near", "pull arc, near",
)  # fmt: skip


@kernel
def costs_of(state, parameters):
    """``costs`` for Python, which cannot call a helper that is only ever inlined."""
    return costs(state, parameters)


@kernel
def surf_output_of(state, parameters):
    """``surf_output`` for Python."""
    return surf_output(state, parameters)


@inline
def rule(s, p):
    """The direction by the rule that p[0] names, or by a script."""
    which = int(p[0])
    if which == 0:
        return push(s)
    if which == 1:
        return pull(s)
    if which == 2:
        return hbfs(s)
    if which == 3:
        return gunrock(s)
    if which == 4:
        return enterprise(s)
    if which == 5:
        return gapbs(s)
    if which == 6:
        return lagraph(s)
    if which == 7:
        return cugraph(s)
    return script(s, p)


def as_state(v):
    """The state in an array of float64."""
    return State(
        v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13],
        v[14], v[15], v[16], v[17], v[18], v[19],
    )  # fmt: skip


read_state = inline(as_state)


@kernel
def expected_times(states, push, pull, at, graphs, p, width):
    """Time of each graph if a level is pulled with a probability that grows with the advantage."""
    total = np.zeros(graphs)
    for i in range(states.shape[0]):
        ahead, back = costs(read_state(states[i]), p)
        chance = 1.0 / (1.0 + (back / ahead) ** (1.0 / width))
        total[at[i]] += push[i] * (1.0 - chance) + pull[i] * chance
    return total


@kernel
def times_missed(states, push, pull, at, graphs, p):
    """Of each graph, the mean square of the logarithms of predicted over measured times."""
    total, count = np.zeros(graphs), np.zeros(graphs)
    for i in range(states.shape[0]):
        ahead, back = costs(read_state(states[i]), p)
        total[at[i]] += math.log(ahead / max(push[i], 1.0)) ** 2  # a clock may stand still
        total[at[i]] += math.log(back / max(pull[i], 1.0)) ** 2
        count[at[i]] += 2.0
    return total / np.maximum(count, 1.0)


def _rule(state, parameters):
    return rule(read_state(state), parameters)


def _surf(state, parameters):
    return PULL if surf_output(read_state(state), parameters) > 0.0 else PUSH


def _cost(state, parameters):
    return cheaper(read_state(state), parameters)


@lru_cache
def built_in(name: str) -> Compiled:
    """``"rule"``, ``"surf"`` or ``"cost"`` compiled for C: a function of state and parameters."""
    door = {"rule": _rule, "surf": _surf, "cost": _cost}[name]
    try:
        return cast(Compiled, numba.cfunc(SIGNATURE, cache=True, error_model="numpy")(door))
    except RuntimeError:  # there is no directory for the cache
        return cast(Compiled, numba.cfunc(SIGNATURE, error_model="numpy")(door))


@lru_cache(64)
def compiled(function: Callable[[State], object]) -> Compiled:
    """A user's function of the state, compiled for C; a true answer means pull."""
    name = getattr(function, "__name__", repr(function))
    try:
        inner = numba.njit(function, error_model="numpy")

        def door(state, parameters):
            return PULL if inner(read_state(state)) else PUSH

        made = cast(Compiled, numba.cfunc(SIGNATURE, error_model="numpy")(door))
        (signature,) = inner.nopython_signatures  # type: ignore[attr-defined]
        if numba.types.unliteral(signature.return_type) == numba.types.unicode_type:  # always true
            raise InputError(f"the policy {name} returns text: it is to return true to pull")
        return made
    except (numba.core.errors.NumbaError, TypeError) as error:  # or it is a class, or a built-in
        raise InputError(
            f"the policy {name} cannot be compiled by Numba; it takes the state of a level and "
            f"returns true to pull. {reason(str(error))}"
        ) from None


def reason(said: str) -> str:
    r"""Return why Numba cannot compile a policy, of all that it says.

    >>> reason("Failed in nopython mode\nUnknown attribute 'm_ff' of type State(float64 x 20)")
    "The state has no field 'm_ff'; did you mean m_f?"
    """
    unknown = re.search(r"Unknown attribute '(\w+)' of type State", said)
    if unknown:
        near = did_you_mean(unknown[1], State._fields)
        return (
            f"The state has no field {unknown[1]!r}{near or '; it has ' + ', '.join(State._fields)}"
        )
    lines = [line.strip(" >-") for line in said.splitlines()]
    # Numba begins with the pass that failed, and shows the source at the end
    besides = ("Failed in", "During:", "File", "There are", "def ")
    told = [x for x in lines if x and not x.startswith(besides)]
    return f"Numba says: {' '.join(told[:2]) or said}"
