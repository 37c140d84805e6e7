"""Numbers as callers give them: lists, arrays of any byte order, tables' columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .errors import InputError

__all__ = ["native", "numbers"]


def numbers(given: ArrayLike, what: str, dtype: DTypeLike | None = None) -> np.ndarray:
    """Return ``given`` as an array of numbers in this machine's byte order, copied only if needed.

    Raises
    ------
    InputError
        For lists of different lengths, masked entries, and what is not a number; ``what`` names it.

    Examples
    --------
    >>> numbers([1, 2], "weights", float)
    array([1., 2.])
    >>> numbers([[1], [2, 3]], "weights")
    Traceback (most recent call last):
    ...
    tachograph.util.errors.InputError: weights: lists of different lengths are not an array of numbers
    """
    array = native(given, what)
    if array.dtype.kind not in "iubf":
        raise InputError(f"{what} has type {array.dtype}: numbers are needed")
    return array if dtype is None else array.astype(dtype, copy=False)


def native(given: ArrayLike, what: str) -> np.ndarray:
    """Return ``given`` as an array of any kind in this machine's byte order; refuse masked entries."""
    if np.ma.is_masked(given):
        raise InputError(f"{what} has masked entries: fill them, or leave them out")
    try:
        array = np.asarray(given)
    except ValueError:
        raise InputError(
            f"{what}: lists of different lengths are not an array of numbers"
        ) from None
    return array.astype(array.dtype.newbyteorder("="), copy=False)
