"""Numbers as callers give them: lists, arrays of any byte order or library, tables' columns."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from .errors import InputError, TooLargeError
from .memory import enough

__all__ = ["native", "numbers"]
INT64_ENDS = 2.0**63  # the first whole number that int64 cannot hold


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
        with enough(what):
            if hasattr(given, "__dlpack__") and not hasattr(given, "__array__"):
                given = np.from_dlpack(cast("Any", given))
            array = np.asarray(given)
    except TooLargeError:
        raise
    except Exception as error:  # code of another library may raise anything
        if isinstance(error, ValueError) and isinstance(given, list | tuple):
            raise InputError(
                f"{what}: lists of different lengths are not an array of numbers"
            ) from None
        raise InputError(f"{what}: NumPy cannot take a {type(given).__name__} ({error})") from None
    kind = array.dtype.kind
    if kind == "O" and not array.ndim:  # a generator, a set, ...
        raise InputError(f"{what} is a {type(given).__name__}: pass a list or an array")
    if kind == "T":  # NumPy's own strings
        array = array.astype(object)
    elif isinstance(given, list | tuple) and kind in "Uf":
        array = _as_listed(given, array)
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _as_listed(given: ArrayLike, array: np.ndarray) -> np.ndarray:
    """Return the array of a list without what NumPy makes equal in it.

    That takes 1 and "1" for the same text, drops zero characters at the end of text, and makes floats
    of whole numbers if some need 64 bits.
    """
    if array.dtype.kind == "U":
        return np.array(given, object)
    if array.size and np.abs(array).max() >= INT64_ENDS:
        listed = np.array(given, object)
        if all(isinstance(value, int) for value in listed.flat):
            fits = listed.min() >= 0 and listed.max() < 2**64
            return listed.astype(np.uint64) if fits else listed
    return array
