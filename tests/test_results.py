"""Files in benchmarks/results are written by their recorder only, and say what they are worth."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

import tachograph as tg
from tachograph.decisions.graphs import graph_named, hash_of

ROOT = Path(__file__).parent.parent
RESULTS = sorted((ROOT / "benchmarks" / "results").glob("*.json"))
#: A command that makes one graph, reads another one, and asks a process of its own for something else.
COMMAND = """
import json, os, subprocess, sys, tachograph as tg
from tachograph.decisions.graphs import graph_named
from tachograph.journal import home
assert (home() / "before").exists() and len(list(home().iterdir())) == 3  # notes, and this place:
assert os.path.samefile("..", home())  # what it writes is not among the sources
graph = tg.kronecker(4, rng=1)
graph_named("tree 15 2")
tg.write(graph, "small.txt")
tg.read("small.txt")
subprocess.run([sys.executable, "-c", "import tachograph.simulation.dram.checker"], check=True)
table = {"title": "One", "columns": ["", "ms"], "rows": [["bfs", [1.0, 2.0, 4.0]]], "notes": []}
print(json.dumps([table]))
"""
BEFORE = 'import os; from tachograph.journal import home; (home() / os.environ["FILE"]).touch()'


def module(name: str):
    """Import a script of benchmarks as scripts there import each other."""
    if str(ROOT / "benchmarks") not in sys.path:
        sys.path.append(str(ROOT / "benchmarks"))
    return importlib.import_module(name)


def allow(patch, *names: str) -> None:
    """Pretend that commands.toml has these results, measured by the command above."""
    result_file = module("result_file")
    before = f"FILE=before {sys.executable} -c '{BEFORE}'"
    row = result_file.Command(f"python -c '{COMMAND}'", 1, before=(before,))
    patch.setattr(result_file, "commands", lambda: dict.fromkeys(names, row))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A result as the recorder writes it."""
    result_file, record = module("result_file"), module("record")
    place = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(result_file, "RESULTS", place)
        allow(patch, "small")
        path = record.record("small", [sys.executable, "-c", COMMAND])
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", RESULTS, ids=lambda p: p.stem)
def test_every_file_is_as_its_recorder_wrote_it(path):
    """Older files are kept, and may not change."""
    found = json.loads(path.read_text(encoding="utf-8"))
    assert module("result_file").problems(found, path) == []


def test_the_list_of_old_files_has_no_others():
    result_file = module("result_file")
    old = {p.name for p in RESULTS if "format" not in json.loads(p.read_text(encoding="utf-8"))}
    assert set(result_file.kept_hashes()) == old


def test_a_recording_says_what_ran(recorded):
    assert set(recorded) == set(module("result_file").FIELDS)
    assert recorded["command"].startswith("FILE=before")
    assert "&& " in recorded["command"]
    assert recorded["start"] <= recorded["end"]
    assert len(recorded["load"]) == 2
    assert {"python", "tachograph", "numpy", "numba", "networkx"} <= set(recorded["versions"])
    ran = set(recorded["code"])
    assert "src/tachograph/graph/generate.py" in ran
    assert "src/tachograph/simulation/dram/checker.py" in ran  # in the other process
    assert "src/tachograph/kernels/flow/network.py" not in ran
    assert recorded["graphs"]["kronecker(4, rng=1)"] == hash_of(tg.kronecker(4, rng=1))
    assert recorded["graphs"]["tree 15 2"] == hash_of(graph_named("tree 15 2"))
    assert "small.txt" in recorded["graphs"]


def test_results_of_one_word_share_a_home_and_others_have_none(monkeypatch):
    result_file, record = module("result_file"), module("record")
    rows = {name: result_file.Command("", 1, shares=name[0]) for name in ("a1", "a2", "b1")}
    rows["apart"] = result_file.Command("", 1)
    monkeypatch.setattr(result_file, "commands", lambda: rows)
    monkeypatch.setattr(record, "SHARED", {})

    def home(name):
        with record.home_of(name) as found:
            assert Path(found).is_dir()
            return found

    assert home("a1") == home("a2") != home("b1")
    assert home("apart") != home("apart")


def test_a_changed_number_shows(recorded, monkeypatch):
    problems = module("result_file").problems
    path = Path("small.json")
    allow(monkeypatch, "small")
    assert problems(recorded, path) == []
    typed = json.loads(json.dumps(recorded))
    typed["tables"][0]["rows"][0][1] = [0.5, 2.0, 4.0]
    assert problems(typed, path) == ["the checksum is wrong: it was changed by hand"]
    assert "graphs is missing" in problems(
        {k: v for k, v in recorded.items() if k != "graphs"}, path
    )
    assert "dirty is not a bool" in problems({**recorded, "dirty": "no"}, path)
    other = "commands.toml has another command, or none"
    assert problems(recorded, Path("other.json")) == [other]


def test_states(recorded):
    result_file = module("result_file")
    assert result_file.state(recorded) == "measured"
    file = "src/tachograph/graph/generate.py"
    changed = {**recorded, "code": {**recorded["code"], file: "0" * 12}}
    assert result_file.state(changed) == "stale: code changed since"
    assert result_file.changed(changed) == [file]
    gone = {**recorded, "code": {**recorded["code"], "src/tachograph/gone.py": "0" * 12}}
    assert result_file.state(gone) == "stale: code changed since"
    old = {"command": "x", "date": "2020-01-02", "tables": []}
    assert result_file.state(old) == "kept"


def test_comments_do_not_make_numbers_stale():
    meaning = module("result_file").meaning
    code = 'def f(a):\n    """Say."""\n    return "# no comment", a  # why\n\n\nX = 1\n'
    assert meaning(code) == 'def f(a):\n    return "# no comment", a\nX = 1'
    assert meaning(code.replace("X = 1", "X = 2")) != meaning(code)


