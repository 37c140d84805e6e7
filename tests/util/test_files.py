"""Files are written whole or not at all, and nothing is left of processes that were killed."""

from __future__ import annotations

import itertools
import os
import signal
import stat
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tachograph.util import cores, files
from tachograph.util.errors import InputError, MissingFileError, TachographError
from tests.faults import file_limit, forked, interrupted, killed_at_every_line

TARGET = Path("target.txt")


def names():
    return sorted(os.listdir("."))


def test_a_file_appears_whole_with_the_usual_rights():
    before = os.umask(0o027)
    try:
        with files.aside(TARGET) as temporary:
            temporary.write_text("whole")
            assert not TARGET.exists()
    finally:
        os.umask(before)
    assert TARGET.read_text() == "whole"
    assert stat.S_IMODE(TARGET.stat().st_mode) == 0o640
    assert names() == ["target.txt"]


def fails(error):
    with files.aside(TARGET) as temporary:
        temporary.write_text("half")
        raise error


def test_an_error_leaves_the_old_file_and_nothing_else():
    TARGET.write_text("old")
    for error, seen in ((KeyError("x"), KeyError), (OSError(28, "No space left"), InputError),
                        (MissingFileError("gone"), MissingFileError)):  # fmt: skip
        with pytest.raises(seen):
            fails(error)
        assert TARGET.read_text() == "old"
        assert names() == ["target.txt"]


def test_names_cannot_be_guessed_and_are_not_followed(monkeypatch):
    with files.aside(TARGET) as one, files.aside(TARGET) as two:
        assert len({one.name, two.name}) == 2
        assert str(os.getpid()) not in one.name.replace(TARGET.name, "")
        assert one.exists()  # made at once, so that nobody else can make it
        one.write_text("1")
        two.write_text("2")
    # Even a guessed name is safe: a link that waits there is neither followed nor removed.
    tokens = iter(["0" * 16, "1" * 16])
    monkeypatch.setattr(files, "_token", lambda: next(tokens))
    victim = Path("victim")
    victim.write_text("precious")
    trap = Path(files.temporary_name(TARGET.name, "0" * 16))
    trap.symlink_to(victim)
    with files.aside(TARGET) as temporary:
        temporary.write_text("new")
    assert victim.read_text() == "precious"
    assert trap.is_symlink()
    assert TARGET.read_text() == "new"


@pytest.mark.parametrize("kind", ["directory", "pipe", "link to a device"])
def test_what_is_not_a_file_is_not_replaced(kind):
    make = {"directory": TARGET.mkdir, "pipe": lambda: os.mkfifo(TARGET)}
    make.get(kind, lambda: TARGET.symlink_to("/dev/null"))()
    with (
        pytest.raises(InputError, match=r"target\.txt: it is not a regular file"),
        files.aside(TARGET),
    ):
        pass
    assert not TARGET.is_file()


def test_the_directory_is_synced_after_the_rename(monkeypatch):
    seen = []
    monkeypatch.setattr(
        os, "fsync", lambda fd: seen.append((stat.S_ISDIR(os.fstat(fd).st_mode), TARGET.exists()))
    )
    with files.aside(TARGET) as temporary:
        temporary.write_text("x")
    assert seen == [(False, False), (True, True)]
    seen.clear()
    with files.aside(TARGET, durable=False) as temporary:
        temporary.write_text("x")
    assert seen == []


def writes():
    with files.aside(TARGET) as temporary:
        temporary.write_text("new" * 1000)


def test_a_kill_at_any_line_leaves_the_old_or_the_new_file_and_the_next_start_sweeps():
    TARGET.write_text("old")
    seen = set()
    steps = 0
    for _ in killed_at_every_line(writes, files.__file__):
        steps += 1
        seen.add(TARGET.read_text())
        left = [name for name in names() if name != TARGET.name]
        assert len(left) <= 1  # what is left does not pile up: every start sweeps
        TARGET.write_text("old")
    assert seen == {"old", "new" * 1000}
    assert steps > 15
    files._swept.clear()  # as in a new process
    writes()
    assert names() == [TARGET.name]


def test_files_of_living_processes_are_not_swept():
    begun, end = os.pipe(), os.pipe()
    child = forked()
    if child == 0:
        with files.aside(Path("other.txt")) as temporary:
            temporary.write_text("slowly")
            os.write(begun[1], b"x")
            os.read(end[0], 1)
        os._exit(0)
    os.close(begun[1])  # or nobody would hear that the child has ended
    assert os.read(begun[0], 1) == b"x"
    files._swept.clear()
    writes()
    assert [name for name in names() if name.startswith(".other")]
    os.write(end[1], b"x")
    os.waitpid(child, 0)
    assert names() == ["other.txt", "target.txt"]


