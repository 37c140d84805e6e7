"""Policies in OpenCL C choose what they choose in Python, for any state; what is not understood is said."""

from __future__ import annotations

import math
import warnings

import numba
import numpy as np
import pytest

from tachograph.decisions.direction.in_c import in_c
from tachograph.decisions.direction.model import policy_named
from tachograph.decisions.direction.rules import RULES
from tachograph.decisions.direction.state import State
from tests.devices.support import any_device, needs_pyopencl

SHARE = 0.25


@numba.njit
def helper(a, b):
    return max(a, b, 1.0) if a > b or not b > 3 else math.log(b) ** 2


def of_all_kinds(state):
    """Everything that is understood."""
    total = 0
    for k in range(int(state.depth) % 5):
        total += helper(state.n_f, k) // 2
        if k == 3 and state.previous != 1:
            total -= abs(state.s_f) / 7
    half = -total if state.n_f < state.before <= state.n else SHARE
    return half > state.n_u % 3 or state.pulled > 2


def with_text(state):
    return state.n > len("abc")


def one_of_two_numbers(state):
    return (state.n_f or state.n_u) > 3


def without_end(state):
    while state.n_f > 3:
        return 1
    return 0


EVERY = """
__kernel void ask(__global const double *states, __global const double *p, int n, __global int *out)
{
    double s[SEEN];
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        for (int k = 0; k < SEEN; k++) s[k] = states[SEEN * i + k];
        out[i] = choose(s, p);
    }
}
"""


@needs_pyopencl
@pytest.mark.parametrize("policy", [*RULES, "surf", "surf-paper", "cost", of_all_kinds])
def test_the_same_choice_on_a_device(policy):
    device, policy = any_device(), policy_named(policy)
    if not device.capabilities.double:
        pytest.skip("no double precision")
    rng = np.random.default_rng(1)
    states = np.floor(np.exp(rng.uniform(0, 14, (2000, len(State._fields)))))
    fields = {name: k for k, name in enumerate(State._fields)}
    states[:, [fields[k] for k in ("previous", "directed", "alone", "near")]] = rng.integers(
        0, 2, (2000, 4)
    )
    states[:, fields["p_h"]] = rng.uniform(0, 1, 2000)
    states[:, fields["depth"]] = rng.integers(0, 40, 2000)
    for name in ("n_f", "n_u"):
        states[:, fields[name]] = np.ceil(states[:, fields["n"]] * rng.uniform(0.001, 1, 2000))
    written = in_c(policy.function.__wrapped__)
    program = device.cl.Program(device.context, written + EVERY)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", device.cl.CompilerWarning)  # notes of drivers
        program.build(["-cl-std=CL1.2", f"-DSEEN={len(State._fields)}"])
    found = device.result(2000, np.int32)
    given = device.upload(states), device.upload(policy.parameters), np.int32(2000), found
    device.launch(program.ask, 64, *given)
    expected = [policy.choose(State(*row)) == "pull" for row in states]
    assert found.fetch()[:2000].tolist() == expected
    assert policy.name in ("push", "pull") or 0 < sum(expected) < 2000


@pytest.mark.parametrize(
    "function", [with_text, one_of_two_numbers, without_end, lambda s: s.n > 3]
)
def test_what_is_not_understood(function):
    """The host asks such a policy itself."""
    policy_named(function)  # which Numba can compile
    assert in_c(policy_named(function).function.__wrapped__) is None
