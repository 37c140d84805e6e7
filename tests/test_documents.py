"""The commands in the documents run as they stand there. (Their Python examples are doctests.)"""

from __future__ import annotations

import doctest
import inspect
import re
import shlex
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import pytest
from typer.testing import CliRunner

import tachograph as tg

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WITH_COMMANDS = [p for p in DOCUMENTS if "```console" in p.read_text(encoding="utf-8")]
AMOUNT = re.compile(r"\d[\d.,]*(?:e-?\d+)? (?:µs|ms|s|kB|MB|GB)\b")  # predicted, or measured
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands(text: str) -> list[tuple[str, str]]:
    """What is typed, and what is shown below it, if anything."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            found.append((line, output))
    return found


@pytest.mark.parametrize("document", WITH_COMMANDS, ids=lambda p: str(p.relative_to(ROOT)))
def test_commands_run(document, monkeypatch):
    """They end well, and print what is shown: ``...`` is anything; times and sizes may differ."""
    from tachograph.cli import app

    monkeypatch.setenv("COLUMNS", "150")  # as wide as pages are
    typed = commands(document.read_text(encoding="utf-8"))
    assert typed
    for line, shown in typed:
        words = shlex.split(line, comments=True)
        assert words[0] == "tacho"
        run = CliRunner().invoke(app, words[1:], catch_exceptions=False)
        assert run.exit_code == 0, run.output
        if shown.strip():
            wanted, printed = (AMOUNT.sub("AMOUNT", text) for text in (shown, run.stdout))
            same = doctest.OutputChecker().check_output(wanted, printed, LOOSE)
            assert same, f"{line}\nshown:\n{shown}\nprinted:\n{run.stdout}"


def test_readme_gives_the_two_commands_and_ci_runs_them():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^make (\w+)", readme, re.MULTILINE) == ["tour", "test"]
    assert "make test\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [n for n in tg.__all__ if n != "__version__"])
def test_every_public_name_is_explained_by_an_example(name):
    """Its page in the reference is its docstring."""
    thing = getattr(tg, name)
    text = inspect.getdoc(thing) or ""
    assert text
    error = inspect.isclass(thing) and issubclass(thing, Exception)
    assert error or ">>>" in text


def test_documents_show_what_was_measured():
    """Tables come from benchmarks/results."""
    run = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "render.py"), "--check"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr


def test_what_documents_name_exists():
    """Also commands and experiments that are not run, because they take long."""
    from typer.main import get_command

    from tachograph.cli import app
    from tachograph.papers.reproduce import EXPERIMENTS

    known = get_command(app).commands
    for document in DOCUMENTS:
        if document.name == "new-algorithm.md":
            continue  # adds a command
        text = document.read_text(encoding="utf-8")
        for first, second in re.findall(
            r"(?<![\w/-])tacho ([a-z][a-z-]*)(?: ([a-z][\w-]*))?", text
        ):
            assert first in known, f"{document.name}: tacho {first}"
            inner = getattr(known[first], "commands", EXPERIMENTS if first == "reproduce" else None)
            if inner is not None and second:
                assert second in inner, f"{document.name}: tacho {first} {second}"


def test_modules_that_are_named_exist():
    """In documents and settings; the guides make one of their own."""
    for document in (*DOCUMENTS, ROOT / "pyproject.toml"):
        text = document.read_text(encoding="utf-8")
        for name in re.findall(r"(?<![\w/.-])tachograph(?:\.[a-zA-Z_]\w*)+", text):
            if "neighbor_degree" not in name:
                assert resolve_name(name), document


def test_every_command_is_listed():
    from typer.main import get_command

    from tachograph.cli import app

    page = (ROOT / "docs" / "command.md").read_text(encoding="utf-8")
    assert {name for name in get_command(app).commands if f"`tacho {name}" not in page} == set()


def test_the_picture_and_the_page_of_the_rooms_have_them_all():
    rooms = {
        p.name for p in (ROOT / "src" / "tachograph").iterdir() if (p / "__init__.py").exists()
    }
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    picture = (ROOT / "docs" / "images" / "architecture.svg").read_text(encoding="utf-8")
    assert {room for room in rooms if f"`{room}`" not in page} == set()
    assert {room for room in rooms if f">{room}<" not in picture} == set()


def test_the_reference_has_a_page_for_every_name():
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("reference", ROOT / "docs" / "hooks" / "reference.py")
    hook = module_from_spec(spec)
    spec.loader.exec_module(hook)
    pages = hook.pages()
    assert len({page.lower() for page in pages}) == len(pages)  # on every file system
    assert set(tg.__all__) - set(hook.public()) == {"__version__", "scale"}
    for name, thing in hook.public().items():
        if inspect.isclass(thing) and issubclass(thing, Exception | Warning):
            assert f"## {name}\n" in pages["errors"]
            continue
        text = pages[hook.slug(name)]
        guided = name.rpartition(".")[0] in hook.GUIDES
        assert text.startswith(f"# {'tachograph' if guided else 'tg'}.{name}\n")
        assert guided or "```pycon\n>>> " in text
        assert f"({hook.slug(name)}.md)" in pages["index"]
    for wanted in ("State", "Stream", "Priority", "Accelerator", "Problem"):  # of the guides
        assert any(name.endswith(f".{wanted}") for name in hook.public())
    for inherited in ("from_polars", "from_arrow", "from_pandas", "to_undirected"):
        assert f"\n## {inherited}\n" in pages[hook.slug("Graph")]
    assert f"[`Result`]({hook.slug('Result')}.md)" in pages[hook.slug("BfsResult")]
    assert "\n## to_arrow\n" not in pages[hook.slug("BfsResult")]
    said = "- `cutoff`: Go no further than this level; by default the whole graph is searched."
    assert said in pages["bfs"]
    assert "direction: str | Policy | Callable[[State], object] = 'auto'," in pages["bfs"]
