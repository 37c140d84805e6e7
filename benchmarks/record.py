"""Measures, and keeps what was measured: benchmarks/results/NAME.json, which the documents show.

    python benchmarks/record.py --list        what there is, its state, and how long it takes
    python benchmarks/record.py NAME ...      measures these again, what they share only once
    python benchmarks/record.py --all         measures everything again that is stale or kept

``commands.toml`` has the command of each result. It prints tables as JSON (``tacho reproduce``), or
writes them to a file (``tacho bench`` and the scripts here, ``--json FILE``). They are kept with
everything that ``result_file.FIELDS`` lists; the code that ran and the graphs are found out by
watching the command's processes (``witness/``). Measure on a quiet machine. Afterwards
``python benchmarks/render.py`` puts the tables into the documents.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import result_file
from harness import Table, rounded
from result_file import ROOT

from tachograph.util.cores import busy

OURS = "tachograph"
WITNESS = ROOT / "benchmarks" / "witness"
#: Variables that change what a command measures. Of paths only what they lead to is kept.
PATHS, VALUES = {"RAMULATOR": "PROGRAM"}, ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")
DATA = (".cl", ".json", ".toml")  # files that modules of the same folder read
VARIABLE = re.compile(r"[A-Z_]+=")
QUIET_UP_TO = 0.1  # threads of other programs that run, on average, up to which times count
LOOK_SECONDS = 5.0  # for that average: the load average of a minute remembers what ran before
WAIT_SECONDS = 300  # for others to end
SHARED: dict[str, tempfile.TemporaryDirectory[str]] = {}  # homes, until the recorder ends
WRITTEN = ("benchmarks/results", "docs", "README.md")  # what recording itself changes


def measure_again(name: str) -> Path:
    """Run the command of a result, and keep its tables."""
    row = result_file.commands()[name]
    there = {word: word in os.environ if word.isupper() else find_spec(word) for word in row.needs}
    if missing := [word for word, found in there.items() if not found]:
        raise SystemExit(f"{name} needs {', '.join(missing)}: benchmarks/README.md says what for")
    if row.timed:
        wait_until_quiet()
    first, *rest = shlex.split(row.command)
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "tables.json"
        if first == "python":
            return record(name, [sys.executable, *rest, "--json", str(file)], file, ROOT)
        if rest[0] == "bench":
            return record(name, [first, *rest, "--json", str(file)], file)
        return record(name, [first, *rest, "--json"])


def wait_until_quiet() -> None:
    """Wait until nothing else runs, or refuse."""
    until = time.monotonic() + WAIT_SECONDS
    while (others := threads_of_others()) > QUIET_UP_TO:
        if time.monotonic() > until:
            raise SystemExit(f"other programs run ({others:.1f} threads): times would not count")


def threads_of_others() -> float:
    """Return how many threads of other programs run, on average, for a few seconds."""
    seen = []
    until = time.monotonic() + LOOK_SECONDS
    while time.monotonic() < until:
        seen.append(busy())
        time.sleep(0.05)
    return sum(seen) / len(seen)


def record(
    name: str, command: Sequence[str], file: Path | None = None, cwd: Path | None = None
) -> Path:
    """Run a command and keep the tables that it prints, or writes into ``file``.

    It runs with an empty home, so nothing comes from a journal, a model or a calibration that is older
    than the commands to be run ``before``, or than the results that share their measurements with it.
    Without ``cwd`` it runs in that home, too, where pictures that it draws are in nobody's way.
    """
    before = result_file.commands()[name].before
    with home_of(name) as directory:
        cwd = cwd or Path(tempfile.mkdtemp(dir=directory))
        notes = Path(directory) / "notes"
        notes.touch()
        fresh = {**os.environ, "TACHOGRAPH_HOME": directory}
        start, load, tree = now(), os.getloadavg()[0], commit()
        for words in map(shlex.split, before):
            options = dict(word.split("=", 1) for word in words if VARIABLE.match(word))
            plain = [word for word in words if not VARIABLE.match(word)]
            subprocess.run(
                plain, check=True, stdout=subprocess.DEVNULL, env=fresh | options, cwd=cwd
            )
        paths = filter(None, [str(WITNESS), os.environ.get("PYTHONPATH", "")])
        watched = {"TACHOGRAPH_WITNESS": str(notes), "PYTHONPATH": os.pathsep.join(paths)}
        out = None if file else subprocess.PIPE
        run = subprocess.run(
            command, check=True, stdout=out, text=True, env=fresh | watched, cwd=cwd
        )
        end, later = now(), os.getloadavg()[0]
        seen = [line.split("\t") for line in notes.read_text(encoding="utf-8").splitlines()]
    found = json.loads(file.read_text(encoding="utf-8") if file else run.stdout)
    if isinstance(found, dict):
        found = [asdict(table) for table in bench_tables(found)]
    kept = {
        "format": result_file.FORMAT,
        "command": " && ".join([*before, shown(command, result_file.commands()[name].needs)]),
        "start": start.isoformat(timespec="seconds"),
        "end": end.isoformat(timespec="seconds"),
        **tree,
        "code": code({file for kind, file, _ in seen if kind == "code"}, command, start),
        "machine": machine(),
        "versions": versions(),
        "load": [round(load, 2), round(later, 2)],
        "graphs": {name: value for kind, name, value in sorted(seen) if kind == "graph"},
        "tables": found,
    }
    path = result_file.write(name, json.loads(json.dumps(kept)))
    print(f"{path.name} written; python benchmarks/render.py shows it", file=sys.stderr)
    return path


@contextmanager
def home_of(name: str) -> Iterator[str]:
    """Make an empty directory, or take the one of an earlier result with the same measurements."""
    word = result_file.commands()[name].shares
    if not word:
        with tempfile.TemporaryDirectory() as made:
            yield made
        return
    if word not in SHARED:
        SHARED[word] = tempfile.TemporaryDirectory()
    yield SHARED[word].name


def now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def shown(command: Sequence[str], needs: Sequence[str] = ()) -> str:
    """Return a command as one types it, with the variables that it needs, and without what only the
    recorder wants.
    """
    words = [f"{name}={PATHS.get(name, 'DIR')}" for name in needs if name.isupper()]
    words += [f"{name}={os.environ[name]}" for name in VALUES if name in os.environ]
    plain = shlex.join(["python" if word == sys.executable else word for word in command])
    return " ".join([*words, re.sub(r" --json( \S+\.json)?", "", plain)])


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
    inside |= {ROOT / "benchmarks" / "harness.py"} if scripts else set()
    if late := [path.name for path in inside if path.stat().st_mtime > start.timestamp()]:
        raise SystemExit(f"{', '.join(sorted(late))} changed during the run: measure again")
    names = sorted(path.relative_to(ROOT).as_posix() for path in inside)
    return {name: result_file.file_hash(name) for name in names}


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


def listed() -> None:
    """Print every result with its state, its command and how long that takes."""
    for name, row in result_file.commands().items():
        command = shown(["python", "benchmarks/record.py", name], row.needs)
        state, minutes = result_file.state_of(name), result_file.minutes_of(name)
        print(f"{name}: {state}; {minutes} min: {command}")


def chosen(names: Sequence[str], everything: bool) -> list[str]:
    """Return the results to measure: those that are named, or all that are not fresh."""
    known = result_file.commands()
    if unknown := set(names) - set(known):
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}; known are {', '.join(known)}")
    fresh = result_file.MEASURED
    return [n for n in known if result_file.state_of(n) != fresh] if everything else list(names)


def measure_all(names: Sequence[str]) -> None:
    """Measure one after the other; what fails is said at the end."""
    failed = []
    for name in names:
        try:
            measure_again(name)
        except (SystemExit, subprocess.CalledProcessError, OSError, ValueError) as error:
            failed.append(f"{name}: {error}")
    if failed:
        raise SystemExit("\n".join(failed))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="say what there is")
    parser.add_argument("--all", action="store_true", help="measure everything that is not fresh")
    given = parser.parse_args()
    if given.list:
        listed()
    elif not given.names and not given.all:
        parser.error("which result? --list shows them")
    measure_all(chosen(given.names, given.all))


if __name__ == "__main__":
    main()
