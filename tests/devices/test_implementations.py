"""The contract on implementations of OpenCL that need no graphics processor, where they are installed.

Each gets a process of its own that sees no other driver. What a device cannot do is skipped there by its
capabilities. Oclgrind simulates a device and watches every access of every work-item.
"""

from __future__ import annotations

import faulthandler
import os
import re
import subprocess
import sys
from collections import Counter
from ctypes.util import find_library
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.devices.support import PROGRAM_SECONDS, needs_pyopencl, python

pytestmark = needs_pyopencl
HERE = Path(__file__).parent
SLOW_SECONDS = 3600
#: Work-items of these kernels read what others write in the same launch, on purpose. In `push` and
#: `expand` a claim that is seen late is tried again by an atomic operation; in `relax` a distance that is
#: too large only lets the atomic minimum decide; the labels of components only ever get nearer to the root;
#: in `decide` a neighbour whose decision is seen late lets a vertex wait; in `select_` a vertex that is beaten is only beaten again; a pull that is given up may be so late.
RACING = ("push", "push_wide", "pull", "pull_wide", "alone", "relax", "relax_wide", "relax_alone", "expand",
          "shorten", "link_second", "link_rest", "link_wide", "select_", "decide", "decide_alone")  # fmt: skip
BENIGN_RACES = {("Read-write data race", kernel) for kernel in RACING}
#: An approximation does without atomics: then two may write the same distance.
BENIGN_RACES |= {("Write-write data race", k) for k in ("relax", "relax_wide", "relax_alone")}
QUICK = "test_small_graphs or test_groups or whatever"  # of the contract; slow tests run all of it
#: Oclgrind looks for uninitialised values, too, but that crashes with vectors of floats, and with
#: launches from a second thread. It has one kind of memory.
SECOND_THREAD = "(intersect or micro_benchmarks)"
WATCHED = f"test_small_graphs and not {SECOND_THREAD}"
WATCHED_LESS = f"test_small_graphs and {SECOND_THREAD}"
RACES = {"OCLGRIND_CHECK_API": "1", "OCLGRIND_NUM_THREADS": "1", "OCLGRIND_DATA_RACES": "1",
         "OCLGRIND_MAX_ERRORS": "1000000"}  # fmt: skip


#: A report: what, and in which kernel. Errors of the interface name a function instead.
REPORT = re.compile(r"^(\S.*?)(?: at .*)?\n\tKernel: (\w+)", re.MULTILINE)


class Implementation(NamedTuple):
    """Where a driver is, how to install it, which settings it needs, which tests it is fast enough for."""

    library: str | None
    install: str
    settings: dict[str, str]
    tests: str = QUICK
    slow: str = "test"


def _first(name: str, *places: str) -> str | None:
    found = (Path(place) / name for place in places)
    return next((str(path) for path in found if path.exists()), None)


SEARCHED = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
INTEL = _first("libintelocl.so", f"{sys.prefix}/lib", *filter(None, SEARCHED))
OCLGRIND = _first("liboclgrind-rt-icd.so", "/usr/lib/oclgrind")
IMPLEMENTATIONS = {
    "Intel's processor driver": Implementation(
        INTEL,
        "pip install intel-opencl-rt intel-cmplr-lib-rt",
        {"LD_LIBRARY_PATH": str(Path(INTEL or "").parent)},
    ),
    "rusticl": Implementation(
        find_library("RusticlOpenCL"),
        "apt-get install mesa-opencl-icd",
        {"RUSTICL_ENABLE": "swrast"},
    ),
    "oclgrind": Implementation(
        OCLGRIND,
        "apt-get install oclgrind",
        RACES | {"OCLGRIND_UNINITIALIZED": "1"},
        WATCHED,
        WATCHED,
    ),
    "oclgrind, less": Implementation(
        OCLGRIND, "apt-get install oclgrind", RACES, WATCHED_LESS, f"{WATCHED_LESS} or test_groups"
    ),
}


def passes_on(
    name: str, tmp_path: Path, file: str, *options: str
) -> subprocess.CompletedProcess[str]:
    """Run tests in a process that sees this implementation only."""
    library, install, settings, *_ = IMPLEMENTATIONS[name]
    if library is None:
        pytest.skip(f"{name} is not installed, so nothing is known about it: {install}")
    (tmp_path / "only.icd").write_text(library)
    env = {**os.environ, **settings, "POCL_DEVICES": "none"}
    env |= {"OCL_ICD_VENDORS": f"{tmp_path}/", "TACHOGRAPH_HOME": str(tmp_path / "home")}
    ask = "from tachograph.devices.discovery import discover; print(*discover())"
    listed = python("-c", ask, env=env)
    assert "problem=None" in listed.stdout, listed.stdout + listed.stderr
    seconds = PROGRAM_SECONDS
    if "--run-slow" in options:  # which takes minutes; each test in there has its own bound
        faulthandler.cancel_dump_traceback_later()
        seconds = SLOW_SECONDS
    command = ["-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", *options, str(HERE / file)]
    run = python(*command, env=env, seconds=seconds)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    assert re.search(r"\d+ passed", run.stdout)
    return run


@pytest.mark.parametrize("much", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_the_contract_on(name, much, tmp_path):
    *_, quick, slow = IMPLEMENTATIONS[name]
    tests = slow if much else quick
    run = passes_on(name, tmp_path, "test_contract.py", "-k", tests, *["--run-slow"] * much)
    found = Counter(REPORT.findall(run.stderr))
    assert set(found) <= BENIGN_RACES, found
    if tests == WATCHED:
        assert found, "the simulator has not watched anything"


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in IMPLEMENTATIONS if name != "oclgrind"])
def test_a_hundred_failures_in_each_phase_on(name, tmp_path):
    passes_on(name, tmp_path, "test_faults.py", "-k", "each_phase", "--run-slow")


PLANTED = """
import sys
import numpy as np
from pathlib import Path
from tachograph.devices import opencl
opencl.SOURCES = Path(sys.argv[1])
device = opencl.open_device()
there = device.scratch(64, np.int32)
device.launch(device.kernel("planted", sys.argv[2]), 64, there)
device.finish()
"""
KERNELS = """
__kernel void races(__global int *a) { a[0] = get_global_id(0); }
__kernel void leaves(__global int *a) { a[get_global_id(0) + 1] = 1; }
__kernel void reads(__global int *a) { if (a[get_global_id(0)] > 3) a[get_global_id(0)] = 1; }
"""


@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        ("races", "Write-write data race"),
        ("leaves", "Invalid write"),
        ("reads", "Controlflow depends on uninitialized value"),
    ],
)
def test_oclgrind_reports_what_is_planted(kernel, said, tmp_path):
    """So that silence means something."""
    library, install, settings, *_ = IMPLEMENTATIONS["oclgrind"]
    if library is None:
        pytest.skip(f"oclgrind is not installed: {install}")
    (tmp_path / "only.icd").write_text(library)
    (tmp_path / "planted.cl").write_text(KERNELS)
    env = {**os.environ, **settings, "POCL_DEVICES": "none", "OCL_ICD_VENDORS": f"{tmp_path}/"}
    run = python("-c", PLANTED, str(tmp_path), kernel, env=env)
    assert run.returncode == 0, run.stderr
    found = {(what.partition(" of size")[0], name) for what, name in REPORT.findall(run.stderr)}
    assert (said, kernel) in found
    assert not found & BENIGN_RACES
