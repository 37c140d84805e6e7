"""Arguments that travel together through kernels, as named tuples that Numba understands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Rows(NamedTuple):
    """Compressed rows: the neighbours of v are ``indices[indptr[v]:indptr[v + 1]]``."""

    indptr: np.ndarray
    indices: np.ndarray


class WeightedRows(NamedTuple):
    """Compressed rows with a weight for each arc."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