def test_old_files_may_not_change(tmp_path, monkeypatch):
    result_file = module("result_file")
    monkeypatch.setattr(result_file, "RESULTS", tmp_path)
    path = tmp_path / "old.json"
    path.write_text('{"command": "x", "tables": []}')
    assert result_file.problems(json.loads(path.read_text()), path) == [
        "not in KEPT, and no format"
    ]
    (tmp_path / "KEPT").write_text(f"{'0' * 64}  old.json\n")
    found = result_file.problems(json.loads(path.read_text()), path)
    assert found == ["changed by hand, and no format"]


def test_a_new_recording_takes_the_file_off_the_list(tmp_path, monkeypatch, recorded):
    result_file = module("result_file")
    monkeypatch.setattr(result_file, "RESULTS", tmp_path)
    allow(monkeypatch, "old", "other")
    (tmp_path / "KEPT").write_text(f"{'1' * 64}  old.json\n{'2' * 64}  other.json\n")
    rest = {key: value for key, value in recorded.items() if key != "checksum"}
    result_file.write("old", rest)
    assert result_file.read("old") == recorded
    assert result_file.kept_hashes() == {"other.json": "2" * 64}


def test_everything_that_is_not_fresh_is_measured_again(tmp_path, monkeypatch, recorded):
    result_file, record = module("result_file"), module("record")
    monkeypatch.setattr(result_file, "RESULTS", tmp_path)
    allow(monkeypatch, "fresh", "stale", "never")
    rest = {key: value for key, value in recorded.items() if key != "checksum"}
    result_file.write("fresh", rest)
    result_file.write("stale", {**rest, "code": {"src/tachograph/gone.py": "0" * 12}})
    assert record.chosen([], everything=True) == ["stale", "never"]
    with pytest.raises(SystemExit, match="unknown: other; known are fresh, stale, never"):
        record.chosen(["other"], everything=False)


def test_every_command_is_one_that_can_run():
    """Scripts take these options, experiments have these names, and a page shows the result."""
    from tachograph.papers.reproduce import EXPERIMENTS

    rows = module("result_file").commands()
    assert EXPERIMENTS.keys() - rows.keys() == {"sssp-figures"}  # which draws pictures
    pages = [path.read_text(encoding="utf-8") for path in module("render").documents()]
    for name, row in rows.items():
        assert any(f"<!-- results {name} " in page for page in pages), f"no page shows {name}"
        first, second, *rest = row.command.split()
        if first == "python":
            script = ROOT / second
            assert script.is_file(), name
            text = script.read_text(encoding="utf-8")
            for word in rest:
                if word.startswith("--"):
                    assert f"{word[2:].replace('-', '_')}: " in text, f"{name}: {word}"
        else:
            assert second in ("bench", "reproduce"), name
            assert second == "bench" or rest[0] in EXPERIMENTS, name


def test_times_are_refused_on_a_busy_machine(monkeypatch):
    record = module("record")
    monkeypatch.setattr(record, "WAIT_SECONDS", -1)
    monkeypatch.setattr(record, "busy", lambda: 3)
    monkeypatch.setattr(record, "LOOK_SECONDS", 0.1)
    with pytest.raises(SystemExit, match="other programs run"):
        record.measure_again("bandwidth")
    monkeypatch.setattr(record, "busy", lambda: 0)
    record.wait_until_quiet()


def test_nothing_is_measured_without_the_peers_that_pages_show(monkeypatch):
    result_file, record = module("result_file"), module("record")
    needs = ("NO_SUCH_VARIABLE", "numpy", "no_such_package")
    row = result_file.Command("tacho bench", 1, needs)
    monkeypatch.setattr(result_file, "commands", lambda: {"peers": row})
    with pytest.raises(SystemExit, match="peers needs NO_SUCH_VARIABLE, no_such_package:"):
        record.measure_again("peers")


@pytest.mark.parametrize(
    "failure", [SystemExit("no"), FileNotFoundError("no"), json.JSONDecodeError("no", "", 0)]
)
def test_what_fails_does_not_stop_the_others(monkeypatch, failure):
    record, done = module("record"), []

    def measure(name):
        if name == "bad":
            raise failure
        done.append(name)

    monkeypatch.setattr(record, "measure_again", measure)
    with pytest.raises(SystemExit, match="^bad: no"):
        record.measure_all(["one", "bad", "two"])
    assert done == ["one", "two"]


def test_a_command_is_shown_with_the_variables_that_it_needs_and_no_others(monkeypatch):
    shown = module("record").shown
    monkeypatch.setenv("GAPBS", "/somewhere")
    monkeypatch.setattr(module("record"), "VALUES", ())
    command = [sys.executable, "dram.py", "--json", "/tmp/tables.json"]
    assert shown(command) == "python dram.py"
    needs = ("GAPBS", "RAMULATOR", "numpy")
    assert shown(command, needs) == "GAPBS=DIR RAMULATOR=PROGRAM python dram.py"


def test_how_long_a_result_takes_is_what_it_took(tmp_path, monkeypatch, recorded):
    result_file = module("result_file")
    monkeypatch.setattr(result_file, "RESULTS", tmp_path)
    allow(monkeypatch, "known", "never")
    rest = {key: value for key, value in recorded.items() if key != "checksum"}
    times = {"start": "2026-11-19T04:16:00+00:00", "end": "2026-11-19T04:17:29+00:00"}
    result_file.write("known", {**rest, **times})
    assert result_file.minutes_of("known") == 2
    assert result_file.minutes_of("never") == 1  # as commands.toml says
