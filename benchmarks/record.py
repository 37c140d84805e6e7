"""Keeps what was measured: benchmarks/results/NAME.json, from which the documents take their tables.

    python benchmarks/record.py [--from FILE] NAME COMMAND...

runs a command that prints tables as JSON (``tacho reproduce ... --json``), or writes a file with the
times of ``tacho bench --json FILE``, and keeps them under NAME with the command, the day, the machine,
the versions and the commit. The other scripts here do the same with ``--record``. Afterwards
``python benchmarks/render.py`` puts the tables into the documents.

In a table a cell may be a list: one number for each round. It is shown as its median and its spread.
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
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import render

from tachograph.kernels.runtime.launch import threads_available
from tachograph.papers.reproduce import Table

RESULTS = render.RESULTS
OURS = "tachograph"
PACKAGES = (
    "numpy", "numba", "scipy", "networkx", "networkit", "igraph", "python-graphblas", "pyopencl",
)  # fmt: skip


def rounded(values: Sequence[float]) -> list[float]:
    """Four digits are more than a timing has."""
    return [float(f"{value:.4g}") for value in values]


def show(name: str, tables: Sequence[Table], keep: bool) -> None:
    """Print what a script has measured, and keep it if asked to."""
    for each in tables:
        print(f"\n{render.table(asdict(each), title=True)}")
    if keep:
        record(name, tables)


def record(name: str, tables: Sequence[Table], command: str | None = None) -> Path:
    """Write the tables of a run; ``command`` is this script's own unless told."""
    given = command or shlex.join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]])
    kept = {
        "command": re.sub(r" --(record|json( \S+\.json)?)", "", given),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": commit(),
        "machine": machine(),
        "versions": versions(),
        "tables": [asdict(table) for table in tables],
    }
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{path.name} written; python benchmarks/render.py shows it", file=sys.stderr)
    return path


def machine() -> dict[str, Any]:
    """What it was measured on."""
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
    """Python, this package, and the peers that are installed."""
    found = {"python": platform.python_version(), OURS: importlib.metadata.version(OURS)}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def commit() -> str | None:
    """The commit that was measured, if this is a clone."""
    run = subprocess.run(
        ["git", "-C", str(RESULTS), "rev-parse", "--short=10", "HEAD"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return run.stdout.strip() or None


def bench_tables(measured: dict[str, Any]) -> list[Table]:
    """``tacho bench --json`` as tables: one for each graph, milliseconds and their time over ours."""
    tables = []
    for graph in dict.fromkeys(row["graph"] for row in measured["rows"]):
        rows = [row for row in measured["rows"] if row["graph"] == graph]
        peers = [name for name in measured["peers"] if any(name in row["seconds"] for row in rows)]
        cells = []
        for row in rows:
            ours = row["seconds"][OURS]
            line: list[Any] = [row["algorithm"], rounded([1e3 * s for s in ours])]
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


def main() -> None:
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
    main()
