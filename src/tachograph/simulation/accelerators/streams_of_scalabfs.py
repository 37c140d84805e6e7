"""The rows of a graph as ScalaBFS stores them, and the requests of a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...util.errors import InputError
from ..dram import Memory
from ..streams import Port, Priority, Runs, Stage, Stream
from .base import Layout

if TYPE_CHECKING:
    from .scalabfs import ScalaBFS

BEAT_BYTES = 16  # of a port in a cycle: HBM_Data_width
IDS_OF_BEAT = 4
MOST_PORTS = 32  # one for each pseudo channel of the board
BITMAP_BITS = 64  # of a word of a bitmap: Data_width_bram
CLEARED_WORDS = 4  # of a bitmap in a cycle (frontier.scala)
#: Cycles for a word of a bitmap without vertices, and those beside one for each vertex (p1.scala).
EMPTY_CYCLES, FULL_CYCLES = 2, 3


def port_count(memory: Memory) -> int:
    """Return the ports: channels, or their pseudo channels if these are regions of addresses."""
    ports = memory.channels * _regions(memory)
    if ports > MOST_PORTS:
        raise InputError(
            f"ScalaBFS has {MOST_PORTS} ports at most: use fewer than {ports} channels"
        )
    return ports


def _regions(memory: Memory) -> int:
    shifts = memory.mapping.shifts
    return memory.standard.pseudo if shifts["Ra"] == max(shifts.values()) else 1


@dataclass(frozen=True)
class Rows:
    """Rows of all vertices; ``beats`` of each, and the beat of its port with which it begins."""

    indptr: np.ndarray
    indices: np.ndarray
    beats: np.ndarray
    begins: np.ndarray
    ports: int

    @classmethod
    def of(cls, indptr: np.ndarray, indices: np.ndarray, ports: int) -> Rows:
        """Return rows that are padded to whole beats."""
        beats = -(-np.diff(indptr) // IDS_OF_BEAT).astype(np.int64)
        begins = np.empty(beats.size, np.int64)
        for port in range(ports):
            own = beats[port::ports]
            begins[port::ports] = np.cumsum(own) - own
        return cls(indptr, indices, beats, begins, ports)

    def size(self, port: int) -> int:
        """Return the bytes of a port's rows."""
        return int(self.beats[port :: self.ports].sum()) * BEAT_BYTES


