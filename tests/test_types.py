"""The public types are known to type checkers other than the one that checks this repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LEAST_KNOWN_SHARE = 0.95  # of the symbols of the package


def test_types_are_known_to_pyright():
    bin_directory = Path(sys.executable).parent
    if not (bin_directory / "pyright").exists():
        pytest.skip("pyright is not installed")
    command = [bin_directory / "pyright", "--verifytypes", "tachograph", "--ignoreexternal"]
    path = f"{bin_directory}{os.pathsep}{os.environ['PATH']}"  # it asks the first python there
    done = subprocess.run(
        [*command, "--outputjson"],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": path, "VIRTUAL_ENV": str(bin_directory.parent)},
    )
    assert json.loads(done.stdout)["typeCompleteness"]["completenessScore"] >= LEAST_KNOWN_SHARE
