"""Boosted regression trees as plain arrays: kept in ``.npz`` files, evaluated without scikit-learn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from ..util.errors import InputError

__all__ = ["Trees"]


@dataclass(frozen=True)
class Trees:
    """A sum of trees (``kernels.forest`` says how they are encoded) and a constant."""

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
        roots = self.roots
        inside = bool(((roots >= 0) & (roots < size)).all())
        if not (fits and inside and (after > inner).all() and (after + 1 < size).all()):
            raise InputError("the trees of this model are damaged: train or install it again")

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], prefix: str) -> Trees:
        """Trees from the entries ``prefix.roots``, ``prefix.feature``, ... of a file."""
        kinds = {"roots": np.int64, "feature": np.int64, "left": np.int64}
        found = {}
        for field in fields(cls):
            name = f"{prefix}.{field.name}"
            if name not in arrays:
                raise InputError(f"the model lacks {name}: train or install it again")
            kind = kinds.get(field.name, np.float64)
            found[field.name] = np.ascontiguousarray(arrays[name]).astype(kind)
        return cls(**found)

    def to_arrays(self, prefix: str) -> dict[str, np.ndarray]:
        """Entries for a file, as small as they can be."""
        kinds = {"roots": np.int32, "feature": np.int16, "left": np.int32}
        return {
            f"{prefix}.{f.name}": getattr(self, f.name).astype(kinds.get(f.name, np.float64))
            for f in fields(self)
        }

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """A number for each row, which must have all columns that the trees look at."""
        if self.feature.max(initial=-1) >= rows.shape[1]:
            raise InputError(f"the model looks at more than {rows.shape[1]} features")
        from ..kernels.features.forest import predict
        from ..kernels.runtime.launch import run

        out = np.full(len(rows), float(self.constant[0]))
        flat = np.ascontiguousarray(rows, np.float64).ravel()
        trees = (self.roots, self.feature, self.value, self.left)
        run(predict, [(flat, rows.shape[1], *trees, out)], brief=True)
        return out
