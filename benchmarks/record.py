"""Keeps what was measured: benchmarks/results/NAME.json, from which the documents take their tables.

    python benchmarks/record.py [--from FILE] NAME COMMAND...

runs a command that prints tables as JSON (``tacho reproduce ... --json``), or writes a file with the
times of ``tacho bench --json FILE``, and keeps them under NAME with the command, the day, the machine,
the versions, the commit and a hash of the code. The other scripts here do the same with ``--record``:
their options are the arguments of the function that they give to :func:`main`. Afterwards
``python benchmarks/render.py`` puts the tables into the documents.

In a table a cell may be a list: one number for each round. It is shown as its median and its spread.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import inspect
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import render

from tachograph.journal.campaign import code_hash
from tachograph.papers.reproduce import Table
from tachograph.util.cores import threads_available

RESULTS = render.RESULTS
OURS = "tachograph"
PACKAGES = ["numpy", "numba", "scipy", "networkx", "networkit", "igraph", "pyopencl"]
PACKAGES += ["python-graphblas"]


def main(name: str | dict[str, str], measure: Callable[..., Iterable[Table]]) -> None:
    """Run a script: its options are the arguments of ``measure``, whose tables are printed and kept.

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
    given = vars(parser.parse_args())
    keep = given.pop("record")
    first = [given.pop(key) for key in words]
    flat = [word for item in first for word in (item if isinstance(item, list) else [item])]
    tables = list(measure(*flat, **given))
    for each in tables:
        print(f"\n{render.table(asdict(each), title=True)}")
    if keep:
        record(name if isinstance(name, str) else name[first[0]], tables)


def seconds(call: Callable[[], object]) -> float:
    """Time one call; a float that it returns, or the ``seconds`` of its result, are its own time."""
    begin = time.perf_counter()
    outcome = call()
    taken = time.perf_counter() - begin
    return float(outcome if isinstance(outcome, float) else getattr(outcome, "seconds", taken))


def in_turns(
    candidates: Mapping[str, Callable[[], object]], rounds: int, once: float = float("inf")
) -> dict[str, list[float]]:
    """Time candidates alternately, each round beginning with another one; the first round warms up.

    A candidate that takes longer than ``once`` seconds runs once.
    """
    names = list(candidates)
    first = {name: seconds(candidates[name]) for name in names}
    times = {name: [first[name]] if first[name] > once else [] for name in names}
    again = [name for name in names if first[name] <= once]
    for turn in range(rounds):
        for at in range(len(again)):
            name = again[(at + turn) % len(again)]
            times[name].append(seconds(candidates[name]))
    return times


def rounded(values: Sequence[float]) -> list[float]:
    """Round to four digits, which are more than a timing has."""
    return [float(f"{value:.4g}") for value in values]


def record(name: str, tables: Sequence[Table], command: str | None = None) -> Path:
    """Write the tables of a run; ``command`` is this script's own unless told."""
    given = command or shlex.join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]])
    git = ["git", "-C", str(RESULTS), "rev-parse", "--short=10", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    kept = {
        "command": re.sub(r" --(record|json( \S+\.json)?)", "", given),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": commit or None,
        "code": code_hash(),
        "machine": machine(),
        "versions": versions(),
        "tables": [asdict(table) for table in tables],
    }
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{path.name} written; python benchmarks/render.py shows it", file=sys.stderr)
    return path


def machine() -> dict[str, Any]:
    """Return what it was measured on."""
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
    """Return the versions of Python, this package, and the peers that are installed."""
    found = {"python": platform.python_version(), OURS: importlib.metadata.version(OURS)}
    for package in PACKAGES:
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
    run = subprocess.run(given.command, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(given.file.read_text() if given.file else run.stdout)
    tables = bench_tables(found) if isinstance(found, dict) else [Table(**table) for table in found]
    record(given.name, tables, shlex.join(given.command))


if __name__ == "__main__":
    keep_command()
