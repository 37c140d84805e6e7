"""Cycles that must lie between two commands, from the timings of a standard.

A standard's timings count from the end of a command to the end of the next. The engine notes commands
at their first tick, so a distance is longer by the further ticks of the first command, and shorter by
those of the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..standards import Standard

#: Names of the distances, in the order in which compiled loops see them. REFB refreshes one bank; RANK
#: and GROUP are other banks of the same rank and bank group, all others the same bank or rank.
DISTANCES = (
    "ACT_RD", "ACT_WR", "ACT_ACT", "ACT_PRE", "PRE_ACT", "RD_PRE", "WR_PRE", "RRDS", "RRDL", "FAW",
    "AW32", "PPD", "PRE_PREA", "ACT_PREA", "RD_PREA", "WR_PREA", "PREA_ACT", "ACT_REF", "PRE_REF",
    "PREA_REF", "RD_REF", "REF_ACT", "REF_REF", "ACT_REFB", "ACT_REFB_RANK", "ACT_REFB_GROUP",
    "PRE_REFB", "REFB_ACT", "REFB_ACT_RANK", "REFB_REFB_RANK",
)  # fmt: skip


def column_gaps(s: Standard, version: int) -> list[int]:
    """Return ticks from a column command to the next: [before writes][after writes][relation].

    Relations of the second to the first: same group, same stack, same rank, other rank.
    """
    t = s.timings
    burst, change = t["BL"], t["RTRS"]
    near = max(t["CCDS"], burst)
    near_write = max(t["CCDSW"], burst)
    to_write = t["RTW"] or t["CL"] + burst + t["SKEW"] - t["CWL"] + t["TURN"]
    to_read = t["CWL"] + burst
    slow, fast = max(t["WTRL"], t["WTRS"]), t["WTRS"]
    read_read = [max(t["CCDL"], near), near, max(t["CCDR"], burst), burst + change]
    read_write = [max(t["RTWL"], to_write), to_write, to_write, burst + change]
    write_read = [to_read + slow, to_read + fast, to_read + fast, to_read + change - t["CL"]]
    write_write = [max(t["CCDLW"], near_write), near_write, burst, burst]
    if version == 1:
        read_write[3] = max(burst, to_write - t["TURN"]) + change
    if t["WTRR"]:
        write_read[3] = t["WTRR"]
    if s.pseudo > 1:  # pseudo channels share no data bus
        for gaps in (read_read, read_write, write_read, write_write):
            gaps[3] = 0
    return [*read_read, *read_write, *write_read, *write_write]


def distances(s: Standard, version: int) -> dict[str, int]:
    """Return the distance of every pair in :data:`DISTANCES`."""
    t = s.timings
    act, col, pre, ref = (s.command_ticks[name] - 1 for name in ("ACT", "RD", "PRE", "REF"))
    written = t["CWL"] + t["BL"] + t["WR"]
    found = {
        "ACT_RD": t["RCDR"] + act - col,
        "ACT_WR": t["RCDW"] + act - col,
        "ACT_ACT": t["RC"],
        "ACT_PRE": t["RAS"] + act - pre,
        "PRE_ACT": t["RP"] + pre - act,
        "RD_PRE": t["RTP"] + col - pre,
        "WR_PRE": written + col - pre,
        "RRDS": t["RRDS"],
        "RRDL": t["RRDL"],
        "FAW": t["FAW"],
        "AW32": t["AW32"],
        "PPD": t["PPD"],
        "PREA_ACT": t["RPA"] + pre - act,
        "ACT_REF": t["RC"] + act - ref,
        "PRE_REF": t["RPR"] + pre - ref if t["RPR"] else 0,
        "PREA_REF": (t["RPA"] if version == 1 else t["RP"]) + pre - ref,
        "RD_REF": t["RDREF"] + col - ref if t["RDREF"] else 0,
        "REF_ACT": t["RFC"] + ref - act,
        "REF_REF": t["RFC"],
        "ACT_REFB": t["RC"] + act - ref,
        "ACT_REFB_RANK": t["RRDB"] + act - ref if t["RRDB"] else 0,
        "ACT_REFB_GROUP": t["RRDBL"] + act - ref if t["RRDBL"] else 0,
        "PRE_REFB": t["RP"] + pre - ref,
        "REFB_ACT": t["RFCB"] + ref - act,
        "REFB_ACT_RANK": t["RREFD"] + ref - act,
        "REFB_REFB_RANK": t["REFBB"],
    }
    waits = s.protocol["prea_waits"]
    found |= {f"{name}_PREA": found[f"{name}_PRE"] * waits for name in ("ACT", "RD", "WR")}
    found["PRE_PREA"] = t["PPD"] if version > 1 else 0
    return found
