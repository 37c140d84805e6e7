"""Direction policies: what each decides, what model files are refused, what a wrong choice costs."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tachograph as tg
from tachograph.decisions import model_file
from tachograph.decisions.direction.model import (
    POLICIES,
    State,
    cost_policy,
    learned,
    policy_named,
    scripted,
    the_model,
)
from tachograph.decisions.direction.rules import costs_of
from tachograph.decisions.model_file import own_model, shipped_model
from tests.algorithms.test_bfs import one_worker_never

PUSH, PULL = "push", "pull"

# The rules again, as the SURF paper's algorithms 4 to 6 and the sources of the others state them.
EXPECTED = {
    "push": lambda s: False,
    "pull": lambda s: True,
    "hbfs": lambda s: s.m_f > s.m_u / 14 if s.previous == 0 else s.n_f >= s.n / 24,
    "gunrock": lambda s: (
        s.n_f * s.arcs / s.n > s.n_u * s.n / (s.n - s.n_u) * (0.001 if s.previous == 0 else 0.2)
    ),
    "enterprise": lambda s: s.hubs_f > 0.3 * s.hubs,
    "gapbs": lambda s: (
        s.m_f > s.m_u / 15 if s.previous == 0 else not (s.n_f < s.before and s.n_f <= s.n / 18)
    ),
    "lagraph": lambda s: (
        not (s.n_f < s.before and s.n_f <= s.n / 512)
        if s.previous
        else s.n_f > s.before
        and s.m_u + s.m_f >= s.n
        and (s.n_f > s.n / 8 if s.pulled else s.m_f > s.m_u / 8)
    ),
    "cugraph": lambda s: (
        s.n_f > s.before and s.m_f * (s.arcs / s.n) > s.m_u
        if s.previous == 0
        else not (s.n_f < s.before and s.n_f * 24 < s.n)
    ),
}


@st.composite
def states(draw):
    n = draw(st.integers(2, 10**6))
    n_f = draw(st.integers(1, n))
    n_u = draw(st.integers(0, n - n_f))
    degree = draw(st.integers(1, 50))
    before = draw(st.integers(0, n))
    slope = draw(st.integers(-n, n))
    hubs = draw(st.integers(0, n))
    return State(
        n=n, arcs=n * degree, n_f=n_f, m_f=draw(st.integers(0, n_f * degree)), n_u=n_u,
        m_u=draw(st.integers(0, n_u * degree)), s_f=n_f - before, c_f=n_f - before - slope,
        before=before, m_before=draw(st.integers(0, n * degree)),
        previous=draw(st.sampled_from([0.0, 1.0])), pulled=draw(st.integers(0, 3)), depth=3,
        hubs_f=draw(st.integers(0, hubs)), hubs=hubs, p_h=draw(st.floats(0, 1)),
        threads=draw(st.sampled_from([1.0, 2.0])), directed=draw(st.sampled_from([0.0, 1.0])),
    )  # fmt: skip


@given(state=states())
@settings(max_examples=300, deadline=None)
def test_rules_decide_as_their_sources_say(state):
    for name, expected in EXPECTED.items():
        assert policy_named(name).choose(state) == (PULL if expected(state) else PUSH), name


def network(model, s):
    """SURF's network in NumPy."""
    net = model.surf
    x = [
        math.log(s.arcs / s.n + 0.01), s.p_h, math.asinh(1000 * s.s_f / s.n),
        math.asinh(1000 * s.c_f / s.n), math.log(s.n_f / s.n), math.log((s.n_u + 1) / s.n),
    ]  # fmt: skip
    z = (np.array(x) - net.mean) / net.scale
    hidden = np.maximum(net.weights @ z + net.bias, 0)
    return float(hidden @ net.output + net.output_bias[0])


def published_network(model, s):
    """The network of the SURF paper in NumPy: six raw features, sigmoids."""
    net = model.surf_paper
    x = [s.arcs / s.n, s.p_h, s.s_f / s.n, s.c_f / s.n, s.n_f / s.n, s.n_u / s.n]
    z = (np.array(x) - net.mean) / net.scale
    hidden = (1 + np.tanh((net.weights @ z + net.bias) / 2)) / 2  # does not overflow
    return float(hidden @ net.output + net.output_bias[0])


