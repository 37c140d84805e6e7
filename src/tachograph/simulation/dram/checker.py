"""Whether a stream of commands keeps to its standard: every command against all that went before it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...kernels.runtime.launch import kernel
from .rules import RULE_PLACES, Rule, rules
from .runner import NAMES, Commands
from .standards import Standard

__all__ = ["Rule", "Violation", "check", "rules"]

LATEST_INTERVALS = 9  # between refreshes: one may be late by eight
REMEMBERED_COMMANDS = 32  # of a kind, in each place
BURSTS = 16  # of data that are remembered
NEVER = -1
ACT, PRE, RD, WR, PREA, REF, REFB, ACT2, CAS = range(len(NAMES))
CHANNEL, RANK, STACK, GROUP, BANK, OTHER_RANK, OTHER_STACK = range(len(RULE_PLACES))
#: What else can be wrong, numbered from -1 downwards.
OTHERS = (
    "the command bus is taken",
    "the bank has an open row",
    "the bank has no open row",
    "the row is not open",
    "the rank has open rows",
    "the data bus is taken",
    "refresh too late",
    "only precharges begin in the second half of a clock",
    "the second half of an activation is missing, late or elsewhere",
    "the data clock does not run",
    "the column command does not follow the start of the data clock",
)
(
    BUS_IS_TAKEN, ROW_IS_OPEN, ROW_IS_CLOSED, WRONG_ROW, RANK_HAS_ROWS, DATA_MEET, TOO_LATE, WRONG_HALF,
    HALF_OPEN, CLOCK_STANDS, NOT_FOLLOWED,
) = range(-1, -1 - len(OTHERS), -1)  # fmt: skip


@dataclass(frozen=True)
class Violation:
    """One command that came too early or to the wrong place."""

    channel: int
    cycle: int
    command: str
    rule: str

    def __str__(self) -> str:
        return f"channel {self.channel}, cycle {self.cycle}, {self.command}: {self.rule}"


def check(
    standard: Standard, commands: Commands, most: int = 1000, version: int | None = None
) -> list[Violation]:
    """Hold every command of a run against the standard, and return the violations.

    Parameters
    ----------
    standard
        ``memory.standard``.
    commands
        ``memory.run(..., commands=True).commands``.
    most
        How many violations of each channel are returned.
    version
        Of the controller, if it is not the standard's usual one.

    >>> import numpy as np, tachograph as tg
    >>> memory = tg.Memory("HBM", channels=1)
    >>> check(memory.standard, memory.run(np.arange(500) * 4096, commands=True).commands)
    []
    """
    made = rules(standard, version)
    commands_of = [(NAMES.index(r.before), NAMES.index(r.after)) for r in made]
    places_of = [(RULE_PLACES.index(r.place), r.cycles, r.count) for r in made]
    numbers = np.hstack([np.array(commands_of), np.array(places_of)])
    ranks = int(commands.rank.max(initial=0)) + 1
    facts, ticks = _facts(standard, ranks), _ticks(standard)
    lines = np.stack(
        [
            commands.cycle,
            commands.command,
            commands.rank,
            commands.group,
            commands.bank,
            commands.row,
        ],
        axis=1,
    )
    violations = []
    for channel in np.unique(commands.channel).tolist():
        own = lines[commands.channel == channel]
        found = np.zeros((most, 2), np.int64)
        bad = replay(numbers, own, facts, ticks, found)
        for k, number in found[:bad].tolist():
            name = OTHERS[-1 - number] if number < 0 else str(made[number])
            violations.append(Violation(channel, int(own[k, 0]), NAMES[own[k, 1]], name))
    return violations


def _facts(standard: Standard, ranks: int) -> np.ndarray:
    """Return what :func:`replay` must know of a standard besides the rules."""
    t, p = standard.timings, standard.protocol
    on = t["BL"] + t["WCKPST"]  # the data clock runs on
    clock = (t["CL"] + on, t["CWL"] + on) if p["split"] else (NEVER, NEVER)
    shape = (ranks, standard.stacks, standard.groups, standard.banks)
    data = (t["CL"] + t["DQSCK"], t["CWL"], t["BL"] if p["data_apart"] else 0)
    late = LATEST_INTERVALS * t["REFI"]
    return np.array(
        [*shape, *data, late, p["buses"], p["half_clocks"], *clock, t["AAD"], standard.pseudo > 1]
    )


def _ticks(standard: Standard) -> np.ndarray:
    """Return how many ticks each command takes on its bus."""
    given = standard.command_ticks
    like = {"WR": "RD", "CAS": "RD", "PREA": "PRE", "REFB": "REF", "ACT2": "ACT"}
    return np.array([given[like.get(name, name)] for name in NAMES])


@kernel
def replay(rules, lines, facts, ticks, found):
    """Check one channel's commands; how many violations, of which ``found`` takes the first.

    ``rules`` has lines (before, after, place, cycles, count); ``lines`` (cycle, command, rank, group,
    bank, row), with -1 for whole ranks; ``found`` gets (command's number, rule's number).
    """
    ranks, stacks, groups, banks = facts[:4]
    read_begins, write_begins, burst, latest, buses, half = facts[4:10]
    read_clock, write_clock, longest, apart = facts[10:14]
    groups *= stacks
    first_stack = 1 + ranks
    first_group = first_stack + ranks * stacks
    first_bank = first_group + ranks * groups
    nodes = first_bank + ranks * groups * banks
    past = np.zeros((9, nodes, REMEMBERED_COMMANDS), np.int64)
    count = np.zeros((9, nodes), np.int64)
    opened = np.full(nodes, -1, np.int64)
    path = np.zeros(BANK + 1, np.int64)
    wrong = np.zeros(64, np.int64)
    free = np.zeros(2, np.int64)  # the row bus (or the only one) and the column bus
    bursts = np.full((ranks, BURSTS), np.int64(-burst), np.int64)
    bad, clock_end, half_open, half_since, started = 0, np.int64(0), -1, np.int64(0), -1
    for k in range(lines.shape[0]):
        tick, command, rank = lines[k, 0], lines[k, 1], lines[k, 2]
        whole = command in (PREA, REF)
        column = command in (RD, WR)
        path[RANK] = 1 + rank
        if not whole:
            group = rank * groups + lines[k, 3]
            path[STACK] = first_stack + group // (groups // stacks)
            path[GROUP] = first_group + group
            path[BANK] = first_bank + group * banks + lines[k, 4]
        bank = path[BANK]
        n = 0
        bus = 1 if buses == 2 and column else 0
        if tick < free[bus]:
            wrong[n], n = BUS_IS_TAKEN, n + 1
        free[bus] = tick + ticks[command]
        if half and tick % 2 == 0 and command not in (PRE, PREA):
            wrong[n], n = WRONG_HALF, n + 1
        for r in range(rules.shape[0]):
            before, after, place, distance, nth = rules[r]
            if after != command:
                continue
            lo, hi, own = path[place] if place <= BANK else 0, 0, -1
            hi = lo + 1
            if place == OTHER_RANK:
                lo, hi, own = 1, 1 + ranks, path[RANK]
            elif place == OTHER_STACK:
                lo, hi, own = (
                    first_stack + rank * stacks,
                    first_stack + (rank + 1) * stacks,
                    path[STACK],
                )
            early = False
            for node in range(lo, hi):
                seen = count[before, node]
                if node != own and seen >= nth:
                    early |= (
                        tick < past[before, node, (seen - nth) % REMEMBERED_COMMANDS] + distance
                    )
            if early:
                wrong[n], n = r, n + 1
        # Rows are open where they are used, closed where they are opened
        if command == ACT:
            if opened[bank] >= 0:
                wrong[n], n = ROW_IS_OPEN, n + 1
            if half_open >= 0:
                wrong[n], n = HALF_OPEN, n + 1
            if longest > 0:
                half_open, half_since = bank, tick
            else:
                opened[bank] = lines[k, 5]
        elif command == ACT2:
            if half_open != bank or tick - half_since > longest:
                wrong[n], n = HALF_OPEN, n + 1
            opened[bank], half_open = lines[k, 5], -1
        elif command == PRE:
            if opened[bank] < 0:
                wrong[n], n = ROW_IS_CLOSED, n + 1
            opened[bank] = -1
        elif command == REFB:
            if opened[bank] >= 0 or half_open == bank:
                wrong[n], n = RANK_HAS_ROWS, n + 1
        elif not whole and opened[bank] != lines[k, 5]:
            wrong[n], n = WRONG_ROW, n + 1
        elif whole:
            lo = first_bank + rank * groups * banks
            for b in range(lo, lo + groups * banks):
                if half_open == b or (command == REF and opened[b] >= 0):
                    wrong[n], n = RANK_HAS_ROWS, n + 1
                    break
                opened[b] = -1
        # The data clock runs, or was started by the command before
        if started >= 0 and not (column and bank == started):
            wrong[n], n = NOT_FOLLOWED, n + 1
        if column:
            if read_clock != NEVER and tick >= clock_end and started < 0:
                wrong[n], n = CLOCK_STANDS, n + 1
            clock_end = max(clock_end, tick + (read_clock if command == RD else write_clock))
        started = bank if command == CAS else -1
        # Data of two requests never meet
        if column:
            begin = tick + (read_begins if command == RD else write_begins)
            bundle = rank if apart else 0
            for i in range(BURSTS):
                if abs(begin - bursts[bundle, i]) < burst:
                    wrong[n], n = DATA_MEET, n + 1
                    break
            bursts[bundle, k % BURSTS] = begin
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
