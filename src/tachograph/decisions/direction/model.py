"""Policies that choose the direction of every level, and the learned model behind two of them.

All have one interface: a function of the state before a level (:class:`State`), compiled, and called
inside the search's loop. There are the rules of the literature; two small networks on the workload
state, ``surf-paper`` (as published) and ``surf`` (trained on time at stake, with features that do not
depend on sizes); ``cost`` (predicts the time of both directions; the default, also called ``auto``);
and any function of yours:

>>> import tachograph as tg
>>> def half(state):
...     return state.m_f > state.m_u / 2  # true: pull
>>> tg.bfs(tg.kronecker(8, rng=1), 0, direction=half).levels.max() > 0
np.True_
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels.bfs.steps import VERTICES_PER_CERTAIN_ARC
from ...util.errors import InputError
from ...util.text import did_you_mean
from ..model_file import Kept, ModelFile
from . import rules as published
from .rules import COST_NAMES, RULES, SCRIPT, Compiled, built_in, compiled, costs_of, surf_output_of
from .state import State

__all__ = ["POLICIES", "Model", "Network", "Policy", "State", "cost_policy", "learned"]
__all__ += ["policy_named", "scripted", "surf_policy", "the_model"]

LEARNED = ("surf", "surf-paper", "cost")
POLICIES = ("auto", *RULES, *LEARNED)
SURF_FEATURES = 6
Numbers = NDArray[np.float64]


class Network(NamedTuple):
    """A network with one hidden layer on standardised features."""

    mean: Numbers
    scale: Numbers
    weights: Numbers  # a row for each hidden unit
    bias: Numbers
    output: Numbers
    output_bias: Numbers  # one number

    @classmethod
    def of(cls, file: ModelFile, name: str) -> Network:
        """Take the network of that name from a file and check it."""
        hidden, seen = file.array(f"{name}.bias", (None,)).size, SURF_FEATURES
        shapes = {"mean": (seen,), "scale": (seen,), "weights": (hidden, seen), "bias": (hidden,),
                  "output": (hidden,), "output_bias": (1,)}  # fmt: skip
        least = {"scale": 1e-12}
        return cls(
            **{k: file.array(f"{name}.{k}", s, least.get(k, -np.inf)) for k, s in shapes.items()}
        )

    def hidden(self, features: Numbers, as_published: bool = False) -> Numbers:
        """Return what each hidden unit gives for six features, before its weight in the output."""
        units = self.weights @ ((features - self.mean) / self.scale) + self.bias
        with np.errstate(over="ignore"):
            return np.asarray(1 / (1 + np.exp(-units)) if as_published else np.maximum(units, 0.0))

    def numbers(self) -> Numbers:
        """Return the numbers for ``surf_output`` after the first: standardisation becomes weights."""
        weights = self.weights / self.scale
        rows = np.column_stack([weights, self.bias - weights @ self.mean])
        parts = ([len(rows)], rows.ravel(), self.output, self.output_bias)
        return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Model:
    """What is learned: two networks, and the coefficients of the cost model (``COST_NAMES``)."""

    surf: Network
    surf_paper: Network
    cost: Numbers

    @classmethod
    def of(cls, file: ModelFile) -> Model:
        """Take the model from a file and check it."""
        surf, paper = (Network.of(file, name) for name in ("surf", "surf_paper"))
        return cls(surf, paper, file.array("cost", (len(COST_NAMES),), least=0.0))

    def arrays(self) -> dict[str, Numbers]:
        """Return the numbers for a file."""
        networks = {"surf": self.surf, "surf_paper": self.surf_paper}
        made = {f"{n}.{k}": v for n, net in networks.items() for k, v in net._asdict().items()}
        return {**made, "cost": self.cost}


the_model: Kept[Model] = Kept("direction", State._fields, Model.of)


@dataclass(frozen=True, eq=False)
class Policy:
    """A way to choose the direction.

    A ``guarded`` one is kept from the worst: small frontiers are pushed without asking, and a pull that
    turns out to look at many more arcs than a push would is given up. By default ``surf`` and ``cost``
    are guarded, and what was published runs as published; :meth:`with_guards` says otherwise.
    """

    name: str
    about: str
    function: Compiled
    parameters: Numbers
    guarded: bool = False
    counts_hubs: bool = False
    samples_hubs: bool = False

    @property
    def address(self) -> int:
        """Where the compiled function is."""
        return int(self.function.address)

    def certain(self, n: int) -> int:
        """Frontiers of at most so many arcs are pushed without asking."""
        return n // VERTICES_PER_CERTAIN_ARC if self.guarded else -1

    def with_guards(self, guarded: bool = True) -> Policy:
        """Return the same policy with guards, or without."""
        return replace(self, guarded=guarded)

    def choose(self, state: State) -> str:
        """``"push"`` or ``"pull"``, as inside the loop.

        >>> policy_named("gapbs").choose(State(n=100, arcs=800, n_f=10, m_f=200, n_u=80, m_u=500))
        'pull'
        """
        call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(self.address)
        values = np.array(state, float)
        return "pull" if call(values.ctypes.data, self.parameters.ctypes.data) else "push"

    def explain(self, state: State, threshold: float = 0.0) -> str:
        """Why, in words; ``threshold`` is what a network's output was lowered by, if it was changed.

        >>> print(policy_named("push").explain(State(n=9, arcs=9, n_f=1, m_f=2, n_u=8, m_u=7)))
        push: Always push.
        """
        chosen = self.choose(state)
        if self.name == "cost":
            push, pull = costs_of(state, self.parameters)
            return (
                f"{chosen}: pushing {state.m_f:,.0f} arcs should take {push / 1e3:,.1f} µs, pulling by "
                f"{state.n_u:,.0f} vertices {pull / 1e3:,.1f} µs"
            )
        if self.samples_hubs:
            value = surf_output_of(state, self.parameters) + threshold
            rule = f"above {threshold:+.2f}" if threshold else "positive"
            return (
                f"{chosen}: the network gives {value:+.2f} (pull if {rule}) for a frontier of "
                f"{state.n_f / state.n:.2%} of the vertices, {state.n_u / state.n:.2%} unvisited"
            )
        return f"{chosen}: {self.about}"


def surf_policy(net: Network, as_published: bool = False) -> Policy:
    """``surf``, or ``surf-paper``, with the numbers of a network."""
    parameters = np.append(float(as_published), net.numbers())
    name = "surf-paper" if as_published else "surf"
    about = "The network of the SURF paper." if as_published else "A network on the workload state."
    guarded = not as_published
    return Policy(name, about, built_in("surf"), parameters, guarded, samples_hubs=True)


def cost_policy(coefficients: Numbers) -> Policy:
    """``cost`` with these coefficients."""
    about = "Predicts the time of both directions."
    return Policy("cost", about, built_in("cost"), np.append(0.0, coefficients), guarded=True)


@lru_cache(8)  # every search asks
def learned(name: str, model: Model) -> Policy:
    """Return one of ``LEARNED`` with the numbers of a model."""
    if name == "cost":
        return cost_policy(model.cost)
    if name == "surf":
        return surf_policy(model.surf)
    return surf_policy(model.surf_paper, as_published=True)


def scripted(directions: Sequence[int]) -> Policy:
    """Directions that were chosen before, a number for each level; then pushes."""
    parameters = np.array([SCRIPT, len(directions), *directions], float)
    return Policy("script", "Repeats what was written down.", built_in("rule"), parameters)


def policy_named(
    direction: str | Policy | Callable[[State], object], device: str | None = None
) -> Policy:
    """The policy that a user means by a name or by a function of the state; on a ``device`` (its
    ``slug``), learned ones are those that were trained there, if any were.
    """
    if isinstance(direction, Policy):
        return direction
    if callable(direction):
        name = getattr(direction, "__name__", "function")
        return Policy(name, f"{name} says so.", compiled(direction), np.zeros(1))
    if not isinstance(direction, str) or direction not in POLICIES:
        raise InputError(
            f"direction = {direction!r}: it is one of {', '.join((*POLICIES, 'oracle'))}, or a "
            f"function of the state{did_you_mean(direction, POLICIES)}"
        )
    name = "cost" if direction == "auto" else direction
    if name in LEARNED:
        return learned(name, (device and the_model.beside(device)) or the_model())
    about = (getattr(published, name).__doc__ or name).split(chr(10))[0]
    parameters = np.array([RULES.index(name)], float)
    return Policy(name, about, built_in("rule"), parameters, counts_hubs=name == "enterprise")
