"""The commands in the documents run as they stand there. (Their Python examples are doctests.)"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [p for p in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
             if "```console" in p.read_text(encoding="utf-8")]  # fmt: skip


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_commands_run(document):
    text = document.read_text(encoding="utf-8")
    commands = [
        shlex.split(line[2:], comments=True)
        for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL)
        for line in block.splitlines()
        if line.startswith("$ ")
    ]
    assert commands
    for command in commands:
        assert command[0] == "tacho"
        run = subprocess.run(
            [sys.executable, "-m", "tachograph", *command[1:]],
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr


def test_readme_gives_the_two_commands_and_ci_runs_them():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^make (\w+)", readme, re.MULTILINE) == ["tour", "test"]
    assert "make test\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
