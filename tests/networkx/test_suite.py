"""NetworkX's own tests, run against the backend: no failure that NetworkX alone does not have."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

# Tests that reach most functions of the backend, and are quick.
PART = [
    "traversal.tests.test_bfs",
    "shortest_paths.tests.test_unweighted",
    "shortest_paths.tests.test_generic",
    "shortest_paths.tests.test_weighted",
    "components.tests.test_connected",
    "components.tests.test_weakly_connected",
    "link_analysis.tests.test_pagerank",
    "tests.test_link_prediction",
    "tests.test_mis",
    "tests.test_cluster",
]


def run(tests, tmp_path, *options, **environment):
    """The output of a run of NetworkX's tests, in a process of their own."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", *options,
         "--pyargs", *tests],
        cwd=tmp_path, capture_output=True, text=True, env={**os.environ, **environment},
    )  # fmt: skip
    return done.stdout + done.stderr


HERE = {"NETWORKX_TEST_BACKEND": "tachograph", "NETWORKX_FALLBACK_TO_NX": "True"}


def test_a_part(tmp_path):
    text = run([f"networkx.algorithms.{name}" for name in PART], tmp_path, "-n0", **HERE)
    assert re.search(r"\d{3} passed.* 3 xfailed", text), text[-3000:]
    assert "failed" not in text.replace("xfailed", "")


@pytest.mark.slow
def test_all(tmp_path):
    text = run(["networkx"], tmp_path, "-nauto", **HERE)
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", text, re.MULTILINE)
    assert re.search(r"\d{4} passed", text), text[-3000:]
    if failed:
        alone = run(["networkx"], tmp_path, "-nauto")
        also = re.findall(r"^(?:FAILED|ERROR) (\S+)", alone, re.MULTILINE)
        assert set(failed) <= set(also)
