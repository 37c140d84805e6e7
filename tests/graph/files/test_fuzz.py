"""Some hundred damaged files of every format; ``make fuzz`` takes longer. Also: the fuzzer finds what it should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tachograph.graph.files import FORMATS, headed
from tests import fuzz_readers
from tests.graph.files import reference

ROOT = Path(fuzz_readers.__file__).parent.parent


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_give_errors_or_what_they_say(name):
    command = [sys.executable, "-m", "tests.fuzz_readers", name, "--seed", "1"]
    command += ["--most", "400"]  # the same files on every machine
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]


@pytest.mark.filterwarnings("ignore::tachograph.TachographWarning")
@pytest.mark.parametrize("name", FORMATS)
def test_the_slow_reader_reads_the_corpus(name):
    files = sorted((fuzz_readers.CORPUS / name).iterdir())
    assert files
    for path in files:
        if path.name != "names":
            reference.READERS[name](path.read_bytes()).plain()
        assert fuzz_readers.differs(path, name) == ""


def test_a_reader_that_is_wrong_is_found(monkeypatch):
    right = headed.read_edges

    def wrong(*given):
        source, target, weight = right(*given)
        return target, source, weight

    monkeypatch.setattr(headed, "read_edges", wrong)
    path = fuzz_readers.CORPUS / "mtx" / "written-1"
    assert "not (" in fuzz_readers.differs(path, "mtx")


def test_a_reader_that_accepts_too_much_is_found(monkeypatch):
    Path("lie.mtx").write_text("%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n")
    assert fuzz_readers.differs(Path("lie.mtx"), "mtx") == ""
    monkeypatch.setattr(headed, "_promised", lambda source, layout, header, what: (
        headed.read_edges(source, layout, header.skip, header.line)
    ))  # fmt: skip
    assert "accepted" in fuzz_readers.differs(Path("lie.mtx"), "mtx")


def test_any_other_exception_is_found(monkeypatch):
    def fails(*_):
        raise RuntimeError("raw")

    monkeypatch.setattr(headed, "_promised", fails)
    with pytest.raises(RuntimeError, match="raw"):
        fuzz_readers.differs(fuzz_readers.CORPUS / "mtx" / "skew", "mtx")
