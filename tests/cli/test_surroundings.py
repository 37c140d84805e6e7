"""``tacho``, and the library, where something that is usually there is missing."""

from __future__ import annotations

import errno
import io
import json
import multiprocessing.synchronize
import os
import resource
import shlex
import subprocess
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

import tachograph as tg
from tachograph import cli
from tachograph.journal.store import HOME_VARIABLES, _home
from tachograph.simulation.dram import Memory
from tachograph.util.executor import Local, results


@pytest.fixture
def graph():
    tg.write(tg.kronecker(7, rng=1), "g.tgraph")
    return "g.tgraph"


@pytest.fixture
def tacho(monkeypatch):
    """Run a command where only ASCII can be printed; return exit code, stdout and stderr."""
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["tacho", *arguments])
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="ascii") for _ in range(2)]
        code = 0
        with monkeypatch.context() as patched, warnings.catch_warnings():
            patched.setattr(sys, "stdout", streams[0])
            patched.setattr(sys, "stderr", streams[1])
            try:
                cli.main()
            except SystemExit as end:
                code = int(end.code or 0)
        for stream in streams:
            stream.flush()
        shown, said = (stream.buffer.getvalue().decode("ascii") for stream in streams)
        return code, shown, said

    return run


def test_a_terminal_that_knows_only_ascii(tacho, graph):
    for words in (
        ["run", "bfs", graph, "--source", "0"], ["journal"], ["plan", "bfs", graph], ["datasets"],
        ["simulate", "bfs", graph, "--source", "0", "--accelerator", "accugraph"],
        ["report", "last"], ["what-if", "bfs", graph, "--machine", "hitgraph"],
    ):  # fmt: skip
        code, _, said = tacho(*words)
        assert code == 0, (words, said)
    code, shown, _ = tacho("info", graph)
    assert "####" in shown
    assert "\\u" not in shown
    code, _, said = tacho("info", "größe.el")
    assert code == 1
    assert said.startswith(r"tacho: gr\xf6\xdfe.el: there is no such file")


def test_a_home_that_cannot_be_written(tacho, graph, monkeypatch):
    """Nobody, not even root, can make a directory below a file."""
    Path("file").write_text("")
    tacho("run", "bfs", graph, "--source", "0")  # compiling would be mentioned
    monkeypatch.setenv("TACHOGRAPH_HOME", f"{Path.cwd()}/file/home")
    code, shown, said = tacho("run", "bfs", graph, "--source", "0", "--json")
    assert (code, json.loads(shown)["task"]) == (0, "bfs")
    assert said.startswith("tacho: note: ")
    assert "set TACHOGRAPH_HOME" in said
    assert said.count("\n") == 1
    for words in (["journal"], ["report", "last"], ["plan", "bfs", graph], ["devices"]):
        code, _, said = tacho(*words)
        assert code in (0, 1)
        assert code == 0 or said.startswith("tacho: ")


def tacho_in_a_shell(line, **options):
    """Run a command as a shell does; return its exit code and what it said."""
    command = f"{shlex.quote(sys.executable)} -c 'from tachograph.cli import main; main()' {line}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, **options)
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, done.stderr


def test_an_output_that_is_full_or_closed(graph):
    if Path("/dev/full").exists():
        for words in ("datasets", "datasets --json", f"info {graph}"):
            code, said = tacho_in_a_shell(f"{words} > /dev/full")
            assert (code, said) == (1, "tacho: standard output: No space left on device\n")
    assert tacho_in_a_shell(f"info {graph} >&-") == (0, "")
    assert tacho_in_a_shell(f"info {graph} 2>&- <&-")[0] == 0
    assert tacho_in_a_shell("info missing 2>&-") == (1, "")


def test_a_directory_that_was_deleted(graph, tmp_path):
    here = tmp_path / "here"
    here.mkdir()
    path = Path(graph).absolute()
    for words in (f"info {path}", "info g.tgraph", f"scale partition {path} --parts 2 --directory p",
                  f"convert {path} out.el", f"run pagerank {path} --output x.csv"):  # fmt: skip
        line = (
            f"rmdir {here}; {sys.executable} -c 'from tachograph.cli import main; main()' {words}"
        )
        done = subprocess.run(["sh", "-c", line], cwd=here, capture_output=True, text=True)
        assert "Traceback" not in done.stderr, done.stderr
        here.mkdir()


