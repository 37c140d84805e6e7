from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tachograph.simulation.dram import Memory, read_trace, traces, write_trace
from tachograph.util.errors import FileFormatError, InputError, MissingFileError
from tests.simulation.dram import requests

FILES = ["t.trace", "t.txt.gz", "t.trace.zst", "t.npz", "t.parquet"]
ADDRESSES = requests.addresses("random", 3000, 4)
WRITES = requests.writes("40", 3000, 4)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("style", ["ramulator", "ramulator2"])
def test_round_trip(name, style, monkeypatch):
    monkeypatch.setattr(traces, "CHUNK_BYTES", 1000)
    monkeypatch.setattr(traces, "BATCH_REQUESTS", 700)
    write_trace(name, ADDRESSES, WRITES, style=style)
    back = read_trace(name)
    assert (back.addresses == ADDRESSES).all()
    assert (back.is_write == WRITES).all()
    assert back.arrival is None
    memory = Memory("HBM", channels=2)
    assert memory.run(name).to_dict() == memory.run(ADDRESSES, WRITES).to_dict()


@pytest.mark.parametrize("name", ["t.npz", "t.parquet"])
def test_arrival_times_are_kept(name):
    times = np.arange(3000) * 7
    write_trace(name, ADDRESSES, WRITES, arrival=times)
    assert (read_trace(name).arrival == times).all()
    memory = Memory("DDR4-2400R")
    assert memory.run(name).cycles == memory.run(ADDRESSES, WRITES, arrival=times).cycles
    with pytest.raises(InputError, match="text traces have no arrival"):
        write_trace("t.trace", ADDRESSES, WRITES, arrival=times)


@pytest.mark.parametrize(("requests", "message"), [
    (([],), "there is no request to write"), (([1.5],), "array of integers"),
    (([64, -64],), "address -64 is not in 0 to"), (([1 << 63],), "is not in 0 to"),
    (([0, 64], [0, 2]), "must hold 0 and 1"), (([0, 64], [0.5, 1]), "must hold 0 and 1"),
    (([0, 64], [1]), "2 addresses but 1"), (([0, 64], None, [5, 3]), "request 1 arrives at 3, after 5"),
    (([0, 64], None, [5]), "one integer, a cycle, for each"), (([0], None, [-1]), "arrives at -1"),
])  # fmt: skip
@pytest.mark.parametrize("name", ["t.trace", "t.npz"])
def test_what_no_memory_would_run_is_not_written(name, requests, message):
    with pytest.raises(InputError, match=message):
        write_trace(name, *requests)
    assert not Path(name).exists()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2**63 - 1), st.booleans()), min_size=1))
def test_any_address_survives_text(pairs):
    addresses, writes = map(np.array, zip(*pairs, strict=True))
    for style in ("ramulator", "ramulator2"):
        write_trace("x.trace", addresses, writes, style=style)
        back = read_trace("x.trace")
        assert (back.addresses == addresses).all()
        assert (back.is_write == writes).all()


def test_the_formats_as_others_write_them():
    Path("a").write_text("0x12345680 R\n0x4cbd56c0 W\n12AB\n\n  0xFf  W \r\n0x40 R")
    back = read_trace("a")
    assert back.addresses.tolist() == [0x12345680, 0x4CBD56C0, 0x12AB, 0xFF, 0x40]
    assert back.is_write.tolist() == [0, 1, 0, 1, 0]
    Path("b").write_text("LD 0x40\nST 128\n")
    assert read_trace("b")[0].tolist() == [64, 128]
    assert read_trace("b")[1].tolist() == [0, 1]
    Path("c").write_text("3 20734016\n1 20846400 20734208\n6 0x40\n")
    assert read_trace("c")[0].tolist() == [20734016, 20846400, 20734208, 64]
    assert read_trace("c")[1].tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(("text", "line", "found"), [
    ("0x40 R\n0x80 X\n", 2, "'0x80 X'"), ("0x40 R\n\nzebra\n", 3, "'zebra'"),
    ("0x40 R\n0x80 R W\n", 2, "0x80 R W"), ("0x40 R\n0x10000000000000000 R\n", 2, "0x1000"),
    ("0x R\n", 1, "0x R"), ("LD 0x40\n0x80 R\n", 2, "0x80 R"), ("LD\n", 1, "LD"),
    ("LD 0x40\nST\n", 2, "ST"), ("3 64\n3\n", 2, "'3'"), ("3 64\n3 64 x\n", 2, "3 64 x"),
    ("LD 0x40\nLDX 0x40\n", 2, "LDX"), ("0x40R\n", 1, "0x40R"), ("LD 0x40 R\n", 1, "LD 0x40 R"),
])  # fmt: skip
def test_malformed_lines_are_named(text, line, found):
    Path("bad.trace").write_text(text)
    with pytest.raises(FileFormatError, match=f"bad.trace, line {line}: expected ") as caught:
        read_trace("bad.trace")
    assert found in str(caught.value)


