"""Find the OpenCL devices: in separate processes, remembered until a driver changes."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..journal import content_key, journal
from ..util.errors import DeviceError, MissingDependencyError
from .driver_threads import THREAD_VARIABLES

__all__ = ["INSTALL", "Capabilities", "Found", "discover", "select", "surroundings"]

PATIENCE_SECONDS = 120.0  # that a driver may take for one answer
INSTALL = "pip install 'tachograph[opencl]'"
VENDORS = Path("/etc/OpenCL/vendors")
LOADER_SETTINGS = ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH")  # directories, or files, of drivers
#: What the names of variables begin with that decide which drivers are loaded, and what they can do.
SETTINGS = (
    *("OCL_", "OPENCL_", "CL_", "POCL_", "RUSTICL_", "OCLGRIND_", "GALLIUM_", "MESA_", "LIBGL_"),
    *("CUDA_", "ROCR_", "HIP_", "HSA_", "GPU_", "ZE_", "NEO", "LD_LIBRARY_PATH"),
)
WITHOUT = "TACHOGRAPH_DEVICE_WITHOUT"  # capabilities that no device is to be used with


@dataclass(frozen=True)
class Capabilities:
    """What a device can do beyond running kernels. :meth:`without` takes some away, for tests.

    ``svm`` is shared virtual memory, which host and device can use at the same time (``"fine"``),
    alternately (``"coarse"``) or not at all (``"none"``). ``svm_atomics`` says whether each sees the
    other's atomic operations, ``shares_memory`` whether buffers can be the host's own arrays.

    >>> Capabilities(svm="fine", svm_atomics=True).without("svm")
    Capabilities(svm='none', svm_atomics=False, int64_atomics=False, double=False, shares_memory=False)
    """

    svm: str = "none"
    svm_atomics: bool = False
    int64_atomics: bool = False
    double: bool = False
    shares_memory: bool = False

    def without(self, *names: str) -> Capabilities:
        """Return the same capabilities without those named."""
        unknown = set(names) - set(asdict(self))
        if unknown:
            raise DeviceError(
                f"there is no capability {', '.join(sorted(unknown))}; there are "
                f"{', '.join(asdict(self))}"
            )
        gone = {*names, "svm_atomics"} if "svm" in names else names
        return replace(self, **{name: getattr(Capabilities(), name) for name in gone})


#: What trials find out about a device.
TESTED = (*Capabilities.__dataclass_fields__, "turns")
TRIALS = 2  # their version: others are made again


@dataclass(frozen=True)
class Found:
    """An OpenCL device, whether it works or not. ``problem`` says why it does not."""

    id: str  # its name in ``device=`` and ``--device``
    name: str
    kind: str  # cpu, gpu or accelerator
    platform: str
    driver: str
    memory: int  # bytes
    largest: int  # bytes of the largest buffer
    units: int
    capabilities: Capabilities
    place: tuple[int, int] = (0, 0)  # the number of its platform, and its own on that
    problem: str | None = None
    turns: int | None = None  # after which its driver ends the loops of a work-item; None: never

    @property
    def shares_cores(self) -> bool:
        """Whether it computes on the host's cores."""
        return self.kind == "cpu"


def discover(again: bool = False) -> list[Found]:
    """Return all OpenCL devices of this machine; drivers are asked only if something has changed.

    Parameters
    ----------
    again
        Ask the drivers in any case.

    Returns
    -------
    list of Found
        Empty without pyopencl or without drivers. Capabilities that are named in the variable
        ``TACHOGRAPH_DEVICE_WITHOUT`` (such as ``svm,double``) are taken away.

    Raises
    ------
    DeviceError
        If drivers cannot be listed, or the variable names something unknown.
    """
    key = _surroundings()
    if again:
        _remembered.cache_clear()
    every = _remembered(key, again)
    unwanted = os.environ.get(WITHOUT, "").replace(",", " ").split()
    try:
        return [replace(d, capabilities=d.capabilities.without(*unwanted)) for d in every]
    except DeviceError as problem:
        raise DeviceError(f"{WITHOUT}: {problem}") from None


@functools.lru_cache(maxsize=8)
def _remembered(key: str, again: bool) -> list[Found]:
    kept = None if again else journal().get("devices", key)
    with suppress(LookupError, TypeError, AttributeError):  # of another version, or damaged
        if kept is not None:
            return [_made(number, facts) for number, facts in enumerate(kept["devices"])]
    every, certain = _ask_all()
    if every and certain:  # a driver may be installed, or repaired
        journal().put("devices", key, {"devices": every})
    return [_made(number, facts) for number, facts in enumerate(every)]


