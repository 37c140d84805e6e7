"""A run that was stopped goes on from its last checkpoint; files are whole or not there."""

from __future__ import annotations

import errno
import json
import os
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import tachograph as tg
from tachograph.scale import seal, supersteps, tasks
from tachograph.scale.manifest import alone
from tachograph.scale.tasks import load, save
from tachograph.util import limits

PARTS = 3


class Stopped(Exception):
    """What a test stops a run with."""


@pytest.fixture
def parts():
    return tg.scale.partition(tg.path(60), parts=PARTS, directory="parts")


def stop_at(monkeypatch, step, part=1):
    """Let the task of a part raise at a superstep."""
    perform = tasks.perform

    def stopping(**call):
        if call["part"][:2] == (part, step - 1):
            raise Stopped
        return perform(**call)

    monkeypatch.setattr(supersteps, "perform", stopping)


def run_dir():
    (found,) = Path("parts/runs").iterdir()
    return found


ALGORITHMS = {
    "bfs": lambda p: (tg.scale.bfs(p, 0, checkpoint=4), tg.bfs(tg.path(60), 0).levels, "levels"),
    "sssp": lambda p: (
        tg.scale.sssp(p, 0, checkpoint=2),
        tg.sssp(tg.path(60), 0).distances,
        "distances",
    ),
    "components": lambda p: (
        tg.scale.connected_components(p, checkpoint=2),
        tg.connected_components(tg.path(60)).labels,
        "labels",
    ),
    "mis": lambda p: (
        tg.scale.maximal_independent_set(p, checkpoint=1),
        tg.maximal_independent_set(tg.path(60)).mask,
        "mask",
    ),
}


@pytest.mark.parametrize(
    ("task", "stop", "resumes"),
    [("bfs", 11, 9), ("bfs", 3, 0), ("sssp", 3, 3), ("components", 3, 3), ("mis", 2, 2)],
)
def test_a_stopped_run_goes_on_from_the_last_checkpoint(parts, monkeypatch, task, stop, resumes):
    with monkeypatch.context() as patch:
        stop_at(patch, stop)
        with pytest.raises(Stopped):
            ALGORITHMS[task](parts)
    found, wanted, name = ALGORITHMS[task]("parts")
    assert np.array_equal(getattr(found, name), wanted)
    assert found.trace["superstep"][0] == resumes
    assert {p.name for p in run_dir().iterdir()} <= {"lock", *(f"{k}.npy" for k in found.to_dict())}


def test_pagerank_goes_on_with_the_same_numbers(parts, monkeypatch):
    whole = tg.scale.pagerank(parts, checkpoint=5)
    with monkeypatch.context() as patch:
        stop_at(patch, 13)
        with pytest.raises(Stopped):
            tg.scale.pagerank(parts, checkpoint=5)
    found = tg.scale.pagerank(parts, checkpoint=5)
    assert found.trace["superstep"][0] == 11
    assert np.array_equal(found.scores, whole.scores)
    assert found.iterations == whole.iterations


def test_of_similarities_only_missing_parts_are_computed(parts, monkeypatch):
    with monkeypatch.context() as patch:
        stop_at(patch, 1, part=2)
        with pytest.raises(Stopped):
            tg.scale.jaccard(parts)
    done = []
    step = tg.scale.programs.jaccard.Similarities.step
    monkeypatch.setattr(
        "tachograph.scale.programs.jaccard.Similarities.step",
        lambda self, piece, *rest: done.append(piece.index) or step(self, piece, *rest),
    )
    found = tg.scale.jaccard(parts)
    assert done == [2]
    assert np.array_equal(found.values, tg.jaccard(tg.path(60)).values)


def test_a_run_that_stopped_after_its_last_checkpoint(parts, monkeypatch):
    """All that was left was to write the results; having no superstep to tell of was a ValueError."""
    with monkeypatch.context() as patch:
        patch.setattr(supersteps._Run, "_arrays", lambda *_: (_ for _ in ()).throw(Stopped))
        with pytest.raises(Stopped):
            tg.scale.bfs(parts, 0, checkpoint=1)
    found = tg.scale.bfs(parts, 0, checkpoint=1)
    assert np.array_equal(found.levels, np.arange(60))
    assert found.trace["superstep"].tolist() == []


