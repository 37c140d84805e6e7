"""Races: values must be right, and runs must end, whoever is slow; ``tests/races.py`` says how."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.slow
def test_nothing_depends_on_who_is_slow():
    done = subprocess.run(
        [sys.executable, "-m", "tests.races", "60"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
