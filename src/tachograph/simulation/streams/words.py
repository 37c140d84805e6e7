"""The tables of the closed loop: what their words mean.

Every stream and every stage is a row of ``S``. Runs of lines, needs, waits, nodes of mergers and ports
are tables of their own, all made and checked by ``engine.Tables``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NEVER = 1 << 62
# A stream or stage: what it is ...
TOTAL, WRITE, CHANNEL, RATE, PER, WINDOW, LATENCY, BURST, TRACK = range(9)
WAIT_FIRST, WAIT_END, RUN_FIRST, RUN_END, ITEMS, ITEMS_EACH, ITEMS_END = range(9, 16)
RING_AT, RING_SIZE, PORT, NODE = range(16, 20)
# ... the stage in front of which its lines wait (or -1): needs of that stage, and lines that have room
FEED, FEED_AT, FEED_STEP, FEED_ROOM = range(20, 24)
# ... of a stage: cycles between words, banks and their table, cycles of an item, words that a bank can
# have waiting (0: any number), whether a word waits for the one before it
INTERVAL, BANKS, BANKS_AT, EACH, DEPTH, LOCKSTEP = range(24, 30)
# ... and where it is: runs that may be asked for and their lines, lines made, sent (words begun), come
# back, come back in order, done in order, the next line to send, since when it waits (in 1/256 cycles;
# NEVER: nothing to send), whether it can send, when the next word can begin
NEXT_RUN, OPEN, MADE, READY, SENT, BACK, ARRIVED, DONE = range(30, 38)
SEND_RUN, SEND_AT, SINCE, CAN, NEXT_AT = range(38, 43)
STREAM_WORDS = 44
# Reads of a stream that are sent and not done in order, at most; the second if their items need banks
RING_READS, LARGE_RING_READS = 1 << 12, 1 << 20
STREAM_BITS = 12  # of a request's ident, below its number in the stream
# A wait: for whom, for what, where its needs are, and from one run to the next
W_DEP, W_KIND, W_AT, W_STEP = range(4)
WAIT_WORDS = 4
SENT_ALL, ARRIVED_ALL, DONE_ALL = range(3)
# A bank of a stage: until when it is busy, words so far, the last of them, then when words end (a ring)
B_BUSY, B_WORDS, B_LAST, B_RING = range(4)
# A node of a merger tree, children before their parents
N_KIND, N_STREAM, N_FIRST, N_END, N_TURN, N_PICK, N_PARENT, N_PLACE = range(8)
NODE_WORDS = 8
LEAF, PRIORITY, ROUND_ROBIN, DIRECT = range(4)
# A port: its nodes, how many requests it sends in a cycle, how many streams can send, their sum, and
# the stream whose burst is not over (or -1)
P_FIRST, P_END, P_RATE, P_COUNT, P_SUM, P_HELD = range(6)
PORT_WORDS = 8
# The clock: cycle of the accelerator; memory ticks are cycle * TICKS // CYCLES; where channels are
# in a line number, whether to wait for the memory at the end, and how many rows are streams
C_CYCLE, C_TICKS, C_CYCLES, C_SHIFT, C_BITS, C_LINE, C_DRAIN, C_NOW, C_STREAMS = range(9)
FINISHED, STOPPED, STUCK = range(3)


class Orders(NamedTuple):
    """Run r is ``lines[r]`` consecutive lines from ``first[r]``.

    ``waits`` are those of all streams and stages, ``needs`` what their runs or words wait for.
    """

    first: np.ndarray
    lines: np.ndarray
    waits: np.ndarray
    needs: np.ndarray


class Reads(NamedTuple):
    """When requests or words are done (rings of cycles), items, and until when banks are busy.

    ``busy`` are the banks of the engine, ``banks`` those of stages.
    """

    rings: np.ndarray
    items: np.ndarray
    busy: np.ndarray
    banks: np.ndarray


class Mergers(NamedTuple):
    """The nodes of merger trees, their children, and the ports."""

    nodes: np.ndarray
    kids: np.ndarray
    ports: np.ndarray