@pytest.mark.parametrize(
    ("name", "forward"), [("surf", network), ("surf-paper", published_network)]
)
@given(state=states())
@settings(max_examples=200, deadline=None)
def test_the_networks_are_those_of_their_file(name, forward, state):
    model = the_model.read(shipped_model("direction"))
    value = forward(model, state)
    policy = learned(name, model)
    if abs(value) > 1e-9 * np.abs(policy.parameters).max():
        assert policy.choose(state) == (PULL if value > 0 else PUSH)
    assert policy.explain(state).startswith(policy.choose(state))


def test_the_papers_network_runs_as_published():
    assert not policy_named("surf-paper").guarded
    assert policy_named("surf-paper").certain(10**6) == -1  # it is asked about every level


@given(state=states())
@settings(max_examples=200, deadline=None)
def test_cost_takes_the_cheaper_and_says_so(state):
    policy = policy_named("cost")
    text = policy.explain(state)
    assert text.startswith(policy.choose(state))
    assert "µs" in text


@given(state=states(), factors=st.lists(st.floats(0, 30), min_size=21, max_size=21), near=st.booleans(), alone=st.booleans())  # fmt: skip
@settings(max_examples=500, deadline=None)
def test_what_bounds_decide_is_what_costs_decide(state, factors, near, alone):
    """States that are pushed by bounds alone are those that the predicted times say to push."""
    policy = policy_named("cost")
    state = state._replace(near=float(near), alone=float(alone))
    for coefficients in (policy.parameters[1:], policy.parameters[1:] * factors):
        either = cost_policy(coefficients)
        push, pull = costs_of(state, either.parameters)
        assert either.choose(state) == (PULL if pull < push else PUSH)


def test_obvious_states():
    few = State(n=10**6, arcs=2 * 10**7, n_f=3, m_f=60, n_u=10**6 - 4, m_u=2 * 10**7 - 100)
    most = State(n=10**6, arcs=2 * 10**7, n_f=4 * 10**5, m_f=10**7, n_u=5 * 10**5, m_u=9 * 10**6,
                 s_f=397_000, c_f=394_000, before=3000, m_before=10**5, p_h=0.3)  # fmt: skip
    for name in ("cost", "surf", "auto"):
        assert (policy_named(name).choose(few), policy_named(name).choose(most)) == (PUSH, PULL)


def test_a_script_is_followed_and_ends_in_pushes():
    g = tg.kronecker(9, rng=1)
    found = tg.bfs(g, 0, direction=scripted([1, 0, 1]), verify=True).trace["direction"].tolist()
    assert found[:3] == [PULL, PUSH, PULL]
    assert set(found[3:]) <= {PUSH}


@pytest.mark.parametrize("answer", [lambda s: "push", lambda s: "pull" if s.m_f > 3 else "push"])
def test_a_function_that_returns_text_is_refused(answer):
    """Every text is true, so "push" would pull."""
    with pytest.raises(tg.InputError, match="returns text"):
        tg.bfs(tg.path(4), 0, direction=answer)


def test_functions_of_the_state_are_policies():
    g = tg.kronecker(9, rng=1)
    never = tg.bfs(g, 0, direction=lambda s: False).trace["direction"]
    always = tg.bfs(g, 0, direction=lambda s: s.n_f > 0, verify=True).trace["direction"]
    assert (set(never), set(always)) == ({PUSH}, {PULL})
    with pytest.raises(
        tg.InputError, match="the policy <lambda> cannot be compiled.* 'open'.*"
    ) as error:
        tg.bfs(g, 0, direction=lambda s: open("x"))
    assert "direction=" not in str(error.value), "the source is not shown again"
    with pytest.raises(tg.InputError, match="'nonsense': it is one of auto, push"):
        tg.bfs(g, 0, direction="nonsense")


def test_the_oracle_times_both():
    g = tg.kronecker(10, rng=1)
    trace = tg.bfs(g, 0, direction="oracle", verify=True).trace
    faster = np.where(trace["pull_seconds"] < trace["push_seconds"], PULL, PUSH)
    assert (trace["direction"] == faster).all()
    assert np.isfinite(trace["pull_seconds"]).any()
    with pytest.raises(tg.InputError, match="no target"):
        tg.bfs(g, 0, direction="oracle", target=3)


# -- guards -----------------------------------------------------------------------------------


