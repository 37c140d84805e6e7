"""Replay a recorded search with a policy that was changed: which levels flip, and what it would cost.

A search is recorded once, with both directions of every level timed. Whatever a policy chooses, the
levels are the same, so adding up the recorded times tells what any choice would have taken. A replay
does not see that a guarded search gives up a pull which looks at far too many arcs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...util.errors import InputError
from .levels import Levels, Numbers, features_of, levels_of
from .model import LEARNED, Network, Policy, cost_policy, surf_policy, the_model
from .rules import COST_NAMES, costs_of, surf_output_of
from .state import State
from .train import measure

__all__ = ["FEATURES", "THRESHOLD", "Knob", "Replay", "changed", "knobs", "recorded"]

#: SURF's features in the order in which a network has them, and what they mean.
FEATURES = {
    "m_d": "mean degree",
    "p_h": "share of hubs in a sample",
    "s_f": "how the frontier's size has varied",
    "c_f": "how that variation has varied",
    "r_f": "share of vertices in the frontier",
    "r_u": "share of vertices not visited",
}
THRESHOLD = "threshold"
UNIT_PARTS = (*FEATURES, "bias", "output")  # the numbers of a hidden unit


class Knob(NamedTuple):
    """A number of a policy that can be changed; ``factor``: a change multiplies it."""

    name: str
    about: str
    value: float
    factor: bool


def recorded(graph: Graph, source: int) -> Levels:
    """Search from a vertex, and time both directions of every level.

    >>> import tachograph as tg
    >>> levels = recorded(tg.star(100), 0)
    >>> len(levels), levels.column("n_f").tolist()
    (2, [1.0, 99.0])
    """
    return levels_of([measure(graph, "", source)])


def knobs(policy: str, unit: int | None = None) -> list[Knob]:
    """Return what can be changed of a learned policy; of a network also the weights of one unit."""
    if policy == "cost":
        known = zip(COST_NAMES, the_model().cost.tolist(), strict=True)
        return [Knob(name, name, value, factor=True) for name, value in known]
    net = _network(policy)
    made = [Knob(THRESHOLD, "pull if the network gives more than this", 0.0, factor=False)]
    made += [Knob(k, f"weight of {k}: {about}", 1.0, factor=True) for k, about in FEATURES.items()]
    if unit is not None:
        _must_be_unit(unit, net)
        values = (*net.weights[unit], net.bias[unit], net.output[unit])
        for part, value in zip(UNIT_PARTS, values, strict=True):
            about = (
                f"unit {unit}: {part}" if part in ("bias", "output") else f"unit {unit} of {part}"
            )
            made.append(Knob(f"{unit}.{part}", about, float(value), factor=False))
    return made


def changed(policy: str, changes: Mapping[str, float]) -> Policy:
    """Return a learned policy with some of its numbers changed; see :func:`knobs` for their names.

    ``threshold`` moves where the network's output begins to mean pull. The name of a feature, or of a
    coefficient of ``cost``, multiplies what it weighs; ``"3.r_f"`` sets a weight of hidden unit 3.

    >>> changed("surf", {"threshold": 1e9}).choose(State(100, 800, 50, 400, 40, 300))
    'push'

    Raises
    ------
    InputError
        If there is no such policy, or it has no such number.
    """
    for name, value in changes.items():
        if not np.isfinite(value):
            raise InputError(f"{name} = {value}: a finite number is needed")
    if policy == "cost":
        factors = np.ones(len(COST_NAMES))
        for name, value in changes.items():
            if name not in COST_NAMES or value < 0:
                known = ", ".join(COST_NAMES)
                raise InputError(f"cost has no {name!r} that could be {value}: it has {known}")
            factors[COST_NAMES.index(name)] = value
        return cost_policy(the_model().cost * factors)
    return surf_policy(changed_network(policy, changes), policy == "surf-paper")


def changed_network(policy: str, changes: Mapping[str, float]) -> Network:
    """Return the network of a policy with some of its numbers changed; see :func:`changed`."""
    net = _network(policy)
    weights, bias, output = net.weights.copy(), net.bias.copy(), net.output.copy()
    names, threshold = list(FEATURES), 0.0
    for name, value in sorted(changes.items(), key=lambda item: item[0] in names):  # factors last
        unit, _, part = name.rpartition(".")
        if name == THRESHOLD:
            threshold = value
        elif name in names:
            weights[:, names.index(name)] *= value
        elif unit.isdigit() and part in UNIT_PARTS:
            _must_be_unit(int(unit), net)
            column = {"bias": bias, "output": output}.get(part)
            place = weights[:, names.index(part)] if column is None else column
            place[int(unit)] = value
        else:
            raise InputError(f"{policy} has no {name!r}: {THRESHOLD}, {', '.join(names)}, or 3.r_f")
    return net._replace(
        weights=weights, bias=bias, output=output, output_bias=net.output_bias - threshold
    )


def _network(policy: str) -> Network:
    if policy not in LEARNED:
        raise InputError(f"{policy!r} has nothing to change: choose {', '.join(LEARNED)}")
    model = the_model()
    return model.surf if policy == "surf" else model.surf_paper


def _must_be_unit(unit: int, net: Network) -> None:
    if not 0 <= unit < len(net.bias):
        raise InputError(f"there is no hidden unit {unit}: they go from 0 to {len(net.bias) - 1}")


@dataclass(frozen=True)
class Replay:
    """What a policy chooses at the levels of a recorded search, and what that takes."""

    levels: Levels
    policy: Policy

    @cached_property
    def chosen(self) -> NDArray[np.int64]:
        """The direction of each level: 0 is a push, 1 is a pull."""
        return self.levels.chosen_by(self.policy)

    @cached_property
    def seconds(self) -> Numbers:
        """Recorded seconds of each level in that direction, changes of form included."""
        return np.asarray(self.levels.spent(self.chosen) / 1e9)

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Whether the policy was asked: a guarded one pushes small frontiers without it."""
        return np.asarray(
            ~self.levels.thin if self.policy.guarded else np.ones(len(self.levels), bool)
        )

    def states(self) -> list[State]:
        """Return what the policy saw before each level, its own choices before included."""
        before = np.concatenate([[0], self.chosen[:-1]])
        told = zip(self.levels.states, before, np.cumsum(before), strict=True)
        return [State(*row)._replace(previous=p, pulled=many) for row, p, many in told]

    def says(self) -> Numbers:
        """Return what the policy computed: a network's output, or seconds of a push and a pull."""
        of = costs_of if self.policy.name == "cost" else surf_output_of
        made = np.array([of(s, self.policy.parameters) for s in self.states()], float)
        return made / 1e9 if self.policy.name == "cost" else made

    def features(self, raw: bool = False) -> Numbers:
        """Return the six features at each level, as the policy's network has them or as published."""
        raw |= self.policy.name == "surf-paper"
        return features_of(self.levels, "raw_features" if raw else "surf_features")
