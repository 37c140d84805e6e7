"""Damaged inputs of every kind, by the million: ``python -m tests.fuzz``, which is ``make fuzz``.

    python -m tests.fuzz                             # a million inputs of all kinds, and a table of them
    python -m tests.fuzz mtx journal --inputs 5000   # of some kinds
    python -m tests.fuzz --together --seconds 5      # of each kind for so long, as CI does
    python -m tests.fuzz mtx --seed 7 --at 1234      # one input again, in this process

Each input is a sound one with some damage. It is used as the package would use it. A failure is an exception that
is not ours (*raw*), an answer that differs from what a slow reader finds or from what was written (*wrong*), more than
``HANG_SECONDS`` of computing, or ``BLOCKED_SECONDS`` of waiting (*hang*), more than ``MOST_BYTES`` of memory (*memory*), or the end of the process (*crash*).

Input ``k`` of a kind depends on the seed, the kind and ``k`` only, so it can be repeated alone. Inputs run in a
process of their own, which is started again after a crash. Set NUMBA_BOUNDSCHECK=1 and an own NUMBA_CACHE_DIR to have
the accesses of compiled loops checked, too.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

HANG_SECONDS = 5.0  # of the processor: a busy machine is no hang
BLOCKED_SECONDS = 60.0  # by the clock
MOST_BYTES = 1 << 30  # that one input may add to the memory of the process

#: Damages a sound input and uses it. Returns whether it was accepted; raises what it finds.
Use: TypeAlias = Callable[[random.Random], bool]


class Wrong(AssertionError):
    """Something was accepted, but is not what the input says."""


def must(right: bool, told: object) -> None:
    """Raise :class:`Wrong` unless the answer is ``right``."""
    if not right:
        raise Wrong(str(told)[:2000])
