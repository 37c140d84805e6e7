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

from .distances import DISTANCES, column_gaps, distances

if TYPE_CHECKING:
    from ..memory import Memory

NONE = 1 << 62  # a time that never comes, a request that is not there
KEY_BITS = 10  # a request's key: its serial number, then its place in the pool
POOL = 1 << KEY_BITS  # places for requests of a channel: queues and activated ones
MAX_RANKS, MAX_GROUPS, MAX_BANKS = 16, 64, 256

# Head
CHANNELS, STRIDE, BYTES_SHIFT, LINES, HASH, ODD_SHIFT, ODD_SIZE, ODD_FIELD = range(8)
FIELDS = 8  # shift and mask of: channel, rank, stack, group, bank, row
FIELD_NAMES = ("Ch", "Ra", "Si", "Bg", "Ba", "Ro")
# Stacks of a rank, groups of a stack, banks of a group, as bits, to number the banks
STACK_BITS, GROUP_BITS, BANK_BITS = range(FIELDS + 12, FIELDS + 15)
# If the other fields are exclusive-or'ed with the column: whether; its two parts; bits of the rank
XOR, XOR_LOW, XOR_HIGH, XOR_HIGH_MASK, RANK_BITS = range(FIELDS + 15, FIELDS + 20)
PLAIN = FIELDS + 20  # whether fields are bits of the line and nothing else, and stacks are one
XOR_LOW_BITS = 2  # of the column, below the rank
BLOCKS = 64  # where the first channel's block begins

# Block: distances of commands by their names, and gaps between column commands
ACT_RD, ACT_WR, ACT_ACT, ACT_PRE, PRE_ACT, RD_PRE, WR_PRE, RRDS, RRDL, FAW, AW32 = range(11)
PPD, PRE_PREA, ACT_PREA, RD_PREA, WR_PREA, PREA_ACT, ACT_REF, PRE_REF, PREA_REF = range(11, 20)
RD_REF, REF_ACT, REF_REF, ACT_REFB, ACT_REFB_RANK, ACT_REFB_GROUP, PRE_REFB = range(20, 27)
REFB_ACT, REFB_ACT_RANK, REFB_REFB_RANK = range(27, len(DISTANCES))
GAPS = 32  # [before is write][after is write][same group, same stack, same rank, other rank]

# Block: configuration; VERSION, BUSES and so on as in a standard's protocol
RANKS, GROUPS, BANKS, GROUPS_EACH, BANKS_EACH, CAPACITY, CAPACITY_WRITES, CAP = range(48, 56)
HIGH, LOW, IN_ORDER, POLICY, TIMEOUT, LATENCY, LOG_SIZE, COLLECT = range(56, 64)
VERSION, BUSES, EDGE, SPLIT, GROUPS_STACK, APART, KEEP_HITS, PER_BANK = range(64, 72)
TICKS_ACT, TICKS_PRE, TICKS_COLUMN, TICKS_REF = range(72, 76)
# Whether commands can find their bus taken: there are two, or some take several ticks
BUS_COUNTS = 86
AAD, CAS_GUARD, CLOCK_READ, CLOCK_WRITE = range(76, 80)  # CLOCK_...: how long the data clock runs
REFI, TARGETS, AT_ONCE, PAIRS, SET_SIZE, SET_REST = range(80, 86)
# Block: controller; pairs are for reads and writes
DONE, PLAN_TICK, PLAN_KIND, PLAN_WHAT, WRITING, ACTIVATED, NEXT_REFRESH, REFRESHES = range(88, 96)
SERIAL, FREE, LAST_FINISH, LENGTH, _, HEAD, _, TAIL, _, BUSY, _ = range(96, 107)
RING_FIRST, RING_NEXT = range(107, 109)
TO_TAIL = 2  # words from the head of a list of requests to its tail
# When buses are free again; whether the row bus has its turn; whether the plan must not change; whether
# it is a column command; the request whose row is half open, its earliest and latest second command;
# when the data clock stops
ROW_FREE, COLUMN_FREE, HALFWAY, FIXED, PLAN_COLUMN, OPENING, SECOND, SECOND_LATEST, CLOCK_END = (
    range(109, 118)
)
# Refreshes asked for, first of a pair, next to be done
INJECTED, SEED, NEXT_TARGET = range(118, 121)
# Block: counters
READS, WRITES, FORWARDED, MERGED, LATENCY_SUM, WAIT, WAIT_WRITES, FLIGHT = range(121, 129)
COMMANDS = 129
COMMAND_KINDS = 11  # COMMANDS + kind
LOGGED, SHIFT, STALLS, WRAPPED = range(140, 144)
RESTS = 144  # ticks from which on a stack's set of banks may be refreshed again
MAX_STACKS = 16
# Block: banks with requests for their open row, a bit for each: [reads, writes]
HITS, SET_WORDS = RESTS + MAX_STACKS, MAX_BANKS // 64
# Block: of activated requests the tick (or -1) and place of what is first; words of a set in use
FIRST_ACTIVATED, FIRST_PLACE, SETS_USED = range(HITS + 2 * SET_WORDS, HITS + 2 * SET_WORDS + 3)
# Block: for all banks side by side, when the next row command can go, -1 if closed (else 0), and for
# reads and for writes the oldest request that needs such a command
ROW_TIMES = HITS + 2 * SET_WORDS + 8
ROW_CLOSED = ROW_TIMES + MAX_BANKS
ROW_KEYS = ROW_CLOSED + MAX_BANKS

