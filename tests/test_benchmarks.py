"""Scripts of benchmarks that go wrong where something else does: they must say so, and count right."""

from __future__ import annotations

import socket
from unittest.mock import Mock

import pytest

from tachograph.lab.runs import Runs

from .test_results import module


@pytest.fixture
def lab(monkeypatch):
    pytest.importorskip("playwright")
    lab = module("lab")
    monkeypatch.setattr(lab, "ANSWER_SECONDS", 0.1)
    monkeypatch.setattr(lab, "SETTLED_SECONDS", 0.0)
    return lab


def watched(lab, url, runs=None):
    served = Mock(queue=lambda kind: runs or kind())
    return lab.watched(served, Mock(), url, "tree 15 2", "bfs", {}, 1)


def test_a_lab_that_never_answers_is_not_waited_for(lab):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(TimeoutError):
            watched(lab, f"http://127.0.0.1:{silent.getsockname()[1]}/")


def test_a_lab_that_starts_no_run_is_not_waited_for(lab, monkeypatch):
    monkeypatch.setattr(lab, "urlopen", Mock())
    with pytest.raises(TimeoutError, match=r"in 0\.1 seconds, no run was asked for"):
        watched(lab, "http://127.0.0.1:9/")


def test_a_run_that_fails_before_it_begins_is_an_error(lab, monkeypatch):
    runs = Runs()
    failed = Mock(watch=None, over=True, error="no such graph", outcome=None)

    def post(*_, timeout):
        runs.jobs[1] = failed
        return Mock()

    monkeypatch.setattr(lab, "urlopen", post)
    with pytest.raises(AssertionError, match="no such graph"):
        watched(lab, "http://127.0.0.1:9/", runs)