def test_only_own_files_are_swept():
    token = "0123456789abcdef"
    kept = [".other.tmp", ".x.tacho.tmp", f".x.{token}.tmp", "notes.txt"]
    for name in kept:
        Path(name).write_text("not ours")
    Path(files.temporary_name("link", token)).symlink_to("notes.txt")
    os.mkfifo(files.temporary_name("pipe", token))
    Path(files.temporary_name("left", token)).write_text("ours")
    files._swept.clear()
    writes()
    left = {files.temporary_name(kind, token) for kind in ("link", "pipe")}
    assert set(names()) == {*kept, *left, TARGET.name}


def test_a_full_disk_is_an_error_that_says_so_and_leaves_the_old_file():
    TARGET.write_text("old")
    for limit in (0, 1, 2999):
        with file_limit(limit), pytest.raises(InputError, match=r"cannot write target\.txt"):
            writes()
        assert TARGET.read_text() == "old"
        assert names() == [TARGET.name]
    with file_limit(3000):
        writes()
    assert TARGET.read_text() == "new" * 1000


def test_scratch_directories_are_private_and_swept(monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(Path.cwd()))
    with files.scratch() as place:
        assert stat.S_IMODE(place.stat().st_mode) == 0o700
        (place / "a").write_text("x")
    assert names() == []
    child = forked()
    if child == 0:
        with files.scratch() as place:
            (place / "deep").mkdir()
            (place / "deep" / "file").write_text("x")
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert len(names()) == 1
    files._swept.clear()
    with files.scratch() as place:
        assert names() == [place.name]
    assert names() == []


def test_signals_do_not_spoil_a_file():
    """Interrupted system calls (EINTR) are tried again."""
    fired = []
    before = signal.signal(signal.SIGALRM, lambda *_: fired.append(1))
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    try:
        begin = time.monotonic()
        while time.monotonic() - begin < 0.2 or len(fired) < 20:
            writes()
            assert TARGET.read_text() == "new" * 1000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert names() == [TARGET.name]


def test_a_present_directory_that_was_deleted(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(InputError, match="cannot write target.txt: No such file or directory"):
        writes()
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("old", ["old", None])
def test_a_call_that_is_interrupted_spoils_nothing(old):
    failures = 0
    for number in itertools.count(1):
        TARGET.unlink(missing_ok=True)
        if old is not None:
            TARGET.write_text(old)
        files._swept.clear()
        with interrupted(number) as calls:
            try:
                writes()
            except InputError as error:
                failures += str(error) == "cannot write target.txt: Interrupted system call"
        assert set(names()) <= {TARGET.name}
        assert (TARGET.read_text() if TARGET.exists() else None) in (old, "new" * 1000)
        if len(calls) < number:
            break
    assert failures >= 5
    assert {"open", "fsync", "replace", "fstat"} <= set(calls)


@pytest.mark.skipif(sys.platform != "linux", reason="affinity masks")
def test_pinning_follows_no_link_and_empties_no_file(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(cores, "_claimed", [])
    own = os.sched_getaffinity(0)
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for core in own:
        (tmp_path / f"tachograph-{os.getuid()}-core-{core}.lock").symlink_to(victim)
    try:
        assert cores.pin(1) == set()
        assert victim.read_text() == "precious"
        for path in tmp_path.glob("*.lock"):
            path.unlink()
            path.write_text("not empty")
        assert len(cores.pin(1)) == 1
        assert {path.read_text() for path in tmp_path.glob("*.lock")} == {"not empty"}
    finally:
        os.sched_setaffinity(0, own)
        for fd in cores._claimed:
            os.close(fd)


def test_a_lock_is_refused_while_another_holds_it():
    held = files.lock(Path("lock"))
    assert held is not None
    assert files.lock(Path("lock")) is None
    os.close(held)
    again = files.lock(Path("lock"))
    assert again is not None
    os.close(again)
    Path("link").symlink_to("elsewhere")
    with pytest.raises(OSError, match="link"):
        files.lock(Path("link"))
    assert not Path("elsewhere").exists()


def test_errors_are_ours():
    with pytest.raises(TachographError, match="there is no directory"), files.aside("no/where"):
        pass
