"""Memory standards: timings, organisation and widths, read from the tables beside this file.

A standard is a TOML file (``tables/*.toml``; users write their own in the same form). Timings are in
clock cycles; ``CCD``, ``RCD``, ``RRD`` and ``WTR`` stand for both of their variants, and a value may be
a table by density (``"8Gb"``), width (``x16``) or page (``"2KB"``).
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from ...util.errors import FileFormatError, InputError
from ...util.settings import ANY_KEY, Number, check_shape, read_toml
from ...util.text import did_you_mean

__all__ = ["TIMINGS", "Standard", "names", "standard"]

#: Names of the timings that a table must give.
NEEDED_TIMINGS = (
    "BL", "CL", "CWL", "RCDR", "RCDW", "RP", "RAS", "RC", "RTP", "WTRS", "WTRL", "WR", "CCDS", "CCDL",
    "RRDS", "RRDL", "RFC", "REFI",
)  # fmt: skip
#: Those it may give, with their values (or whose value they take) if it does not; 0 means no such rule.
OPTIONAL: dict[str, int | str] = {
    "DQSCK": 0, "SKEW": 0, "TURN": 2, "FAW": 0, "AW32": 0, "PPD": 0, "RTRS": 0,
    "RPA": "RP",  # precharge of all banks to an activation
    "RPR": "RP",  # precharge of a bank to a refresh
    "CCDSW": "CCDS", "CCDLW": "CCDL",  # writes, if they differ from reads
    "CCDR": 0,  # reads of different stacks of dies
    "RTW": 0, "RTWL": 0,  # reads to writes, if they do not follow from CL, CWL and BL; same bank group
    "WTRR": 0,  # writes to reads of another rank, if they do not follow from CL, CWL, BL and RTRS
    "RDREF": 0,  # reads to a refresh
    "AAD": 0,  # first to second activation command, at most
    "WCKPST": 0,  # cycles that the data clock runs on after a burst
    # Refresh of one bank: how long, how often; to other activations; to the next; activations to it
    "RFCB": 0, "REFIB": 0, "RREFD": 0, "REFBB": 0, "RRDB": "RRDS", "RRDBL": 0,
}  # fmt: skip
TIMINGS = (*NEEDED_TIMINGS, *OPTIONAL)
#: What the commands of a family are like, and what they are if its table says nothing.
PROTOCOL: dict[str, Any] = {
    "version": 1,  # of Ramulator, whose controller is followed unless another is asked for
    "buses": 1,  # 2: row and column commands have a bus each
    "half_clocks": False,  # a tick is half a clock; only precharges may begin in the second half
    "commands": {},  # ticks that a command takes on its bus, if not 1
    "split": False,  # activations are two commands, and the data clock is started by a third
    "pseudo": 1,  # pseudo channels that share a channel's command buses
    "prea_waits": True,  # the precharge of all banks waits as that of one does
    "data_apart": True,  # the rules keep the data of two requests apart
    "paired": False,  # refreshes of one bank go to all pseudo channels, one tick apart
}
#: What the controller of version 1 does not know.
VERSION_2 = ("buses", "half_clocks", "commands", "split", "pseudo", "paired")
BOTH = {
    "CCD": ("CCDS", "CCDL"),
    "RCD": ("RCDR", "RCDW"),
    "RRD": ("RRDS", "RRDL"),
    "WTR": ("WTRS", "WTRL"),
}
COMMANDS = ("ACT", "PRE", "RD", "REF")  # writes are as long as reads
CURRENTS = ("source", "VDD", "IDD0", "IDD2N", "IDD3N", "IDD4R", "IDD4W", "IDD5")
TOP_FIELDS = ("name", "source", "bus", "burst", "default", "organisations", "speeds")
NEEDED = (*TOP_FIELDS, "default.speed", "default.density", "default.width")
TABLES = Path(__file__).parent / "tables"
#: What the parts of a table must be.
COUNT = Number(True, 1, 1 << 24)
TIMING = Number(False, 0, 1 << 20)  # cycles, or nanoseconds of one
TIMED = {ANY_KEY: (TIMING, {ANY_KEY: TIMING})}
PROTOCOL_SHAPE: dict[str, Any] = {
    name: bool
    if isinstance(usual, bool)
    else {ANY_KEY: COUNT}
    if usual == {}
    else Number(True, 1, 64)
    for name, usual in PROTOCOL.items()
}
PROTOCOL_SHAPE |= {"version": Number(True, 1, 2), "buses": Number(True, 1, 2)}
TIMED_PARTS: dict[str, Any] = {
    "speeds": {ANY_KEY: TIMED},
    "rates": {ANY_KEY: TIMED},
    "timings": TIMED,
    "protocol": PROTOCOL_SHAPE,
}
SHAPE: dict[str, Any] = {
    **{"name": str, "source": str, "bus": COUNT, "burst": COUNT, "ranks": COUNT},
    "default": {"speed": str, "density": str, "width": COUNT, "channels": COUNT},
    "organisations": {ANY_KEY: [COUNT]},
    "currents": {ANY_KEY: {"source": str, ANY_KEY: Number(False, 0, 1e9)}},
    "jedec": {"source": str, **TIMED_PARTS},
    **TIMED_PARTS,
}
LARGEST_RANK_BYTES = 1 << 48
SHORTEST_CLOCK_NS = 0.001


@dataclass(frozen=True)
class Standard:
    """One speed of one standard in one organisation of its devices."""

    name: str
    source: str
    density: str
    width: int
    bus: int
    burst: int
    tck: float
    groups: int
    banks: int
    rows: int
    columns: int
    stacks: int
    max_ranks: int
    default_channels: int
    timings: dict[str, int] = field(repr=False)
    currents: dict[str, Any] | None = field(repr=False)
    protocol: dict[str, Any] = field(default_factory=PROTOCOL.copy, repr=False)
    jedec: bool = False

    @property
    def command_ticks(self) -> dict[str, int]:
        """Ticks that each command takes on its bus."""
        return {name: self.protocol["commands"].get(name, 1) for name in COMMANDS}

    @property
    def pseudo(self) -> int:
        """Pseudo channels of a channel."""
        return int(self.protocol["pseudo"])

    @property
    def request_bytes(self) -> int:
        """Bytes that one read or write moves."""
        return self.bus * self.burst // 8

    @property
    def lines(self) -> int:
        """Requests that fit in a row."""
        return self.columns // self.burst

    @property
    def devices(self) -> int:
        """Devices side by side on a channel."""
        return max(1, self.bus // self.width)

    @property
    def rank_bytes(self) -> int:
        """Bytes of a rank, with all its pseudo channels."""
        banks = self.pseudo * self.stacks * self.groups * self.banks
        return banks * self.rows * self.columns * self.bus // 8

    @property
    def peak(self) -> float:
        """Bytes per second of one channel whose data buses never rest."""
        return self.pseudo * self.request_bytes / (self.timings["BL"] * self.tck * 1e-9)

    @property
    def read_latency(self) -> int:
        """Cycles from a read command to the end of its data."""
        t = self.timings
        return t["CL"] + t["DQSCK"] + t["BL"]


@cache
def _tables() -> dict[str, dict[str, Any]]:
    """The families that come with the package, by name."""
    found = (tomllib.loads(p.read_text(encoding="utf-8")) for p in sorted(TABLES.glob("*.toml")))
    return {table["name"]: table for table in found}


def names() -> list[str]:
    """Return every standard that can be used by name.

    >>> from tachograph.simulation.dram import names
    >>> "DDR4-2400R" in names()
    True
    """
    return [f"{family}-{speed}" for family, t in _tables().items() for speed in t["speeds"]]


def standard(
    name: str, density: str | None = None, width: int | None = None, jedec: bool = False
) -> Standard:
    """Return a standard by name, or from a TOML file.

    Parameters
    ----------
    name
        Such as ``"DDR4-2400R"`` (in any case), a family (``"HBM"``: its usual speed), or the path of a
        ``.toml`` file in the form of the package's own tables.
    density, width
        Of a device: ``"8Gb"`` and ``16``. The family's usual ones if left out.
    jedec
        Take the timings of the JEDEC standard where the table, which follows a simulator, departs.

    Raises
    ------
    InputError
        For an unknown name, density or width, or a family without such timings; the message lists the
        known ones.
    FileFormatError
        For a table that lacks something.

    >>> standard("ddr4-2400r", density="4Gb").timings["RFC"]
    312
    """
    if name.lower().endswith(".toml"):
        where, dash, speed, table = name, "", "", _read(name)
    else:
        where, dash, speed = name.upper().partition("-")
        table = _tables().get(where, {})
    if not table or (dash and speed not in table["speeds"]):
        near, families = did_you_mean(name.upper(), names()), ", ".join(_tables())
        raise InputError(
            f"unknown memory {name!r}; known: {families} (tacho dram list has their speeds), or a "
            f".toml file{near}"
        )
    if jedec:
        table = _corrected(table)
    return _resolve(table, speed or table["default"]["speed"], density, width, where)


def _read(path: str) -> dict[str, Any]:
    """Return the table in a user's file, and check its parts."""
    table = read_toml(path)
    known = sorted((*TOP_FIELDS, "ranks", "timings", "rates", "currents", "protocol", "jedec"))
    for part in sorted(table.keys() - set(known)):
        raise FileFormatError(path, f"unknown field {part!r}; known: {', '.join(known)}")
    check_shape(path, table, SHAPE)
    for part in NEEDED:
        outer, _, inner = part.partition(".")
        if outer not in table or (inner and inner not in table[outer]):
            raise FileFormatError(path, f"{part} is missing")
    for name, sizes in table["organisations"].items():
        if len(sizes) not in (4, 5):
            raise FileFormatError(path, f"organisations.{name} needs groups, banks, rows, columns")
    if "source" not in table.get("jedec", {"source": ""}):
        raise FileFormatError(path, "jedec.source is missing")
    if table["default"]["speed"] not in table["speeds"]:
        raise FileFormatError(path, f"default.speed {table['default']['speed']!r} is not in speeds")
    return table


