"""Whether a stream of commands keeps to its standard.

The rules are written down here once more, from the standard's timings, and every command is held
against all that went before it. Nothing is shared with the controller, which derives its own tables:
a slip in either shows as a violation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...kernels.runtime.launch import kernel
from .runner import NAMES, Commands
from .standards import Standard

__all__ = ["Rule", "Violation", "check", "rules"]

LATEST_INTERVALS = 9  # between refreshes: one may be late by eight
RULE_PLACES = ("channel", "rank", "group", "bank", "other rank")
REMEMBERED_COMMANDS = 32  # of a kind, in each place
ACT, PRE, RD, WR, PREA, REF = range(6)
CHANNEL, RANK, GROUP, BANK, OTHER_RANK = range(5)
#: What else can be wrong, numbered from -1 downwards.
ONE_A_CYCLE, ROW_IS_OPEN, ROW_IS_CLOSED, WRONG_ROW = range(-1, -5, -1)
RANK_HAS_ROWS, BUS_IS_TAKEN, TOO_LATE = range(-5, -8, -1)
OTHERS = (
    "one command a cycle",
    "the bank has an open row",
    "the bank has no open row",
    "the row is not open",
    "the rank has open rows",
    "the data bus is taken",
    "refresh too late",
)


@dataclass(frozen=True)
class Rule:
    """``after`` comes at least ``cycles`` after the ``count``-th last ``before`` in the same place."""

    before: str
    after: str
    place: str  # bank, group, rank, other rank, channel
    cycles: int
    name: str
    count: int = 1

    def __str__(self) -> str:
        many = f"{self.count} " if self.count > 1 else ""
        return f"{self.name}: {self.cycles} cycles after {many}{self.before} ({self.place})"


@dataclass(frozen=True)
class Violation:
    """One command that came too early or to the wrong place."""

    channel: int
    cycle: int
    command: str
    rule: str

    def __str__(self) -> str:
        return f"channel {self.channel}, cycle {self.cycle}, {self.command}: {self.rule}"


def rules(standard: Standard) -> list[Rule]:
    """Return all rules about the distance of two commands.

    >>> from tachograph.simulation.dram import standard
    >>> [r.cycles for r in rules(standard("DDR3-1600K")) if r.name == "RCD"]
    [11, 11]
    """
    t = standard.timings
    written = t["CWL"] + t["BL"]
    turn = t["CL"] + t["BL"] + t["SKEW"] - t["CWL"]
    found = [
        Rule("ACT", "RD", "bank", t["RCDR"], "RCD"),
        Rule("ACT", "WR", "bank", t["RCDW"], "RCD"),
        Rule("ACT", "ACT", "bank", t["RC"], "RC"),
        Rule("PRE", "ACT", "bank", t["RP"], "RP"),
        Rule("WR", "RD", "group", written + t["WTRL"], "CWL + BL + WTR_L"),
        Rule("ACT", "ACT", "group", t["RRDL"], "RRD_L"),
        Rule("RD", "WR", "rank", turn + t["TURN"], "read to write"),
        Rule("WR", "RD", "rank", written + t["WTRS"], "CWL + BL + WTR_S"),
        Rule("ACT", "ACT", "rank", t["RRDS"], "RRD_S"),
        Rule("ACT", "ACT", "rank", t["FAW"], "FAW", 4),
        Rule("ACT", "ACT", "rank", t["AW32"], "32 AW", 32),
        Rule("PRE", "PRE", "rank", t["PPD"], "PPD"),
        Rule("PREA", "ACT", "rank", t["RPA"], "RP of all banks"),
        Rule("PRE", "REF", "rank", t["RP"], "RP"),
        Rule("PREA", "REF", "rank", t["RPA"], "RP of all banks"),
        Rule("ACT", "REF", "rank", t["RC"], "RC"),
        Rule("REF", "ACT", "rank", t["RFC"], "RFC"),
        Rule("REF", "REF", "rank", t["RFC"], "RFC"),
        Rule("RD", "RD", "other rank", t["BL"] + t["RTRS"], "BL + RTRS"),
        Rule("RD", "WR", "other rank", t["BL"] + t["RTRS"], "BL + RTRS"),
        Rule("RD", "WR", "other rank", turn + t["RTRS"], "read to write, other rank"),
        Rule("WR", "RD", "other rank", written + t["RTRS"] - t["CL"], "write to read, other rank"),
    ]
    for close, place in (("PRE", "bank"), ("PREA", "rank")):
        found.append(Rule("ACT", close, place, t["RAS"], "RAS"))
        found.append(Rule("RD", close, place, t["RTP"], "RTP"))
        found.append(Rule("WR", close, place, written + t["WR"], "CWL + BL + WR"))
    for place, name in (("group", "CCDL"), ("rank", "CCDS"), ("channel", "BL")):
        shown = name.replace("CCD", "CCD_")
        found += [Rule(column, column, place, t[name], shown) for column in ("RD", "WR")]
    return [rule for rule in found if rule.cycles > 0]


def check(standard: Standard, commands: Commands, most: int = 1000) -> list[Violation]:
    """Hold every command of a run against the standard, and return the violations.

    Parameters
    ----------
    standard
        ``memory.standard``.
    commands
        ``memory.run(..., commands=True).commands``.
    most
        How many violations of each channel are returned.

    >>> import numpy as np, tachograph as tg
    >>> memory = tg.Memory("HBM", channels=1)
    >>> check(memory.standard, memory.run(np.arange(500) * 4096, commands=True).commands)
    []
    """
    made = rules(standard)
    commands_of = [(NAMES.index(r.before), NAMES.index(r.after)) for r in made]
    places_of = [(RULE_PLACES.index(r.place), r.cycles, r.count) for r in made]
    numbers = np.hstack([np.array(commands_of), np.array(places_of)])
    t = standard.timings
    bus = np.array([t["CL"] + t["DQSCK"], t["CWL"], t["BL"]])
    ranks = int(commands.rank.max(initial=0)) + 1
    shape = np.array([ranks, standard.groups, standard.banks])
    places = np.stack([commands.rank, commands.group, commands.bank], axis=1)
    violations = []
    for channel in np.unique(commands.channel).tolist():
        own = np.flatnonzero(commands.channel == channel)
        found = np.zeros((most, 2), np.int64)
        cycles, kinds = commands.cycle[own], commands.command[own]
        bad = replay(numbers, cycles, kinds, places[own], commands.row[own], shape, bus,
                     LATEST_INTERVALS * t["REFI"], found)  # fmt: skip
        for k, number in found[:bad].tolist():
            name = OTHERS[-1 - number] if number < 0 else str(made[number])
            violations.append(Violation(channel, int(cycles[k]), NAMES[kinds[k]], name))
    return violations


@kernel
def replay(rules, cycles, commands, places, rows, shape, bus, latest, found):
    """Check one channel's commands; how many violations, of which ``found`` takes the first.

    ``rules`` has lines (before, after, place, cycles, count); ``places`` lines (rank, group, bank) with
    -1 for whole ranks; ``shape`` is ranks, groups, banks; ``bus`` the cycles from a read and from a
    write to its data, and how long those take; ``found`` gets (command's number, rule's number).
    """
    ranks, groups, banks = shape
    first_group = 1 + ranks
    first_bank = first_group + ranks * groups
    nodes = first_bank + ranks * groups * banks
    past = np.zeros((6, nodes, REMEMBERED_COMMANDS), np.int64)
    count = np.zeros((6, nodes), np.int64)
    opened = np.full(nodes, -1, np.int64)
    path = np.zeros(4, np.int64)
    wrong = np.zeros(64, np.int64)
    bad, last, bus_free = 0, np.int64(-1), np.int64(0)
    for k in range(cycles.size):
        tick, command, rank = cycles[k], commands[k], places[k, 0]
        whole = command in (PREA, REF)
        path[RANK] = 1 + rank
        if not whole:
            path[GROUP] = first_group + rank * groups + places[k, 1]
            path[BANK] = first_bank + (rank * groups + places[k, 1]) * banks + places[k, 2]
        n = 0
        if tick <= last:
            wrong[n], n = ONE_A_CYCLE, n + 1
        last = tick
        for r in range(rules.shape[0]):
            before, after, place, distance, nth = rules[r]
            if after != command:
                continue
            early = False
            if place == OTHER_RANK:
                for other in range(ranks):
                    seen = count[before, 1 + other]
                    if other != rank and seen > 0:
                        early |= (
                            tick
                            < past[before, 1 + other, (seen - 1) % REMEMBERED_COMMANDS] + distance
                        )
            else:
                seen = count[before, path[place]]
                if seen >= nth:
                    early = (
                        tick
                        < past[before, path[place], (seen - nth) % REMEMBERED_COMMANDS] + distance
                    )
            if early:
                wrong[n], n = r, n + 1
        # Rows are open where they are used, closed where they are opened
        if command == ACT:
            if opened[path[BANK]] >= 0:
                wrong[n], n = ROW_IS_OPEN, n + 1
            opened[path[BANK]] = rows[k]
        elif command == PRE:
            if opened[path[BANK]] < 0:
                wrong[n], n = ROW_IS_CLOSED, n + 1
            opened[path[BANK]] = -1
        elif not whole and opened[path[BANK]] != rows[k]:
            wrong[n], n = WRONG_ROW, n + 1
        elif whole:
            lo = first_bank + rank * groups * banks
            for b in range(lo, lo + groups * banks):
                if command == REF and opened[b] >= 0:
                    wrong[n], n = RANK_HAS_ROWS, n + 1
                    break
                opened[b] = -1
        # Data of two requests never meet
        if command in (RD, WR):
            begin = tick + bus[0 if command == RD else 1]
            if begin < bus_free:
                wrong[n], n = BUS_IS_TAKEN, n + 1
            bus_free = max(bus_free, begin + bus[2])
        if command == REF:
            seen = count[REF, path[RANK]]
            since = past[REF, path[RANK], (seen - 1) % REMEMBERED_COMMANDS] if seen > 0 else 0
            if tick - since > latest:
                wrong[n], n = TOO_LATE, n + 1
        for level in range(RANK + 1 if whole else BANK + 1):
            seen = count[command, path[level]]
            past[command, path[level], seen % REMEMBERED_COMMANDS] = tick
            count[command, path[level]] = seen + 1
        for i in range(n):
            if bad < found.shape[0]:
                found[bad, 0], found[bad, 1] = k, wrong[i]
            bad += 1
    return bad
