"""The array of a memory system, filled for the first tick."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..standards import TIMINGS
from . import layout as at
from .queues import prepare

if TYPE_CHECKING:
    from ..settings import Controller, Mapping
    from ..standards import Standard

LONG_AGO = -(1 << 40)


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


def build(
    standard: Standard,
    mapping: Mapping,
    ranks: int,
    controller: Controller,
    log: int,
    collect: bool,
) -> np.ndarray:
    """The array of a memory at rest."""
    channels = mapping.sizes["Ch"]
    stride = at.LOG + (log + 1) * at.LOG_WORDS if log else at.LOG
    m = np.zeros(at.BLOCKS + channels * stride, np.int64)
    _head(m, mapping, stride)
    block = m[at.BLOCKS : at.BLOCKS + stride]
    _settings(block, standard, ranks, controller, log, collect)
    prepare(block)
    _places(block, standard, ranks)
    for channel in range(1, channels):
        m[at.BLOCKS + channel * stride : at.BLOCKS + (channel + 1) * stride] = block
    return m


def _head(m: np.ndarray, mapping: Mapping, stride: int) -> None:
    sizes, shifts = mapping.sizes, mapping.shifts
    m[at.CHANNELS], m[at.STRIDE] = sizes["Ch"], stride
    m[at.BYTES_SHIFT], m[at.LINES] = mapping.line_bits, mapping.lines
    m[at.HASH] = mapping.hashed
    for i, name in enumerate(("Ch", "Ra", "Bg", "Ba", "Ro")):
        m[at.FIELDS + 2 * i : at.FIELDS + 2 * i + 2] = shifts[name], sizes[name] - 1
    m[at.GROUP_BITS] = sizes["Bg"].bit_length() - 1
    m[at.BANK_BITS] = sizes["Ba"].bit_length() - 1
    m[at.ODD_FIELD] = -1
    if mapping.odd is not None:
        m[at.ODD_FIELD] = 0 if mapping.odd == "Ch" else 4
        m[at.ODD_SHIFT], m[at.ODD_SIZE] = shifts[mapping.odd], sizes[mapping.odd]


def _settings(
    block: np.ndarray,
    standard: Standard,
    ranks: int,
    controller: Controller,
    log: int,
    collect: bool,
) -> None:
    t = standard.timings
    block[: len(TIMINGS)] = [t[name] for name in TIMINGS]
    block[at.GAPS : at.GAPS + 12] = gaps(t)
    block[at.RANKS] = ranks
    block[at.GROUPS_EACH] = standard.groups
    block[at.GROUPS] = ranks * standard.groups
    block[at.BANKS_EACH] = standard.groups * standard.banks
    block[at.BANKS] = ranks * standard.groups * standard.banks
    block[at.CAPACITY] = controller.read_queue
    block[at.CAPACITY_WRITES] = controller.write_queue
    block[at.HIGH] = controller.high
    block[at.LOW] = controller.low
    block[at.CAP] = controller.cap if controller.scheduler == "FRFCFS-Cap" else at.NONE
    block[at.IN_ORDER] = controller.scheduler == "FCFS"
    block[at.POLICY] = ("open", "closed", "timeout").index(controller.rows)
    block[at.TIMEOUT] = controller.timeout
    block[at.LATENCY] = standard.read_latency
    block[at.LOG_SIZE], block[at.COLLECT] = log, collect
    block[at.NEXT_REFRESH] = t["REFI"]
    block[at.SHIFT] = 4


def _places(block: np.ndarray, standard: Standard, ranks: int) -> None:
    """Which group and rank each bank belongs to."""
    each = standard.groups * standard.banks
    for b in range(ranks * each):
        place = at.BANK_TABLE + b * at.BANK_WORDS
        block[place + at.B_GROUP] = at.GROUP_TABLE + b // standard.banks * at.GROUP_WORDS
        block[place + at.B_RANK] = b // each
    for r in range(ranks):
        place = at.RANK_TABLE + r * at.RANK_WORDS
        block[place + at.K_FOUR : place + at.K_FOUR + 4] = LONG_AGO
        block[place + at.K_MANY : place + at.K_MANY + 32] = LONG_AGO
