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
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ... import __version__
from ..manifest import Partition
from ..piece import Arrays, Inbox, Mail, Piece

Notes: TypeAlias = dict[str, Any]  #: what the driver has to know of a part, as JSON can hold it
Order: TypeAlias = dict[str, Any]  #: what the driver wants done, as JSON can hold it
#: Names and types of arrays; None stands for the type of the graph's ids.
Outputs: TypeAlias = Mapping[str, npt.DTypeLike | None]
Memory: TypeAlias = dict[str, Any]  #: what the driver knows, as JSON can hold it


class Row(NamedTuple):
    """A row of the trace: one superstep. Seconds of work and writing are those of the slowest part."""

    superstep: int
    phase: str
    seconds: float
    work_seconds: float
    write_seconds: float
    message_bytes: int


@dataclass
class Outcome:
    """What a superstep of a part gives.

    ``state`` goes to the same part's next superstep, ``mail`` to other parts, ``kept`` (of the first
    superstep only) to all supersteps, without being copied.
    """

    state: dict[str, np.ndarray]
    notes: Notes = field(default_factory=dict)
    mail: Mail = field(default_factory=dict)
    kept: dict[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Program(ABC):
    """An algorithm with its parameters: a frozen dataclass, which travels to workers."""

    task: ClassVar[str]
    #: The arrays that it computes.
    outputs: ClassVar[Outputs]
    #: Supersteps between two checkpoints, if the program insists.
    checkpoint: ClassVar[int | None] = None

    def check(self, partition: Partition) -> None:  # noqa: B027 (not all have something to refuse)
        """Refuse what cannot be done with this graph."""

    @abstractmethod
    def start(self, piece: Piece) -> Outcome:
        """Do the first superstep."""

    @abstractmethod
    def step(self, piece: Piece, state: Arrays, inbox: Inbox, order: Order) -> Outcome:
        """Do another one. ``state`` has what was kept, too."""

    @abstractmethod
    def decide(self, memory: Memory, notes: list[Notes]) -> Order | None:
        """Return what to do next, or None if that was all. ``memory`` can be changed."""

    def finish(self, piece: Piece, state: Arrays, inbox: Inbox) -> dict[str, np.ndarray]:
        """Return the outputs for its own vertices, or as many as the last notes say in ``rows``."""
        return {name: state[name][piece.own] for name in self.outputs}

    def values(self, partition: Partition, arrays: Arrays, memory: Memory) -> dict[str, object]:
        """Return the values of the result: the arrays, and what else can be told."""
        return dict(arrays)

    def key(self, partition: Partition) -> str:
        """Return a hash of what is computed: a run with the same one goes on where another stopped."""
        content = [__version__, partition.key, self.task, asdict(self)]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


def total(notes: list[Notes], name: str) -> Any:
    """Return the sum of one note over all parts."""
    return sum(n[name] for n in notes)


def source_ids(n: int, given: npt.ArrayLike) -> tuple[int, ...]:
    """Return one vertex or several as distinct ids that exist; others raise ``InputError``."""
    from ...algorithms.bfs import distinct_ids

    return tuple(distinct_ids(n, given, "source").tolist())
