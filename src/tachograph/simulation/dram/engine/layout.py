"""Which word of the memory's array means what, and the array of a memory at rest.

The array begins with a head (address mapping), followed by one block for each channel. A block holds
the timings, the controller's scalars, then tables of ranks, bank groups, banks and queued requests;
rows of a table are consecutive words, so that what is used together lies together. All compiled
functions take the array ``m`` and, if they work on one channel, the position ``o`` of its block; they
call this module ``L``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..standards import TIMINGS

if TYPE_CHECKING:
    from ..memory import Memory

NONE = 1 << 62  # a time that never comes, a request that is not there
KEY_BITS = 10  # a request's key: its serial number, then its place in the pool
POOL = 1 << KEY_BITS  # places for requests of a channel: queues and activated ones
MAX_RANKS, MAX_GROUPS, MAX_BANKS = 16, 64, 256

# Head
CHANNELS, STRIDE, BYTES_SHIFT, LINES, HASH, ODD_SHIFT, ODD_SIZE, ODD_FIELD = range(8)
FIELDS = 8  # shift and mask of: channel, rank, group, bank, row
GROUP_BITS = FIELDS + 10  # groups of a rank and banks of a group, as bits, to number the banks
BANK_BITS = GROUP_BITS + 1
BLOCKS = 64  # where the first channel's block begins

# Block: timings by their names, and gaps between column commands
BL, CL, CWL, DQSCK, SKEW, TURN, RCDR, RCDW, RP, RPA, RAS, RC, RTP = range(13)
WTRS, WTRL, WR, CCDS, CCDL, RRDS, RRDL, FAW, AW32, PPD, RTRS, RFC, REFI = range(13, len(TIMINGS))
GAPS = 32  # [before is write][after is write][same group, same rank, other rank]

# Block: configuration
RANKS, GROUPS, BANKS, GROUPS_EACH, BANKS_EACH, CAPACITY, CAPACITY_WRITES, CAP = range(48, 56)
HIGH, LOW, IN_ORDER, POLICY, TIMEOUT, LATENCY, LOG_SIZE, COLLECT = range(56, 64)
# Block: controller; pairs are for reads and writes
DONE, PLAN_TICK, PLAN_KIND, PLAN_WHAT, WRITING, ACTIVATED, NEXT_REFRESH, REFRESHES = range(64, 72)
SERIAL, FREE, LAST_FINISH, LENGTH, _, HEAD, _, TAIL, _, BUSY, _ = range(72, 83)
RING_FIRST, RING_NEXT = range(83, 85)
TO_TAIL = 2  # words from the head of a list of requests to its tail
# Block: counters
READS, WRITES, FORWARDED, LATENCY_SUM, WAIT, WAIT_WRITES, FLIGHT, COMMANDS = range(88, 96)
COMMAND_KINDS = 7  # COMMANDS + kind
LOGGED, SHIFT, STALLS, WRAPPED = 104, 105, 106, 107

RANK_WORDS, GROUP_WORDS, BANK_WORDS, ENTRY_WORDS = 64, 8, 32, 16
RANK_TABLE = 128
GROUP_TABLE = RANK_TABLE + MAX_RANKS * RANK_WORDS
BANK_TABLE = GROUP_TABLE + MAX_GROUPS * GROUP_WORDS
BUSY_BANKS = BANK_TABLE + MAX_BANKS * BANK_WORDS  # banks with reads, banks with writes
ENTRIES = BUSY_BANKS + 2 * MAX_BANKS
ACTIVATED_LIST = ENTRIES + POOL * ENTRY_WORDS
RING = 2 * POOL  # finished reads that the producer has not taken
RING_TABLE = ACTIVATED_LIST + POOL  # tick, ident
EXACT, FINE, OCTAVES = 2048, 64, 40  # latencies below EXACT have a cell each
HISTOGRAM = RING_TABLE + 2 * RING
BINS, BIN_WORDS = 1024, 4  # accesses, hits, misses, conflicts over time
SERIES = HISTOGRAM + EXACT + FINE * OCTAVES
LOG = SERIES + BINS * BIN_WORDS
LOG_WORDS = 5  # tick, command, bank or rank, row, ident

# Rank: earliest precharge of all and refresh, open banks, refreshes asked for, cycles with open banks
K_PREA, K_REF, K_OPEN, K_PENDING, K_SINCE, K_ACTIVE, K_FOUR_AT, K_MANY_AT = range(8)
K_FOUR, K_MANY = 8, 16  # ticks of the last 4 and 32 activations
# Group: earliest read, write, activation, precharge
G_CAS, _, G_ACT, G_PRE = range(4)
# Bank: open row, accesses to it, earliest commands, where its group and rank are, last use
B_OPEN, B_USES, B_CAS, _, B_ACT, B_PRE, B_GROUP, B_RANK, B_STAMP = range(9)
B_HITS, B_MISSES, B_CONFLICTS = range(9, 12)
# Bank, for reads and for writes: first and last request, oldest that hits and that does not, place
B_HEAD, B_TAIL, B_HIT, B_MISS, B_PLACE = 12, 14, 16, 18, 20
B_NUMBER = 22
# Request
E_ROW, E_ADDRESS, E_ARRIVAL, E_IDENT, E_WRITE, E_FIRST, E_BANK, E_KEY = range(8)
E_NEXT, E_BEFORE, E_BANK_NEXT, E_BANK_BEFORE = range(8, 12)

# What is planned
NOTHING, INJECT, TOGGLE, AS_ACTIVATED, REFRESH, AS_QUEUED, AS_OLDEST, CLOSE = range(8)
# Commands
ACT, PRE, RD, WR_, PREA, REF, FORWARD = range(COMMAND_KINDS)
ROW_POLICIES = ("open", "closed", "timeout")
OPEN_ROW, CLOSED_ROW, TIMED_ROW = range(3)
LONG_AGO = -(1 << 40)


def blocks(m: np.ndarray) -> np.ndarray:
    """The block of each channel."""
    return m[BLOCKS:].reshape(-1, m[STRIDE])


def gaps(t: dict[str, int]) -> list[int]:
    """Cycles from a column command to the next: read or write to read or write, by their places.

    The places are the same bank group, another group of the same rank, and another rank.
    """
    burst, change = t["BL"], t["RTRS"]
    near = max(t["CCDS"], burst)
    to_write = t["CL"] + burst + t["SKEW"] - t["CWL"]
    to_read = t["CWL"] + burst
    read_read = [max(t["CCDL"], near), near, burst + change]
    read_write = [to_write + t["TURN"]] * 2 + [max(burst, to_write) + change]
    slow, fast = max(t["WTRL"], t["WTRS"]), t["WTRS"]
    write_read = [to_read + slow, to_read + fast, to_read + change - t["CL"]]
    write_write = [max(t["CCDL"], near), near, burst]
    return [*read_read, *read_write, *write_read, *write_write]


def build(memory: Memory, log: int, collect: bool) -> np.ndarray:
    """The array of a memory at rest."""
    s, c, mapping = memory.standard, memory.controller, memory.mapping
    sizes, shifts, odd = mapping.sizes, mapping.shifts, mapping.odd
    stride = LOG + (log + 1) * LOG_WORDS if log else LOG
    m = np.zeros(BLOCKS + sizes["Ch"] * stride, np.int64)
    lines = math.prod(sizes.values())
    m[CHANNELS : HASH + 1] = sizes["Ch"], stride, mapping.line_bits, lines, mapping.hashed
    m[ODD_FIELD] = -1
    if odd is not None:
        m[ODD_SHIFT : ODD_FIELD + 1] = shifts[odd], sizes[odd], 0 if odd == "Ch" else 4
    for i, name in enumerate(("Ch", "Ra", "Bg", "Ba", "Ro")):
        m[FIELDS + 2 * i : FIELDS + 2 * i + 2] = shifts[name], sizes[name] - 1
    m[GROUP_BITS], m[BANK_BITS] = ((sizes[name] - 1).bit_length() for name in ("Bg", "Ba"))
    block = np.zeros(stride, np.int64)
    block[: len(TIMINGS)] = [s.timings[name] for name in TIMINGS]
    block[GAPS : GAPS + 12] = gaps(s.timings)
    each, cap = s.groups * s.banks, c.cap if c.scheduler == "FRFCFS-Cap" else NONE
    counts = (memory.ranks * s.groups, memory.ranks * each, s.groups, each)
    block[RANKS : CAP + 1] = memory.ranks, *counts, c.read_queue, c.write_queue, cap
    # writes above which they go first; those below which reads do again (with none always)
    block[HIGH] = int(c.write_high * c.write_queue)
    block[LOW] = max(1, int(c.write_low * c.write_queue))
    block[IN_ORDER], block[POLICY] = c.scheduler == "FCFS", ROW_POLICIES.index(c.rows)
    block[TIMEOUT : COLLECT + 1] = c.timeout, s.read_latency, log, collect
    block[NEXT_REFRESH], block[SHIFT] = s.timings["REFI"], 4
    block[HEAD : TAIL + 2] = -1
    block[ENTRIES:ACTIVATED_LIST].reshape(POOL, -1)[:, E_NEXT] = np.arange(1, POOL + 1)
    ranks = block[RANK_TABLE:GROUP_TABLE].reshape(MAX_RANKS, RANK_WORDS)
    ranks[:, K_FOUR : K_FOUR + 4] = ranks[:, K_MANY : K_MANY + 32] = LONG_AGO
    banks, number = block[BANK_TABLE:BUSY_BANKS].reshape(MAX_BANKS, -1), np.arange(MAX_BANKS)
    banks[:, B_NUMBER], banks[:, B_RANK] = number, number // each
    banks[:, B_GROUP] = GROUP_TABLE + number // s.banks * GROUP_WORDS
    banks[:, B_OPEN] = -1
    banks[:, B_HEAD : B_TAIL + 2] = -1
    banks[:, B_HIT : B_MISS + 2] = NONE
    blocks(m)[:] = block
    return m
