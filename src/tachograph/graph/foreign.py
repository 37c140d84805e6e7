"""Arrays of somebody else: as ids and weights, never narrowed in silence, owned by the graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..util.arrays import native
from ..util.errors import InputError
from ..util.text import quoted

WEIGHTS = (np.int32, np.float32, np.float64)
LAST_EXACT = 2**53  # above, a float64 stands for several whole numbers


def as_ids(values: npt.ArrayLike, what: str) -> np.ndarray:
    """Return a one-dimensional array of integers that int64 can hold."""
    array = native(values, what)
    if array.ndim != 1:
        raise InputError(f"{what} must be one-dimensional, not of shape {array.shape}")
    if array.size == 0:
        return array.astype(np.int32)
    if array.dtype.kind == "f":
        return whole(array, what)
    if array.dtype.kind not in "iu":
        word = next((v for v in array.tolist() if isinstance(v, str)), None)
        found = f"has text, such as {quoted(word)}" if word else f"has type {array.dtype}"
        raise InputError(f"{what} {found}; ids are whole numbers (names need relabel=True)")
    if array.dtype == np.uint64 and int(array.max()) > np.iinfo(np.int64).max:
        raise InputError(f"{what}[{int(array.argmax())}] is {array.max()}: too large for an id")
    return array


def whole(array: np.ndarray, what: str) -> np.ndarray:
    """Return floats as int64 if all are whole numbers that their type tells from their neighbours."""
    least = float(np.min(array)), float(np.max(array))  # NaN if there is any
    if not all(np.isfinite(least)) or (array != np.round(array)).any():
        raise InputError(f"{what} has ids that are not whole numbers")
    bits = min(np.finfo(array.dtype).nmant + 1, 53)  # a list of longer ones was of Python's floats
    if max(map(abs, least)) >= 2**bits:
        raise InputError(
            f"{what} has floats from 2**{bits}, where each stands for several ids: pass integers"
        )
    return array.astype(np.int64)


def as_weights(weight: npt.ArrayLike | None, edges: int) -> np.ndarray | None:
    """Return weights in one of our types: int32, float32 or float64, contiguous, all finite."""
    if weight is None:
        return None
    array = native(weight, "weight")
    if array.shape != (edges,):
        raise InputError(f"{edges:,} edges but weights of shape {array.shape}")
    if array.dtype.kind in "iub":
        if array.size and (array.max() > 2**31 - 1 or array.min() < -(2**31)):
            if max(int(array.max()), -int(array.min())) > LAST_EXACT:
                raise InputError("weights beyond 2**53 cannot be kept exactly; scale them")
            return np.ascontiguousarray(array, np.float64)
        return np.ascontiguousarray(array, np.int32)
    if array.dtype.kind != "f":
        raise InputError(f"weights have type {array.dtype}; they must be numbers")
    with np.errstate(over="ignore"):  # of a longer type: infinity is refused below
        array = np.ascontiguousarray(array, np.float32 if array.itemsize <= 4 else np.float64)
    must_be_finite(array)
    return array


def must_be_finite(weights: np.ndarray) -> None:
    """Raise :class:`InputError` if any weight is infinite or not a number."""
    if weights.dtype.kind == "f" and not np.isfinite(weights).all():
        at = int(np.flatnonzero(~np.isfinite(weights))[0])
        raise InputError(f"weight[{at}] is {weights[at]}: weights must be finite")


def sound_rows(matrix: Any) -> Any:
    """Return a sparse matrix of SciPy as compressed rows, or refuse it.

    SciPy trusts the arrays of a matrix: indices beyond its shape would end the process.
    """
    kind = getattr(matrix, "format", "")
    if isinstance(matrix, type) or not hasattr(matrix, "tocsr"):
        raise InputError(f"expected a SciPy sparse matrix, not {type(matrix).__name__}")
    shape = tuple(getattr(matrix, "shape", (0,)))
    if shape[1:] != shape[:1]:
        raise InputError(f"a graph needs a square matrix, not one of shape {shape}")
    try:
        if kind in ("csc", "bsr"):
            matrix.check_format(full_check=True)
        if kind == "bsr" and matrix.data.shape[:1] != matrix.indices.shape:
            raise InputError("it has other numbers of blocks and indices")
        if kind == "coo" and any(
            c.size and not 0 <= c.min() <= c.max() < shape[0] for c in matrix.coords
        ):
            raise InputError("it has an index beyond its shape")
        if kind == "lil" and [*map(len, matrix.rows)] != [*map(len, matrix.data)]:
            raise InputError("a row has other numbers of indices and values")
        rows = matrix.tocsr()
        if kind == "bsr" or (rows.dtype == bool and not np.all(rows.data)):
            rows.check_format(full_check=True)
            rows = rows.copy()
            rows.eliminate_zeros()
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"the matrix cannot be used: {error}") from None
    return rows


def owned(made: np.ndarray, foreign: np.ndarray) -> np.ndarray:
    """Return ``made``, or a copy of it if somebody can write to it by way of ``foreign``."""
    if _anybody_writes(foreign) and np.may_share_memory(made, foreign):
        made = made.copy()
        seal(made)
    return made


def _anybody_writes(array: np.ndarray) -> bool:
    """Whether an array, or anything that it is a view of, can be written to."""
    owner: object = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return True
        owner = owner.base
    try:
        return owner is not None and not memoryview(owner).readonly  # type: ignore[arg-type]
    except TypeError:  # another library's memory, which does not say
        return True


def frozen(array: np.ndarray) -> np.ndarray:
    """Return a view that cannot be written through."""
    view = array.view()
    view.flags.writeable = False
    return view


def seal(*arrays: np.ndarray | None) -> None:
    """Make arrays that belong to a graph, and what they are views of, read-only for good."""
    for array in arrays:
        owner: object = array
        while isinstance(owner, np.ndarray):
            owner.flags.writeable = False
            owner = owner.base
