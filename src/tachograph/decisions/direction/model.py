"""The file of the learned direction policies: numbers in JSON, with a card that tells their origin.

The package ships one; ``tacho train direction`` writes one for this machine, which is preferred.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ...util.errors import FileFormatError, TachographError, TachographWarning
from ..model_files import current_model, shipped_model

__all__ = ["COEFFICIENTS", "FEATURES", "FILE", "VERSION", "Model", "load_model", "model_in_use"]

FILE = "direction.json"
VERSION = 1
FEATURES = 6
COEFFICIENTS = 19  # of the cost model
Model = Mapping[str, Any]


def load_model(path: Path) -> Model:
    """Read and check a model.

    Raises
    ------
    FileFormatError
        If it is damaged, of a newer version, or has numbers missing or not finite.
    """
    try:
        model = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileFormatError(path, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise FileFormatError(path, f"is not whole JSON ({error}): train it anew") from None
    if not isinstance(model, dict) or model.get("format") != "tachograph-direction":
        raise FileFormatError(path, "is not a model of the direction of breadth-first search")
    if model.get("version") != VERSION:
        raise FileFormatError(
            path,
            f"has version {model.get('version')!r}, this Tachograph reads {VERSION}: update it, or "
            "train anew with: tacho train direction",
        )
    surf, cost = model.get("surf"), model.get("cost")
    if not isinstance(surf, dict) or not isinstance(cost, list):
        raise FileFormatError(path, "has no network or no cost model: train it anew")
    hidden = len(surf.get("bias", ())) if isinstance(surf.get("bias"), list) else 0
    shapes: dict[str, tuple[int, ...]] = {
        "mean": (FEATURES,), "scale": (FEATURES,), "weights": (hidden, FEATURES), "bias": (hidden,),
        "output": (hidden,), "output_bias": (1,),
    }  # fmt: skip
    for name, shape in shapes.items():
        _check(path, f"surf.{name}", surf.get(name), shape)
    _check(path, "cost", cost, (COEFFICIENTS,))
    if min(surf["scale"]) <= 0 or min(cost) < 0:
        raise FileFormatError(path, "has scales or costs that are not positive: train it anew")
    return model


def _check(path: Path, name: str, value: Any, shape: tuple[int, ...]) -> None:
    try:
        array = np.array(value, float)
    except (TypeError, ValueError):
        array = np.array(math.nan)
    if array.shape != shape or not array.size:
        raise FileFormatError(path, f"{name} should have the shape {shape}, it has {array.shape}")
    if not np.isfinite(array).all():
        raise FileFormatError(path, f"{name} has values that are not finite numbers")


@lru_cache(1)
def _loaded(path: Path, changed: int) -> Model:
    try:
        return load_model(path)
    except TachographError as error:
        warnings.warn(f"{error}; using the one of the package", TachographWarning, stacklevel=4)
        return load_model(shipped_model(FILE))


def model_in_use() -> Model:
    """The model of this machine, or the one of the package; with a warning if ours is damaged."""
    return _loaded(*current_model(FILE))