@pytest.mark.parametrize("damage", ["cut", "flip", "remove"])
def test_a_damaged_checkpoint_is_not_used(parts, monkeypatch, damage):
    with monkeypatch.context() as patch:
        stop_at(patch, 7)
        with pytest.raises(Stopped):
            tg.scale.bfs(parts, 0, checkpoint=5)
    path = run_dir() / "000005-0001.step"
    content = bytearray(path.read_bytes())
    if damage == "remove":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(content[:-20])
    else:
        content[-5] ^= 255
        path.write_bytes(content)
    found = tg.scale.bfs(parts, 0, checkpoint=5)
    assert found.trace["superstep"][0] == 0
    assert np.array_equal(found.levels, np.arange(60))


@pytest.mark.parametrize("forged", ["all", "memory", "file", "kept", "garbage"])
def test_a_checkpoint_of_somebody_else_is_not_used(parts, monkeypatch, forged):
    """All checksums are right; only the seal cannot be made without the user's secret."""
    with monkeypatch.context() as patch:
        stop_at(patch, 7)
        with pytest.raises(Stopped):
            tg.scale.bfs(parts, 0, checkpoint=5)
    run = run_dir()
    if forged == "all":  # a directory from another user, who has another secret
        (Path(os.environ["TACHOGRAPH_HOME"]) / "seal.key").write_bytes(b"x" * 32)
        seal._secret.cache_clear()
    elif forged == "memory":
        path = run / "checkpoint.json"
        content = json.loads(path.read_text())
        content["memory"]["level"] = 10**9
        path.write_text(json.dumps(content))
    elif forged == "garbage":
        (run / "checkpoint.json").write_text('{"seal": [], "step": {}, "memory": 1, "notes": 2}')
    else:
        path = run / ("000005-0001.step" if forged == "file" else "kept-0001.step")
        stored = load(path)
        arrays = {k: np.full_like(a, 7) for k, a in stored.arrays.items()} | {"more": np.ones(1)}
        with monkeypatch.context() as patch:
            patch.setattr(tasks, "seal", lambda *_: stored.seal)
            save(path, stored.notes, arrays, b"key")
    found = tg.scale.bfs(parts, 0, checkpoint=5)
    assert found.trace["superstep"][0] == 0
    assert np.array_equal(found.levels, np.arange(60))


def test_without_a_place_for_the_secret_runs_start_again(parts, monkeypatch):
    Path("file").write_text("")
    monkeypatch.setenv("TACHOGRAPH_HOME", "file/in-the-way")
    with monkeypatch.context() as patch:
        stop_at(patch, 7)
        with pytest.raises(Stopped):
            tg.scale.bfs(parts, 0, checkpoint=5)
    seal._secret.cache_clear()  # as in another process
    assert np.array_equal(tg.scale.bfs(parts, 0, checkpoint=5).levels, np.arange(60))


def test_a_secret_that_a_kill_left_empty_is_made_anew(parts, monkeypatch):
    home = Path(os.environ["TACHOGRAPH_HOME"])
    home.mkdir(exist_ok=True)
    (home / "seal.key").write_bytes(b"")
    seal._secret.cache_clear()
    with monkeypatch.context() as patch:
        stop_at(patch, 7)
        with pytest.raises(Stopped):
            tg.scale.bfs(parts, 0, checkpoint=5)
    seal._secret.cache_clear()  # as in another process
    assert tg.scale.bfs(parts, 0, checkpoint=5).trace["superstep"][0] > 0


def test_other_parameters_are_another_run(parts, monkeypatch):
    with monkeypatch.context() as patch:
        stop_at(patch, 7)
        with pytest.raises(Stopped):
            tg.scale.bfs(parts, 0, checkpoint=5)
    assert tg.scale.bfs(parts, 1, checkpoint=5).trace["superstep"][0] == 0


def test_results_of_an_earlier_run_stay_as_they_were(parts):
    first = tg.scale.bfs(parts, 0)
    again = tg.scale.bfs(parts, 0)
    assert np.array_equal(first.levels, again.levels)
    with pytest.raises(ValueError, match="read-only"):
        first.levels[0] = 1


