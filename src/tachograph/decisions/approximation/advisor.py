"""Chooses the fastest way to shortest paths that keeps an error budget."""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...graph.graph import Graph
from ...util.errors import InputError
from .methods import EXACT
from .model import Model, the_model
from .state import ALGORITHMS, Configuration, State

__all__ = ["CHOICES", "QUICK", "WORTH", "Advice", "Option", "advise", "best", "checked_budget"]

WORTH = 1.05  # a predicted gain below this is not worth an error
CHOICES = ALGORITHMS[:1]  # the others are slower, and not more accurate
QUICK = 1 << 19  # arcs: searched in about the time that choosing takes
SHOWN = 10


@dataclass(frozen=True)
class Option:
    """A configuration with its predictions: mean relative error, and gain over the fastest exact
    search; ``error_bound`` and ``gain_bound`` hold with the confidence that was asked for.
    """

    configuration: Configuration
    error: float
    error_bound: float
    gain: float
    gain_bound: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        choice = self.configuration
        return {
            "algorithm": choice.algorithm,
            "approximation": choice.approximation.to_dict(),
            "error": self.error,
            "error_bound": self.error_bound,
            "gain": self.gain,
            "gain_bound": self.gain_bound,
        }


@dataclass(frozen=True)
class Advice:
    """What to run, the other options that keep the budget from fast to slow, and why."""

    chosen: Option
    others: tuple[Option, ...]
    reason: str


def checked_budget(max_error: float, confidence: float) -> None:
    """Refuse budgets and confidences that are not shares.

    Raises
    ------
    InputError
        If one of them is not between 0 and 1.
    """
    for name, value in (("max_error", max_error), ("confidence", confidence)):
        if not isinstance(value, int | float | np.floating) or not 0 < value < 1:
            raise InputError(f"{name} = {value!r} is a share: above 0 and below 1, as in 0.05")


def best(upper: np.ndarray, gain: np.ndarray, budget: float) -> int | None:
    """The place of the fastest configuration whose bound keeps the budget; None means exact."""
    allowed = (upper <= budget) & (gain >= WORTH)
    return int(np.argmax(np.where(allowed, gain, -np.inf))) if allowed.any() else None


_known: weakref.WeakKeyDictionary[Graph, dict[Any, Advice]] = weakref.WeakKeyDictionary()
_candidates: weakref.WeakKeyDictionary[Graph, list[Configuration]] = weakref.WeakKeyDictionary()


def advise(
    graph: Graph, sources: Sequence[int] | np.ndarray, max_error: float, confidence: float = 0.9
) -> Advice:
    """The fastest configuration whose error keeps the budget with this confidence.

    Advice is remembered as long as the graph is.

    Parameters
    ----------
    graph, sources
        What is going to be searched.
    max_error
        The mean relative error that is allowed (``algorithms.inaccuracy``).
    confidence
        In which share of such graphs the budget is to be kept.

    Raises
    ------
    InputError
        For a budget or confidence that is not between 0 and 1, or a graph without edges.
    """
    checked_budget(max_error, confidence)
    if graph.arcs == 0:
        raise InputError(
            "the graph has no edges: there is nothing to approximate, leave out max_error"
        )
    from ...kernels.runtime.launch import threads_available

    at = np.asarray(sources)
    model = the_model() if graph.weighted else None
    key = (tuple(at.tolist()), max_error, confidence, threads_available(), id(model))
    remembered = _known.setdefault(graph, {})
    if key not in remembered:
        remembered[key] = _advise(State(graph, at, key[3]), model, max_error, confidence)
    return remembered[key]


def _exact(state: State) -> Option:
    """Without an approximation."""
    graph = state.graph
    algorithm = ALGORITHMS[0]
    if not graph.weighted:
        algorithm = "auto"
    elif (graph.features.weights or {"min": 0})["min"] < 0:
        algorithm = "hybrid"
    return Option(Configuration(algorithm, EXACT), 0.0, 0.0, 1.0, 1.0)


def _advise(state: State, model: Model | None, max_error: float, confidence: float) -> Advice:
    exact = _exact(state)
    if model is None:
        return Advice(exact, (), "the edges have no weights, each counts 1: a breadth-first search is "
                      "exact and faster than an approximation")  # fmt: skip
    if exact.configuration.algorithm == "hybrid":
        return Advice(exact, (), "some weights are negative: approximations were never measured with "
                      "such")  # fmt: skip
    if state.owned:
        return Advice(exact, (), "the graph is small or a road network: there, what is left out is "
                      "lost for all behind it, and little time is saved")  # fmt: skip
    if state.graph.arcs < QUICK:
        return Advice(exact, (), f"the graph has only {state.graph.arcs:,} arcs: an exact search takes "
                      "little longer than it would take to choose")  # fmt: skip
    if not math.isfinite(model.margin(confidence)):
        return Advice(exact, (), f"the model was calibrated on too few graphs for {confidence:.1%} "
                      "confidence")  # fmt: skip
    kept = _options(state, model, max_error, confidence)
    fast = [o for o in kept if o.gain >= WORTH]
    if not fast:
        return Advice(exact, tuple(kept[:SHOWN]), f"nothing that keeps an error of {max_error:.1%} is "
                      f"predicted to be {WORTH - 1:.0%} faster")  # fmt: skip
    others = (*(o for o in kept[: SHOWN + 1] if o is not fast[0]), exact)
    return Advice(fast[0], others, f"the fastest of {len(kept)} whose error stays below "
                  f"{max_error:.1%} with {confidence:.0%} confidence")  # fmt: skip


def _options(state: State, model: Model, budget: float, confidence: float) -> list[Option]:
    """The candidates that keep the budget with their predictions, the fastest first."""
    if state.graph not in _candidates:  # they are the same for all sources
        _candidates[state.graph] = state.candidates(CHOICES)
    candidates = _candidates[state.graph]
    rows = state.rows(candidates)
    error, bound = model.errors(rows, confidence)
    kept = np.flatnonzero(bound <= budget)
    gain, least = model.gains(rows[kept], confidence)
    columns = zip(error[kept].tolist(), bound[kept].tolist(), gain.tolist(), least.tolist(),
                  strict=True)  # fmt: skip
    made = [Option(candidates[k], *numbers) for k, numbers in zip(kept, columns, strict=True)]
    return sorted(made, key=lambda o: -o.gain)