def clique_chain(cliques, size):
    """To a policy each clique looks like a random graph, but a pull finds nothing in it."""
    i, j = np.triu_indices(size, 1)
    source = np.concatenate([i + k * size for k in range(cliques)])
    target = np.concatenate([j + k * size for k in range(cliques)])
    ends = np.arange(cliques - 1) * size + size - 1
    return tg.Graph.from_edges(
        np.r_[source, ends], np.r_[target, ends + 1], n=cliques * size, directed=False
    )


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("script", [[], [1] * 60, [0, 1, 1, 0, 1] * 12])
def test_a_pull_that_is_given_up_gives_the_same_levels(monkeypatch, threads, script):
    one_worker_never(monkeypatch)
    g = clique_chain(12, 70)
    wanted = tg.bfs(g, 5, direction="push").levels
    policy = scripted(script)
    guarded = type(policy)("script", "", policy.function, policy.parameters, guarded=True)
    with tg.threads(threads):
        for direction in (guarded, "auto"):
            found = tg.bfs(g, 5, direction=direction, verify=True)
            assert (found.levels == wanted).all()
            assert found.trace["frontier_vertices"].sum() == g.n


def test_wrong_pulls_are_given_up_and_tried_less_and_less(monkeypatch):
    one_worker_never(monkeypatch)
    always = scripted([1] * 100)
    guarded = type(always)("script", "", always.function, always.parameters, guarded=True)
    with tg.threads(2):
        found = tg.bfs(clique_chain(30, 80), 5, direction=guarded).trace
    assert (found["direction"] == PUSH).mean() > 0.8


# -- model files ------------------------------------------------------------------------------


def altered(path, **changes):
    """The shipped model with some arrays replaced, or left out if they are None, well signed."""
    file = model_file.read(shipped_model("direction"), "direction")
    arrays = {k: v for k, v in {**file.arrays, **changes}.items() if v is not None}
    model_file.write(path, model_file.ModelFile("direction", file.state, arrays, file.card))


COST = the_model.read(shipped_model("direction")).cost
DAMAGE = {
    "nan": ({"cost": np.where(np.arange(COST.size) == 2, np.nan, COST)}, "not finite"),
    "short": ({"cost": COST[:-1]}, "should have the shape"),
    "shape": ({"surf.weights": np.ones((40, 5))}, "should have the shape"),
    "empty": ({"surf.bias": np.empty(0)}, "should have the shape"),
    "negative": ({"cost": np.where(np.arange(COST.size) == 2, -1.0, COST)}, "below 0"),
    "scale": ({"surf.scale": np.zeros(6)}, "below"),
    "missing": ({"surf.mean": None}, "is missing"),
    "one network": ({"surf_paper.output": None}, "is missing"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_models_with_wrong_numbers_are_refused(tmp_path, kind):
    changes, message = DAMAGE[kind]
    altered(tmp_path / "model.json", **changes)
    with pytest.raises(tg.FileFormatError, match=message):
        the_model.read(tmp_path / "model.json")


def test_a_damaged_own_model_warns_and_the_shipped_one_is_used():
    path = own_model("direction")
    path.parent.mkdir(parents=True)
    path.write_text("{")
    with pytest.warns(tg.TachographWarning, match="The model of the package is used"):
        found = tg.bfs(tg.kronecker(8, rng=1), 0)
    assert found.levels[0] == 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tg.bfs(tg.kronecker(8, rng=1), 0)  # warned once


def test_an_own_model_is_used():
    huge = np.where(np.isin(np.arange(COST.size), (8, 9, 10, 12)), 1e6 * COST, COST)
    altered(own_model("direction"), cost=huge)
    assert set(tg.bfs(tg.kronecker(10, rng=1), 0).trace["direction"]) == {PUSH}


def test_policies_are_read_from_the_cache_by_another_process():
    code = (
        "from tachograph.decisions.direction.rules import built_in; d = built_in('cost'); "
        "print(d.cache_hits)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        for _ in range(2)
    ]
    assert runs[1].stdout.strip() == "1"


def test_every_policy_has_a_name_and_a_reason():
    state = State(n=100, arcs=800, n_f=10, m_f=80, n_u=80, m_u=640)
    for name in POLICIES:
        assert policy_named(name).explain(state).split(":")[0] in (PUSH, PULL)
