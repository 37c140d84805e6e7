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
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...graph.graph import Graph
from ...journal.campaign import Record
from ...util.cores import threads_available
from ...util.errors import InputError
from ..model_file import Kept, ModelFile
from .rules import EXACT, check_budget
from .state import ALGORITHMS, FEATURES, Configuration, State

__all__ = ["CHOOSING_ARCS", "CONSIDERED", "WORTH", "Advice", "Model", "Option", "Trees", "advise"]
__all__ += ["best", "conformal", "from_scale", "the_model", "to_scale"]

Numbers = NDArray[np.float64]
ERROR_FLOOR = 1e-3  # errors far below this are all the same
WORTH = 1.05  # a predicted gain below this is not worth an error
CONSIDERED = ALGORITHMS[:1]  # the others are slower, and not more accurate
CHOOSING_ARCS = 1 << 19  # searched in about the time that choosing takes
CONFIDENCES = (0.8, 0.9, 0.95, 0.99)  # for which it was measured what errors keep
LEAST_SHARE = 2 / 3  # so no error is more than half as large again as the budget
CERTAIN_SHARES = (1.0,) * len(CONFIDENCES)
SHOWN_OPTIONS = 10
LARGEST_NODE = (1 << 31) - 1  # numbers of nodes are kept as int32
#: The types of the trees' arrays in a file; the others are float64.
KEPT_AS = {"roots": np.int32, "feature": np.int16, "left": np.int32}


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
class Trees:
    """A sum of boosted trees (``kernels.features.predict`` has their encoding) and a constant."""

    roots: np.ndarray
    feature: np.ndarray
    value: np.ndarray
    left: np.ndarray
    constant: np.ndarray  # one number

    def __post_init__(self) -> None:
        """Refuse arrays that a walk could leave, or in which it would not end."""
        size = self.feature.size
        inner = np.flatnonzero(self.feature >= 0)
        after = self.left[inner] if self.left.size == size else np.empty(0)
        fits = self.value.size == size and after.size == inner.size and self.constant.size == 1
        inside = ((self.roots >= 0) & (self.roots < size)).all()
        if not (fits and inside and (after > inner).all() and (after < size - 1).all()):
            raise InputError("the trees of this model are damaged: train or install it again")

    @classmethod
    def of(cls, file: ModelFile, prefix: str) -> Trees:
        """Take the entries ``prefix.roots``, ``prefix.feature``, ... of a file."""
        found = {f.name: file.array(f"{prefix}.{f.name}", (None,)) for f in fields(cls)}
        kinds = dict.fromkeys(KEPT_AS, np.int64)
        if any(np.abs(found[name]).max() > LARGEST_NODE for name in KEPT_AS):
            raise file.problem(f"{prefix} has numbers of nodes that cannot be right")
        if found["feature"].max() >= len(FEATURES):
            raise file.problem(f"{prefix} looks at more than {len(FEATURES)} features")
        return cls(**{k: v.astype(kinds.get(k, np.float64)) for k, v in found.items()})

    def to_arrays(self, prefix: str) -> dict[str, NDArray[np.generic]]:
        """Return the entries for a file, as small as they can be."""
        kept = {k: v.astype(KEPT_AS.get(k, np.float64)) for k, v in vars(self).items()}
        return {f"{prefix}.{k}": v for k, v in kept.items()}

    def predict(self, rows: Numbers) -> Numbers:
        """Return a number for each row, which must have all columns that the trees look at."""
        if self.feature.max(initial=-1) >= rows.shape[1]:
            raise InputError(f"the model looks at more than {rows.shape[1]} features")
        from ...kernels.features import predict
        from ...kernels.runtime.launch import run

        out = np.full(len(rows), float(self.constant[0]))
        flat = np.ascontiguousarray(rows, np.float64).ravel()
        trees = (self.roots, self.feature, self.value, self.left)
        run(predict, [(flat, rows.shape[1], *trees, out)], brief=True)
        return out


