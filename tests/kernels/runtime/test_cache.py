"""Where compiled kernels are kept: beside the package, else with the user, else nowhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tachograph
from tachograph.kernels.runtime import caching

ASK = """
import tachograph
from tachograph.kernels.runtime import random, launch as runtime
runtime.SILENT_COMPILING_SECONDS = 0.001
random.integers(1, "test", 5, 0, 9)
print(tachograph.__file__, random.fill_integers.stats.cache_path, sep="\\n")
"""


def ask(package: Path, home: Path) -> tuple[str, str, str]:
    """Run a kernel of ``package`` as a user with that home: which package, where kept, what it said."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "XDG"))}
    run = subprocess.run(
        [sys.executable, "-c", ASK],
        env={**environment, "PYTHONPATH": str(package), "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    module, path = run.stdout.splitlines()
    return module, path, run.stderr


@pytest.fixture
def package(tmp_path) -> Path:
    """A copy of the package."""
    copy = tmp_path / "copy" / "tachograph"
    shutil.copytree(
        Path(tachograph.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__")
    )
    return copy.parent


@pytest.fixture
def read_only(package) -> Path:
    """A copy of the package in which nothing can be kept, not even by root."""
    for folder in [p for p in package.rglob("*") if p.is_dir()]:
        (folder / "__pycache__").write_text("a file where the directory should be")
    return package


def test_the_users_cache_is_used_when_the_package_is_read_only(read_only, tmp_path):
    home = tmp_path / "home"
    module, path, said = ask(read_only, home)
    assert Path(module).is_relative_to(read_only)
    assert Path(path).is_relative_to(home)
    assert list(Path(path).glob("random.fill_integers*.nbc"))
    assert "some seconds, once per machine" in said
    assert ask(read_only, home)[2] == ""  # it was kept


def test_it_works_with_nowhere_to_keep_kernels_and_says_what_helps(read_only):
    module, path, said = ask(read_only, Path("/dev/null"))
    assert Path(module).is_relative_to(read_only)
    assert path == "None"
    assert "set NUMBA_CACHE_DIR" in said


def test_a_changed_helper_is_compiled_into_the_kernels_that_use_it(package, tmp_path):
    kernels = package / "tachograph" / "kernels"
    assert "compiling" in ask(package, tmp_path)[2]
    assert ask(package, tmp_path)[2] == ""
    with (kernels / "rows" / "passes.py").open("a") as file:  # nothing that random.py uses
        file.write("# changed\n")
    assert ask(package, tmp_path)[2] == ""
    with (kernels / "runtime" / "atomics.py").open("a") as file:
        file.write("# changed\n")
    assert "compiling" in ask(package, tmp_path)[2]


def test_warm_says_that_nothing_can_be_kept(read_only):
    environment = {**os.environ, "PYTHONPATH": str(read_only), "HOME": "/dev/null"}
    for name in [n for n in environment if n.startswith(("NUMBA", "XDG"))]:
        del environment[name]
    command = [sys.executable, "-m", "tachograph", "warm"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.endswith("set NUMBA_CACHE_DIR to one\n")
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize("last", ["mine", "theirs"])
def test_processes_that_compile_at_the_same_time_do_not_mix_up_types(last, tmp_path):
    """One writes its list, then the other does all, then the first goes on."""
    mine, theirs = (caching.KernelFile(str(tmp_path), "walk-1.py311", "stamp") for _ in range(2))
    first, second = (mine, theirs) if last == "mine" else (theirs, mine)
    before = first._load_index()
    write = first._save_data

    def interrupted(name, data):
        second.save(("int32",), "for int32")
        write(name, data)

    first._save_data = interrupted
    second._load_index, load = (lambda: before), second._load_index
    first.save(("float32",), "for float32")
    second._load_index = load
    again = caching.KernelFile(str(tmp_path), "walk-1.py311", "stamp")
    assert again.load(("int32",)) in ("for int32", None)
    assert again.load(("float32",)) in ("for float32", None)


def test_what_was_compiled_from_other_code_is_not_loaded(tmp_path):
    """A process that runs on after an update writes what it compiles under the same name."""
    old, new = (caching.KernelFile(str(tmp_path), "walk-1.py311", s) for s in ("old", "new"))
    new.save(("int32",), "of the new code")
    listed = new._load_index()
    old.save(("int32",), "of the old code")
    new._save_index(listed)  # as if the new one had been between its two files
    assert new.load(("int32",)) is None
    new.save(("int32",), "of the new code")
    assert new.load(("int32",)) == "of the new code"


def test_a_variant_that_is_kept_is_found(tmp_path):
    kept = caching.KernelFile(str(tmp_path), "walk-1.py311", "stamp")
    for kind in ("int32", "float32", "int32"):
        kept.save((kind, "here"), f"for {kind}")
    again = caching.KernelFile(str(tmp_path), "walk-1.py311", "stamp")
    assert again.load(("int32", "here")) == "for int32"
    assert again.load(("float32", "here")) == "for float32"
    assert again.load(("int64", "here")) is None
    assert len(list(tmp_path.glob("*.nbc"))) == 2
    assert (
        caching.KernelFile(str(tmp_path), "walk-1.py311", "changed").load(("int32", "here")) is None
    )
