"""Measures, and keeps what was measured: benchmarks/results/NAME.json, which the documents show.

    python benchmarks/record.py [--from FILE] NAME COMMAND...

runs a command that prints tables as JSON (``tacho reproduce ... --json``), or writes them to a file
(``tacho bench --json FILE``), and keeps them under NAME with everything that ``result_file.FIELDS``
lists. The code that ran and the graphs are found out by watching the command's processes
(``witness/``). The other scripts here do the same with ``--record``: their options are the arguments of
the function that they give to :func:`main`. Afterwards ``python benchmarks/render.py`` puts the tables
into the documents.

In a table a cell may be a list: one number for each round. It is shown as its median and its spread.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import importlib.metadata
import inspect
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import render
import result_file
from result_file import ROOT
from timing import Table, rounded

OURS = "tachograph"
WITNESS = ROOT / "benchmarks" / "witness"
#: Variables that change what a command measures. Of paths only the name of the variable is kept.
PATHS, VALUES = ("GAPBS", "RAMULATOR"), ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")
DATA = (".cl", ".json", ".toml")  # files that modules of the same folder read
WRITTEN = ("benchmarks/results", "docs", "README.md")  # what recording itself changes


def main(name: str | dict[str, str], measure: Callable[..., Iterable[Table]]) -> None:
    """Run a script: its options are the arguments of ``measure``, whose tables are printed or kept.

    An argument with a default is an option, a flag if it is false; one without is a word, and
    ``*words`` takes all others. ``name`` is the result's, or that for each of the first words.
    """
    raw = argparse.RawDescriptionHelpFormatter
    doc = sys.modules[measure.__module__].__doc__
    parser = argparse.ArgumentParser(description=doc, formatter_class=raw)
    words = []
    for key, parameter in inspect.signature(measure).parameters.items():
        option, default = f"--{key.replace('_', '-')}", parameter.default
        if default is False:
            parser.add_argument(option, action="store_true")
        elif default is not inspect.Parameter.empty:
            parser.add_argument(option, type=type(default), default=default)
        else:
            many = parameter.kind is inspect.Parameter.VAR_POSITIONAL
            choices = list(name) if isinstance(name, dict) and not words else None
            parser.add_argument(key, nargs="*" if many else None, choices=choices)
            words.append(key)
    parser.add_argument("--record", action="store_true", help="keep the tables in results")
    parser.add_argument("--json", type=Path, help="write the tables to this file")
    given = vars(parser.parse_args())
    keep, file = given.pop("record"), given.pop("json")
    first = [given.pop(key) for key in words]
    if keep:
        rest = [word for word in sys.argv[1:] if word != "--record"]
        record_script(name if isinstance(name, str) else name[first[0]], Path(sys.argv[0]), rest)
        return
    flat = [word for item in first for word in (item if isinstance(item, list) else [item])]
    tables = list(measure(*flat, **given))
    for each in tables:
        print(f"\n{render.table(asdict(each), title=True)}")
    if file:
        file.write_text(json.dumps([asdict(each) for each in tables]), encoding="utf-8")


def record_script(name: str, script: Path, options: Sequence[str]) -> Path:
    """Run a script of this folder again, watched, and keep its tables."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "tables.json"
        command = [sys.executable, str(script), *options, "--json", str(file)]
        return record(name, command, file)


def record(name: str, command: Sequence[str], file: Path | None = None) -> Path:
    """Run a command and keep the tables that it prints, or writes into ``file``."""
    with tempfile.TemporaryDirectory() as directory:
        notes = Path(directory) / "notes"
        notes.touch()
        paths = [str(WITNESS), os.environ.get("PYTHONPATH", "")]
        watched = {
            "TACHOGRAPH_WITNESS": str(notes),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }
        start, load, tree = now(), os.getloadavg()[0], commit()
        out = None if file else subprocess.PIPE
        run = subprocess.run(
            command, check=True, stdout=out, text=True, env={**os.environ, **watched}
        )
        end, busy = now(), os.getloadavg()[0]
        seen = [line.split("\t") for line in notes.read_text(encoding="utf-8").splitlines()]
    found = json.loads(file.read_text(encoding="utf-8") if file else run.stdout)
    if isinstance(found, dict):
        found = [asdict(table) for table in bench_tables(found)]
    kept = {
        "format": result_file.FORMAT,
        "command": shown(command),
        "written_by": plain(["python", *sys.argv]),
        "start": start.isoformat(timespec="seconds"),
        "end": end.isoformat(timespec="seconds"),
        **tree,
        "code": code({file for kind, file, _ in seen if kind == "code"}, command, start),
        "models": models(),
        "machine": machine(),
        "versions": versions(),
        "load": [round(load, 2), round(busy, 2)],
        "graphs": {name: value for kind, name, value in sorted(seen) if kind == "graph"},
        "tables": found,
    }
    path = result_file.write(name, json.loads(json.dumps(kept)))
    print(f"{path.name} written; python benchmarks/render.py shows it", file=sys.stderr)
    return path


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def shown(command: Sequence[str]) -> str:
    """Return a command as one types it, without what only the recorder wants."""
    words = [f"{name}=DIR" for name in PATHS if name in os.environ]
    words += [f"{name}={os.environ[name]}" for name in VALUES if name in os.environ]
    return " ".join([*words, re.sub(r" --json( \S+\.json)?", "", plain(command))])


