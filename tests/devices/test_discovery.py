"""Devices are found in processes of their own: none, broken and dying drivers are only reported."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tachograph as tg
from tachograph.cli.devices import _use
from tachograph.devices import discovery
from tachograph.devices.discovery import Capabilities, Found, ask, discover, select
from tachograph.journal import journal
from tachograph.tasks.table import TASKS
from tests.cli.test_cli import tacho
from tests.devices.support import any_device, needs_pyopencl, python

GOOD = {
    "name": "Fast One", "kind": "gpu", "platform": "Maker", "driver": "1.0", "memory": 10**9,
    "largest": 10**8, "units": 8, "svm": "coarse",
}  # fmt: skip


@pytest.fixture
def answers(monkeypatch):
    """What a made-up driver says, in place of a process."""

    def say(**by_words):
        def ask(*words):
            asked.append(words)
            return by_words[words[0]]

        asked: list[tuple[str, ...]] = []
        monkeypatch.setattr(discovery, "ask", ask)
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
        return asked

    discovery._remembered.cache_clear()
    yield say
    discovery._remembered.cache_clear()


def listed(*facts):
    return [{"place": [0, i], **f} for i, f in enumerate(facts)], None


def test_what_works_is_remembered_until_asked_again(answers):
    asked = answers(list=listed(GOOD), test=([{"int64_atomics": True}], None))
    (found,) = discover()
    assert found == Found("opencl:0", "Fast One", "gpu", "Maker", "1.0", 10**9, 10**8, 8,
                          Capabilities(svm="coarse", int64_atomics=True))  # fmt: skip
    discovery._remembered.cache_clear()  # as in another process
    assert discover() == [found]
    assert len(asked) == 2
    discover(again=True)
    assert len(asked) == 4


def test_a_broken_device_is_listed_with_its_problem_and_not_remembered(answers):
    problem = "launching a kernel ended its process (SIGABRT)"
    answers(list=listed(GOOD), test=([], problem))
    assert [d.problem for d in discover()] == [problem]
    assert journal().records("devices") == {}
    with pytest.raises(tg.DeviceError, match=r"opencl:0 \(Fast One\) does not work: launching"):
        select("opencl")


def test_a_trial_of_something_optional_that_ends_its_process_costs_only_that(answers):
    """Its driver cannot be trusted with shared memory, but with everything that was tried before."""
    tried = [{"step": "atomic minimum of 64 bits", "int64_atomics": False, "works": True},
             {"int64_atomics": True}, {"step": "shared virtual memory", "svm": "none"}]  # fmt: skip
    problem = "shared virtual memory ended its process (SIGSEGV)"
    answers(list=listed(GOOD), test=(tried, problem))
    (found,) = discover()
    assert found.problem is None
    assert found.capabilities == Capabilities(int64_atomics=True)
    assert journal().records("devices") == {}  # perhaps it was only slow


def test_no_devices_are_not_remembered(answers):
    """A driver that is installed later is found by the next process."""
    answers(list=([], None))
    assert discover() == []
    discovery._remembered.cache_clear()  # as in another process
    answers(list=listed(GOOD), test=([], None))
    assert [d.name for d in discover()] == ["Fast One"]


def test_drivers_that_cannot_even_be_listed(answers):
    answers(list=([], "starting ended its process (SIGSEGV)"))
    with pytest.raises(tg.DeviceError, match="cannot be listed.*SIGSEGV.*OCL_ICD_VENDORS"):
        discover()


def test_selection_by_number_name_and_kind(answers):
    cpu = {**GOOD, "name": "Slow One", "kind": "cpu"}
    answers(list=listed(cpu, GOOD), test=([], None))
    assert select("opencl").name == "Fast One"  # has processors of its own
    assert select("opencl:0").name == "Slow One"
    assert select("opencl:slow").name == "Slow One"
    with pytest.raises(tg.DeviceError, match=r"no device 'opencl:7'; there are opencl:0 \(Slow"):
        select("opencl:7")
    with pytest.raises(tg.DeviceError, match="no device 'opencl:nvidia'"):
        select("opencl:nvidia")


def test_no_driver_and_no_package(answers, monkeypatch):
    answers(list=([], None))
    with pytest.raises(tg.DeviceError, match=r"no OpenCL device.*pip install 'tachograph\[opencl"):
        select("opencl")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    discovery._remembered.cache_clear()
    assert discover() == []
    with pytest.raises(tg.MissingDependencyError, match=r"pip install 'tachograph\[opencl\]'"):
        select("opencl")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("os.abort()", r"launching a kernel ended its process \(SIGABRT\)"),
        ("sys.exit(3)", r"launching a kernel ended its process \(exit code 3\)"),
        ("time.sleep(60)", "launching a kernel took longer than 1 s"),
    ],
)
def test_a_process_that_dies_names_its_step(code, said, tmp_path, monkeypatch):
    script = tmp_path / "driver.py"
    script.write_text(
        "import os, sys, time\n"
        """print('{"step": "launching a kernel", "svm": "fine"}', flush=True)\n""" + code
    )
    run = subprocess.run
    monkeypatch.setattr(discovery, "PATIENCE_SECONDS", 1.0 if "sleep" in code else 60.0)
    monkeypatch.setattr(
        subprocess, "run", lambda command, **kw: run([sys.executable, str(script)], **kw)
    )
    found, problem = ask("test", "0", "0")
    assert found == [{"step": "launching a kernel", "svm": "fine"}]
    assert re.fullmatch(said, problem)


STATED = """
import json, sys
import pyopencl as cl
every = [d for p in cl.get_platforms() for d in p.get_devices()]
device = next(d for d in every if d.name.strip() == sys.argv[1])
print(json.dumps([device.global_mem_size, device.extensions]))
"""


@needs_pyopencl
def test_the_probe_finds_what_the_driver_states():
    name = any_device().name
    probed = next(found for found in discover(again=True) if found.name == name)
    # asked in a process of its own, as the probe does: a driver may state other sizes later on
    said = python("-c", STATED, name)
    memory, extensions = json.loads(said.stdout)
    assert probed.memory == memory
    assert probed.capabilities.double == ("cl_khr_fp64" in extensions)


@needs_pyopencl
def test_an_abort_in_the_driver_leaves_us_alive(tmp_path):
    """A driver may need a linker: PoCL without one ends the process at the first launch."""
    any_device()
    env = {"PATH": "/nonexistent", "POCL_CACHE_DIR": str(tmp_path / "pocl")}
    run = tacho("devices", "--json", **env)
    assert run.returncode == 0, run.stderr
    host, *devices = json.loads(run.stdout)
    assert host["use"] == "everything"
    for device in devices:
        if device["problem"] is not None:  # others bring what they need
            assert "nothing: " in device["use"]
            assert "ended its process" in device["problem"] or "failed" in device["problem"]


def test_capabilities_can_be_taken_away():
    able = Capabilities("fine", True, True, True, True)
    assert able.without("svm", "double") == Capabilities("none", False, True, False, True)
    assert able.without() == able
    with pytest.raises(tg.DeviceError, match="no capability speed"):
        able.without("speed")


def test_commands_without_opencl():
    """As if pyopencl were not installed."""
    hide = "import sys; sys.modules['pyopencl'] = None; from tachograph.cli import main; main()"
    run = python("-c", hide, "devices")
    assert run.returncode == 0, run.stderr
    assert "host" in run.stdout
    assert "pip install 'tachograph[opencl]'" in run.stderr


@pytest.mark.parametrize("wide", [True, False])
def test_the_uses_of_a_device_are_those_of_the_table(wide):
    """Every task with a way on a device is named, and no other."""
    able = Capabilities(int64_atomics=wide)
    found = Found("opencl:0", "Fast One", "gpu", "Maker", "1.0", 10**9, 10**8, 8, able)
    words = set(re.findall(r"\w+", _use(found, 8, True)))
    able_to = {t.name for t in TASKS.values() if any(way.where != "host" for way in t.ways)}
    assert {"maximal_independent_set", "maximum_flow"} <= able_to
    assert words & set(TASKS) == able_to
    assert ("lengths below" in _use(found, 8, True)) != wide


@pytest.mark.skipif(shutil.which("cc") is None or platform.machine() != "x86_64", reason="no cc")
def test_the_processor_that_tests_tell_pocl_is_one_that_this_one_can_be(tmp_path):
    made, source = tmp_path / "known.so", Path(__file__).with_name("known_processor.c")
    words = ["cc", "-O1", "-fno-builtin", "-shared", "-fPIC", "-o", made, source]
    subprocess.run(words, check=True)
    told = ctypes.create_string_buffer(8)
    ctypes.CDLL(str(made)).strncpy(told, b"generic", ctypes.c_size_t(7))
    flags = set(Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0].split())
    assert told.value == (b"haswell" if flags >= {"avx2", "fma", "bmi2"} else b"x86-64")


def test_a_driver_that_is_too_old_is_said_to_be(tmp_path, monkeypatch):
    script, run = tmp_path / "driver.py", subprocess.run
    script.write_text("""print('{"problem": "error: unknown target CPU"}')""")
    monkeypatch.setattr(
        subprocess, "run", lambda command, **kw: run([sys.executable, str(script)], **kw)
    )
    _, problem = ask("test", "0", "0")
    assert "failed (error: unknown target CPU); PoCL is older than this processor" in problem
