"""Edges before they are a graph: as a file or table lists them, and what to make of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np

from ..util.errors import InputError

__all__ = ["EdgeOptions", "EdgeTable", "Options", "relabelled"]

DEDUPE = ("keep", "first", "min", "sum")
COUNT_IDS_UP_TO = 1 << 20  # names up to here are counted in an array rather than sorted
COUNT_IDS_PER_EDGE = 16  # the same, as a multiple of the number of edges


@dataclass
class EdgeTable:
    """Edges in file order, with what the file says about them.

    ``source`` and ``target`` hold ids, or names if they are strings. ``n`` is None if the file does
    not say how many vertices there are, ``directed`` is None if it does not say that. An undirected
    file may list each edge once, in both directions (``both``), or leave it open (None). ``names``
    are those of the ids; ``named`` says that source and target hold names themselves.
    """

    source: np.ndarray
    target: np.ndarray
    weight: np.ndarray | None = None
    n: int | None = None
    directed: bool | None = None
    both: bool | None = None
    names: np.ndarray | None = None
    named: bool = False
    meta: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Options:
    """What to make of the edges; see :func:`tachograph.read`. The default keeps them as listed."""

    directed: bool | None = None
    symmetrize: bool | None = None
    dedupe: str = "keep"
    drop_self_loops: bool = False
    relabel: bool = False

    def __post_init__(self) -> None:
        if self.dedupe not in DEDUPE:
            raise InputError(f"dedupe={self.dedupe!r} is not one of {', '.join(DEDUPE)}")


class EdgeOptions(TypedDict, total=False):
    """The fields of :class:`Options` as keyword arguments."""

    directed: bool | None
    symmetrize: bool | None
    dedupe: str
    drop_self_loops: bool
    relabel: bool


def relabelled(
    sources: np.ndarray, targets: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the ids of sources and targets, and the names by id: distinct and sorted."""
    if sources.ndim != 1 or sources.shape != targets.shape:
        raise InputError(
            f"sources of shape {sources.shape} and targets of shape {targets.shape} do not pair up"
        )
    if sources.dtype.kind not in "iu" or targets.dtype.kind not in "iu":
        return _by_words(sources, targets)
    if not sources.size:
        return sources, targets, np.empty(0, np.int64)
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


def _by_words(
    sources: np.ndarray, targets: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = [pa.array(map(str, side.tolist()), pa.string()) for side in (sources, targets)]
    both = pa.chunked_array(ends, pa.string())
    names = pc.unique(both)
    names = names.take(pc.sort_indices(names))
    ids = pc.index_in(both, value_set=names).to_numpy().astype(np.int64)
    return ids[: sources.size], ids[sources.size :], np.array(names.to_pylist(), object)
