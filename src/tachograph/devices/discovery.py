"""Which devices there are: asked in processes of their own, remembered until a driver changes."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..journal import content_key, journal
from ..util.errors import DeviceError, MissingDependencyError

__all__ = ["INSTALL", "Capabilities", "Found", "discover", "select"]

PATIENCE = 120.0  # seconds that a driver may take for one answer
INSTALL = "pip install 'tachograph[opencl]'"
VENDORS = Path("/etc/OpenCL/vendors")
SETTINGS = ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "POCL_DEVICES", "CUDA_VISIBLE_DEVICES")


@dataclass(frozen=True)
class Capabilities:
    """What a device can do beyond running kernels. :meth:`without` takes some away, for tests.

    ``svm`` is the memory that host and device use by the same addresses: ``"fine"`` (both at the same
    time), ``"coarse"`` (in turns) or ``"none"``; ``svm_atomics`` whether atomic operations of one are
    seen by the other; ``shares_memory`` whether buffers can be the host's own arrays.

    >>> Capabilities(svm="fine", svm_atomics=True).without("svm")
    Capabilities(svm='none', svm_atomics=False, int64_atomics=False, double=False, shares_memory=False)
    """

    svm: str = "none"
    svm_atomics: bool = False
    int64_atomics: bool = False
    double: bool = False
    shares_memory: bool = False

    def without(self, *names: str) -> Capabilities:
        """The same with those named taken away."""
        unknown = set(names) - set(asdict(self))
        if unknown:
            raise DeviceError(f"there is no capability {', '.join(sorted(unknown))}")
        off = {name: "none" if name == "svm" else False for name in names}
        if "svm" in off:
            off["svm_atomics"] = False
        return replace(self, **off)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Found:
    """An OpenCL device, whether it works or not; ``problem`` says why not."""

    id: str  # what it is called in ``device=`` and ``--device``
    name: str
    kind: str  # cpu, gpu or accelerator
    platform: str
    driver: str
    memory: int  # bytes
    largest: int  # bytes of the largest buffer
    units: int
    capabilities: Capabilities
    problem: str | None = None

    @property
    def shares_cores(self) -> bool:
        """Whether it computes on the cores of the host."""
        return self.kind == "cpu"


def discover(again: bool = False) -> list[Found]:
    """All OpenCL devices of this machine; asks the drivers only if something has changed.

    Parameters
    ----------
    again
        Ask the drivers, whatever is remembered.

    Returns
    -------
    list of Found
        Empty without pyopencl or without drivers.
    """
    key = _surroundings()
    if again:
        _remembered.cache_clear()
    found: list[Found] = _remembered(key, again)
    return list(found)


@functools.lru_cache(maxsize=8)
def _remembered(key: str, again: bool) -> list[Found]:
    kept = None if again else journal().get("devices", key)
    if kept is None:
        kept = {"devices": _ask_all()}
        if not any("problem" in facts for facts in kept["devices"]):  # it may be mended tomorrow
            journal().put("devices", key, kept)
    return [_made(place, facts) for place, facts in enumerate(kept["devices"])]


def _made(place: int, facts: dict[str, Any]) -> Found:
    able = {k: v for k, v in facts.items() if k in Capabilities.__dataclass_fields__}
    named = ("name", "kind", "platform", "driver", "memory", "largest", "units")
    return Found(
        id=f"opencl:{place}",
        capabilities=Capabilities(**able),
        problem=facts.get("problem"),
        **{k: facts[k] for k in named},
    )


def _surroundings() -> str:
    """A key that changes with the versions and settings that decide which drivers are loaded."""
    versions = {}
    for package in ("pyopencl", "pocl-binary-distribution", "pocl"):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = ""
    drivers = []
    if VENDORS.is_dir():
        drivers = [(p.name, p.stat().st_mtime) for p in sorted(VENDORS.iterdir())]
    settings = {name: os.environ.get(name, "") for name in SETTINGS}
    return content_key(versions, drivers, settings, os.environ.get("PATH", ""))


def _ask_all() -> list[dict[str, Any]]:
    """Every device with what testing it gave."""
    if importlib.util.find_spec("pyopencl") is None:
        return []
    lines, problem = ask("list")
    if problem is not None:
        raise DeviceError(
            f"the OpenCL drivers of this machine cannot be listed: {problem}; find the broken one by "
            "setting OCL_ICD_VENDORS to one driver's .icd file at a time"
        )
    found = []
    for facts in lines:
        answers, problem = ask("test", *map(str, facts["place"]))
        for answer in answers:
            facts.update({k: v for k, v in answer.items() if k not in ("step", "done")})
        if problem is not None:
            facts["problem"] = problem
        found.append(facts)
    return found


def ask(*words: str) -> tuple[list[dict[str, Any]], str | None]:
    """The answers of a probe, and what went wrong, if something did."""
    command = [sys.executable, "-m", f"{__package__}.probe", *words]
    source = str(Path(__file__).parents[2])  # this package, wherever the parent took it from
    path = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH", "")]))
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=False,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip
        output, code = run.stdout, run.returncode
    except subprocess.TimeoutExpired as late:
        output, code = (late.stdout or b"").decode(), None
    answers = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    said = next((a["problem"] for a in answers if "problem" in a), None)
    step = next((a["step"] for a in reversed(answers) if "step" in a), "starting")
    if said is not None:
        return answers, f"{step} failed ({said})"
    if code is None:
        return answers, f"{step} took longer than {PATIENCE:.0f} s"
    if code < 0:
        return answers, f"{step} ended its process ({signal.Signals(-code).name})"
    return answers, None if code == 0 else f"{step} ended its process (exit code {code})"


def select(wanted: str) -> Found:
    """The device of that id (``"opencl:0"``), part of a name (``"opencl:nvidia"``), or the best one.

    Raises
    ------
    DeviceError
        If there is none, or if it does not work; says why.
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
        raise DeviceError(
            f"{matching[0].id} ({matching[0].name}) does not work: {matching[0].problem}"
        )
    # devices with processors and memory of their own first
    return min(working, key=lambda d: (d.shares_cores, d.id))