RANK_WORDS, GROUP_WORDS, BANK_WORDS, ENTRY_WORDS = 64, 8, 32, 16
RANK_TABLE = ROW_KEYS + 2 * MAX_BANKS
GROUP_TABLE = RANK_TABLE + MAX_RANKS * RANK_WORDS
BANK_TABLE = GROUP_TABLE + MAX_GROUPS * GROUP_WORDS
TARGET_LIST = BANK_TABLE + MAX_BANKS * BANK_WORDS  # ranks or banks in the order of their refreshes
ENTRIES = TARGET_LIST + MAX_BANKS
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
# Activated requests; earliest activation and precharge of a bank
K_HELD, K_ACT, K_PRE = range(12, 15)
# Group: earliest read, write, activation, (precharge: any time,) refresh of a bank
G_CAS, _, G_ACT, _, G_REFB = range(5)
# Bank: open row, accesses to it; earliest read, write, activation and precharge, where its group is,
# requests that its row was opened for; where its rank is, last use, earliest refresh
B_OPEN, B_USES = 0, 1
B_CAS, B_ACT, B_PRE, B_GROUP, B_HELD = 6, 8, 9, 10, 11
B_RANK, B_STAMP, B_NUMBER, B_REFB = range(16, 20)
B_HITS, B_MISSES, B_CONFLICTS = range(20, 23)
# Bank, for reads and for writes: first and last request, oldest that hits and that does not
B_HEAD, B_TAIL, B_HIT, B_MISS = 12, 14, 2, 4
# Request: what a walk along a bank's list looks at comes first
E_ROW, E_KEY, E_BANK_NEXT, E_BANK_BEFORE, E_ARRIVAL, E_BANK, E_WRITE, E_FIRST = range(8)
E_NEXT, E_BEFORE, E_ADDRESS, E_IDENT = range(8, 12)

# What is planned
(
    NOTHING,
    INJECT,
    TOGGLE,
    AS_ACTIVATED,
    REFRESH,
    AS_QUEUED,
    AS_OLDEST,
    CLOSE,
    OPEN_HALF,
    START_CLOCK,
) = range(10)
# Commands; the last two are answers from the queue of writes and are not sent
ACT, PRE, RD, WR_, PREA, REF, REFB, ACT2, CAS, FORWARD, MERGE = range(COMMAND_KINDS)
ROW_POLICIES = ("open", "closed", "timeout")
OPEN_ROW, CLOSED_ROW, TIMED_ROW = range(3)
REFRESH_KINDS = ("all-bank", "per-bank", "none")
LONG_AGO = -(1 << 40)
# Added to the key of a row command that comes after column commands of the same tick
ROW_TURN = 1 << 61


def blocks(m: np.ndarray) -> np.ndarray:
    """The block of each channel."""
    return m[BLOCKS:].reshape(-1, m[STRIDE])


def build(memory: Memory, log: int, collect: bool) -> np.ndarray:
    """The array of a memory at rest."""
    mapping = memory.mapping
    sizes, shifts, odd = mapping.sizes, mapping.shifts, mapping.odd
    stride = LOG + (log + 1) * LOG_WORDS if log else LOG
    m = np.zeros(BLOCKS + sizes["Ch"] * stride, np.int64)
    lines = math.prod(sizes.values())
    m[CHANNELS : HASH + 1] = sizes["Ch"], stride, mapping.line_bits, lines, mapping.hashed
    m[ODD_FIELD] = -1
    if odd is not None:
        m[ODD_SHIFT : ODD_FIELD + 1] = shifts[odd], sizes[odd], 0 if odd == "Ch" else 5
    for i, name in enumerate(FIELD_NAMES):
        m[FIELDS + 2 * i : FIELDS + 2 * i + 2] = shifts[name], sizes[name] - 1
    bits = {name: (sizes[name] - 1).bit_length() for name in sizes}
    m[STACK_BITS : BANK_BITS + 1] = bits["Si"], bits["Bg"], bits["Ba"]
    if mapping.xor:
        high = (1 << (bits["Co"] - XOR_LOW_BITS)) - 1
        m[XOR : RANK_BITS + 1] = 1, bits["Ch"], shifts["Co"], high, bits["Ra"]
    m[PLAIN] = not (mapping.xor or mapping.hashed or odd or sizes["Si"] > 1)
    blocks(m)[:] = channel(memory, stride, log, collect)
    return m


