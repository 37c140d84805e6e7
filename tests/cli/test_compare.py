"""``tacho compare directions`` and the messages about policies that cannot be used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tachograph as tg
from tachograph.cli.commands import app
from tests.devices.support import any_device, needs_pyopencl


def compared(*words):
    done = CliRunner().invoke(app, ["compare", "directions", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_policies_of_files_beside_ours():
    Path("my.py").write_text("def rule(state):\n    return state.m_f > state.m_u / 4\n")
    tg.write(tg.kronecker(8, rng=1), "mine.txt")
    words = ["--policy", "my.py:rule", "--policy", "push", "--graphs", "mine.txt,tree 200 3"]
    found = json.loads(compared(*words, "--rounds", "2", "--searches", "2", "--json"))
    assert [row["policy"] for row in found["searches"]] == ["my.py:rule", "push"] * 2
    for row in found["searches"]:
        same = [r["seconds"] for r in found["searches"] if r["graph"] == row["graph"]]
        assert row["times the best"] == pytest.approx(row["seconds"] / min(same))
    shown = compared(*words, "--rounds", "1", "--searches", "1", "--plot", "policies.svg")
    assert "geometric mean" in shown
    assert "my.py:rule" in Path("policies.svg").read_text()


@needs_pyopencl
def test_policies_on_a_device():
    any_device()
    words = ["--policy", "auto", "--policy", "push", "--graphs", "tree 200 3", "--rounds", "1"]
    found = json.loads(compared(*words, "--searches", "1", "--device", "opencl", "--json"))
    assert all(row["seconds"] > 0 for row in found["searches"])
    with pytest.raises(tg.DeviceError, match="no device 'opencl:99'"):
        compared(*words, "--device", "opencl:99")


def test_a_policy_alone_meets_the_usual_ones():
    words = [
        "--policy",
        "pull",
        "--graphs",
        "tree 20 2",
        "--rounds",
        "1",
        "--searches",
        "1",
        "--json",
    ]
    found = json.loads(compared(*words))["searches"]
    assert [row["policy"] for row in found] == ["pull", "auto", "surf", "gapbs", "push"]


def test_what_cannot_be_compared():
    def complaint(policy):
        with pytest.raises(tg.TachographError) as error:
            compared("--policy", policy, "--graphs", "tree 20 2")
        return str(error.value)

    Path("wrong.py").write_text("def rule(state):\n    return state.m_ff > 3\n")
    assert "did you mean m_f?" in complaint("wrong.py:rule")
    Path("odd.py").write_text("def rule(state):\n    return open('x')\n")
    assert "open" in complaint("odd.py:rule")
    assert "there is no function other" in complaint("wrong.py:other")
    assert complaint("wrong.py:rul").endswith(
        "there is no function rul in wrong.py; did you mean rule?"
    )
    assert "there is no file" in complaint("missing.py:rule")
    assert "--policy nonsense: there is no such policy; choose auto, push" in complaint("nonsense")
    assert "FILE.py:FUNCTION; did you mean push?" in complaint("psh")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("    if s.n_f > 10:\n        raise ValueError('no')\n    return True\n", "line 3 raises"),
        ("    assert s.m_u > 9\n    return True\n", "line 2 raises"),
        ("    s.m_f > s.m_u\n", "it may return nothing: let it return true to pull"),
        ("    if s.m_f > s.m_u:\n        return True\n", "it may return nothing"),
    ],
)
def test_a_policy_that_raises_or_does_not_answer_is_refused(body, said):
    Path("odd.py").write_text("def rule(s):\n" + body)
    with pytest.raises(tg.InputError, match=f"--policy odd.py:rule: {said}"):
        compared("--policy", "odd.py:rule", "--graphs", "tree 20 2")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            "import os\nos.nothing()\n",
            "line 2: AttributeError: module 'os' has no attribute 'nothing'",
        ),
        (
            "def limit():\n    return 1 / 0\nlimit()\n",
            "line 2: ZeroDivisionError: division by zero",
        ),
        ("import json\n\njson.loads('')\n", "line 3: JSONDecodeError: Expecting value"),
        ("x = 1\ndef rule(state:\n", "line 2: SyntaxError: '(' was never closed"),
        ("import nothing_of_this_name\n", "line 1: ModuleNotFoundError: No module named"),
        ("raise SystemExit(3)\n", "line 1: SystemExit: 3"),
        ("rule = 3\n", "there is no function rule in"),
    ],
)
def test_a_wrong_file_of_a_policy_is_told_with_its_line(content, said):
    Path("wrong.py").write_text(content)
    with pytest.raises(tg.InputError) as error:
        compared("--policy", "wrong.py:rule", "--graphs", "tree 20 2")
    assert str(error.value).startswith("--policy wrong.py:rule: ")
    assert said in str(error.value)
