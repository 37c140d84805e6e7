"""The contract on implementations of OpenCL that need no graphics processor, where they are installed.

Each gets a process of its own that sees no other driver. What a device cannot do is skipped there by its
capabilities. Oclgrind simulates a device and watches every access of every work-item.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from ctypes.util import find_library
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.devices.support import needs_pyopencl

pytestmark = needs_pyopencl
HERE = Path(__file__).parent
#: Work-items of these kernels read what others write in the same launch, on purpose. In `push` and
#: `expand` a claim that is seen late is tried again by an atomic operation; in `relax` a distance that is
#: too large only lets the atomic minimum decide; the labels of components only ever get nearer to the root;
#: in `select_` a vertex that is beaten is only beaten again.
RACING = ("push", "push_wide", "pull_wide", "alone", "relax", "relax_wide", "relax_alone", "expand",
          "shorten", "link_second", "link_rest", "link_wide", "select_")  # fmt: skip
BENIGN_RACES = {("Read-write data race", kernel) for kernel in RACING}
#: An approximation does without atomics: then two may write the same distance.
BENIGN_RACES |= {("Write-write data race", k) for k in ("relax", "relax_wide", "relax_alone")}
QUICK = "test_small_graphs or test_groups or whatever"  # of the contract; slow tests run all of it


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
        _first("liboclgrind-rt-icd.so", "/usr/lib/oclgrind"),
        "apt-get install oclgrind",
        {"OCLGRIND_CHECK_API": "1", "OCLGRIND_NUM_THREADS": "1", "OCLGRIND_DATA_RACES": "1"},
        "test_small_graphs or test_groups",
        "test_small_graphs or test_groups",
    ),
}


#: A simulator that watches every access takes minutes.
WATCHED = [name for name, i in IMPLEMENTATIONS.items() if "OCLGRIND_DATA_RACES" in i.settings]
NAMES = [pytest.param(n, marks=[pytest.mark.slow] * (n in WATCHED)) for n in IMPLEMENTATIONS]


@pytest.mark.parametrize("much", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_the_contract_on(name, much, tmp_path):
    library, install, settings, quick, slow = IMPLEMENTATIONS[name]
    tests = slow if much else quick
    if library is None:
        pytest.skip(f"{name} is not installed, so nothing is known about it: {install}")
    (tmp_path / "only.icd").write_text(library)
    reports = tmp_path / "reports"
    env = {**os.environ, **settings, "OCLGRIND_LOG": str(reports), "POCL_DEVICES": "none"}
    env |= {"OCL_ICD_VENDORS": f"{tmp_path}/", "TACHOGRAPH_HOME": str(tmp_path / "home")}
    listed = subprocess.run(
        [sys.executable, "-c", "from tachograph.devices.discovery import discover; print(*discover())"],
        capture_output=True, text=True, env=env, check=True,
    )  # fmt: skip
    assert "problem=None" in listed.stdout, listed.stdout
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", tests]
    command += ["--run-slow"] * much
    run = subprocess.run(
        [*command, str(HERE / "test_contract.py")], capture_output=True, text=True, env=env
    )
    assert run.returncode == 0, run.stdout[-3000:]
    assert re.search(r"\d+ passed", run.stdout)
    text = reports.read_text() if reports.exists() else ""
    found = Counter(re.findall(r"^(\S.*?)(?: at .*)?\n\tKernel: (\w+)", text, re.MULTILINE))
    assert set(found) <= BENIGN_RACES, found
    if name in WATCHED:
        assert found, "the simulator has not watched anything"
