"""What an algorithm on a partitioned graph consists of.

A program runs in supersteps: in each, every part takes its state and the mail of the superstep
before, and gives a new state and mail for others. These functions are pure: what they are given
they do not change, so that one which was interrupted can be run again, anywhere. Between two
supersteps the driver decides from everybody's notes what all do next.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np

from ... import __version__
from ..manifest import Partition
from ..piece import Piece

__all__ = ["Arrays", "Inbox", "Notes", "Order", "Outcome", "Program", "source_ids"]

Arrays = Mapping[str, np.ndarray]
Inbox = Mapping[int, Arrays]  # by sender
Notes = dict[str, Any]  # small and plain: what the driver has to know of a part
Order = dict[str, Any]  # what the driver wants done


@dataclass
class Outcome:
    """What a superstep of a part gives.

    ``state`` goes to the same part's next superstep; ``mail`` by the part that is to get it;
    ``kept`` (of the first one only) to all supersteps, without being copied.
    """

    state: dict[str, np.ndarray]
    notes: Notes = field(default_factory=dict)
    mail: dict[int, dict[str, np.ndarray]] = field(default_factory=dict)
    kept: dict[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Program(ABC):
    """An algorithm with its parameters: a frozen dataclass, which travels to workers."""

    task: ClassVar[str]

    def check(self, partition: Partition) -> None:  # noqa: B027 (not all have something to refuse)
        """Refuse what cannot be done with this graph."""

    @abstractmethod
    def start(self, piece: Piece) -> Outcome:
        """The first superstep."""

    @abstractmethod
    def step(self, piece: Piece, state: Arrays, inbox: Inbox, order: Order) -> Outcome:
        """Another one. ``state`` has what was kept, too."""

    @abstractmethod
    def decide(self, memory: dict[str, Any], notes: list[Notes]) -> Order | None:
        """What to do next, or None if that was all; ``memory`` is the driver's: plain, and kept."""

    @abstractmethod
    def finish(self, piece: Piece, state: Arrays, inbox: Inbox) -> dict[str, np.ndarray]:
        """The results for its own vertices, or as many entries as the last notes say in ``rows``."""

    def key(self, partition: Partition) -> str:
        """A hash of what is computed: a run with the same one can go on where another was stopped."""
        content = [__version__, partition.key, self.task, asdict(self)]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


def total(notes: list[Notes], name: str) -> Any:
    """The sum of one note over all parts."""
    return sum(n[name] for n in notes)


def to_ghosts(piece: Piece, name: str, values: np.ndarray) -> dict[int, dict[str, np.ndarray]]:
    """Mail that tells every part the ``values`` (one for each local id) of its ghosts."""
    return {other: {name: values[piece.sends(other)]} for other in piece.others}


def from_owners(piece: Piece, inbox: Inbox, name: str, values: np.ndarray) -> None:
    """Put the values that :func:`to_ghosts` sent in their places."""
    for other, arrays in inbox.items():
        values[piece.ghosts_of(other)] = arrays[name]


def own_of(piece: Piece, vertices: tuple[int, ...]) -> Iterator[int]:
    """Local ids of those of ``vertices`` (ids of the whole graph) that the part owns."""
    for vertex in vertices:
        if piece.first <= vertex < piece.first + piece.size:
            yield vertex - piece.first + piece.begin


def source_ids(n: int, given: Any) -> tuple[int, ...]:
    """One vertex or several as distinct ids that exist; raises ``InputError`` for others."""
    from ...algorithms.bfs import distinct_ids

    return tuple(distinct_ids(n, given, "source").tolist())
