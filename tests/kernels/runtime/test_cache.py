"""Where compiled kernels are kept: beside the package, else with the user, else nowhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tachograph

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
    assert "once per machine" in said
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
