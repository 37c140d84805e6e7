"""Cycle for cycle what Ramulator 2.1 does, if its recorded runs are there."""

from __future__ import annotations

import csv
import json
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tachograph.simulation.dram import Memory
from tachograph.simulation.dram.rules import rules

REFERENCE = Path(os.environ.get("TACHOGRAPH_DRAM_REFERENCE_21", "/nowhere"))
TRACES = Path(os.environ.get("TACHOGRAPH_DRAM_REFERENCE", "/nowhere"))
pytestmark = pytest.mark.skipif(
    not (REFERENCE.is_dir() and TRACES.is_dir()),
    reason="TACHOGRAPH_DRAM_REFERENCE_21 or TACHOGRAPH_DRAM_REFERENCE names no directory",
)
# name, channels, ranks, density, width
CONFIGS = {
    "ddr5_4800": ("DDR5-4800AN", 1, 1, "16Gb", 8),
    "ddr5_4800_2ch2r": ("DDR5-4800AN", 2, 2, "16Gb", 8),
    "ddr5_5600": ("DDR5-5600AN", 1, 1, "16Gb", 8),
    "ddr5_6400_x16": ("DDR5-6400AN", 1, 1, "16Gb", 16),
    "lpddr5_6400": ("LPDDR5-6400", 1, 1, "16Gb", 16),
    "lpddr5_6400_2ch": ("LPDDR5-6400", 2, 1, "16Gb", 16),
    "lpddr6_10667": ("LPDDR6-10667", 1, 1, "16Gb", 12),
    "gddr6_14000": ("GDDR6-14000", 1, 1, "16Gb", 16),
    "gddr6_14000lv_2ch": ("GDDR6-14000L", 2, 1, "8Gb", 16),
    "gddr7_28000": ("GDDR7-28000", 1, 1, "16Gb", 8),
    "gddr7_28000_2ch": ("GDDR7-28000", 2, 1, "16Gb", 8),
    "hbm2_2000": ("HBM2-2000", 1, 1, "8Gb", 64),
    "hbm2_2000_2ch": ("HBM2-2000", 2, 1, "8Gb", 64),
    "hbm2_2400": ("HBM2-2400", 1, 1, "4Gb", 64),
    "hbm3_6400": ("HBM3-6400", 1, 1, "16Gb", 32),
    "hbm3_6400_2ch": ("HBM3-6400", 2, 1, "16Gb", 32),
    "hbm4_8000": ("HBM4-8000", 1, 1, "32Gb-8hi", 32),
    "hbm4_16000": ("HBM4-16000", 1, 1, "32Gb-8hi", 32),
}
REFRESH = {"AllBank": "all-bank", "NoRefresh": "none"}
COMMANDS = {"ACT": "ACT", "ACT1": "ACT", "PREpb": "PRE", "PREab": "PREA", "RD": "RD", "RD_S": "RD",
            "WR": "WR", "WR_S": "WR", "REFab": "REF", "REFpb": "REFB", "ACT2": "ACT2", "CAS": "CAS",
            "CAS_RD": "CAS", "CAS_WR": "CAS"}  # fmt: skip
RECORDED_REQUESTS = 50_000
DEPART_OFFSET, DEPART_PRIME = 1469598103934665603, 0x100000001B3  # of the recorded hash


def memory_of(config, **options):
    name, channels, ranks, density, width = CONFIGS[config]
    sizes = {"channels": channels, "ranks": ranks, "density": density, "width": width}
    return Memory(name, **sizes, **options)


@cache
def trace_of(name, mode):
    """The first requests; ``split`` asks for both halves of 64 bytes."""
    with np.load(TRACES / f"{name}.npz") as data:
        addresses = data["addr"][:RECORDED_REQUESTS].astype(np.int64)
        writes = data["is_write"][:RECORDED_REQUESTS].astype(np.uint8)
    if mode == "raw":
        return addresses, writes
    return np.stack([addresses, addresses + 32], axis=1).ravel(), np.repeat(writes, 2)


def hashed(cycles):
    total = DEPART_OFFSET
    for cycle in cycles.tolist():
        total = ((total ^ cycle) * DEPART_PRIME) & ((1 << 64) - 1)
    return f"{total:016x}"


def rows():
    if not REFERENCE.is_dir():
        return []
    return list(csv.DictReader((REFERENCE / "shared.csv").read_text().splitlines()))


