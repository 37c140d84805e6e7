"""A part of a graph: the rows of a range of vertices, and who else has to hear of them.

Vertices of a part have local ids: its own and its ghosts, the vertices of other parts at the other end
of its arcs, numbered in the order of their ids in the whole graph. So own ones have consecutive local
ids, the ghosts of each other part too, and what is smallest by local id is smallest by id. A piece is a
``.tgraph`` file in which the rows of ghosts are empty; of a directed graph there is a second one with
the arcs turned round.

Whom a part has as ghosts of another part are exactly those of the other part that have it among their
``sends``, in the same order: a message needs no ids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ..graph.files.streams import Input
from ..graph.files.tgraph import mapped
from ..graph.graph import Graph
from .checks import check_piece

__all__ = ["CHUNK_ARCS", "Arcs", "Arrays", "Inbox", "Mail", "Piece", "names_of"]

CHUNK_ARCS = 1 << 16  # looked at together

Arrays: TypeAlias = Mapping[str, np.ndarray]
Mail: TypeAlias = dict[int, dict[str, np.ndarray]]  #: arrays by the part that is to get them
Inbox: TypeAlias = Mapping[int, Arrays]  #: arrays by sender
#: Sources (of the part, as ids of the whole graph), targets, weights.
Arcs: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray | None]


@dataclass(frozen=True)
class Piece:
    """Part ``index`` of a graph that was cut at ``cuts``."""

    directory: Path
    index: int
    cuts: np.ndarray
    out: Graph  # rows of arcs out of its vertices
    into: Graph  # rows of arcs into its vertices, turned round; the same if undirected

    @classmethod
    def open(cls, directory: Path, index: int, cuts: np.ndarray, directed: bool) -> Piece:
        """Map a piece, and check it if this process has not yet.

        Raises
        ------
        MissingFileError, FileFormatError
            If a file is not there or damaged, or holds ids that do not exist.
        """
        paths = [directory / name for name in names_of(index, directed)]
        files = [mapped(Input(path)) for path in paths]
        made = cls(directory, index, cuts, files[0][0], files[-1][0])
        check_piece(made, paths, [check for _, check in files])
        return made

    def neighbour(self, other: int) -> Piece:
        """Another part of the same graph (or this one)."""
        if other == self.index:
            return self
        return Piece.open(self.directory, other, self.cuts, self.into is not self.out)

    @property
    def first(self) -> int:
        """The id of its first vertex in the whole graph."""
        return int(self.cuts[self.index])

    @property
    def size(self) -> int:
        """How many vertices it owns."""
        return int(self.cuts[self.index + 1]) - self.first

    @property
    def n(self) -> int:
        """How many vertices it knows, ghosts included."""
        return self.out.n

    @cached_property
    def ghosts(self) -> np.ndarray:
        """Ids of the ghosts in the whole graph, ascending."""
        found: np.ndarray = self.out.meta["ghosts"]
        return found

    @cached_property
    def begin(self) -> int:
        """The local id of its first own vertex."""
        return int(np.searchsorted(self.ghosts, self.first))

    @property
    def own(self) -> slice:
        """Local ids of its own vertices."""
        return slice(self.begin, self.begin + self.size)

    @cached_property
    def _ghost_starts(self) -> np.ndarray:
        return np.searchsorted(self.ghosts, self.cuts)

    def ghosts_of(self, other: int) -> slice:
        """Local ids of the ghosts that part ``other`` owns."""
        shift = self.size if other > self.index else 0
        starts = self._ghost_starts
        return slice(int(starts[other]) + shift, int(starts[other + 1]) + shift)

    def sends(self, other: int) -> np.ndarray:
        """Local ids of own vertices that are ghosts of part ``other``."""
        starts = self.out.meta["send_starts"]
        found: np.ndarray = self.out.meta["sends"][int(starts[other]) : int(starts[other + 1])]
        return found

    @property
    def others(self) -> list[int]:
        """Parts that have some of its vertices as ghosts; it has some of theirs."""
        return np.flatnonzero(np.diff(self.out.meta["send_starts"])).tolist()

    @cached_property
    def ids(self) -> np.ndarray:
        """For each local id the id in the whole graph."""
        own = np.arange(self.first, self.first + self.size, dtype=self.ghosts.dtype)
        return np.concatenate([self.ghosts[: self.begin], own, self.ghosts[self.begin :]])

    @property
    def ghost_degrees(self) -> np.ndarray:
        """Arcs out of each ghost in the whole graph, in the order of ghosts (int64)."""
        found: np.ndarray = self.out.meta["ghost_degrees"]
        return found

    @cached_property
    def degrees(self) -> np.ndarray:
        """Arcs out of each vertex in the whole graph, ghosts included (int64)."""
        return _degrees(self, self.out)

    @cached_property
    def all_degrees(self) -> np.ndarray:
        """The same of arcs out of and into each vertex, if the graph is directed."""
        if self.into is self.out:
            return self.degrees
        both: np.ndarray = self.degrees + _degrees(self, self.into)
        return both

    def own_of(self, vertices: tuple[int, ...]) -> list[int]:
        """Return the local ids of those of ``vertices`` (ids of the whole graph) that it owns."""
        last = self.first + self.size
        return [v - self.first + self.begin for v in vertices if self.first <= v < last]

    def to_ghosts(self, name: str, values: np.ndarray) -> Mail:
        """Return mail that tells every part the ``values`` (one for each local id) of its ghosts."""
        return {other: {name: values[self.sends(other)]} for other in self.others}

    def from_owners(self, inbox: Inbox, name: str, values: np.ndarray) -> None:
        """Put the values that :meth:`to_ghosts` sent in their places."""
        for other, arrays in inbox.items():
            values[self.ghosts_of(other)] = arrays[name]


def _degrees(piece: Piece, rows: Graph) -> np.ndarray:
    """Lengths of own rows, and what the file says of ghosts."""
    found: np.ndarray = np.diff(rows.indptr)
    found[: piece.begin] = rows.meta["ghost_degrees"][: piece.begin]
    found[piece.own.stop :] = rows.meta["ghost_degrees"][piece.begin :]
    return found


def names_of(index: int, directed: bool) -> list[str]:
    """The names of a piece's files."""
    return [f"part-{index:04d}.tgraph", f"part-{index:04d}.in.tgraph"][: 1 + directed]
