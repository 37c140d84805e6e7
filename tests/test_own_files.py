"""Damaged files of our own: a few seconds of each fuzz target, and longer behind the marker."""

from __future__ import annotations

import pytest

from tests.fuzz_own_files import TARGETS, fuzz


@pytest.mark.parametrize("seconds", [3, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", TARGETS)
def test_damaged_files_do_no_harm(name, seconds):
    assert fuzz(name, seconds) > 5
