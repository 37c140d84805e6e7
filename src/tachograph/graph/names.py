"""Names to ids: vertices that are words, or integers with gaps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias, cast

import numpy as np

from ..util.errors import InputError
from .foreign import whole

Relabelled: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]
COUNT_IDS_UP_TO = 1 << 20  # names up to here are counted in an array rather than sorted
COUNT_IDS_PER_EDGE = 16  # the same, as a multiple of the number of edges


def relabelled(sources: np.ndarray, targets: np.ndarray) -> Relabelled:
    """Return the ids of sources and targets, and the names by id: distinct and sorted."""
    if sources.ndim != 1 or sources.shape != targets.shape:
        shapes = f"sources of shape {sources.shape} and targets of shape {targets.shape}"
        raise InputError(f"{shapes} do not pair up")
    if not sources.size:
        none = np.empty(0, np.int64)
        return none, none, none
    sources = whole(sources, "source") if sources.dtype.kind == "f" else sources
    targets = whole(targets, "target") if targets.dtype.kind == "f" else targets
    if sources.dtype.kind not in "iu" or targets.dtype.kind not in "iu":
        return _by_words(sources, targets)
    low = min(int(sources.min()), int(targets.min()))
    high = max(int(sources.max()), int(targets.max()))
    if low < 0 or high > max(COUNT_IDS_UP_TO, COUNT_IDS_PER_EDGE * sources.size):
        kind = np.int64 if high <= np.iinfo(np.int64).max else np.uint64
        if low < 0 and kind is np.uint64:
            raise InputError(f"the names {low} and {high} do not fit in 64 bits together")
        both = np.concatenate([sources.astype(kind), targets.astype(kind)])
        names, places = np.unique(both, return_inverse=True)
        return places[: sources.size], places[sources.size :], names
    used = np.zeros(high + 1, bool)
    used[sources] = True
    used[targets] = True
    ids = np.cumsum(used, dtype=np.int32 if high < 2**31 - 1 else np.int64) - 1
    return ids[sources], ids[targets], np.flatnonzero(used).astype(np.int64)


@contextmanager
def unicode_only() -> Iterator[None]:
    """Refuse names with halves of characters, which files and Arrow cannot hold."""
    try:
        yield
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        advice = "names are Unicode text; decode bytes with the right encoding"
        raise InputError(
            f"the name {error.object!r} has {half!r}, half a character: {advice}"
        ) from None


def plain_names(names: np.ndarray) -> np.ndarray:
    """Return names that files can hold, all strings or all whole numbers; refuse others."""
    if names.dtype.kind in "iu":
        return names
    kinds = {type(name) for name in names.tolist()}
    if kinds - {str}:
        numbers = all(issubclass(kind, int | np.integer) and kind is not bool for kind in kinds)
        names = np.array(names.tolist()) if numbers else names
        if not numbers or names.dtype.kind not in "iu":
            found = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise InputError(
                f"names are kept if all are strings or integers of 64 bits, not {found}"
            )
    return names


def _by_words(sources: np.ndarray, targets: np.ndarray) -> Relabelled:
    import pyarrow as pa
    import pyarrow.compute as pc

    listed = [side.tolist() for side in (sources, targets)]
    kinds = {type(name) for side in listed for name in side}
    if kinds not in ({str}, {int}):
        said = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise InputError(f"names are all strings or all whole numbers, but found {said}")
    with unicode_only():
        ends = [pa.array(map(str, side), pa.string()) for side in listed]
    both = pa.chunked_array(ends, pa.string())
    names = pc.unique(both)
    names = names.take(pc.sort_indices(names))
    ids = pc.index_in(both, value_set=names).to_numpy().astype(np.int64)
    return ids[: sources.size], ids[sources.size :], np.array(names.to_pylist(), object)


def meta_of(meta: dict[str, object], found: np.ndarray, n: int | None) -> dict[str, object]:
    """Return what a file says about vertices under their new ids; ``found`` holds the old ids."""
    kept: dict[str, object] = {}
    for key, value in meta.items():
        if key in ("source", "sink"):
            at = int(np.searchsorted(found, cast(int, value)))
            if at < found.size and found[at] == value:
                kept[key] = at
        elif isinstance(value, np.ndarray) and n is not None and len(value) == n:
            kept[key] = value[found]
        else:
            kept[key] = value
    return kept