@dataclass(frozen=True)
class Model:
    """Trees for error and gain, and what calibration found."""

    error: Trees
    gain: Trees
    scores: Numbers  # margins that keep budgets, on the scale of errors, ascending
    gain_scores: Numbers  # how far log gains fall short of their prediction, ascending
    card: Record
    #: What errors keep of proved bounds, for each of ``CONFIDENCES``.
    shares: tuple[float, ...] = CERTAIN_SHARES

    @classmethod
    def of(cls, file: ModelFile) -> Model:
        """Take the model from a file and check it."""
        scores, short = (np.sort(file.array(k, (None,))) for k in ("scores", "gain_scores"))
        trees = Trees.of(file, "error"), Trees.of(file, "gain")
        shares = CERTAIN_SHARES
        if "shares" in file.arrays:
            found = np.clip(file.array("shares", (len(CONFIDENCES),)), LEAST_SHARE, 1.0)
            shares = tuple(found.tolist())
        return cls(*trees, scores, short, file.card, shares)

    def share(self, confidence: float) -> float:
        """The part of a proved bound that errors keep with this confidence; 1 is always right."""
        place = int(np.searchsorted(CONFIDENCES, confidence - 1e-9))
        return self.shares[place] if place < len(CONFIDENCES) else 1.0

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the numbers for a file."""
        trees = self.error.to_arrays("error") | self.gain.to_arrays("gain")
        scores = {"scores": self.scores, "gain_scores": self.gain_scores}
        return {**trees, **scores, "shares": np.array(self.shares)}

    def margin(self, confidence: float) -> float:
        """What is added to a predicted error (on its scale) to be right this often; may be inf."""
        return conformal(self.scores, confidence)

    def errors(self, rows: Numbers, confidence: float) -> tuple[Numbers, Numbers]:
        """Errors and their upper bounds, for rows of ``FEATURES``."""
        level = self.error.predict(rows)
        return from_scale(level), from_scale(level + self.margin(confidence))

    def gains(self, rows: Numbers, confidence: float) -> tuple[Numbers, Numbers]:
        """Gains and their lower bounds."""
        gain = self.gain.predict(rows)
        return np.exp(gain), np.exp(gain - conformal(self.gain_scores, confidence))


the_model: Kept[Model] = Kept("approximation", FEATURES, Model.of)


def conformal(scores: Numbers, confidence: float) -> float:
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


@dataclass(frozen=True)
class Advice:
    """What to run, the other options that keep the budget from fast to slow, and why."""

    chosen: Option
    others: tuple[Option, ...]
    reason: str


def best(upper: Numbers, gain: Numbers, budget: float) -> int | None:
    """The place of the fastest configuration whose bound keeps the budget; None means exact."""
    allowed = (upper <= budget) & (gain >= WORTH)
    return int(np.argmax(np.where(allowed, gain, -np.inf))) if allowed.any() else None


Question = tuple[tuple[int, ...], float, float, int, int]
_known: weakref.WeakKeyDictionary[Graph, dict[Question, Advice]] = weakref.WeakKeyDictionary()
_candidates: weakref.WeakKeyDictionary[Graph, list[Configuration]] = weakref.WeakKeyDictionary()


def advise(graph: Graph, sources: ArrayLike, max_error: float, confidence: float = 0.9) -> Advice:
    """Choose the fastest configuration whose error keeps the budget with this confidence.

    ``max_error`` is the mean relative error that is allowed (:func:`.inaccuracy`), ``confidence`` the
    share of such graphs in which it is to be kept. Advice is remembered as long as the graph is.
    """
    check_budget(max_error, confidence)
    if graph.arcs == 0:
        raise InputError("the graph has no edges: nothing to approximate, leave out max_error")
    at = np.asarray(sources)
    model = the_model() if graph.weighted else None
    key: Question = (tuple(at.tolist()), max_error, confidence, threads_available(), id(model))
    remembered = _known.setdefault(graph, {})
    if key not in remembered:
        remembered[key] = _advise(State(graph, at, key[3]), model, max_error, confidence)
    return remembered[key]


def _advise(state: State, model: Model | None, max_error: float, confidence: float) -> Advice:
    def exactly(
        why: str, algorithm: str = ALGORITHMS[0], others: tuple[Option, ...] = ()
    ) -> Advice:
        return Advice(Option(Configuration(algorithm, EXACT), 0.0, 0.0, 1.0, 1.0), others, why)

    arcs = state.graph.arcs
    if model is None:
        why = (
            "the edges have no weights, each counts 1: a breadth-first search is exact and faster "
        )
        return exactly(why + "than an approximation", "auto")
    if (state.graph.features.weights or {"min": 0})["min"] < 0:
        why = "some weights are negative: approximations were never measured with such"
        return exactly(why, "hybrid")
    if state.owned:
        why = (
            "the graph is small or a road network: there, what is left out is lost for all behind "
        )
        return exactly(why + "it, and little time is saved")
    if arcs < CHOOSING_ARCS:
        why = (
            f"the graph has only {arcs:,} arcs: an exact search takes little longer than it would "
        )
        return exactly(why + "take to choose")
    if not math.isfinite(model.margin(confidence)):
        return exactly(
            f"the model was calibrated on too few graphs for {confidence:.1%} confidence"
        )
    kept = _options(state, model, max_error, confidence)
    fast = [o for o in kept if o.gain >= WORTH]
    if not fast:
        faster = f"is predicted to be {WORTH - 1:.0%} faster"
        why = f"nothing that keeps an error of {max_error:.1%} {faster}"
        return exactly(why, others=tuple(kept[:SHOWN_OPTIONS]))
    others = (*(o for o in kept[: SHOWN_OPTIONS + 1] if o is not fast[0]), exactly("").chosen)
    below = f"stays below {max_error:.1%} with {confidence:.0%} confidence"
    return Advice(fast[0], others, f"the fastest of {len(kept)} whose error {below}")


def _options(state: State, model: Model, budget: float, confidence: float) -> list[Option]:
    """The candidates that keep the budget with their predictions, the fastest first."""
    if state.graph not in _candidates:  # they are the same for all sources
        _candidates[state.graph] = state.candidates(CONSIDERED)
    candidates = _candidates[state.graph]
    rows = state.rows(candidates)
    error, bound = model.errors(rows, confidence)
    kept = np.flatnonzero(bound <= budget)
    gain, least = model.gains(rows[kept], confidence)
    numbers = np.stack([error[kept], bound[kept], gain, least], axis=1).tolist()
    made = [Option(candidates[k], *row) for k, row in zip(kept, numbers, strict=True)]
    return sorted(made, key=lambda o: -o.gain)
