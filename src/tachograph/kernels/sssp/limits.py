"""What a search leaves out on purpose, which makes it approximate.

Method: section 3.2 of B. Aktılav, I. Öz, "Performance and accuracy predictions of approximation
methods for shortest-path algorithms on GPUs", 2022. A vertex that is left out keeps its distance, but
its arcs are not relaxed. Whether the random choice takes a vertex depends only on the seed, the vertex
and the round, so a larger share takes every vertex that a smaller one takes, on any number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.launch import inline

__all__ = ["ALL_OF_THEM", "EVERYTHING", "UNLIMITED", "Limits", "left_out", "picky"]

UNLIMITED = 1 << 62
ALL_OF_THEM = 1 << 32  # the value of ``keep`` that leaves nothing to chance


class Limits(NamedTuple):
    """Vertices whose degree is within bounds are taken, ``keep`` of 2**32 of them by a random choice.

    Without ``atomic``, two workers may lower the same distance, and the later store counts. At most
    ``rounds`` are done after the round of the sources.
    """

    least_degree: int = 0
    most_degree: int = UNLIMITED
    keep: int = ALL_OF_THEM
    seed: int = 0
    atomic: bool = True
    rounds: int = UNLIMITED


EVERYTHING = Limits()


@inline
def picky(limits):
    """Whether any vertex may be left out."""
    return limits.least_degree > 0 or limits.most_degree < UNLIMITED or limits.keep < ALL_OF_THEM


@inline
def left_out(limits, vertex, degree, turn):
    """Whether the arcs of a vertex are not to be relaxed in this turn."""
    if degree < limits.least_degree or degree > limits.most_degree:
        return True
    if limits.keep == ALL_OF_THEM:
        return False
    mixed = np.uint64(vertex) + np.uint64(turn) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= np.uint64(limits.seed) * np.uint64(0xD1342543DE82EF95)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    return np.int64(mixed >> np.uint64(32)) >= limits.keep
