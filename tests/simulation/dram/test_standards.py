from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import tachograph as tg
from tachograph.simulation.dram import Memory, names, standard
from tachograph.simulation.dram.standards import TABLES
from tachograph.util.errors import FileFormatError, InputError, MissingFileError

CUSTOM = """
name = "MY"
source = "a sketch"
bus = 64
burst = 8
default = { speed = "1000", density = "1Gb", width = 8, channels = 2 }
[organisations]
"1Gb_x8" = [1, 4, 1024, 1024]
[speeds.1000]
tCK = 1.0
BL = 4
CL = 10
CWL = 8
RCD = 10
RP = 10
RAS = 30
RC = 40
RTP = 5
WTR = 5
WR = 10
CCD = 4
RRD = 5
FAW = 24
RTRS = 1
RFC = { "1Gb" = 90 }
REFI = 5000
"""


@pytest.mark.parametrize("name", names())
def test_every_table_makes_sense(name):
    s = standard(name)
    t = s.timings
    # GDDR6 and HBM3 round their sum; LPDDR6 counts with the precharge of all banks
    assert t["RC"] - t["RAS"] - t["RP"] in (0, -1, 2) or t["RC"] == t["RAS"] + t["RPA"]
    assert s.source
    transfers = {"GDDR5": 4, "LPDDR5": 8, "LPDDR6": 4, "GDDR6": 8, "GDDR7": 16}
    transfers |= {"GDDR5X": 8, "GDDR6X": 8}
    assert 1000 / s.tck * transfers.get(name.split("-")[0], 2) == pytest.approx(
        int("".join(c for c in name.split("-")[1] if c.isdigit())), rel=2e-3)  # fmt: skip
    # the refresh interval is 7.8, 3.9 or 1.9 microseconds
    assert any(abs(t["REFI"] * s.tck - us * 1000) < us * 12 for us in (7.8, 3.9, 1.9))
    old = ("DDR", "LPDDR4", "GDDR5", "HBM-")
    assert s.request_bytes == (64 if name.startswith(old) else 32)
    # a rank is as large as its devices together (LPDDR, HBM and newer GDDR count a channel's share)
    if name.startswith(("DDR", "GDDR5")):
        size = float(s.density[:-2]) * (1 << 30 if s.density.endswith("Gb") else 1 << 20) / 8
        assert s.rank_bytes == size * s.devices


@pytest.mark.parametrize(("made", "nearest"), [
    ("GDDR6X-19000", "GDDR6-14000"), ("GDDR6X-21000", "GDDR6-14000"), ("HBM2E-3200", "HBM2-2000"),
    ("HBM2E-3600", "HBM2-2000"), ("GDDR5X-10000", "GDDR5X-12000"), ("GDDR5X-11400", "GDDR5X-12000"),
])  # fmt: skip
def test_timings_of_an_estimate_are_the_nearest_familys_nanoseconds(made, nearest):
    s, near, newer = (standard(name, "8Gb") for name in (made, nearest, "GDDR6-14000"))
    assert "estimate" in s.source
    assert "nearest family" in s.source
    refreshed = newer if made.startswith("GDDR5X") else near
    names = ["CL", "CWL", "RCDR", "RCDW", "RP", "RAS", "WR", "WTRS", "WTRL", "RRDS", "FAW", "RFC"]
    for name in names:
        other = refreshed if name == "RFC" else near
        here, there = s.timings[name] * s.tck, other.timings[name] * other.tck
        assert there - 1e-6 <= here < there + s.tck, name
    interval = refreshed.timings["REFI"] * refreshed.tck - s.timings["REFI"] * s.tck
    assert -1e-6 <= interval < s.tck


def test_memories_of_gpus_have_the_peaks_of_their_data_sheets():
    for name, channels, gbps in (
        ("GDDR5X-11400", 12, 547.6),  # TITAN Xp: 384 bits
        ("GDDR6X-19000", 20, 760.0),  # RTX 3080: 320 bits
        ("HBM2E-3200", 40, 2039.0),  # A100 of 80 GB: 5120 bits
    ):
        assert channels * standard(name).peak / 1e9 == pytest.approx(gbps, rel=0.005)


def test_numbers_of_two_known_parts():
    t = standard("DDR3-1600K", "8Gb", 16).timings
    assert [t[k] for k in ("CL", "CWL", "RCDR", "RAS", "RC", "FAW", "RRDS", "RFC", "REFI")] == [
        11, 8, 11, 28, 39, 32, 6, 280, 6240]  # fmt: skip
    assert standard("DDR3-1600K", "4Gb", 8).timings["FAW"] == 24
    assert standard("DDR4-2400R", "8Gb", 8).timings["RRDS"] == 4
    assert standard("ddr4").name == "DDR4-2400R"
    assert standard("hbm", "2Gb").timings["RFC"] == 80


