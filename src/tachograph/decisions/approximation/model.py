"""The learned advisor: predicts errors and gains, and chooses the fastest search within a budget.

A model predicts for a graph and a configuration the mean relative error and the gain, the time of the
fastest exact search over that of this one. How far errors may exceed their prediction was found out on
families of graphs that the model had not seen: ``scores`` holds, for each of their graphs and several
budgets, the margin that would have kept the budget. The margin for a confidence is a quantile of those
(split-conformal, with the finite-sample correction), so the promise is about graphs like those.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...journal.campaign import Record
from ...util.errors import InputError
from ..model_file import Kept, ModelFile
from ..trees import Trees
from .rules import EXACT
from .state import ALGORITHMS, FEATURES, Configuration, State

__all__ = [
    "CHOOSING_ARCS",
    "CONSIDERED",
    "WORTH",
    "Advice",
    "Model",
    "Option",
    "advise",
    "best",
    "checked_budget",
    "from_scale",
    "the_model",
    "to_scale",
]  # fmt: skip

Numbers = NDArray[np.float64]
ERROR_FLOOR = 1e-3  # errors far below this are all the same
WORTH = 1.05  # a predicted gain below this is not worth an error
CONSIDERED = ALGORITHMS[:1]  # the others are slower, and not more accurate
CHOOSING_ARCS = 1 << 19  # searched in about the time that choosing takes
SHOWN_OPTIONS = 10


def to_scale(error: Numbers | float) -> Numbers:
    """Errors on the scale they are predicted on: differences are ratios where errors are small."""
    plain = np.asarray(error, float)
    return np.asarray(np.log((plain + ERROR_FLOOR) / (1 + ERROR_FLOOR - plain)))


def from_scale(level: Numbers | float) -> Numbers:
    """The error of a place on that scale, within 0 and 1."""
    odds = np.exp(np.asarray(level, float))
    plain = (odds * (1 + ERROR_FLOOR) - ERROR_FLOOR) / (1 + odds)
    return np.asarray(np.clip(plain, 0.0, 1.0))


@dataclass(frozen=True)
class Model:
    """Trees for error and gain, and what calibration found."""

    error: Trees
    gain: Trees
    scores: Numbers  # margins that keep budgets, on the scale of errors, ascending
    gain_scores: Numbers  # how far log gains fall short of their prediction, ascending
    card: Record

    @classmethod
    def of(cls, file: ModelFile) -> Model:
        """Take the model from a file and check it."""
        scores, short = (np.sort(file.array(k, (None,))) for k in ("scores", "gain_scores"))
        error, gain = (Trees.from_arrays(file.arrays, k) for k in ("error", "gain"))
        return cls(error, gain, scores, short, file.card)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the numbers for a file."""
        trees = self.error.to_arrays("error") | self.gain.to_arrays("gain")
        return {**trees, "scores": self.scores, "gain_scores": self.gain_scores}

    def margin(self, confidence: float) -> float:
        """What is added to a predicted error (on its scale) to be right this often; may be inf."""
        return _conformal(self.scores, confidence)

    def errors(self, rows: Numbers, confidence: float) -> tuple[Numbers, Numbers]:
        """Errors and their upper bounds, for rows of ``FEATURES``."""
        level = self.error.predict(rows)
        return from_scale(level), from_scale(level + self.margin(confidence))

    def gains(self, rows: Numbers, confidence: float) -> tuple[Numbers, Numbers]:
        """Gains and their lower bounds."""
        gain = self.gain.predict(rows)
        return np.exp(gain), np.exp(gain - _conformal(self.gain_scores, confidence))


the_model: Kept[Model] = Kept("approximation", FEATURES, Model.of)


def _conformal(scores: Numbers, confidence: float) -> float:
    """The split-conformal quantile of ascending scores; inf if there are too few for it."""
    rank = math.ceil((scores.size + 1) * confidence)
    return float(scores[rank - 1]) if rank <= scores.size else math.inf


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

    def to_dict(self) -> Record:
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
    """Refuse budgets and confidences that are not between 0 and 1."""
    for name, value in (("max_error", max_error), ("confidence", confidence)):
        if not isinstance(value, int | float | np.floating) or not 0 < value < 1:
            raise InputError(f"{name} = {value!r} is a share: above 0 and below 1, as in 0.05")


