"""Replays: a changed policy on recorded levels, checked by hand and by the live search."""

from __future__ import annotations

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions.direction.model import policy_named, the_model
from tachograph.decisions.direction.replay import Replay, changed, changed_network, knobs, recorded
from tachograph.decisions.direction.rules import COST_NAMES, surf_output_of
from tachograph.util.errors import InputError


@pytest.fixture(scope="module")
def levels():
    return recorded(tg.kronecker(10, rng=2), 5)


@pytest.mark.parametrize("name", ["surf", "surf-paper", "cost"])
def test_without_changes_it_is_the_learned_policy(levels, name):
    usual, same = Replay(levels, policy_named(name)), Replay(levels, changed(name, {}))
    assert np.array_equal(usual.chosen, same.chosen)
    given = {k.name: k.value for k in knobs(name, None if name == "cost" else 0)}
    if name == "cost":
        given = dict.fromkeys(given, 1.0)
    assert np.allclose(changed(name, given).parameters, usual.policy.parameters)


@pytest.mark.parametrize("name", ["surf", "surf-paper"])
def test_the_layers_add_up_to_the_output(levels, name):
    replay = Replay(levels, policy_named(name))
    net = the_model().surf if name == "surf" else the_model().surf_paper
    for features, said in zip(replay.features(), replay.says(), strict=True):
        total = net.hidden(features, name == "surf-paper") @ net.output + net.output_bias[0]
        assert total == pytest.approx(said)


def test_states_know_what_was_chosen_before(levels):
    replay = Replay(levels, policy_named("pull"))
    assert [s.pulled for s in replay.states()] == list(range(len(levels)))
    assert [s.previous for s in replay.states()] == [0.0] + [1.0] * (len(levels) - 1)


def test_a_threshold_moves_the_output(levels):
    policy, state = (
        changed("surf", {"threshold": 2.5}),
        Replay(levels, policy_named("surf")).states()[1],
    )
    usual = surf_output_of(state, policy_named("surf").parameters)
    assert surf_output_of(state, policy.parameters) == pytest.approx(usual - 2.5)


def test_a_changed_policy_can_be_run():
    g = tg.kronecker(9, rng=1)
    result = tg.bfs(g, 1, direction=changed("cost", {"push arc": 0.0, "pull vertex": 8.0}))
    assert np.array_equal(result.levels, tg.bfs(g, 1).levels)


def test_one_weight_and_a_factor():
    net = changed_network("surf", {"r_f": 2.0, "3.r_f": 0.5})
    usual = the_model().surf
    assert net.weights[3, 4] == 1.0  # the weight is set, then multiplied
    assert np.allclose(np.delete(net.weights[:, 4], 3), 2 * np.delete(usual.weights[:, 4], 3))
    assert np.array_equal(net.weights[:, :4], usual.weights[:, :4])


@pytest.mark.parametrize(
    ("name", "changes"),
    [("push", {}), ("surf", {"x": 1.0}), ("surf", {"-1.r_f": 1.0}), ("surf", {"1000.bias": 1.0}),
     ("surf", {"threshold": float("nan")}), ("cost", {"r_f": 1.0}), ("cost", {COST_NAMES[0]: -1.0})],
)  # fmt: skip
def test_what_cannot_be_changed(name, changes):
    with pytest.raises(InputError):
        changed(name, changes)