def test_a_table_of_ones_own():
    Path("my.toml").write_text(CUSTOM)
    memory = Memory("my.toml")
    assert (memory.channels, memory.standard.name) == (2, "MY-1000")
    assert memory.run([0]).cycles == 1 + 10 + 10 + 4


@pytest.mark.parametrize(("change", "message"), [
    (("burst = 8\n", ""), "burst is missing"),
    (("CL = 10\n", ""), "timings are missing: CL"),
    (("CL = 10\n", "CL = 10\nXY = 3\n"), "unknown timing 'XY'"),
    (("CL = 10", "CL = -1"), "CL = -1 must be a number, at least 0"),
    (("CL = 10", 'CL = "x"'), "CL = 'x' must be a number"),
    (("CL = 10", "CL = 1.5"), "CL = 1.5 is not a number of cycles"),
    (("CL = 10", f"CL = {2**63}"), "CL = 9223372036854775808 must be a number"),
    (("tCK = 1.0", "tCK = 1e-320"), "tCK of 1000 is missing, or below 0.001 ns"),
    (("tCK = 1.0", "tCK = nan"), "tCK = nan must be a number"),
    (("default = {", "default = 3 #"), "default = 3 must be a table"),
    (("[1, 4, 1024, 1024]", "[1, 4, 1024]"), "organisations.1Gb_x8 needs groups"),
    (("[1, 4, 1024, 1024]", "[1, 4, 1024, 0]"), r"organisations.1Gb_x8\[3\] = 0 must be"),
    (("[1, 4, 1024, 1024]", "[1, 4096, 16777216, 16777216]"), "a rank of 1Gb_x8 has more than"),
    (("width = 8", "width = true"), "width = True must be a whole number"),
    (("burst = 8", "burst = 8\ncurrents = [1]"), "currents = .1. must be a table"),
    (("burst = 8", "burst = 8\njedec = {}"), "jedec.source is missing"),
    (("burst = 8", "burst = 8\nprotocol = { commands = 7 }"), "protocol.commands = 7 must be a table"),
    (("burst = 8", "burst = 8\nprotocol = { buses = 2 }"), "protocol.buses = 2 needs protocol.version = 2"),
    (("burst = 8", "burst = 8\nprotocol = { version = 2, buses = 3 }"), "protocol.buses = 3 must be"),
    (("tCK = 1.0\n", ""), "tCK of 1000 is missing"),
    (("REFI = 5000", "REFI = 100"), "leaves no time between refreshes"),
    (("BL = 4", "BL = 0"), "at least one cycle"),
    (("RAS = 30", "RAS = 9"), "RAS = 9 is below RCD"),
    (('speed = "1000"', 'speed = "2000"'), "default.speed '2000' is not in speeds"),
    (("bus = 64", "bus = 64\ncolour = 1"), "unknown field 'colour'"),
    (("bus = 64", "bus = "), "is not TOML"),
    (('speed = "1000", ', ""), "default.speed is missing"),
])  # fmt: skip
def test_damaged_tables(change, message):
    Path("my.toml").write_text(CUSTOM.replace(*change))
    with pytest.raises(FileFormatError, match=message) as caught:
        standard("my.toml")
    assert "my.toml" in str(caught.value)


def test_a_value_for_no_such_device():
    Path("my.toml").write_text(CUSTOM.replace('{ "1Gb" = 90 }', '{ "2Gb" = 90 }'))
    with pytest.raises(InputError, match="RFC has no value for 1Gb or x8 or 1KB"):
        standard("my.toml")
    with pytest.raises(MissingFileError, match=r"other.toml: there is no such file"):
        standard("other.toml")


def test_currents_are_those_of_an_organisation_of_the_table():
    """Reading and writing draw more than a row that is open, and that more than none."""
    found = 0
    for path in sorted(TABLES.glob("*.toml")):
        table = tomllib.loads(path.read_text())
        for name, i in table.get("currents", {}).items():
            rate, organisation = name.split()
            assert organisation in table["organisations"], name
            assert any(speed.startswith(rate) for speed in table["speeds"]), name
            assert 0 < i["IDD2N"] < i["IDD3N"] < min(i["IDD4R"], i["IDD4W"], i["IDD5"]), name
            assert i["IDD0"] > i["IDD2N"], name
            found += 1
    assert found >= 9
    for design in (tg.HitGraph(), tg.AccuGraph(), tg.ThunderGP()):
        assert tg.simulate("wcc", tg.path(9), design).memory.energy is not None, design