def test_line_numbers_count_across_chunks(monkeypatch):
    monkeypatch.setattr(traces, "CHUNK_BYTES", 100)
    Path("long.trace").write_text("0x40 R\n" * 999 + "oops\n")
    with pytest.raises(FileFormatError, match="line 1000"):
        Memory("DDR4-2400R").run("long.trace")


@pytest.mark.parametrize("suffix", [".npz", ".parquet", ".trace"])
def test_pipes_are_refused(suffix):
    os.mkfifo(f"pipe{suffix}")
    with pytest.raises(FileFormatError, match="pipe or a device"):
        read_trace(f"pipe{suffix}")


def test_other_damage():
    for name in ("no.trace", "no.npz", "no.parquet"):
        with pytest.raises(MissingFileError, match="there is no such file"):
            read_trace(name)
    Path("e.trace").write_text("")
    with pytest.raises(FileFormatError, match="empty"):
        read_trace("e.trace")
    Path("e.trace").write_text("\n\n")
    with pytest.raises(FileFormatError, match="no requests"):
        read_trace("e.trace")
    with pytest.raises(InputError, match="trace is empty"):
        Memory("DDR4-2400R").run("e.trace")
    for name in ("x.npz", "x.parquet"):
        Path(name).write_bytes(b"not at all")
        with pytest.raises(FileFormatError, match="x."):
            read_trace(name)
    np.savez("x.npz", where=np.arange(3))
    with pytest.raises(FileFormatError, match="has no address; it has where"):
        read_trace("x.npz")
    np.savez("x.npz", address=np.arange(3), is_write=np.zeros(2, np.uint8))
    with pytest.raises(FileFormatError, match="different lengths"):
        read_trace("x.npz")
    np.savez("x.npz", address=np.arange(3.0))
    with pytest.raises(FileFormatError, match="address holds float64"):
        read_trace("x.npz")
    np.savez("x.npz", address=np.arange(3), is_write=np.full(3, 2))
    with pytest.raises(FileFormatError, match="something else than 0 and 1"):
        read_trace("x.npz")
    write_trace("cut.npz", ADDRESSES, WRITES)
    data = Path("cut.npz").read_bytes()
    Path("cut.npz").write_bytes(data[: len(data) // 2])
    with pytest.raises(FileFormatError, match=r"cut.npz"):
        read_trace("cut.npz")
    with pytest.raises(InputError, match="unknown style 'loud'"):
        write_trace("t", [1], style="loud")


SCRIPT = """
import resource, sys
from tachograph.simulation.dram import Memory
Memory("DDR4-2400R").run(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
Memory("DDR4-2400R").run(sys.argv[2])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts kilobytes as Linux does")
@pytest.mark.parametrize("suffix", ["trace", "npz", "parquet"])
def test_memory_does_not_grow_with_the_trace(suffix):
    """A trace of 3 M requests needs no more than one of 600,000 (in arrays: 27 MB)."""
    for name, n in (("short", 600_000), ("long", 3_000_000)):
        write_trace(f"{name}.{suffix}", np.arange(n) * 64)
    run = subprocess.run([sys.executable, "-c", SCRIPT, f"short.{suffix}", f"long.{suffix}"],
                         check=True, capture_output=True, text=True)  # fmt: skip
    assert int(run.stdout) < 8_000