def plain(command: Sequence[str]) -> str:
    """Return a command without the paths of this machine."""
    root = str(ROOT) + os.sep
    words = ["python" if word == sys.executable else word.removeprefix(root) for word in command]
    return shlex.join(words)


def commit() -> dict[str, Any]:
    """Return the commit, and whether the code differs from it."""

    def git(*words: str) -> str:
        command = ["git", "-C", str(ROOT), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()

    others = [f":!{path}" for path in WRITTEN]
    dirty = bool(git("status", "--porcelain", "--", ".", *others))
    return {"commit": git("rev-parse", "--short=10", "HEAD"), "dirty": dirty}


def code(files: set[str], command: Sequence[str], start: datetime.datetime) -> dict[str, str]:
    """Return the hashes of what ran: modules, the data beside them, and the script that measured."""
    inside = {Path(file).resolve() for file in files}
    if not inside or any(not path.is_relative_to(ROOT / "src") for path in inside):
        raise SystemExit(f"the command did not run the code of {ROOT / 'src'}: install that")
    for folder in {path.parent for path in inside}:
        inside |= {path for path in folder.iterdir() if path.suffix in DATA}
    if (loader := ROOT / "src" / OURS / "decisions" / "model_file.py") in inside:
        inside |= set((loader.parent / "models").glob("*.json"))
    scripts = [Path(word).resolve() for word in command if word.endswith(".py")]
    inside |= {path for path in scripts if path.parent == ROOT / "benchmarks"}
    inside |= {ROOT / "benchmarks" / "timing.py"} if scripts else set()
    if late := [path.name for path in inside if path.stat().st_mtime > start.timestamp()]:
        raise SystemExit(f"{', '.join(sorted(late))} changed during the run: measure again")
    names = sorted(path.relative_to(ROOT).as_posix() for path in inside)
    return {name: result_file.file_hash(name) for name in names}


def models() -> dict[str, str]:
    """Return the hashes of the models that the user trained, which are used before the package's."""
    from tachograph.journal import home

    files = sorted((home() / "models").glob("*.json"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in files}


def machine() -> dict[str, Any]:
    """Return what it was measured on."""
    from tachograph.util.cores import threads_available

    model = platform.processor() or platform.machine()
    cpus = Path("/proc/cpuinfo")
    if cpus.exists():
        names = [x for x in cpus.read_text().splitlines() if x.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "threads": threads_available(),
        "memory_gb": round(memory / 1e9),
        "system": f"{platform.system()} {platform.machine()}",
    }


def versions() -> dict[str, str]:
    """Return the versions of Python, this package, and every package it names that is installed."""
    found = {"python": platform.python_version(), OURS: importlib.metadata.version(OURS)}
    named = [re.split(r"[^\w-]", line)[0] for line in importlib.metadata.requires(OURS) or []]
    for package in sorted(set(named) - {OURS}):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def bench_tables(measured: dict[str, Any]) -> list[Table]:
    """Return ``tacho bench --json`` as tables: one for each graph, our ms and their time over ours."""
    tables = []
    for graph in dict.fromkeys(row["graph"] for row in measured["rows"]):
        rows = [row for row in measured["rows"] if row["graph"] == graph]
        peers = [name for name in measured["peers"] if any(name in row["seconds"] for row in rows)]
        cells = []
        for row in rows:
            ours = row["seconds"][OURS]
            line: list[Any] = [row["task"], rounded([1e3 * s for s in ours])]
            for peer in peers:
                theirs = row["seconds"].get(peer)
                if theirs is None:
                    line.append(None)
                elif len(theirs) == len(ours):
                    line.append(rounded([b / a for a, b in zip(ours, theirs, strict=True)]))
                else:  # it takes so long that it ran once
                    line.append(rounded([theirs[0] / sorted(ours)[len(ours) // 2]]))
            cells.append(line)
        columns = ["", f"{OURS}, ms", *(f"{peer}, ×" for peer in peers)]
        tables.append(Table(graph, columns, cells))
    return tables


def keep_command() -> None:
    """Run a command and keep the tables that it prints or writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name")
    parser.add_argument("--from", dest="file", type=Path, help="what the command writes")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    if not given.command:
        parser.error("which command?")
    record(given.name, given.command, given.file)


if __name__ == "__main__":
    keep_command()