def channel(memory: Memory, stride: int, log: int, collect: bool) -> np.ndarray:
    """The block of a channel at rest."""
    s, c, version = memory.standard, memory.controller, memory.controller.version
    ranks, groups = memory.ranks * s.pseudo, s.stacks * s.groups
    block, each = np.zeros(stride, np.int64), groups * s.banks
    found = distances(s, version)
    block[: len(DISTANCES)] = [found[name] for name in DISTANCES]
    block[GAPS : GAPS + 16] = column_gaps(s, version)
    cap = c.cap if c.scheduler == "FRFCFS-Cap" else NONE
    counts = (ranks * groups, ranks * each, groups, each)
    block[RANKS : CAP + 1] = ranks, *counts, c.read_queue, c.write_queue, cap
    # writes above which they go first; those below which reads do again (with none always)
    low = c.write_low * c.write_queue
    block[HIGH] = int(c.write_high * c.write_queue)
    block[LOW] = max(1, int(low) if version == 1 else math.ceil(low))
    block[IN_ORDER], block[POLICY] = c.scheduler == "FCFS", ROW_POLICIES.index(c.rows)
    block[TIMEOUT : COLLECT + 1] = c.timeout, s.read_latency, log, collect
    half, per_bank = s.protocol["half_clocks"], c.refresh == "per-bank"
    block[VERSION : GROUPS_STACK + 1] = (
        version, s.protocol["buses"], half, s.protocol["split"], s.groups,
    )  # fmt: skip
    block[APART], block[KEEP_HITS] = s.pseudo > 1, c.scheduler == "FRFCFS-RowHit"
    block[PER_BANK] = per_bank
    block[TICKS_ACT : TICKS_REF + 1] = list(s.command_ticks.values())
    block[BUS_COUNTS] = s.protocol["buses"] > 1 or max(s.command_ticks.values()) > 1
    t, ticks = s.timings, s.command_ticks["RD"]
    running = t["BL"] + t["WCKPST"]
    block[AAD : CLOCK_WRITE + 1] = t["AAD"], ticks, t["CL"] + running, t["CWL"] + running
    block[SHIFT], block[OPENING] = 4, -1
    block[FIRST_ACTIVATED] = -1
    block[ROW_CLOSED:ROW_KEYS] = -1
    block[ROW_KEYS:RANK_TABLE] = NONE
    block[SETS_USED] = -(-ranks * each // 64)
    targets = refresh_order(memory)
    block[TARGET_LIST : TARGET_LIST + len(targets)] = targets
    block[REFI], block[TARGETS] = t["REFIB" if per_bank else "REFI"], len(targets)
    block[AT_ONCE], block[PAIRS] = 1 if per_bank else ranks, 1
    if per_bank and s.protocol["paired"]:
        block[PAIRS : SET_REST + 1] = s.pseudo, s.groups * s.banks, t["RFCB"]
    block[NEXT_REFRESH] = NONE if c.refresh == "none" else block[REFI]
    block[HEAD : TAIL + 2] = -1
    block[ENTRIES:ACTIVATED_LIST].reshape(POOL, -1)[:, E_NEXT] = np.arange(1, POOL + 1)
    table = block[RANK_TABLE:GROUP_TABLE].reshape(MAX_RANKS, RANK_WORDS)
    table[:, K_FOUR : K_FOUR + 4] = table[:, K_MANY : K_MANY + 32] = LONG_AGO
    banks, number = block[BANK_TABLE:TARGET_LIST].reshape(MAX_BANKS, -1), np.arange(MAX_BANKS)
    banks[:, B_NUMBER], banks[:, B_RANK] = number, number // each
    banks[:, B_GROUP] = GROUP_TABLE + number // s.banks * GROUP_WORDS
    banks[:, B_OPEN] = -1
    banks[:, B_HEAD : B_TAIL + 2] = -1
    banks[:, B_HIT : B_MISS + 2] = NONE
    return block


def refresh_order(memory: Memory) -> list[int]:
    """Ranks, or banks, in the order in which they are refreshed."""
    s = memory.standard
    ranks, each = memory.ranks * s.pseudo, s.stacks * s.groups * s.banks
    if memory.controller.refresh != "per-bank":
        return list(range(ranks))
    if s.protocol["paired"]:  # bank after bank, in all pseudo channels
        return [rank * each + bank for bank in range(each) for rank in range(ranks)]
    return list(range(ranks * each))
