"""A candidate: a way to answer a question, and what it is predicted to take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..algorithms.result import Lazy
from .estimate import Estimate

__all__ = ["Candidate", "Choices"]


@dataclass(frozen=True)
class Candidate:
    """A way to answer a question, with its predicted time and memory; None where nothing is known.

    ``options`` are added to the arguments, and those that ``replaces`` names are removed.
    ``error_bound`` bounds the error of an approximation with the confidence that was asked for.
    ``once`` is the seconds of what is prepared for the graph: by ``prepare``, and in the first run.
    """

    name: str
    options: Mapping[str, Any]
    reason: str
    prediction: Lazy[Estimate] = field(repr=False)
    error: float | None = None
    error_bound: float | None = None
    replaces: tuple[str, ...] = ()
    once: float = 0.0
    prepare: Callable[[], object] | None = field(default=None, repr=False)

    @property
    def estimate(self) -> Estimate:
        """The predicted seconds with their interval, and the bytes."""
        return self.prediction()

    @property
    def seconds(self) -> float | None:
        """Predicted seconds."""
        return self.estimate.seconds

    def to_dict(self) -> dict[str, object]:
        """Return the candidate as JSON can hold it."""
        e = self.estimate
        made: dict[str, object] = {"name": self.name, "seconds": e.seconds, "low": e.low}
        made |= {"high": e.high, "memory": e.memory, "reason": self.reason}
        made["options"] = {k: v if _is_plain(v) else str(v) for k, v in self.options.items()}
        if self.once:
            made["once"] = self.once
        if self.error is not None:
            made |= {"error": self.error, "error_bound": self.error_bound}
        return made


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str | list)


@dataclass
class Choices:
    """Candidates, best first, and what to say about them."""

    ranked: list[Candidate]
    reason: str
    refused: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