def _corrected(table: dict[str, Any]) -> dict[str, Any]:
    """Return a family's table with the timings of its standard, which its part ``jedec`` has."""
    if "jedec" not in table:
        having = ", ".join(name for name, t in _tables().items() if "jedec" in t)
        raise InputError(
            f"{table['name']} has no separate timings of JEDEC: its table follows them, or they are "
            f"not known; families with jedec=True: {having}"
        )
    made = {**table, "corrected": True, "source": table["jedec"]["source"]}
    for part in ("rates", "speeds"):
        own = table["jedec"].get(part, {})
        made[part] = {key: v | own.get(key, {}) for key, v in table.get(part, {}).items()}
    for part in ("timings", "protocol"):
        made[part] = table.get(part, {}) | table["jedec"].get(part, {})
    return made


def _resolve(
    table: dict[str, Any], speed: str, density: str | None, width: int | None, where: str
) -> Standard:
    """Return one speed and organisation of a family."""
    name, usual = f"{table['name']}-{speed}", table["default"]
    density, width = density or usual["density"], width or usual["width"]
    chosen = f"{density}_x{width}"
    if chosen not in table["organisations"]:
        known = ", ".join(table["organisations"])
        raise InputError(
            f"{name} has no devices of density {density!r} and width {width}; known: {known}"
        )
    groups, banks, rows, columns, *stacks = table["organisations"][chosen]
    protocol = {**PROTOCOL, **table.get("protocol", {})}
    for part in sorted(protocol.keys() - PROTOCOL.keys()):
        known = ", ".join(PROTOCOL)
        raise FileFormatError(where, f"unknown field {part!r} of protocol; known: {known}")
    for part in VERSION_2:
        if protocol["version"] == 1 and protocol[part] != PROTOCOL[part]:
            raise FileFormatError(
                where, f"protocol.{part} = {protocol[part]!r} needs protocol.version = 2"
            )
    page = f"{max(1, width * columns // 8192)}KB"
    rate = re.match(r"\d*", speed).group()  # type: ignore[union-attr]
    given = table.get("timings", {}) | table.get("rates", {}).get(rate, {}) | table["speeds"][speed]
    keys, flat = (density, f"x{width}", page), {}
    for timing, value in given.items():
        found = [value[k] for k in keys if k in value] if isinstance(value, dict) else [value]
        if not found:
            raise InputError(f"{where}: {timing} has no value for {' or '.join(keys)}")
        flat[timing] = found[0]
    tck = flat.pop("tCK", None)
    if tck is None or tck < SHORTEST_CLOCK_NS:
        raise FileFormatError(where, f"tCK of {speed} is missing, or below {SHORTEST_CLOCK_NS} ns")
    timings, ticks = _timings(flat, where), 1 + protocol["half_clocks"]
    currents = table.get("currents", {}).get(f"{rate} {chosen}")
    missing = [key for key in CURRENTS if currents is not None and key not in currents]
    if missing:
        raise FileFormatError(where, f"currents are missing: {', '.join(missing)}")
    made = Standard(
        name,
        table["source"],
        density,
        width,
        bus=table["bus"],
        burst=table["burst"],
        tck=float(tck) / ticks,
        groups=groups,
        banks=banks,
        rows=rows,
        columns=columns,
        stacks=stacks[0] if stacks else 1,
        max_ranks=table.get("ranks", 16),
        default_channels=usual.get("channels", 1),
        timings={key: value * ticks for key, value in timings.items()},
        currents=currents,
        protocol=protocol,
        jedec=table.get("corrected", False),
    )
    if made.rank_bytes > LARGEST_RANK_BYTES:
        raise FileFormatError(
            where, f"a rank of {chosen} has more than {LARGEST_RANK_BYTES:,} bytes"
        )
    return made


