"""Help texts say all that was written, whatever markup could be seen in them."""

from __future__ import annotations

import re

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from tachograph.cli.commands import MARKUP, app


def commands(command, words=()):
    """All commands by the words that call them."""
    found = {words: command}
    for name, sub in getattr(command, "commands", {}).items():
        found |= commands(sub, (*words, name))
    return found


ALL = commands(get_command(app))
FRAME = re.compile(r"[─-╿]")


def written(text):
    """A help text without what is markup, and with single spaces."""
    plain = re.sub(r"\\(?=\[)|\[/?bold\]", "", text.split("\f")[0])
    return " ".join(plain.split())


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_nothing_that_was_written_is_lost(words):
    shown = CliRunner().invoke(
        app, [*words, "--help"], env={"COLUMNS": "400", "TERMINAL_WIDTH": "400"}
    )
    assert shown.exit_code == 0, shown.output
    said = " ".join(FRAME.sub(" ", shown.output).split())
    command = ALL[words]
    for text in (command.help or "").split("\n\n"):
        assert written(text) in said
    for option in command.params:
        if not getattr(option, "hidden", False):
            assert written(getattr(option, "help", None) or "") in said
    for sub in getattr(command, "commands", {}).values():
        first = written((sub.help or "").split("\n\n")[0])
        assert first in said


def test_brackets_are_there():
    shown = CliRunner().invoke(app, ["bench", "--help"], env={"COLUMNS": "400"})
    assert "'tachograph[bench]'" in shown.output
    assert (
        MARKUP.sub("!", "[bold]a[/bold] [dask] [GRAPH] x[0]")
        == "[bold]a[/bold] !dask] [GRAPH] x[0]"
    )
