"""The guides for developers are true: what they add works as it stands there.

New files are put beside those of the package, so that nothing of it has to be copied or compiled again;
what goes into existing files is run there.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import tachograph as tg
from tests.devices.support import any_device, needs_pyopencl

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r'```\w+ title="(?:in )?(?:(\w+) of )?([^"]+)"\n(.*?)```', re.DOTALL)


def blocks(page: str) -> dict[tuple[str, str], str]:
    """Code by the table it belongs into (or "") and the file."""
    found = BLOCK.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))
    return {(table, file): code for table, file, code in found}


@pytest.fixture(scope="module")
def added(tmp_path_factory):
    """Modules of the guides' new files, importable as if they were in the package."""
    home = tmp_path_factory.mktemp("guides")
    rooms = [importlib.import_module(f"tachograph.{room}") for room in ("kernels", "algorithms")]
    for room in rooms:
        room.__path__.append(str(home / room.__name__.rpartition(".")[2]))
    for page in ("new-algorithm.md", "new-device-kernel.md"):
        for (_, file), code in blocks(page).items():
            if file.startswith("src/") and not (ROOT / file).exists():
                path = home / Path(file).relative_to("src/tachograph")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(code, encoding="utf-8")
    names = importlib.import_module("tachograph.util.names")
    table = importlib.import_module("tachograph.tasks.table")
    road = importlib.import_module("tachograph.tasks.road")
    entries = blocks("new-algorithm.md")
    names.NAMES |= eval(f"{{{entries['NAMES', 'src/tachograph/util/names.py']}}}")
    (task,) = eval(f"[{entries['TASKS', 'src/tachograph/tasks/table.py']}]", vars(table))
    table.TASKS[task.name] = task
    tg.neighbor_degree = road.public(task)
    yield home
    del tg.neighbor_degree, table.TASKS[task.name], names.NAMES[task.name]
    for room in rooms:
        room.__path__.pop()


def test_the_algorithm_passes_its_test(added):
    file = "tests/algorithms/test_neighbor_degree.py"
    made: dict = {"__name__": "guide"}
    exec(compile(blocks("new-algorithm.md")["", file], file, "exec"), made)
    made["test_means_are_those_of_the_oracle"]()
    for name in made["GRAPHS"]:
        made["test_graphs_of_every_kind"](name)
    assert ">>> tg.neighbor_degree(tg.star(4))" in tg.neighbor_degree.__doc__
    assert tg.neighbor_degree(tg.star(4)).means.tolist() == [1.0, 3.0, 3.0, 3.0]


def test_its_entries_fit_the_tables(added):
    """A line goes below the one that begins the table."""
    entries = {**blocks("new-algorithm.md"), **blocks("new-device-kernel.md")}
    tables = {key: code for key, code in entries.items() if key[0]}
    assert [table for table, _ in tables] == ["NAMES", "TASKS", "EXERCISES", "KERNELS"]
    for (table, file), _ in tables.items():
        text = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"^{table}\b.*\{{$", text, re.MULTILINE)
    exercises = importlib.import_module("tachograph.algorithms.exercises")
    line = tables["EXERCISES", "src/tachograph/algorithms/exercises.py"]
    (exercise,) = eval(
        f"{{{line}}}", {**vars(exercises), "neighbor_degree": tg.neighbor_degree}
    ).values()
    assert exercise.run().means.size > 0


def test_its_command_and_its_plan(added):
    run = importlib.import_module("tachograph.cli.run")
    table = importlib.import_module("tachograph.tasks.table")
    before = list(run.app.registered_commands)
    try:
        run._add(table.TASKS["neighbor_degree"])
        tg.write(tg.star(9), "star.tgraph")
        arguments = ["neighbor_degree", "star.tgraph", "--verify", "--json", "-o", "means.parquet"]
        shown = CliRunner().invoke(run.app, arguments, catch_exceptions=False)
    finally:
        run.app.registered_commands[:] = before
    assert '"greatest": 8.0' in shown.stdout
    assert tg.plan("neighbor_degree", tg.star(9)).run().means[1] == 8.0


@needs_pyopencl
def test_its_twin_gives_the_same_sums(added, monkeypatch):
    device = any_device()
    opencl = importlib.import_module("tachograph.devices.opencl")
    monkeypatch.setattr(opencl, "SOURCES", added / "kernels")
    from tests.devices import test_contract

    made = dict(vars(test_contract))
    exec(blocks("new-device-kernel.md")["", "tests/devices/test_contract.py"], made)
    for graph in (tg.star(5), tg.kronecker(8, rng=1), tg.uniform(70, 3, directed=True)):
        made["neighbor_degree"](device, graph, monkeypatch)
        host = importlib.import_module("tachograph.kernels.neighbor_degree.sums").sum_of_neighbors
        degrees = graph.degrees.astype(np.int64)
        on = importlib.import_module("tachograph.algorithms.neighbor_degree_device")
        assert np.array_equal(
            on.sum_of_neighbors_on(device, graph, degrees),
            host(graph.indptr, graph.indices, degrees),
        )
