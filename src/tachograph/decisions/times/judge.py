"""How good predicted times are on measured runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .train import judge as rows_of

if TYPE_CHECKING:
    from ...journal.campaign import Record
    from .model import Model

__all__ = ["WHAT", "judge"]

WHAT = "predicted over actual time, or the reverse"


def judge(model: Model, records: list[Record]) -> list[float]:
    """Return, for each run, by what factor its prediction was off, as a logarithm."""
    return [abs(row["off"]) for row in rows_of(model, records)]