class Machine:
    """Where arrays lie, and the streams of a level."""

    def __init__(self, design: ScalaBFS, out: Rows, into: Rows, layout: Layout) -> None:
        self.design, self.rows, self.line = design, (out, into), layout.line
        memory, self.ports = layout.memory, out.ports
        self.n = out.beats.size
        self.channels = memory.channels
        words = -(-self.n // (self.ports * design.pes_of_port * BITMAP_BITS))
        self.words = max(1, words)
        self.clearing = -(-self.words // CLEARED_WORDS)
        region = memory.capacity // self.ports
        self.at: list[list[tuple[int, int]]] = []
        for port in range(self.ports):
            cursor = port // self.channels * region
            found = []
            for rows in self.rows:
                heads = -(-self.n // self.ports) * BEAT_BYTES
                heads = -(-heads // self.line) * self.line
                found.append((cursor, cursor + heads))
                cursor += heads + -(-rows.size(port) // self.line) * self.line
            used = cursor - port // self.channels * region
            if used > region:
                raise InputError(
                    f"port {port} needs {used:,} bytes, but has {region:,}: use a memory with more "
                    "channels or a larger density"
                )
            layout.place(used, port % self.channels)
            self.at.append(found)

    def level(self, which: np.ndarray, pull: bool) -> tuple[list[Port], np.ndarray]:
        """Return the requests for the rows of some vertices, and the ids in them, row by row."""
        rows = self.rows[int(pull)]
        vertices = np.flatnonzero(which)
        counts = np.diff(rows.indptr)[vertices]
        starts = np.cumsum(counts) - counts
        every = np.arange(int(counts.sum())) + np.repeat(rows.indptr[vertices] - starts, counts)
        ids = rows.indices[every]
        made = []
        for port in range(self.ports):
            own = np.flatnonzero(vertices % self.ports == port)
            if own.size:
                made.append(self._port(port, pull, vertices[own], starts[own], counts[own], ids))
        return made, ids

    def _port(
        self,
        port: int,
        pull: bool,
        vertices: np.ndarray,
        starts: np.ndarray,
        counts: np.ndarray,
        ids: np.ndarray,
    ) -> Port:
        d, line, rows = self.design, self.line, self.rows[int(pull)]
        at_heads, at_rows = self.at[port][int(pull)]
        order, cycles = self._scanned(vertices)
        vertices, starts, counts = vertices[order], starts[order], counts[order]
        beats = rows.beats[vertices]
        scan = Stage("scan", int(cycles.max(initial=0)))
        heads = Stream(
            "beginnings",
            Runs.single((at_heads + vertices // self.ports * BEAT_BYTES) // line),
            channel=port % self.channels,
            rate=1,
        ).after(scan, cycles)
        first = at_rows + rows.begins[vertices] * BEAT_BYTES
        lines = np.where(beats > 0, -(-(first + beats * BEAT_BYTES) // line) - first // line, 0)
        sent = np.cumsum(lines)
        neighbours = Stream(
            "neighbours",
            Runs(first // line, lines),
            channel=port % self.channels,
            items=self._items(first, beats, lines, starts, counts, ids),
            items_each=line // BEAT_BYTES * IDS_OF_BEAT,
        )
        if not neighbours.total:
            return Port(Priority(heads), d.inject)
        k = np.arange(vertices.size)
        neighbours.after(heads, k + 1)
        before = np.where(k >= d.rows_ahead, sent[np.maximum(k - d.rows_ahead, 0)], 0)
        heads.after(neighbours, before, when="sent")
        # Beats of both arrive through one port: a beginning, then the row of half the queue before it
        ahead = d.rows_ahead // 2
        rank = np.argsort(
            np.concatenate([np.repeat(2 * (k + ahead) + 1, beats), 2 * k]), kind="stable"
        )
        each = np.repeat(k, beats)
        offset = np.arange(each.size) - np.repeat(np.cumsum(beats) - beats, beats)
        of_row = (first[each] + offset * BEAT_BYTES) // line - first[each] // line
        need_row = (sent - lines)[each] + of_row + 1
        nothing = np.zeros(rank.size, np.int64)
        need = nothing.copy()
        is_head = rank >= each.size
        need[~is_head] = need_row[rank[~is_head]]
        head = nothing.copy()
        head[is_head] = rank[is_head] - each.size + 1
        bus = Stage("port", rank.size)
        room = max(2, d.beats_waiting * BEAT_BYTES // line)
        bus.after(neighbours, np.maximum.accumulate(need), room=room)
        bus.after(heads, np.maximum.accumulate(head))
        return Port(Priority(neighbours, heads), d.inject)

    def _scanned(self, vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the order in which elements of a port find vertices, and the cycle of each."""
        pes = self.design.pes_of_port
        pe = vertices // self.ports % pes
        place = vertices // (self.ports * pes)
        cycle = np.empty(vertices.size, np.int64)
        for element in range(pes):
            own = np.flatnonzero(pe == element)
            word = place[own] // BITMAP_BITS
            inside = np.bincount(word, minlength=self.words)
            takes = np.where(inside > 0, inside + FULL_CYCLES, EMPTY_CYCLES)
            begin = np.cumsum(takes) - takes
            first = np.cumsum(inside) - inside
            cycle[own] = begin[word] + 2 + np.arange(own.size) - first[word]
        order = np.argsort(cycle, kind="stable")
        return order, cycle[order]

    def _items(
        self,
        first: np.ndarray,
        beats: np.ndarray,
        lines: np.ndarray,
        starts: np.ndarray,
        counts: np.ndarray,
        ids: np.ndarray,
    ) -> np.ndarray:
        """Return which input of which element each id of each line goes to; padding goes nowhere."""
        d, each = self.design, self.line // BEAT_BYTES * IDS_OF_BEAT
        pes, inputs = self.ports * d.pes_of_port, d.pe_inputs
        items = np.full(int(lines.sum()) * each, -1, np.int32)
        slot = (np.cumsum(lines) - lines) * each + first % self.line // BEAT_BYTES * IDS_OF_BEAT
        inside = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        mine = ids[np.repeat(starts, counts) + inside]
        items[np.repeat(slot, counts) + inside] = mine % pes * inputs + inside % inputs
        return items
