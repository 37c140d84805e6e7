"""Start vertices drawn as the paper drew them, and how much they matter."""

from __future__ import annotations

import numpy as np

from ...util.errors import InputError

__all__ = ["ROOTS", "SEED", "roots", "variation"]

SEED = 3483584297
ROOTS = 20


def roots(n: int, count: int = ROOTS, seed: int = SEED) -> list[int]:
    """Vertices from the generator mt19937 of C++, as ``uniform_int_distribution`` maps its numbers.

    The paper names generator and seed, not the mapping; this is that of today's libstdc++.

    >>> len(roots(1000)), roots(1000) == roots(1000)
    (20, True)
    """
    if n < 1 or count < 1:
        raise InputError(
            f"{count} roots of a graph with {n} vertices: at least one of each is needed"
        )
    twister = np.random.MT19937()
    twister._legacy_seeding(seed % 2**32)  # as C++ seeds it
    found: list[int] = []
    while len(found) < count:
        product = int(twister.random_raw()) * n
        if product % 2**32 >= 2**32 % n:  # the few that would make some vertices more likely
            found.append(product >> 32)
    return found


def variation(seconds: list[float]) -> dict[str, float]:
    """Mean, standard deviation and coefficient of variation (figure 10).

    >>> variation([1.0, 3.0])
    {'mean': 2.0, 'deviation': 1.0, 'coefficient': 0.5}
    """
    mean, deviation = float(np.mean(seconds)), float(np.std(seconds))
    return {"mean": mean, "deviation": deviation, "coefficient": deviation / mean if mean else 0.0}
