"""Names to ids: sorted distinct names get 0, 1, 2, ..."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..util.errors import InputError

__all__ = ["relabelled"]


def relabelled(source: Any, target: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ids of the sources, ids of the targets, and the names by id."""
    sources, targets = np.asarray(source), np.asarray(target)
    if sources.ndim != 1 or sources.shape != targets.shape:
        raise InputError(
            f"sources of shape {sources.shape} and targets of shape {targets.shape} do not pair up"
        )
    if sources.dtype.kind in "iu" and targets.dtype.kind in "iu":
        return _integers(sources, targets)
    return _objects(sources, targets)


def _integers(
    sources: np.ndarray, targets: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if not sources.size:
        return sources, targets, np.empty(0, np.int64)
    low = min(int(sources.min()), int(targets.min()))
    high = max(int(sources.max()), int(targets.max()))
    if low < 0 or high > max(1 << 20, 16 * sources.size):
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


def _objects(sources: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    import pyarrow as pa
    import pyarrow.compute as pc

    def as_text(values: np.ndarray) -> Any:
        return pa.array([str(v) for v in values.tolist()], pa.string())

    both = pa.chunked_array([as_text(sources), as_text(targets)], pa.string())
    names = pc.unique(both)
    names = names.take(pc.sort_indices(names))
    ids = pc.index_in(both, value_set=names).to_numpy().astype(np.int64)
    return ids[: sources.size], ids[sources.size :], np.array(names.to_pylist(), object)
