"""Energy from command counts and the currents of a datasheet: a model, not a measurement.

The usual method: a device draws its standby current all the time (IDD3N while a row is open, else
IDD2N); each command adds what its test current exceeds standby by, for as long as it lasts. Data-bus
termination and power-down are left out.
"""

from __future__ import annotations

from typing import Any

from .standards import Standard

__all__ = ["energy"]


def energy(
    standard: Standard, commands: dict[str, int], cycles: int, rank_cycles: int, active: int
) -> dict[str, Any] | None:
    """Joules by cause, or None if the standard declares no currents.

    Parameters
    ----------
    standard
        With the currents, in milliampere, of one device.
    commands
        How often each command was issued.
    cycles
        Length of the run.
    rank_cycles, active
        Cycles summed over all ranks: of the run, and those with at least one open row.
    """
    if standard.currents is None:
        return None
    i, t = standard.currents, standard.timings
    row = i["IDD0"] * t["RC"] - (i["IDD3N"] * t["RAS"] + i["IDD2N"] * (t["RC"] - t["RAS"]))
    # mA * V * ns of one device are picojoules
    unit = i["VDD"] * standard.tck * standard.devices * 1e-12
    parts = {
        "activate": commands["ACT"] * row * unit,
        "read": commands["RD"] * (i["IDD4R"] - i["IDD3N"]) * t["BL"] * unit,
        "write": commands["WR"] * (i["IDD4W"] - i["IDD3N"]) * t["BL"] * unit,
        "refresh": commands["REF"] * (i["IDD5"] - i["IDD3N"]) * t["RFC"] * unit,
        "standby": (active * i["IDD3N"] + (rank_cycles - active) * i["IDD2N"]) * unit,
    }
    total = sum(parts.values())
    return {
        "provenance": "modelled",
        "source": i["source"],
        "joules": total,
        "watts": total / (cycles * standard.tck * 1e-9),
        "parts": parts,
    }
