"""What is compared of the outcome of a task, whichever library it comes from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Facts", "components", "distances", "levels", "scores"]

Facts = dict[str, npt.ArrayLike]


def levels(found: npt.ArrayLike) -> Facts:
    """Return the facts of a search: levels, -1 where it did not come."""
    level = np.asarray(found, np.int64)
    return {"reached": int((level >= 0).sum()), "levels": level}


def distances(found: npt.ArrayLike) -> Facts:
    """Return the facts of shortest paths: distances, -1 where there is none."""
    distance = np.asarray(found, np.float64)
    reached = distance < 1e300  # some libraries have a largest number for infinity
    return {"reached": int(reached.sum()), "distances": np.where(reached, distance, -1)}


def components(found: npt.ArrayLike) -> Facts:
    """Return the facts of components: each vertex gets the smallest id of its own."""
    _, first, which = np.unique(np.asarray(found), return_index=True, return_inverse=True)
    return {"count": first.size, "labels": first[which]}


def scores(found: npt.ArrayLike) -> Facts:
    """Return the facts of PageRank: the scores as shares, and the highest five beside the first.

    Libraries that forget the scores of vertices without arcs get the same shares: all scores grow by
    the same factor when those are spread over all vertices.
    """
    shares = np.asarray(found, np.float64)
    shares = shares / shares.sum()
    highest = np.sort(shares)[::-1][:5]
    return {"scores": shares, "top": highest / highest[0]}