def _timings(flat: dict[str, Any], where: str) -> dict[str, int]:
    """Return all timings by name, and check them."""
    for short, both in BOTH.items():
        if short in flat:
            value = flat.pop(short)
            flat = {**dict.fromkeys(both, value), **flat}
    for key, usual in OPTIONAL.items():
        flat.setdefault(key, flat.get(usual, 0) if isinstance(usual, str) else usual)
    for key, value in flat.items():
        if key not in TIMINGS:
            raise FileFormatError(where, f"unknown timing {key!r}; known: {', '.join(TIMINGS)}")
        if not isinstance(value, int) or value < 0:
            raise FileFormatError(where, f"{key} = {value!r} is not a number of cycles")
    missing = [key for key in TIMINGS if key not in flat]
    if missing:
        raise FileFormatError(where, f"timings are missing: {', '.join(missing)}")
    if flat["REFI"] <= flat["RFC"] + flat["RC"] + flat["RPA"]:
        raise FileFormatError(where, f"REFI = {flat['REFI']} leaves no time between refreshes")
    if flat["RAS"] < max(flat["RCDR"], flat["RCDW"]):  # a row would be closed before it is used
        raise FileFormatError(where, f"RAS = {flat['RAS']} is below RCD: rows close before reads")
    if flat["BL"] < 1:
        raise FileFormatError(where, "BL = 0: a burst takes at least one cycle")
    return {key: flat[key] for key in TIMINGS}