def best(upper: Numbers, gain: Numbers, budget: float) -> int | None:
    """The place of the fastest configuration whose bound keeps the budget; None means exact."""
    allowed = (upper <= budget) & (gain >= WORTH)
    return int(np.argmax(np.where(allowed, gain, -np.inf))) if allowed.any() else None


Question = tuple[tuple[int, ...], float, float, int, int]
_known: weakref.WeakKeyDictionary[Graph, dict[Question, Advice]] = weakref.WeakKeyDictionary()
_candidates: weakref.WeakKeyDictionary[Graph, list[Configuration]] = weakref.WeakKeyDictionary()


def advise(
    graph: Graph,
    sources: Sequence[int] | NDArray[np.integer],
    max_error: float,
    confidence: float = 0.9,
) -> Advice:
    """Choose the fastest configuration whose error keeps the budget with this confidence.

    ``max_error`` is the mean relative error that is allowed (:mod:`.inaccuracy`), ``confidence`` the
    share of such graphs in which it is to be kept. Advice is remembered as long as the graph is.
    """
    checked_budget(max_error, confidence)
    if graph.arcs == 0:
        raise InputError(
            "the graph has no edges: there is nothing to approximate, leave out max_error"
        )
    from ...kernels.runtime.launch import threads_available

    at = np.asarray(sources)
    model = the_model() if graph.weighted else None
    key: Question = (tuple(at.tolist()), max_error, confidence, threads_available(), id(model))
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


def _why_exact(state: State, model: Model | None, confidence: float) -> str | None:
    """Why an approximation is out of the question; None if it is not."""
    graph = state.graph
    if model is None:
        return ("the edges have no weights, each counts 1: a breadth-first search is exact and faster "
                "than an approximation")  # fmt: skip
    if _exact(state).configuration.algorithm == "hybrid":
        return "some weights are negative: approximations were never measured with such"
    if state.owned:
        return ("the graph is small or a road network: there, what is left out is lost for all behind "
                "it, and little time is saved")  # fmt: skip
    if graph.arcs < CHOOSING_ARCS:
        return (f"the graph has only {graph.arcs:,} arcs: an exact search takes little longer than it "
                "would take to choose")  # fmt: skip
    if not math.isfinite(model.margin(confidence)):
        return f"the model was calibrated on too few graphs for {confidence:.1%} confidence"
    return None


def _advise(state: State, model: Model | None, max_error: float, confidence: float) -> Advice:
    exact = _exact(state)
    why = _why_exact(state, model, confidence)
    if why is not None or model is None:
        return Advice(exact, (), why or "")
    kept = _options(state, model, max_error, confidence)
    fast = [o for o in kept if o.gain >= WORTH]
    if not fast:
        reason = (f"nothing that keeps an error of {max_error:.1%} is predicted to be "
                  f"{WORTH - 1:.0%} faster")  # fmt: skip
        return Advice(exact, tuple(kept[:SHOWN_OPTIONS]), reason)
    others = (*(o for o in kept[: SHOWN_OPTIONS + 1] if o is not fast[0]), exact)
    reason = (f"the fastest of {len(kept)} whose error stays below {max_error:.1%} with "
              f"{confidence:.0%} confidence")  # fmt: skip
    return Advice(fast[0], others, reason)


def _options(state: State, model: Model, budget: float, confidence: float) -> list[Option]:
    """The candidates that keep the budget with their predictions, the fastest first."""
    if state.graph not in _candidates:  # they are the same for all sources
        _candidates[state.graph] = state.candidates(CONSIDERED)
    candidates = _candidates[state.graph]
    rows = state.rows(candidates)
    error, bound = model.errors(rows, confidence)
    kept = np.flatnonzero(bound <= budget)
    gain, least = model.gains(rows[kept], confidence)
    columns = zip(error[kept].tolist(), bound[kept].tolist(), gain.tolist(), least.tolist(),
                  strict=True)  # fmt: skip
    made = [Option(candidates[k], *numbers) for k, numbers in zip(kept, columns, strict=True)]
    return sorted(made, key=lambda o: -o.gain)
