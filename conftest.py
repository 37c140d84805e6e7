"""Settings of all tests, those in docstrings and documents included."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

collect_ignore = [
    "docs/new-algorithm.md",  # its blocks are run by tests/test_guides.py
]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-slow", action="store_true", help="run exhaustive variants, too")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--run-slow"):
        skip = pytest.mark.skip(reason="slow: run with --run-slow")
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(skip)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Examples write files: every test runs in a directory of its own, with a journal of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACHOGRAPH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("tachograph.journal.store.LOOK_AGAIN_SECONDS", 0.0)  # files change at once


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell started us in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)  # commands we start need Ctrl-C
    os.environ.setdefault("NUMBA_NUM_THREADS", "4")  # more than small machines have cores
