"""What public functions accept as a source of randomness."""

from __future__ import annotations

import secrets
from typing import TypeAlias

import numpy as np

from .errors import InputError

#: A seed, a generator that draws one, or None for a fresh one.
Rng: TypeAlias = int | np.random.Generator | None


def seed_of(rng: Rng) -> int:
    """Return a seed: a whole number as it is, a fresh one for None, or one drawn from a Generator.

    >>> seed_of(7)
    7
    """
    if rng is None:
        return secrets.randbits(63)
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63 - 1))
    if isinstance(rng, int | np.integer) and not isinstance(rng, bool):
        return int(rng)
    raise InputError(f"rng = {rng!r} must be a whole number, a numpy.random.Generator, or None")
