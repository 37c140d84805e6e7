"""Every rule is needed: a command one cycle too early is caught, and just in time is not.

The scenes are written by hand from the standards, not from the checker's own list.
"""

from __future__ import annotations

import numpy as np
import pytest

from tachograph.simulation.dram import Commands, check, names, standard
from tachograph.simulation.dram.checker import rules
from tachograph.simulation.dram.runner import NAMES

EVERY = sorted(n for n in names() if n in {
    "DDR3-1600K", "DDR3-800D", "DDR4-2400R", "DDR4-3200", "LPDDR4-1600", "LPDDR4-3200", "GDDR5-6000",
    "GDDR5-4000", "GDDR5X-11000", "HBM-1000"})  # fmt: skip
NEWER = [
    "DDR5-4800AN",
    "LPDDR5-6400",
    "LPDDR6-10667",
    "GDDR6-14000",
    "GDDR6X-19000",
    "HBM2-2400",
    "HBM2E-3200",
    "HBM3-6400",
    "HBM4-8000",
]


def stream(*lines):
    """Commands (cycle, name, rank, group, bank, row) of one channel."""
    cycle, name, rank, group, bank, row = zip(*lines, strict=True)
    n = len(lines)
    return Commands(
        np.zeros(n, int), np.array(cycle), np.array([NAMES.index(x) for x in name]), np.array(rank),
        np.array(group), np.array(bank), np.array(row), np.full(n, -1),
    )  # fmt: skip