def test_nobody_says_where_home_is(monkeypatch):
    def unknown(*_):
        raise RuntimeError("Could not determine home directory.")

    for name in HOME_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    monkeypatch.delenv("TACHOGRAPH_JOURNAL", raising=False)
    _home.cache_clear()
    with pytest.warns(tg.TachographWarning, match="set TACHOGRAPH_HOME"):
        assert tg.pagerank(tg.star(4)).scores.size == 4


@contextmanager
def files_left(count):
    """Let this process open only so many more files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    opened = [os.dup(0) for _ in range(count)]  # the numbers that stay free
    most = max([lowest, *opened]) + 1 if count else lowest
    for one in opened:
        os.close(one)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _one_of_each(number):
    """Return everything that opens files, by name."""
    return {
        "tgraph": lambda: tg.read("g.tgraph").n,
        "text": lambda: tg.read("g.el").n,
        "gz": lambda: tg.read("g.mtx.gz").n,
        "zst": lambda: tg.read("g.el.zst").n,
        "parquet": lambda: tg.read("g.parquet").n,
        "npz": lambda: tg.read("g.npz").n,
        "write": lambda: tg.write(tg.path(3), "out.txt"),
        "write table": lambda: tg.write(tg.path(3), "out.parquet"),
        "trace": lambda: Memory("HBM").run("a.trace").requests,
        "partition": lambda: tg.scale.partition(tg.path(9), parts=2, directory=f"p{number}"),
        "edges": lambda: tg.scale.partition("g.parquet", parts=2, directory=f"q{number}"),
        "parts": lambda: tg.scale.connected_components("parts").count,
        "processes": lambda: results(Local(2), dict, [{"a": 1}]),
    }


def test_too_many_open_files(graph):
    g = tg.read(graph)
    for name in ("g.el", "g.mtx.gz", "g.el.zst", "g.parquet", "g.npz"):
        tg.write(g, name)
    Path("a.trace").write_text("0x40 R\n0x80 W\n")
    tg.scale.partition(g, parts=2, directory="parts")
    wanted = {name: step() for name, step in _one_of_each("all").items()}
    failed = set()
    for count in (0, 1, 2, 3, 5, 8):
        for name, step in _one_of_each(count).items():
            with files_left(count):
                try:
                    found = step()
                except tg.TachographError as error:
                    failed.add((name, "open files" in str(error)))
                    continue
            if not isinstance(found, tg.scale.Partition):
                assert found == wanted[name]
    assert failed == {(name, True) for name in wanted}


def test_without_semaphores(monkeypatch):
    """As where /dev/shm is missing: several processes need none."""

    def missing(*_, **__):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(multiprocessing.synchronize.SemLock, "__init__", missing)
    with pytest.raises(OSError):
        multiprocessing.get_context("spawn").Lock()
    assert results(Local(2), dict, [{"a": 1}, {"a": 2}]) == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize(
    ("flags", "setting", "said"),
    [
        (["-OO"], {}, "overlap"),
        ([], {"NUMBA_DISABLE_JIT": "1"}, "NUMBA_DISABLE_JIT is set, but these loops have to be"),
        ([], {"NUMBA_NUM_THREADS": "0"}, "NUMBA_NUM_THREADS = 0: at least one is needed"),
        ([], {"NUMBA_NUM_THREADS": "-3"}, "NUMBA_NUM_THREADS = -3: at least one is needed"),
    ],
)
def test_python_without_docstrings_and_without_compiling(flags, setting, said):
    code = (
        "import tachograph as tg\nfrom tachograph.cli import commands\n"
        "try:\n    import tachograph.kernels.rows.build\n    print(tg.overlap.__name__)\n"
        "except tg.InputError as error:\n    print(error)"
    )
    ran = subprocess.run(
        [sys.executable, *flags, "-c", code],
        env=os.environ | setting,
        capture_output=True,
        text=True,
    )
    assert ran.stdout.startswith(said), ran


def test_commands_say_that_there_can_be_no_threads(graph):
    ran = subprocess.run(
        [sys.executable, "-m", "tachograph", "info", graph],
        env=os.environ | {"NUMBA_NUM_THREADS": "0"},
        capture_output=True,
        text=True,
    )
    said = "tacho: NUMBA_NUM_THREADS = 0: at least one is needed\n"
    assert (ran.returncode, ran.stderr) == (1, said)
