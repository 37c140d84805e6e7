"""Which vertices of a frontier are left out on purpose: what makes a search approximate.

Method: section 3.2 of B. Aktılav, I. Öz, "Performance and accuracy predictions of approximation
methods for shortest-path algorithms on GPUs", 2022. A vertex that is left out keeps its distance, but
its arcs are not relaxed. Whether the random choice takes a vertex depends on the seed, the vertex and
the round only, so a larger share takes all that a smaller one does, on any number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..runtime.launch import inline

__all__ = ["ALL_OF_THEM", "EVERYTHING", "UNLIMITED", "Limits", "left_out"]

UNLIMITED = 1 << 62
ALL_OF_THEM = 1 << 32  # of ``keep``


class Limits(NamedTuple):
    """Degrees from ``least`` to ``most`` are taken; of those ``keep`` of 2**32, by a random choice.
    Without ``atomic``, two workers may lower the same distance, and the later write counts.
    """

    least: int
    most: int
    keep: int
    seed: int
    atomic: bool


EVERYTHING = Limits(0, UNLIMITED, ALL_OF_THEM, 0, True)


@inline
def left_out(limits, vertex, degree, turn):
    """Whether the arcs of a vertex are not to be relaxed in this turn."""
    if degree < limits.least or degree > limits.most:
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
