"""The learned policy for approximations: predicted errors and gains, with calibrated bounds.

A model predicts for a graph and a configuration the mean relative error and the gain, the time of the
fastest exact search over that of this one. How far errors may exceed their prediction was found out on
families of graphs that the model had not seen: ``scores`` holds, for each of their graphs and several
budgets, the margin that would have kept the budget. The margin for a confidence is a quantile of those
(split-conformal, with the finite-sample correction), so the promise is about graphs like those.
"""

from __future__ import annotations

import functools
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...util.errors import FileFormatError, InputError, MissingFileError
from ..model_files import current_model
from ..trees import Trees
from .state import FEATURES

__all__ = ["FILE", "FORMAT", "Model", "from_scale", "the_model", "to_scale"]

FILE = "approximation.npz"
FORMAT = 1
FLOOR = 1e-3  # errors far below this are all the same


def to_scale(error: np.ndarray | float) -> Any:
    """Errors on the scale they are predicted on: differences are ratios where errors are small."""
    return np.log((np.asarray(error) + FLOOR) / (1 + FLOOR - np.asarray(error)))


def from_scale(level: np.ndarray | float) -> Any:
    """The error of a place on that scale, within 0 and 1."""
    odds = np.exp(np.asarray(level, float))
    return np.clip((odds * (1 + FLOOR) - FLOOR) / (1 + odds), 0.0, 1.0)


@dataclass(frozen=True)
class Model:
    """Trees for error and gain, and what calibration found."""

    error: Trees
    gain: Trees
    scores: np.ndarray  # margins that keep budgets, on the scale of errors, ascending
    gain_scores: np.ndarray  # how far log gains fall short of their prediction, ascending
    card: dict[str, Any]

    def margin(self, confidence: float) -> float:
        """What is added to a predicted error (on its scale) to be right this often; may be inf."""
        return _conformal(self.scores, confidence)

    def errors(self, rows: np.ndarray, confidence: float) -> tuple[np.ndarray, np.ndarray]:
        """Errors and their upper bounds, for rows of ``FEATURES``."""
        level = self.error.predict(rows)
        return from_scale(level), from_scale(level + self.margin(confidence))

    def gains(self, rows: np.ndarray, confidence: float) -> tuple[np.ndarray, np.ndarray]:
        """Gains and their lower bounds."""
        gain = self.gain.predict(rows)
        return np.exp(gain), np.exp(gain - _conformal(self.gain_scores, confidence))

    def save(self, path: Path) -> None:
        """Write an ``.npz`` file without pickled objects."""
        from ...graph.files.streams import aside

        arrays: dict[str, Any] = self.error.to_arrays("error") | self.gain.to_arrays("gain")
        arrays |= {"scores": self.scores, "gain_scores": self.gain_scores}
        card = {"format": FORMAT, "features": FEATURES, **self.card}
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside(path) as temporary, Path(temporary).open("wb") as out:
            np.savez_compressed(out, card=np.array(json.dumps(card)), **arrays)

    @classmethod
    def load(cls, path: Path) -> Model:
        """Read a model; it must be of this version.

        Raises
        ------
        FileFormatError
            If it is damaged, or was trained for another version.
        """
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            card = json.loads(str(arrays["card"]))
        except FileNotFoundError:
            raise MissingFileError(f"{path}: there is no such model") from None
        except Exception as error:
            raise FileFormatError(path, f"is not a model ({type(error).__name__})") from None
        if card.get("format") != FORMAT or tuple(card.get("features", ())) != FEATURES:
            raise FileFormatError(
                path, "was trained for another version: run tacho train approximation again, "
                "or delete it to use the model that comes with Tachograph"
            )  # fmt: skip
        try:
            return cls(
                Trees.from_arrays(arrays, "error"), Trees.from_arrays(arrays, "gain"),
                np.sort(arrays["scores"]), np.sort(arrays["gain_scores"]), card,
            )  # fmt: skip
        except (KeyError, InputError) as error:
            raise FileFormatError(path, str(error)) from None


def _conformal(scores: np.ndarray, confidence: float) -> float:
    """The split-conformal quantile of ascending scores; inf if there are too few for it."""
    rank = math.ceil((scores.size + 1) * confidence)
    return float(scores[rank - 1]) if rank <= scores.size else math.inf


def the_model() -> Model:
    """The model of this machine, if there is one, else the one that comes with Tachograph."""
    return _loaded(*current_model(FILE))


@functools.lru_cache(maxsize=2)
def _loaded(path: Path, changed: int) -> Model:
    return Model.load(path)
