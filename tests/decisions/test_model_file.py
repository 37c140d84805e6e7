"""One format of model files: what is kept, and what is refused."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

import tachograph as tg
from tachograph.decisions import model_file
from tachograph.decisions.model_file import Kept, ModelFile, own_model, read, shipped_model, write
from tachograph.decisions.trainer import FORKS

FORK, STATE = "direction", ("a", "b")
ARRAYS = {
    "few": np.array([[1.5, 1 / 3], [0.1, 2e-300]]),
    "many": np.random.default_rng(1).random((30, 20)).astype(np.float32),
    "whole": np.arange(5, dtype=np.int16),
    "endless": np.array([1.0, np.inf]),
}


@pytest.fixture
def path(tmp_path):
    made = tmp_path / "deep" / "model.json"
    write(made, ModelFile(FORK, STATE, ARRAYS, {"date": "today", "graphs": {"g": None}}))
    return made


def test_all_is_read_as_it_was_written(path):
    back = read(path, FORK, STATE)
    assert back.card == {"date": "today", "graphs": {"g": None}}
    for name, array in ARRAYS.items():
        assert back.arrays[name].dtype == array.dtype
        assert np.array_equal(back.arrays[name], array)
    assert [p.name for p in path.parent.iterdir()] == ["model.json"]  # nothing is left aside


def changed(path, **changes):
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def cut(path):
    path.write_text(path.read_text()[:500])


def turned(path):
    """One digit of one number is another."""
    path.write_text(path.read_text().replace("1.5", "1.7"))


DAMAGE = {
    "cut": (cut, "not whole JSON"),
    "other": (lambda p: p.write_text("[1, 2]"), "not a model"),
    "newer": (lambda p: changed(p, version=99), "version 99, this Tachograph reads"),
    "fork": (lambda p: changed(p, fork="split"), "is a model of 'split'"),
    "digit": (turned, "checksum is wrong; run tacho train direction"),
    "card": (lambda p: changed(p, card={}), "checksum"),
    "unsigned": (lambda p: changed(p, checksum=None), "checksum"),
    "bytes": (lambda p: p.write_bytes(b"\xff\xfe"), "not whole JSON"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_files_are_refused(path, kind):
    damage, message = DAMAGE[kind]
    damage(path)
    with pytest.raises(tg.FileFormatError, match=message):
        read(path, FORK, STATE)


def test_arrays_that_are_none_are_refused_even_if_well_signed(path, monkeypatch):
    for entry in ({"type": "<f8", "shape": [3], "values": [1]}, {"type": "|O", "shape": [1]}, 5,
                  {"type": "<f8", "shape": [1], "packed": "no"}):  # fmt: skip
        monkeypatch.setattr(model_file, "_encoded", lambda array, entry=entry: entry)
        write(path, ModelFile(FORK, STATE, {"x": np.ones(1)}, {}))
        with pytest.raises(tg.FileFormatError, match="damaged"):
            read(path, FORK, STATE)


def test_models_that_look_at_something_else_are_refused(path):
    with pytest.raises(tg.FileFormatError, match="another version of Tachograph"):
        read(path, FORK, ("a",))
    assert read(path, FORK).state == STATE
    with pytest.raises(tg.MissingFileError, match="no such model"):
        read(path.with_name("none.json"), FORK)


def test_arrays_are_checked(path):
    file = read(path, FORK)
    assert file.array("few", (None, 2)).shape == (2, 2)
    for name, shape, least, message in (
        ("none", (2,), 0, "is missing"),
        ("few", (2,), 0, "should have the shape"),
        ("few", (2, 3), 0, "should have the shape"),
        ("few", (2, 2), 1, "values below 1"),
        ("endless", (2,), 0, "not finite"),
    ):
        with pytest.raises(tg.FileFormatError, match=message):
            file.array(name, shape, least)


def test_the_own_model_comes_first_and_a_newer_one_is_noticed(path):
    kept = Kept("nonsense", STATE, lambda file: file.card["date"])
    assert kept.find() is None
    with pytest.raises(tg.MissingFileError, match="tacho train nonsense"):
        kept()
    for date in ("one", "two"):
        write(own_model("nonsense"), ModelFile("nonsense", STATE, ARRAYS, {"date": date}))
        os.utime(own_model("nonsense"), ns=(0, 0))  # both as if at once, or copied with their times
        assert kept() == date


@pytest.mark.parametrize("name", [*FORKS, "networkx"])
def test_shipped_models_have_cards_and_are_found(name):
    if name == "placement":  # times of a device belong to a machine
        assert FORKS[name].model.find() is None
        return
    card = read(shipped_model(name), name).card
    assert {"date", "machine", "code", "graphs", "quality"} <= set(card)
    if name != "networkx":
        assert len(card["graphs"]) >= 20
        assert FORKS[name].model() is FORKS[name].model()


@pytest.mark.parametrize("name", FORKS)
def test_a_damaged_own_model_gives_a_warning_and_the_shipped_one(name):
    path = own_model(name)
    path.parent.mkdir(parents=True)
    path.write_text("{")
    with pytest.warns(tg.TachographWarning, match="The model of the package is used instead"):
        found = FORKS[name].model.find()
    assert (found is None) == (name == "placement")


def signed(path, **changes):
    """Change a file and sign it again, as somebody who wants to deceive would."""
    content = {**json.loads(path.read_text()), **changes}
    content.pop("checksum")
    path.write_text(json.dumps({**content, "checksum": model_file._checksum(content)}))


WRONG_TREES = {
    "pointer": ("left", 2**63 - 1),
    "larger pointer": ("left", 1e300),
    "back": ("left", 0),
    "feature": ("feature", 10_000),
    "root": ("roots", 2**62),
}


@pytest.mark.parametrize("kind", WRONG_TREES)
def test_trees_that_a_walk_would_leave_are_refused_on_reading(kind, tmp_path):
    column, wrong = WRONG_TREES[kind]
    made = read(shipped_model("approximation"), "approximation")
    name = f"error.{column}"
    values = made.arrays[name].astype(np.float64 if isinstance(wrong, float) else np.int64)
    values[np.flatnonzero(made.arrays["error.feature"] >= 0)[0] if column != "roots" else 0] = wrong
    path = tmp_path / "model.json"
    write(path, ModelFile(made.fork, made.state, {**made.arrays, name: values}, made.card))
    with pytest.raises(tg.FileFormatError, match="tacho train approximation"):
        FORKS["approximation"].model.read(path)


def test_trees_are_checked_whoever_makes_them():
    """The sum with 1 must not overflow: a pointer of 2**63 - 1 made walks of minutes."""
    from tachograph.decisions.approximation.model import Trees

    whole = np.array([0], np.int64)
    left = np.array([2**63 - 1, 0, 0], np.int64)
    feature = np.array([0, -1, -1], np.int64)
    with pytest.raises(tg.InputError, match="damaged"):
        Trees(whole, feature, np.zeros(3), left, np.zeros(1))
    left[0] = 1
    assert Trees(whole, feature, np.ones(3), left, np.zeros(1)).predict(np.zeros((1, 1))) == [1.0]


NONSENSE = {
    "deep": lambda p: p.write_text("[" * 100_000),
    "card": lambda p: signed(p, card=[1]),
    "calibration": lambda p: signed(p, card={"calibration": {"host": {"gather": "fast"}}}),
    "arrays": lambda p: signed(p, arrays=[]),
    "empty": lambda p: signed(p, arrays={}),
    "huge": lambda p: signed(p, arrays={"cost": {"type": "<i8", "shape": [1], "values": [10**30]}}),
    "names": lambda p: signed(p, arrays={"|": {"type": "<f8", "shape": [1], "values": [1]}}),
    "shape": lambda p: signed(
        p, arrays={"cost": {"type": "<f8", "shape": ["1"], "packed": "eJw="}}
    ),
    "state": lambda p: signed(p, state=5),
    "directory": lambda p: (p.unlink(), p.mkdir()),
}


@pytest.mark.parametrize("name", [*FORKS, "networkx"])
@pytest.mark.parametrize("kind", NONSENSE)
def test_any_damage_gives_one_warning_and_the_shipped_model(name, kind):
    from tachograph.networkx import decide

    if name == "placement" and kind == "empty":
        return  # a machine without devices
    if kind == "calibration" and name != "times":
        return  # the others do not read it
    model = decide.kept if name == "networkx" else FORKS[name].model
    path = own_model(name)
    path.parent.mkdir(parents=True)
    arrays = {} if name == "placement" else read(shipped_model(name), name).arrays
    write(path, ModelFile(name, model.state, arrays, {}))
    NONSENSE[kind](path)
    with pytest.warns(tg.TachographWarning, match="The model of the package is used") as said:
        found = [model.find() for _ in range(3)]
    assert len(said) == 1
    assert (found[-1] is None) == (name == "placement")


def test_a_packed_array_never_grows_beyond_its_shape(path, monkeypatch):
    import base64
    import zlib

    packed = base64.b64encode(zlib.compress(b"\0" * (1 << 26))).decode()
    entry = {"type": "<f8", "shape": [2], "packed": packed}
    signed(path, arrays={"few": entry})
    largest = []
    real = np.frombuffer
    monkeypatch.setattr(np, "frombuffer", lambda b, *k: largest.append(len(b)) or real(b, *k))
    with pytest.raises(tg.FileFormatError, match="damaged"):
        read(path, FORK, STATE)
    assert largest == [17]


def test_a_kill_at_any_line_of_writing_leaves_a_whole_model_or_none(tmp_path):
    from tachograph.util import files
    from tests.faults import killed_at_every_line

    place = tmp_path / "models" / "direction.json"
    made = ModelFile(FORK, STATE, {"few": ARRAYS["few"]}, {})
    whole = 0
    for _ in killed_at_every_line(
        lambda: write(place, made), model_file.__file__, files.__file__, step=3
    ):
        if place.exists():
            assert np.array_equal(read(place, FORK, STATE).arrays["few"], ARRAYS["few"])
            place.unlink()
            whole += 1
    assert whole
    files._swept.clear()
    write(place, made)
    assert [p.name for p in place.parent.iterdir()] == ["direction.json"]


def test_a_full_disk_leaves_the_old_model(path):
    from tests.faults import file_limit

    size = path.stat().st_size
    for limit in (0, 1, size // 2, size - 1):
        with file_limit(limit), pytest.raises(tg.TachographError, match="cannot write"):
            write(path, ModelFile(FORK, STATE, ARRAYS, {"date": "today", "graphs": {"g": None}}))
        assert read(path, FORK, STATE).card["date"] == "today"
        assert [p.name for p in path.parent.iterdir()] == ["model.json"]
