"""How long a run would take, by formulas: microseconds instead of a simulation.

Every design says what takes time and how long at best (:meth:`Accelerator.terms`): bytes at the peak of
the memory, cycles of pipelines, phases. The time is their sum, weighted with coefficients that
``python benchmarks/analytical.py`` fits to simulations of generated graphs (``analytical.csv``), by
design, family of the memory and task. Iterations have to be known.
"""

from __future__ import annotations

import csv
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from .base import Accelerator, Size

__all__ = ["Modelled", "coefficients", "modelled"]

#: Tasks without coefficients of their own, and the task whose they are.
ALIKE = {"sssp": "bfs", "spmv": "pagerank"}
ANY_FAMILY = "any"


class Modelled(NamedTuple):
    """Seconds by formulas, and their median error on graphs that were not fitted, in %."""

    seconds: float
    error: float | None


@lru_cache(1)
def coefficients() -> dict[tuple[str, str, str], dict[str, float]]:
    """Return the coefficients by design, family of the memory and task; ``error`` is among them."""
    text = files(__package__).joinpath("analytical.csv").read_text(encoding="utf-8")
    made: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in csv.DictReader(text.splitlines()):
        key = row["design"], row["memory"], row["task"]
        made.setdefault(key, {})[row["term"]] = float(row["coefficient"])
    return made


def modelled(design: Accelerator, size: Size) -> Modelled | None:
    """Return how long a run takes by formulas, or None if the design has none.

    >>> import tachograph as tg
    >>> size = Size(100_000, 1_000_000, "pagerank", 10, tg.Memory("DDR4-2400R"))
    >>> found = modelled(tg.AccuGraph(), size)
    >>> 0.001 < found.seconds < 0.1
    True
    """
    terms = design.terms(size)
    task, family = ALIKE.get(size.task, size.task), size.memory.standard.name.partition("-")[0]
    every = coefficients()
    for where in (family, ANY_FAMILY):
        found = every.get((type(design).__name__, where, task))
        if found is not None and terms:
            seconds = sum(found.get(name, 0.0) * value for name, value in terms.items())
            return Modelled(seconds, found.get("error"))
    return None
