"""The rules of a standard about the distance of two commands.

They are written down here a second time, from the standard's timings. Nothing is shared with the
controller, which derives its own tables: a slip in either shows as a violation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .standards import Standard

__all__ = ["RULE_PLACES", "Rule", "rules"]

RULE_PLACES = ("channel", "rank", "stack", "group", "bank", "other rank", "other stack")


@dataclass(frozen=True)
class Rule:
    """``after`` comes at least ``cycles`` after the ``count``-th last ``before`` in the same place."""

    before: str
    after: str
    place: str  # of RULE_PLACES
    cycles: int
    name: str
    count: int = 1

    def __str__(self) -> str:
        many = f"{self.count} " if self.count > 1 else ""
        return f"{self.name}: {self.cycles} cycles after {many}{self.before} ({self.place})"


def rules(standard: Standard, version: int | None = None) -> list[Rule]:
    """Return all rules about the distance of two commands.

    ``version`` is that of the controller, if it is not the standard's usual one.

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
        Rule("RD", "WR", "rank", t["RTW"] or turn + t["TURN"], "read to write"),
        Rule("RD", "WR", "group", t["RTWL"], "read to write, same group"),
        Rule("WR", "RD", "rank", written + t["WTRS"], "CWL + BL + WTR_S"),
        Rule("ACT", "ACT", "rank", t["RRDS"], "RRD_S"),
        Rule("ACT", "ACT", "rank", t["FAW"], "FAW", 4),
        Rule("ACT", "ACT", "rank", t["AW32"], "32 AW", 32),
        Rule("PRE", "PRE", "rank", t["PPD"], "PPD"),
        Rule("PREA", "ACT", "rank", t["RPA"], "RP of all banks"),
        Rule("PRE", "REF", "rank", t["RPR"], "RP"),
        Rule("ACT", "REF", "rank", t["RC"], "RC"),
        Rule("RD", "REF", "rank", t["RDREF"], "read to refresh"),
        Rule("REF", "ACT", "rank", t["RFC"], "RFC"),
        Rule("REF", "REF", "rank", t["RFC"], "RFC"),
        Rule("RD", "RD", "other stack", t["CCDR"], "CCD_R"),
        Rule("REFB", "ACT", "bank", t["RFCB"], "RFC of a bank"),
        Rule("REFB", "ACT", "rank", t["RREFD"], "RREFD"),
        Rule("REFB", "REFB", "rank", t["REFBB"], "refresh to refresh of a bank"),
        Rule("REFB", "REFB", "bank", t["RFCB"], "RFC of a bank"),
        Rule("ACT", "REFB", "bank", t["RC"], "RC"),
        Rule("PRE", "REFB", "bank", t["RP"], "RP"),
        Rule("ACT", "REFB", "rank", t["RRDB"], "activation to refresh of a bank"),
        Rule("ACT", "REFB", "group", t["RRDBL"], "activation to refresh of a bank, same group"),
    ]
    version = version or standard.protocol["version"]
    found += _between_ranks(standard, version) if standard.pseudo == 1 else []
    if version == 1:
        found.append(Rule("PREA", "REF", "rank", t["RPA"], "RP of all banks"))
    else:
        found.append(Rule("PREA", "REF", "rank", t["RP"], "RP"))
        found.append(Rule("PRE", "PREA", "rank", t["PPD"], "PPD"))
    for close, place in (("PRE", "bank"), ("PREA", "rank")):
        if close == "PREA" and not standard.protocol["prea_waits"]:
            continue
        found.append(Rule("ACT", close, place, t["RAS"], "RAS"))
        found.append(Rule("RD", close, place, t["RTP"], "RTP"))
        found.append(Rule("WR", close, place, written + t["WR"], "CWL + BL + WR"))
    shared = "channel" if standard.pseudo == 1 else "rank"
    for column, short, long in (("RD", "CCDS", "CCDL"), ("WR", "CCDSW", "CCDLW")):
        found.append(Rule(column, column, "group", t[long], "CCD_L"))
        found.append(Rule(column, column, "stack", t[short], "CCD_S"))
        found.append(Rule(column, column, shared, t["BL"], "BL"))
    ticks = standard.command_ticks
    taken = {name: ticks.get(name, ticks["RD"]) - 1 for name in ("ACT", "RD", "WR")}
    taken |= dict.fromkeys(("PRE", "PREA"), ticks["PRE"] - 1)
    taken |= dict.fromkeys(("REF", "REFB"), ticks["REF"] - 1)
    # Timings count from the end of a command to the end of the next
    return [
        replace(rule, cycles=rule.cycles + taken[rule.before] - taken[rule.after])
        for rule in found
        if rule.cycles > 0 and (t["REFIB"] or "REFB" not in (rule.before, rule.after))
    ]


def _between_ranks(standard: Standard, version: int) -> list[Rule]:
    """Return the rules about column commands to different ranks."""
    t = standard.timings
    written = t["CWL"] + t["BL"]
    back = t["WTRR"] or written + t["RTRS"] - t["CL"]
    found = [
        Rule("RD", "RD", "other rank", t["BL"] + t["RTRS"], "BL + RTRS"),
        Rule("RD", "WR", "other rank", t["BL"] + t["RTRS"], "BL + RTRS"),
        Rule("WR", "RD", "other rank", back, "write to read, other rank"),
    ]
    if version == 1:
        turn = t["CL"] + t["BL"] + t["SKEW"] - t["CWL"] + t["RTRS"]
        found.append(Rule("RD", "WR", "other rank", turn, "read to write, other rank"))
    return found
