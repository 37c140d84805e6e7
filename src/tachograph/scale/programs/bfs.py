"""Breadth-first search of a partitioned graph, with one direction for all parts at every level.

State: the level of each vertex a part knows, ghosts included (-1 if not reached; a ghost's may be
missing or be too high, never too low). *Push*: own vertices of the frontier claim their targets;
claimed ghosts are told to their owners, who hear of it in the next superstep. *Pull*: own vertices
that were not reached look for a source in the frontier, for which owners tell everybody which of
their vertices are in it: after a pull they know at once, after a push only when they have heard of
all claims, so that a pull after a push is preceded by a superstep in which the frontier is
announced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self, Unpack

import numpy as np
import numpy.typing as npt

from ...algorithms.bfs import BfsResult
from ...kernels.bfs.steps import Bitmaps, Tree, smallest_parents
from ...kernels.pieces import searches as pieces
from ...kernels.runtime.launch import run, threads_available
from ...kernels.runtime.team import run_team
from ..manifest import Partition, Parts, open_partition
from ..piece import Arrays, Inbox, Mail, Piece
from ..supersteps import Where, solve
from . import Memory, Notes, Order, Outcome, Outputs, Program, source_ids, total

if TYPE_CHECKING:
    from ...decisions.direction.model import Policy

__all__ = ["bfs"]

SERIAL_BELOW_SIZE = 1 << 18  # vertices and arcs of a part that one thread is faster with
NOTHING_YET: Memory = {
    "phase": "",
    "depth": -1,
    "slope": 0,
    "before": 0,
    "m_before": 0,
    "pulled": 0,
}


def bfs(
    graph: Parts, source: npt.ArrayLike, *, direction: str = "auto", **where: Unpack[Where]
) -> BfsResult:
    """Breadth-first search from one vertex or several.

    Parameters
    ----------
    graph
        A partition, or its directory.
    source
        A vertex id, or several: then levels count from the nearest.
    direction
        What chooses between push and pull, for all parts at once, as in :func:`tachograph.bfs`.
    where
        ``cluster`` (the address of a Dask scheduler; by default the Dask client in use, else this
        process), ``workers`` (a number of processes to start on this machine instead) and
        ``checkpoint`` (after how many supersteps the state is kept for a later run; default: 10).

    Returns
    -------
    BfsResult
        ``levels`` (int32, -1 if not reached) and ``parents`` (the smallest possible ids; sources are
        their own, -1 if not reached), mapped from files in the partition's directory. The trace has a
        row for each superstep.

    Raises
    ------
    InputError, FileFormatError, MissingFileError
        For a source or direction that does not exist, or a partition that cannot be used.
    TachographError
        If the cluster is lost; the same call goes on from the last checkpoint.

    Examples
    --------
    >>> import tachograph as tg
    >>> parts = tg.scale.partition(tg.path(6), parts=2, directory="path")
    >>> tg.scale.bfs(parts, 0).levels.tolist()
    [0, 1, 2, 3, 4, 5]
    """
    partition = open_partition(graph)
    return solve(BfsResult, Search.of(partition, source, direction), partition, **where)


@dataclass(frozen=True)
class Search(Program):
    """A search from ``sources`` of a graph of ``n`` vertices."""

    task: ClassVar[str] = "bfs"
    outputs: ClassVar[Outputs] = {"levels": np.int32, "parents": None}
    #: Whether parents are wanted, for which the levels of ghosts have to be known.
    parents: ClassVar[bool] = True
    sources: tuple[int, ...]
    direction: str
    n: int
    arcs: int
    directed: bool

    @classmethod
    def of(cls, partition: Partition, source: npt.ArrayLike, direction: str) -> Self:
        """Return the search of a partition."""
        sources = source_ids(partition.n, source)
        return cls(sources, direction, partition.n, sum(partition.arcs), partition.directed)

    def policy(self) -> Policy:
        from ...decisions.direction.model import policy_named

        return policy_named(self.direction)

    def check(self, partition: Partition) -> None:
        self.policy()  # refuses a direction that does not exist

    def start(self, piece: Piece) -> Outcome:
        """Give the sources level 0."""
        levels = np.full(piece.n, -1, np.int32)
        sources = piece.own_of(self.sources)
        levels[sources] = 0
        edges = int(piece.degrees[sources].sum())
        notes = {"found": len(sources), "arcs": edges, "visited": len(sources), "seen": edges}
        return Outcome({"levels": levels}, notes, _announced(piece, levels, 0))

    def step(self, piece: Piece, state: Arrays, inbox: Inbox, order: Order) -> Outcome:
        """Hear of the frontier at ``depth``, then do what ``phase`` says."""
        levels = np.array(state["levels"])
        depth = order["depth"]
        _hear(piece, inbox, depth, levels)
        if order["phase"] == "levels":
            return Outcome({"levels": levels}, mail=piece.to_ghosts("levels", levels))
        return _walk(piece, levels, depth, order["phase"])

    def decide(self, memory: Memory, notes: list[Notes]) -> Order | None:
        """Choose push or pull from the sums of all parts, or end."""
        old = {**NOTHING_YET, **memory}
        if old["phase"] == "levels":
            return None
        found, arcs = total(notes, "found"), total(notes, "arcs")
        if not found and not self.parents:
            return None
        depth = old["depth"] + (old["phase"] != "announce")
        phase = "pull" if found else "levels"
        if found and old["phase"] != "announce":
            if not self._pulls(old, depth, notes):
                phase = "push"
            elif old["phase"] == "push":
                phase = "announce"
            memory.update(slope=found - old["before"], before=found, m_before=arcs)
        memory.update(phase=phase, depth=depth, pulled=old["pulled"] + (phase == "pull"))
        return {"phase": phase, "depth": depth}

    def _pulls(self, old: Memory, depth: int, notes: list[Notes]) -> bool:
        """Ask the policy. After a push, what several parts claimed counts several times."""
        from ...decisions.direction.model import State

        policy, found, arcs = self.policy(), total(notes, "found"), total(notes, "arcs")
        if arcs <= policy.certain(self.n):
            return False
        variation = found - old["before"]
        state = State(
            n=self.n,
            arcs=self.arcs,
            n_f=found,
            m_f=arcs,
            n_u=max(self.n - total(notes, "visited"), 0),
            m_u=max(self.arcs - total(notes, "seen"), 0),
            s_f=variation,
            c_f=variation - old["slope"],
            before=old["before"],
            m_before=old["m_before"],
            previous=float(old["phase"] == "pull"),
            pulled=old["pulled"],
            depth=depth,
            directed=float(self.directed),
        )
        return bool(policy.choose(state) == "pull")

    def finish(self, piece: Piece, state: Arrays, inbox: Inbox) -> dict[str, np.ndarray]:
        """Return levels, and of all neighbours one level up the smallest."""
        levels = np.array(state["levels"])
        piece.from_owners(inbox, "levels", levels)
        parents = np.full(piece.n, piece.n, piece.out.indices.dtype)
        smallest_parents(piece.into.rows, levels, parents)
        own, ids = levels[piece.own], piece.ids
        found = ids[np.minimum(parents[piece.own], piece.n - 1)]
        found[own == 0] = ids[piece.own][own == 0]
        found[own < 0] = -1
        return {"levels": own, "parents": found}


def _hear(piece: Piece, inbox: Inbox, depth: int, levels: np.ndarray) -> None:
    """Take over claims of own vertices, or what owners say of ghosts."""
    for other, arrays in inbox.items():
        if "claims" in arrays:
            claimed = piece.sends(other)[arrays["claims"]]
            levels[claimed[levels[claimed] < 0]] = depth
        else:
            ghosts = levels[piece.ghosts_of(other)]
            ghosts[np.unpackbits(arrays["front"], count=ghosts.size) == 1] = depth


def _announced(piece: Piece, levels: np.ndarray, depth: int) -> Mail:
    """Tell everybody which of their ghosts are at ``depth``: a bit for each."""
    bits = {other: levels[piece.sends(other)] == depth for other in piece.others}
    return {other: {"front": np.packbits(some)} for other, some in bits.items() if some.any()}


def _claims(piece: Piece, levels: np.ndarray, depth: int) -> Mail:
    """Tell owners which of their vertices were claimed, by their places among our ghosts of theirs."""
    ids = piece.out.indices.dtype
    found = {p: np.flatnonzero(levels[piece.ghosts_of(p)] == depth) for p in piece.others}
    return {other: {"claims": at.astype(ids)} for other, at in found.items() if at.size}


def _walk(piece: Piece, levels: np.ndarray, depth: int, phase: str) -> Outcome:
    """Announce the frontier at ``depth``, or find the next one by a push or a pull."""
    n, ids = piece.n, piece.out.indices.dtype
    front = np.empty((n + 63) >> 6, np.uint64)
    tree = Tree(np.empty(n, ids), levels, np.empty(n, ids))
    own, degrees = piece.own, piece.ghost_degrees
    given = (own.start, own.stop, depth, piece.out.indptr, degrees, tree, front)
    count, edges, visited, seen = map(int, run(pieces.mark, [given], brief=True)[0])
    notes = {"found": count, "arcs": edges, "visited": visited, "seen": seen}
    if phase == "announce":
        return Outcome({"levels": levels}, notes, _announced(piece, levels, depth))
    pulls = phase == "pull"
    rows = piece.into if pulls else piece.out
    brief = n + rows.arcs < SERIAL_BELOW_SIZE
    workers = 1 if brief else threads_available()
    task = (pulls, rows.rows, depth + 1, count, edges, tree, Bitmaps(front, np.empty_like(front)))
    found, arcs = run_team(pieces.expand, workers, *task, brief=brief)[0]
    notes |= {"found": int(found), "arcs": int(arcs)}
    tell = _announced if pulls else _claims
    return Outcome({"levels": levels}, notes, tell(piece, levels, depth + 1))
