"""Some thousand damaged inputs of every kind; ``make fuzz`` takes a million. Also: the fuzzer finds what it should."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tachograph.graph.files import FORMATS, headed
from tests.fuzz import __main__ as command
from tests.fuzz import own_files, readers
from tests.graph.files import reference

INPUTS = 3500  # the same ones on every machine; CI goes on for five seconds of each kind


def test_damaged_inputs_do_no_harm():
    words = [sys.executable, "-m", "tests.fuzz", "--together", "--inputs", str(INPUTS)]
    root = Path(readers.__file__).parent.parent.parent
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-5000:]
    rows = {row[0]: row for row in map(str.split, done.stdout.splitlines())}
    assert rows.keys() == {"kind", "all", *command.SHARES}
    for kind in command.SHARES:
        used, accepted, refused = (int(cell.replace(",", "")) for cell in rows[kind][1:4])
        assert used == accepted + refused
        assert used > 5


@pytest.mark.parametrize("suffix", readers.COMPRESSIONS)
@pytest.mark.parametrize("padding", [b"", bytes(4)])
def test_the_slow_reader_knows_parts_one_behind_another(suffix, padding):
    part = readers.COMPRESSIONS[suffix][1](b"0 1\n1 2\n")
    path = Path(f"parts.txt{suffix}")
    path.write_bytes(part + padding * (suffix != ".zst") + part)
    assert readers.differs(path, "edgelist", content=readers.Compressed.content) == ""


def test_every_format_is_a_kind():
    assert set(FORMATS) == set(command.FORMATS)


@pytest.mark.filterwarnings("ignore::tachograph.TachographWarning")
@pytest.mark.parametrize("name", FORMATS)
def test_the_slow_reader_reads_the_corpus(name):
    files = sorted((readers.CORPUS / name).iterdir())
    assert files
    for path in files:
        if path.name != "names":
            reference.READERS[name](path.read_bytes()).plain()
        assert readers.differs(path, name) == ""


def test_a_reader_that_is_wrong_is_found(monkeypatch):
    right = headed.read_edges

    def wrong(*given):
        source, target, weight = right(*given)
        return target, source, weight

    monkeypatch.setattr(headed, "read_edges", wrong)
    path = readers.CORPUS / "mtx" / "written-1"
    assert "not (" in readers.differs(path, "mtx")


def test_a_reader_that_accepts_too_much_is_found(monkeypatch):
    Path("lie.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n")
    assert readers.differs(Path("lie.mtx"), "mtx") is None
    monkeypatch.setattr(headed, "_promised", lambda source, layout, header, what: (
        headed.read_edges(source, layout, header.skip, header.line)
    ))  # fmt: skip
    assert "accepted" in readers.differs(Path("lie.mtx"), "mtx")


def fails(what):
    def use(_):
        end = time.process_time() + 0.3
        if what == "crash":
            os._exit(7)
        if what == "hang":
            while time.process_time() < end:
                pass
        assert what != "wrong"
        if what == "raw":
            raise RuntimeError
        return what == "accepted"

    return use


@pytest.mark.parametrize("what", ["raw", "wrong", "hang", "accepted", "refused"])
def test_the_command_tells_what_became_of_an_input(what, monkeypatch):
    monkeypatch.setattr(command, "HANG_SECONDS", 0.2)
    assert command.outcome(fails(what), 1, "mtx", 0)[0] == what


def test_waiting_is_a_hang_only_if_it_lasts(monkeypatch):
    monkeypatch.setattr(command, "HANG_SECONDS", 0.1)
    assert command.outcome(lambda _: time.sleep(0.3), 1, "mtx", 0)[0] == "refused"
    monkeypatch.setattr(command, "BLOCKED_SECONDS", 0.2)
    assert command.outcome(lambda _: time.sleep(0.3), 1, "mtx", 0)[0] == "hang"


def test_a_process_that_dies_is_counted_and_started_again(tmp_path, monkeypatch):
    """A journal that ends the process at the third input; the rest is done by another process."""
    spoiled = tmp_path / "sitecustomize.py"
    spoiled.write_text(
        "import os, random\n"
        "class Deadly(random.Random):\n"
        "    def __init__(self, seed=None):\n"
        "        if seed == '1 calibration 2':\n"
        "            os._exit(7)\n"
        "        super().__init__(seed)\n"
        "random.Random = Deadly\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.chdir(Path(own_files.__file__).parent.parent.parent)
    totals = command.Totals(1)
    command.perform([command.Job("calibration", 0, 6)], 1, totals)
    assert totals.counts["calibration"]["crash"] == 1
    assert totals.counts["calibration"].total() == 6
    assert "--seed 1 --at 2" in totals.failures[0]