def equal(row):
    options = {
        "mapping": row["mapper"],
        "scheduler": row["sched"],
        "refresh": REFRESH[row["refresh"]],
    }
    memory = memory_of(row["cfg"], **options)
    found = memory.run(*trace_of(row["trace"], row["mode"]), completion=True)
    assert found.cycles == int(row["dram_cycles"])
    for ours, theirs in (("row_hits", "hits"), ("row_misses", "misses"), ("row_conflicts", "conflicts"),
                         ("forwarded", "fwd"), ("merged", "coal")):  # fmt: skip
        assert getattr(found, ours) == int(row[theirs])
    for ours, theirs in (("ACT", "ACT"), ("PRE", "PREpb"), ("PREA", "PREab"), ("RD", "RD"), ("WR", "WR"),
                         ("REF", "REFab"), ("CAS", "CAS")):  # fmt: skip
        assert found.command_counts[ours] == int(row[theirs])
    assert hashed(found.completion) == row["depart_fnv"]


def test_a_sample_of_recorded_runs():
    """One run of each family with writes, and one of each other variant."""
    chosen = [r for r in rows() if r["trace"] == "d_mix3" and r["mode"] == "raw"]
    usual = [r for r in chosen if r["sched"] == "FRFCFS" and r["mapper"] == "RoBaRaCoCh"
             and r["refresh"] == "AllBank" and not r["cfg"].endswith("2ch")]  # fmt: skip
    for row in usual[::2] + [r for r in chosen if r not in usual][::8]:
        equal(row)


@pytest.mark.slow
@pytest.mark.parametrize("config", CONFIGS)
def test_all_recorded_runs(config):
    for row in rows():
        if row["cfg"] == config:
            equal(row)


@pytest.mark.parametrize(
    "path", sorted((REFERENCE / "commands").glob("*.csv")), ids=lambda p: p.stem
)
def test_commands(path):
    """Every command of the first 500 requests, with its cycle and place."""
    config, trace = path.stem.split("__")
    memory = memory_of(config)
    addresses, writes = trace_of(trace, "raw")
    issued = memory.run(addresses[:500], writes[:500], commands=True).commands
    lines = list(csv.DictReader(path.read_text().splitlines()))
    wanted = [(int(r["clock"]), COMMANDS[r["command"]]) for r in lines]
    found = list(zip(issued.cycle.tolist(), issued.names.tolist(), strict=True))
    assert found == wanted[: len(found)]
    assert len(wanted) - len(found) < 4  # a refresh after the last request
    banks = [int(r.get("Bank", 0)) for r in lines[: len(found)]]
    single = ~np.isin(issued.names, ["PREA", "REF"])
    groups = memory.standard.groups
    numbers = issued.bank if groups < 16 else issued.group
    assert [b for b, s in zip(banks, single, strict=True) if s] == numbers[single].tolist()


def place_of(level, sibling):
    place = {"Channel": "channel", "Rank": "rank", "PseudoChannel": "rank", "Sid": "stack",
             "BankGroup": "group", "Bank": "bank"}[level]  # fmt: skip
    return f"other {place}" if sibling else place


@pytest.mark.parametrize("config", CONFIGS)
def test_the_rules_are_the_recorded_ones(config):
    """Every distance that the recorded device checks, of the commands that we send, is a rule of ours."""
    given = json.loads((REFERENCE / "timings.json").read_text())[config]
    memory = memory_of(config)
    ours = {}
    for rule in rules(memory.standard):
        key = rule.before, rule.after, rule.place, rule.count
        ours[key] = max(ours.get(key, 0), rule.cycles)
    one_rank = {"GDDR6", "GDDR7"}  # whose channel is what elsewhere is a rank
    wider = {
        "bank": ["bank", "group", "stack", "rank", "channel"],
        "rank": ["rank", "channel"],
        "stack": ["stack", "rank", "channel"],
        "group": ["group", "stack", "rank", "channel"],
    }
    for rule in given["constraints"]:
        for before in rule["from"]:
            for after in rule["to"]:
                ids = COMMANDS.get(before), COMMANDS.get(after)
                place = place_of(rule["level"], rule["sibling"])
                ticks = given["command_ticks"].get(before, 1)
                bus = rule["level"] == "Channel" and rule["cycles"] == ticks and ticks > 1
                if None in ids or "CAS" in ids or "ACT2" in ids or bus or rule["cycles"] <= 1:
                    continue
                if ids[0] == "REF" or ids in (("PREA", "PRE"), ("PREA", "PREA")):
                    continue  # all banks are closed: only an activation can follow
                if memory.ranks == 1 and place == "other rank":
                    continue
                if given["standard"] in one_rank and place == "channel":
                    place = "rank"
                if given["standard"] == "GDDR7" and place in ("bank", "other bank"):
                    place = {"bank": "group", "other bank": "rank"}[place]
                    places = ["bank", "group", "rank", "channel"]
                else:
                    places = wider.get(place, [place])
                if ids[1] == "REFB" and given["standard"] == "GDDR6":
                    continue  # without an interval for it, it is not sent
                if ids == ("REFB", "REF") or (ids[0] == "REFB" and given["standard"] == "GDDR6"):
                    continue  # never both
                found = max((ours.get((*ids, p, rule["window"]), 0) for p in places), default=0)
                assert found >= rule["cycles"], (ids, rule)
