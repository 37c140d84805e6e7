from __future__ import annotations

import io
import sys
import time

import pytest

import tachograph as tg
from tachograph.util import memory, progress
from tachograph.util.errors import TooLargeError


def test_sizes_for_people():
    cases = {0: "0 B", 999: "999 B", 1000: "1.0 kB", 99_940: "99.9 kB", 123_456: "123 kB",
             3_200_000: "3.2 MB", 5e9: "5.0 GB", 1e18: "1000 PB"}  # fmt: skip
    for size, text in cases.items():
        assert memory.human(size) == text


def test_available_is_the_least_of_what_is_known(monkeypatch, tmp_path):
    assert 0 < memory.available() < 1 << 50
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("2500\n")
    (tmp_path / "memory.stat").write_text("anon 2000\ninactive_file 500\n")
    monkeypatch.setattr(memory, "CGROUP", tmp_path)
    assert memory.available() == 3000
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.available() > 3000
    monkeypatch.setattr(memory, "available", lambda: None)
    memory.require(1 << 60, "anything", "try")
    monkeypatch.setattr(memory, "available", lambda: 10)
    with pytest.raises(
        TooLargeError, match="x needs about 20 B of memory, but 10 B are free: do y"
    ):
        memory.require(20, "x", "do y")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("total", [10, None])
@pytest.mark.parametrize(("stream", "shown"), [(Terminal, True), (io.StringIO, False)])
def test_a_bar_appears_after_a_while_and_only_on_terminals(monkeypatch, stream, shown, total):
    monkeypatch.setattr(progress, "SHOW_AFTER_SECONDS", 0.2)
    monkeypatch.setattr("sys.stderr", stream())
    with progress.bar("quick", total) as b:
        b.advance(10)
    assert sys.stderr.getvalue() == ""
    with progress.bar("working", total) as b, progress.bar("inner") as inner:
        b.advance(2)
        inner.advance(1)
        time.sleep(0.6)
        b.advance(3)
    assert ("working" in sys.stderr.getvalue()) == shown
    assert "inner" not in sys.stderr.getvalue()
    assert b.done == 5


@pytest.mark.parametrize("closed", [False, True])
def test_services_without_stderr(closed, monkeypatch):
    stream = io.StringIO() if closed else None
    if stream is not None:
        stream.close()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress.bar("working") as shown:
        shown.advance(1)
    progress.say("nobody reads this")
    assert tg.Graph.from_edges([0], [1]).m == 1
