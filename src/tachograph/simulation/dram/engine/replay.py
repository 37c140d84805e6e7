"""A stream of commands held against a list of rules, command by command."""

from __future__ import annotations

import numpy as np

from ....kernels.runtime.launch import kernel

REMEMBERED_COMMANDS = 32  # of a kind, in each place
ACT, PRE, RD, WR, PREA, REF = range(6)
CHANNEL, RANK, GROUP, BANK, OTHER_RANK = range(5)
#: What else can be wrong, numbered from -1 downwards.
ONE_A_CYCLE, ROW_IS_OPEN, ROW_IS_CLOSED, WRONG_ROW = range(-1, -5, -1)
RANK_HAS_ROWS, BUS_IS_TAKEN, TOO_LATE = range(-5, -8, -1)


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