def test_the_same_run_twice_at_the_same_time_is_refused(parts):
    tg.scale.bfs(parts, 0)
    with alone(run_dir()), pytest.raises(tg.InputError, match="another process"):
        tg.scale.bfs(parts, 0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("name", ["pipe", "device"])
def test_nobody_waits_for_a_checkpoint_that_is_no_file(parts, name, monkeypatch):
    """Reading a pipe would wait for ever, and a device has no end."""
    tg.scale.bfs(parts, 0)
    (run,) = Path("parts/runs").iterdir()
    path = run / supersteps.CHECKPOINT_FILE
    os.mkfifo(path) if name == "pipe" else path.symlink_to("/dev/null")
    opened = os.open

    def never_waits(path, flags, *more, **named):
        assert Path(path).is_file() or flags & os.O_NONBLOCK or Path(path).is_dir()
        return opened(path, flags, *more, **named)

    def no_plain_reading(path, *given, **named):
        assert path.name != supersteps.CHECKPOINT_FILE
        return read_text(path, *given, **named)

    read_text = Path.read_text
    monkeypatch.setattr(Path, "read_text", no_plain_reading)
    monkeypatch.setattr(os, "open", never_waits)
    with pytest.raises(tg.InputError, match="is not a regular file"):
        tg.scale.bfs(parts, 0)


def test_a_limit_of_time_holds_between_supersteps(parts, monkeypatch):
    """Even if no step takes long enough to notice it."""

    def unlimited(work):
        def call(**given):
            token = limits._deadline.set(None)
            try:
                return work(**given)
            finally:
                limits._deadline.reset(token)

        return call

    for name in ("check_piece", "perform", "put_results"):
        monkeypatch.setattr(supersteps, name, unlimited(getattr(supersteps, name)))
    with pytest.raises(tg.TimeLimitError), tg.limits(seconds=1e-6):
        tg.scale.bfs(parts, 0)


def test_links_in_the_directory_of_somebody_else_are_not_followed(parts):
    tg.scale.bfs(parts, 0)
    precious = Path("precious")
    precious.write_text("mine")
    for name in (".levels.npy", ".parents.npy", "levels.npy", "checkpoint.json", "kept-0000.step"):
        (run_dir() / name).unlink(missing_ok=True)
        (run_dir() / name).symlink_to(precious.absolute())
    assert np.array_equal(tg.scale.bfs(parts, 0).levels, np.arange(60))
    assert precious.read_text() == "mine"
    (run_dir() / "lock").unlink()
    (run_dir() / "lock").symlink_to(precious.absolute())
    with pytest.raises(tg.InputError, match="cannot use"):
        tg.scale.bfs(parts, 0)
    runs = run_dir().parent
    runs.rename("elsewhere")
    runs.symlink_to(Path("elsewhere").absolute())
    with pytest.raises(tg.InputError, match="is a link to another place"):
        tg.scale.bfs(parts, 0)


def test_a_full_disk_in_the_middle(parts, monkeypatch):
    @contextmanager
    def aside(path, *rest):
        with original(path, *rest) as temporary:
            if path.name == "000006-0001.step":
                temporary.write_bytes(b"half of it")
                raise OSError(errno.ENOSPC, "No space left on device")
            yield temporary

    original = tasks.aside
    with monkeypatch.context() as patch:
        patch.setattr(tasks, "aside", aside)
        with pytest.raises(tg.InputError, match="000006-0001.step: No space left"):
            tg.scale.bfs(parts, 0, checkpoint=4)
    assert not [name for name in os.listdir(run_dir()) if name.endswith(".tmp")]
    found = tg.scale.bfs(parts, 0, checkpoint=4)
    assert found.trace["superstep"][0] == 5
    assert np.array_equal(found.levels, np.arange(60))


def test_a_file_of_arrays_that_cannot_be_written_is_not_there(tmp_path):
    target = tmp_path / "missing" / "file.step"
    with pytest.raises(tg.InputError, match="cannot write"):
        save(target, {}, {"a": np.zeros(3)})


def test_arrays_come_back(tmp_path):
    path = tmp_path / "file.step"
    given = {"a": np.arange(5, dtype=np.int32), "b/x": np.array([True]), "b/y": np.empty(0)}
    save(path, {"note": [1, "two"]}, given, b"key")
    found = load(path, b"key")
    assert found.notes == {"note": [1, "two"]}
    assert {k: v.tolist() for k, v in found.under("b/").items()} == {"x": [True], "y": []}
    assert found.arrays["a"].dtype == np.int32
    save(path, {}, given)
    with pytest.raises(tg.FileFormatError, match="checksum"):
        load(path, b"key")
    with pytest.raises(tg.MissingFileError):
        load(tmp_path / "other.step")
    path.write_bytes(b"short")
    with pytest.raises(tg.FileFormatError, match="cut short"):
        load(path)
    path.write_bytes(b"something else altogether")
    with pytest.raises(tg.FileFormatError, match="not a .tgraph file"):
        load(path)