def _made(number: int, facts: dict[str, Any]) -> Found:
    able = {k: v for k, v in facts.items() if k in Capabilities.__dataclass_fields__}
    known = {k: v for k, v in facts.items() if k in Found.__dataclass_fields__}
    known |= {"id": f"opencl:{number}", "place": tuple(facts["place"])}
    return Found(capabilities=Capabilities(**able), **known)


def _surroundings() -> str:
    """Return a key that changes with the versions and settings that decide on the drivers loaded."""
    chosen = [Path(os.environ[name]) for name in LOADER_SETTINGS if os.environ.get(name)]
    places = (VENDORS, *chosen)
    files = (f for p in places for f in (sorted(p.glob("*.icd")) if p.is_dir() else [p]))
    drivers = [(str(file), file.stat().st_mtime) for file in files if file.exists()]
    ours = THREAD_VARIABLES.values()  # which are set while a device is opened
    settings = {k: v for k, v in os.environ.items() if k.startswith(SETTINGS) and k not in ours}
    return content_key(TRIALS, _versions(), drivers, settings, os.environ.get("PATH", ""))


@functools.cache
def _versions() -> dict[str, str]:
    """Return the versions of the packages that bring drivers; to read them takes milliseconds."""
    found = {}
    for package in ("pyopencl", "pocl-binary-distribution", "pocl"):
        with suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def _ask_all() -> tuple[list[dict[str, Any]], bool]:
    """Return the facts of every device, what its driver states and what tests found, and whether all
    tests came to an end.
    """
    if importlib.util.find_spec("pyopencl") is None:
        return [], True
    lines, problem = ask("list")
    if problem is not None:
        raise DeviceError(
            f"the OpenCL drivers of this machine cannot be listed: {problem}; find the broken one by "
            "setting OCL_ICD_VENDORS to one driver's .icd file at a time"
        )
    certain = True
    for facts in lines:
        answers, problem = ask("test", *map(str, facts["place"]))
        for answer in answers:
            facts.update({k: v for k, v in answer.items() if k in TESTED})
        certain = certain and problem is None
        if problem is not None and not any(answer.get("works") for answer in answers):
            facts["problem"] = problem
    return lines, certain


def surroundings() -> dict[str, str]:
    """Return the environment of a process that imports this package from where it is."""
    source = str(Path(__file__).parents[2])
    path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path}


def ask(*words: str) -> tuple[list[dict[str, Any]], str | None]:
    """Return the answers of a probe, and what went wrong, or None."""
    command = [sys.executable, "-m", f"{__package__}.probe", *words]
    env, patience = surroundings(), PATIENCE_SECONDS
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=patience, env=env)
        output, code = run.stdout, run.returncode
    except subprocess.TimeoutExpired as late:
        output, code = (late.stdout or b"").decode(), None
    answers = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    said = next((a["problem"] for a in answers if "problem" in a), None)
    step = next((a["step"] for a in reversed(answers) if "step" in a), "starting")
    if said is not None:
        return answers, f"{step} failed ({said}){remedy(said)}"
    if code is None:
        return answers, f"{step} took longer than {PATIENCE_SECONDS:.0f} s"
    if code < 0:
        return answers, f"{step} ended its process ({signal.Signals(-code).name})"
    return answers, None if code == 0 else f"{step} ended its process (exit code {code})"


def remedy(said: str) -> str:
    """Return what to do about a driver's words, if it is known.

    >>> remedy("RuntimeError: error: unknown target CPU 'generic'")
    '; PoCL is older than this processor: install a newer one, or another driver'
    """
    if "unknown target CPU" in said:
        return "; PoCL is older than this processor: install a newer one, or another driver"
    return ""


def select(wanted: str) -> Found:
    """Return the device with that id (``"opencl:0"``) or part of a name (``"opencl:nvidia"``), or
    the best one (``"opencl"``).

    Raises
    ------
    DeviceError
        If there is no such device, or if it does not work.
    MissingDependencyError
        Without pyopencl.
    """
    if importlib.util.find_spec("pyopencl") is None:
        raise MissingDependencyError(f"OpenCL devices need pyopencl: {INSTALL}")
    every = discover()
    if not every:
        raise DeviceError(f"there is no OpenCL device: install a driver, or {INSTALL}")
    _, _, which = wanted.partition(":")
    if which.isdigit():
        matching = [d for d in every if d.id == wanted]
    else:
        matching = [d for d in every if which.lower() in f"{d.platform} {d.name}".lower()]
    if not matching:
        have = ", ".join(f"{d.id} ({d.name})" for d in every)
        raise DeviceError(f"there is no device {wanted!r}; there are {have}")
    working = [d for d in matching if d.problem is None]
    if not working:
        first = matching[0]
        raise DeviceError(f"{first.id} ({first.name}) does not work: {first.problem}")
    # prefer devices with processors and memory of their own
    return min(working, key=lambda d: d.shares_cores)
