"""What a file of benchmarks/results must hold, and what its numbers are worth today.

Only ``record.py`` writes these files. A file has a checksum, so a number that somebody typed shows. Its
state is ``measured`` while the code that ran is the code of this tree, and ``stale`` afterwards. Files
of older recorders lack these fields: their state is ``kept``. They are listed with their hashes in
``results/KEPT``, to which nothing can be added but by hand, and from which the recorder takes what it
writes anew.
"""

from __future__ import annotations

import ast
import datetime
import hashlib
import io
import json
import math
import tokenize
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
FORMAT = 1
MEASURED, STALE, KEPT = "measured", "stale: code changed since", "kept"
NEVER = "not measured yet"
#: The fields of a file, their types, and what they say.
FIELDS: dict[str, tuple[type, str]] = {
    "format": (int, "the version of these fields"),
    "command": (str, "what was run, with the environment variables that change it"),
    "start": (str, "when it began"),
    "end": (str, "when it ended"),
    "commit": (str, "of the tree"),
    "dirty": (bool, "whether files other than results and documents differed from the commit"),
    "code": (dict, "the files that ran, with a hash of each"),
    "machine": (dict, "processor, cores, threads, memory, system"),
    "versions": (dict, "of Python and of the packages that this one names"),
    "load": (list, "running processes of the machine at start and end, means of a minute"),
    "graphs": (dict, "graphs that were made or read, with a hash of each"),
    "tables": (list, "what was measured"),
    "checksum": (str, "of all the other fields"),
}
TABLE_FIELDS = {"title", "columns", "rows", "notes"}


class Command(NamedTuple):
    """How a result is measured: a row of ``commands.toml``."""

    command: str
    minutes: float  # on two cores, about; what was measured says it itself
    needs: tuple[str, ...] = ()  # environment variables (in capitals) and packages
    before: tuple[str, ...] = ()  # commands that fill the empty home: calibrate, train
    timed: bool = True  # on a quiet machine only; simulations do not mind
    shares: str = ""  # measurements with all results of this word that are recorded in one go


@cache
def commands() -> dict[str, Command]:
    """Return the command of every result."""
    text = (ROOT / "benchmarks" / "commands.toml").read_text(encoding="utf-8")
    return {name: Command(**row) for name, row in tomllib.loads(text).items()}


def read(name: str) -> dict[str, Any]:
    """Return a result; refuse one that its recorder did not write."""
    path = RESULTS / f"{name}.json"
    if not path.exists():
        raise SystemExit(f"there is no benchmarks/results/{path.name}")
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if wrong := problems(kept, path):
        raise SystemExit(
            f"{path.name}: {'; '.join(wrong)}. Run its command again: {kept['command']}"
        )
    return kept


def problems(kept: dict[str, Any], path: Path) -> list[str]:
    """Say what is wrong with a file: nothing, if its recorder wrote it."""
    if "format" not in kept:
        listed = kept_hashes().get(path.name)
        same = listed == hashlib.sha256(path.read_bytes()).hexdigest()
        return [] if same else [f"{'changed by hand' if listed else 'not in KEPT'}, and no format"]
    found = [f"{name} is missing" for name in FIELDS.keys() - kept.keys()]
    found += [f"{name} is unknown" for name in kept.keys() - FIELDS.keys()]
    for name in FIELDS.keys() & kept.keys():
        if type(kept[name]) is not FIELDS[name][0]:
            found.append(f"{name} is not a {FIELDS[name][0].__name__}")
    found += [f"{name} is empty" for name in ("code", "tables", "command") if not kept.get(name)]
    for table in kept.get("tables", []):
        if not set(table) >= TABLE_FIELDS:
            found.append("a table lacks its title, columns, rows or notes")
        elif any(len(row) != len(table["columns"]) for row in table["rows"]):
            found.append(f"{table['title']}: a row has more or fewer cells than there are columns")
    row = commands().get(path.stem)
    if row is None or not str(kept.get("command", "")).endswith(row.command):
        found.append("commands.toml has another command, or none")
    if kept.get("checksum") != checksum(kept):
        found.append("the checksum is wrong: it was changed by hand")
    return sorted(found)


def checksum(kept: dict[str, Any]) -> str:
    """Return the hash of all fields but the checksum."""
    rest = {key: value for key, value in kept.items() if key != "checksum"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def write(name: str, kept: dict[str, Any]) -> Path:
    """Write a result with its checksum, and take it off the list of old files."""
    path = RESULTS / f"{name}.json"
    kept = {**kept, "checksum": checksum(kept)}
    if wrong := problems(kept, path):
        raise SystemExit(f"{path.name}: {'; '.join(wrong)}")
    aside = path.with_suffix(".aside")
    aside.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    aside.replace(path)
    if path.name in (old := kept_hashes()):
        lines = [f"{value}  {file}" for file, value in old.items() if file != path.name]
        (RESULTS / "KEPT").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def kept_hashes() -> dict[str, str]:
    """Return the files of older recorders with their SHA-256 (``sha256sum --check KEPT``)."""
    path = RESULTS / "KEPT"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {file: value for value, file in (line.split(maxsplit=1) for line in lines)}


def state_of(name: str) -> str:
    """Return the state of a result, or ``not measured yet``."""
    return state(read(name)) if (RESULTS / f"{name}.json").exists() else NEVER


def state(kept: dict[str, Any]) -> str:
    """Return ``measured``, ``stale: code changed since`` or ``kept``."""
    if "format" not in kept:
        return KEPT
    return STALE if changed(kept) else MEASURED


def changed(kept: dict[str, Any]) -> list[str]:
    """Return the files that ran and are no longer as they were."""
    return [file for file, value in kept.get("code", {}).items() if file_hash(file) != value]


def age_days(kept: dict[str, Any]) -> int:
    """Return how many days ago it was measured."""
    day = datetime.date.fromisoformat((kept.get("end") or kept["date"])[:10])
    return (datetime.datetime.now(datetime.UTC).date() - day).days


def minutes_of(name: str) -> float:
    """Return how many minutes a result took, rounded up, or as ``commands.toml`` guesses."""
    kept = read(name) if (RESULTS / f"{name}.json").exists() else {}
    if "format" not in kept:
        return commands()[name].minutes
    begin, end = (datetime.datetime.fromisoformat(kept[when]) for when in ("start", "end"))
    return math.ceil((end - begin).total_seconds() / 60)


@cache
def file_hash(file: str) -> str:
    """Return a hash of a file of the tree; that of Python code ignores comments and docstrings."""
    path = ROOT / file
    if not path.exists():
        return "gone"
    content = path.read_bytes()
    if path.suffix == ".py":
        content = meaning(content.decode()).encode()
    return hashlib.sha256(content).hexdigest()[:12]


def meaning(source: str) -> str:
    """Return Python code without comments, docstrings and empty lines."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            for row in range(first.lineno - 1, first.end_lineno or first.lineno):
                lines[row] = ""
    return "\n".join(line.rstrip() for line in lines if line.strip())