def scenes(s):
    """Name, commands before, and the last one at its earliest cycle."""
    t = s.timings
    far = 2000  # after which nothing before matters
    act = (0, "ACT", 0, 0, 0, 5)
    read, write = (far, "RD", 0, 0, 0, 5), (far, "WR", 0, 0, 0, 5)
    written = far + t["CWL"] + t["BL"]
    yield "RCD", [act], (t["RCDR"], "RD", 0, 0, 0, 5)
    yield "RCD", [act], (t["RCDW"], "WR", 0, 0, 0, 5)
    yield "RAS", [act], (t["RAS"], "PRE", 0, 0, 0, 5)
    yield "RAS", [act], (t["RAS"], "PREA", 0, -1, -1, -1)
    yield "RP", [act, (far, "PRE", 0, 0, 0, 5)], (far + t["RP"], "ACT", 0, 0, 0, 6)
    yield "RP", [act, (far, "PRE", 0, 0, 0, 5)], (far + t["RP"], "REF", 0, -1, -1, -1)
    prea = (far, "PREA", 0, -1, -1, -1)
    yield "RP of all", [act, prea], (far + t["RPA"], "ACT", 0, 0, 0, 6)
    yield "RP of all", [act, prea], (far + t["RPA"], "REF", 0, -1, -1, -1)
    yield "RFC", [(0, "REF", 0, -1, -1, -1)], (t["RFC"], "ACT", 0, 0, 0, 5)
    yield "RFC", [(0, "REF", 0, -1, -1, -1)], (t["RFC"], "REF", 0, -1, -1, -1)
    yield "RTP", [act, read], (far + t["RTP"], "PRE", 0, 0, 0, 5)
    yield "RTP", [act, read], (far + t["RTP"], "PREA", 0, -1, -1, -1)
    yield "CWL + BL + WR", [act, write], (written + t["WR"], "PRE", 0, 0, 0, 5)
    yield "CWL + BL + WR", [act, write], (written + t["WR"], "PREA", 0, -1, -1, -1)
    near = max(t["CCDS"], t["CCDL"], t["BL"])
    yield "", [act, read], (far + near, "RD", 0, 0, 0, 5)
    yield "", [act, write], (far + near, "WR", 0, 0, 0, 5)
    turn = t["CL"] + t["BL"] + t["SKEW"] + t["TURN"] - t["CWL"]
    yield "read to write", [act, read], (far + turn, "WR", 0, 0, 0, 5)
    yield "WTR", [act, write], (written + max(t["WTRL"], t["WTRS"]), "RD", 0, 0, 0, 5)
    beside = (0, 1, 0) if s.groups > 1 else (0, 0, 1)  # another group, or the next bank
    if s.groups > 1:
        both = [act, (800, "ACT", *beside, 5)]
        yield "", [*both, read], (far + max(t["CCDS"], t["BL"]), "RD", *beside, 5)
        yield "", [*both, write], (far + max(t["CCDS"], t["BL"]), "WR", *beside, 5)
        yield "WTR_S", [*both, write], (written + t["WTRS"], "RD", *beside, 5)
        yield "RRD_L", [act], (t["RRDL"], "ACT", 0, 0, 1, 5)
    yield "RRD_S", [act], (t["RRDS"], "ACT", *beside, 5)
    four = [
        (k * max(t["RRDS"], t["RRDL"]), "ACT", 0, k % s.groups, k // s.groups, 5) for k in range(4)
    ]
    if t["FAW"] > 4 * max(t["RRDS"], t["RRDL"]):
        yield "FAW", four, (t["FAW"], "ACT", 0, 4 % s.groups, 4 // s.groups, 5)
    if t["PPD"] > 1:
        both = [act, (800, "ACT", *beside, 5), (far, "PRE", 0, 0, 0, 5)]
        yield "PPD", both, (far + t["PPD"], "PRE", *beside, 5)
    if t["RTRS"]:
        both = [act, (800, "ACT", 1, 0, 0, 5)]
        other = {"RD": (1, 0, 0, 5), "WR": (1, 0, 0, 5)}
        yield "RTRS", [*both, read], (far + t["BL"] + t["RTRS"], "RD", *other["RD"])
        gap = t["CL"] + t["BL"] + t["SKEW"] + t["RTRS"] - t["CWL"]
        yield "other rank", [*both, read], (far + gap, "WR", *other["WR"])
        gap = t["CWL"] + t["BL"] + t["RTRS"] - t["CL"]
        if gap > 1:
            yield "other rank", [*both, write], (far + gap, "RD", *other["RD"])
        yield "BL", [*both, write], (far + t["BL"], "WR", *other["WR"])


@pytest.mark.parametrize("name", EVERY)
def test_one_cycle_too_early_is_caught(name):
    s = standard(name)
    for rule, before, last in scenes(s):
        assert check(s, stream(*before, last)) == [], (rule, last)
        found = check(s, stream(*before, (last[0] - 1, *last[1:])))
        assert any(rule in v.rule for v in found), (rule, last, found)
        assert {(v.cycle, v.command) for v in found} == {(last[0] - 1, last[1])}


@pytest.mark.parametrize("name", EVERY)
def test_the_scenes_cover_every_rule(name):
    """Each pair of commands that some rule speaks of, in each of its places, is in a scene."""
    s = standard(name)
    played = set()
    for _, before, last in scenes(s):
        ways = [b for b in before if b[1] != "ACT" or last[1] in ("RD", "WR", "ACT", "PRE", "PREA")]
        for b in ways:
            same = "rank" if b[2] == last[2] else "other rank"
            played.add((b[1], last[1], same))
    unheard = {
        (r.before, r.after, "other rank" if r.place == "other rank" else "rank")
        for r in rules(s) if r.place != "channel"
    } - played  # fmt: skip
    # RC is RAS + RP in every table, so it follows; ACT to REF likewise
    if s.timings["RTRS"] == 0:
        unheard = {u for u in unheard if u[2] == "rank"}
    if s.timings["CWL"] + s.timings["BL"] + s.timings["RTRS"] - s.timings["CL"] <= 1:
        unheard -= {("WR", "RD", "other rank")}
    if s.timings["PPD"] == 1:
        unheard -= {("PRE", "PRE", "rank")}
    assert unheard <= {("ACT", "REF", "rank")}


def test_32_activations():
    s = standard("GDDR5-6000")
    t = s.timings
    lines, tick = [], 0
    for k in range(32):  # open and close banks as fast as the rest allows, slowly at the end
        tick = max(tick + t["RRDS"], (k // 4) * t["FAW"])
        lines.append((tick, "ACT", 0, k % 4, k // 4 % 4, k))
    # only the distance of the first and the 33rd is at stake: forget the rows
    first = lines[0][0]
    early = stream(*lines, (first + t["AW32"] - 1, "ACT", 0, 0, 0, 99))
    just = stream(*lines, (max(first + t["AW32"], lines[-1][0] + 1), "ACT", 0, 0, 0, 99))
    assert any("32 AW" in v.rule for v in check(s, early))
    assert not any("32 AW" in v.rule for v in check(s, just))


def test_rows_bus_and_refresh():
    s = standard("DDR4-2400R")
    late = 9 * s.timings["REFI"]
    for lines, rule in (
        ([(0, "RD", 0, 0, 0, 5)], "the row is not open"),
        ([(0, "ACT", 0, 0, 0, 5), (100, "RD", 0, 0, 0, 6)], "the row is not open"),
        ([(0, "ACT", 0, 0, 0, 5), (100, "ACT", 0, 0, 0, 6)], "the bank has an open row"),
        ([(0, "PRE", 0, 0, 0, 5)], "the bank has no open row"),
        ([(0, "ACT", 0, 0, 0, 5), (500, "REF", 0, -1, -1, -1)], "the rank has open rows"),
        ([(3, "ACT", 0, 0, 0, 5), (3, "ACT", 1, 0, 0, 5)], "the command bus is taken"),
        ([(late + 1, "REF", 0, -1, -1, -1)], "refresh too late"),
    ):
        assert [v.rule for v in check(s, stream(*lines))] == [rule]
    assert check(s, stream((late, "REF", 0, -1, -1, -1))) == []
    # a read and a write whose data meet, which the distances alone would also forbid
    found = check(
        s, stream((0, "ACT", 0, 0, 0, 5), (100, "RD", 0, 0, 0, 5), (105, "WR", 0, 0, 0, 5))
    )
    assert "the data bus is taken" in [v.rule for v in found]
    assert "channel 0, cycle 105, WR: " in str(found[0])


def lines_of(text):
    """Commands written as 'cycle NAME rank group bank row', separated by commas."""
    lines = [line.split() for line in text.split(",")]
    return stream(*((int(c), n, int(r), int(g), int(b), int(w)) for c, n, r, g, b, w in lines))


@pytest.mark.parametrize(("name", "text", "rule"), [
    # activations and reads take two cycles: RCD 34, RP 34 - 1, RTP 18 + 1
    ("DDR5-4800AN", "1 ACT 0 0 0 5, 35 RD 0 0 0 5, 78 PRE 0 0 0 5", "RAS"),
    ("DDR5-4800AN", "1 ACT 0 0 0 5, 100 RD 0 0 0 5, 118 PRE 0 0 0 5", "RTP"),
    ("DDR5-4800AN", "1 ACT 0 0 0 5, 100 PRE 0 0 0 5, 132 ACT 0 0 0 6", "RP:"),
    ("DDR5-4800AN", "1 ACT 0 0 0 5, 100 RD 0 0 0 5, 101 PRE 0 1 0 5", "the command bus is taken"),
    ("DDR5-4800AN", "1 ACT 0 0 0 5, 100 WR 0 0 0 5, 147 WR 0 0 0 5", "CCD_L"),
    # a row is opened by two commands; the data clock must run
    ("LPDDR5-6400", "1 ACT 0 0 0 5, 10 ACT2 0 0 0 5", "second half of an activation"),
    ("LPDDR5-6400", "1 ACT 0 0 0 5, 5 ACT 0 1 0 5", "second half of an activation"),
    ("LPDDR5-6400", "1 ACT 0 0 0 5, 20 CAS 0 0 0 5", "the row is not open"),
    ("LPDDR5-6400", "1 ACT 0 0 0 5, 2 ACT2 0 0 0 5, 20 RD 0 0 0 5", "the data clock does not run"),
    ("LPDDR5-6400", "1 ACT 0 0 0 5, 2 ACT2 0 0 0 5, 20 CAS 0 0 0 5, 60 PRE 0 0 0 5", "does not follow"),
    ("LPDDR5-6400", "1 ACT 0 0 0 5, 2 ACT2 0 0 0 5, 20 CAS 0 0 0 5, 21 RD 0 0 0 5, 41 RD 0 0 0 5",
     "the data clock does not run"),
    ("LPDDR5-6400", "1 ACT 0 0 0 5, 2 ACT2 0 0 0 5, 90 REFB 0 0 0 -1", "open rows"),
    ("LPDDR5-6400", "1 REFB 0 0 0 -1, 112 ACT 0 0 0 5", "RFC of a bank"),
    # row and column commands have a bus each, shared by pseudo channels
    ("HBM2-2000", "1 ACT 0 0 0 5, 2 ACT 1 0 0 5", "the command bus is taken"),
    ("HBM2-2000", "1 ACT 0 0 0 5, 3 ACT 1 0 0 5, 15 RD 0 0 0 5", "RCD"),
    ("HBM2-2000", "1 ACT 0 0 0 5, 3 ACT 1 0 0 5, 20 RD 0 0 0 5, 20 RD 1 0 0 5", "command bus is taken"),
    # half clocks; stacks
    ("HBM3-6400", "2 ACT 0 0 0 5", "second half of a clock"),
    ("HBM3-6400", "1 ACT 0 0 0 5, 11 ACT 0 4 0 5, 101 RD 0 0 0 5, 105 RD 0 4 0 5", "CCD_R"),
])  # fmt: skip
def test_rules_of_newer_families(name, text, rule):
    """One thing is wrong with the last command, and nothing before it."""
    s = standard(name)
    found = check(s, lines_of(text))
    assert any(rule in v.rule for v in found), found
    assert check(s, lines_of(text.rpartition(",")[0])) == [] if "," in text else True
    last = int(text.rpartition(",")[2].split()[0])
    assert {v.cycle for v in found} == {last}


@pytest.mark.parametrize(("name", "text"), [
    ("DDR5-4800AN", "1 ACT 0 0 0 5, 35 RD 0 0 0 5, 79 PRE 0 0 0 5, 112 ACT 0 0 0 6"),
    ("LPDDR5-6400", "1 ACT 0 0 0 5, 9 ACT2 0 0 0 5, 16 CAS 0 0 0 5, 17 RD 0 0 0 5, 36 RD 0 0 0 5"),
    ("HBM2-2000", "1 ACT 0 0 0 5, 3 ACT 1 0 0 5, 16 RD 0 0 0 5, 38 RD 0 0 0 5, 38 PRE 1 0 0 5"),
    ("HBM3-6400", "1 ACT 0 0 0 5, 9 ACT 0 4 0 5, 101 RD 0 0 0 5, 107 RD 0 4 0 5, 130 PRE 0 0 0 5"),
])  # fmt: skip
def test_just_in_time_is_right(name, text):
    assert check(standard(name), lines_of(text)) == []


@pytest.mark.parametrize("name", [*EVERY, *NEWER])
def test_a_hurried_run_is_caught(name):
    """Commands of a run, from one on all a cycle early: the checker finds the place."""
    import tachograph as tg

    memory = tg.Memory(name, channels=1)
    rng = np.random.default_rng(1)
    addresses = np.concatenate([np.arange(400), rng.integers(0, 1 << 22, 400)]) * 64
    commands = memory.run(addresses, rng.random(800) < 0.3, commands=True).commands
    caught = 0
    cuts = rng.integers(1, len(commands), 60)
    for cut in cuts:
        cycle = commands.cycle.copy()
        cycle[cut:] -= 1
        hurried = Commands(**{**commands.__dict__, "cycle": cycle})
        caught += bool(check(memory.standard, hurried))
    assert caught > 45  # the rest waited for something else than a rule
