"""Calibrated constants: what no data sheet says, fitted to published runs and kept in
``constants.toml``.

A GPU whose runs are known has constants of its own; another takes those of its architecture, or those
of all GPUs. ``tacho gpus validate`` fits them and measures how well they carry over.
"""

from __future__ import annotations

import math
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from .gpu import GPU

__all__ = [
    "QUEUED_US",
    "STREAM_SHARE",
    "USUAL_CORES",
    "Constants",
    "Kept",
    "constants_of",
    "errors_of",
    "origin_of",
]

FILE = Path(__file__).with_name("constants.toml")
USUAL_CORES = 64  # of a multiprocessor, for which ``step_cycles`` is told
#: How many times as large as that of a GPU with runs what another GPU has may be, so that the errors of
#: GPUs that were left out hold for it: of its architecture (V100 and GV100 are within 1.2 of another),
#: or of another one (K40c and TITAN Xp are 4.2 apart).
ALIKE_WITHIN, COMPARABLE_WITHIN = 2.0, 4.2
QUEUED_US = 5.0  # of a launch behind another, for which the host does not wait: inferred, usual
STREAM_SHARE = 0.8  # of the peak that sequential sectors get: inferred, usual for copies


class Constants(NamedTuple):
    """What a GPU takes; times of levels follow the clock: ``fixed_us + clocked_us / clock_ghz``."""

    fixed_us: float  # of a level that pushes, whatever the clock
    clocked_us: float  # of a level that pushes, at 1 GHz
    pull_ratio: float  # a level that pulls takes so many times the launch of one that pushes
    step_cycles: float  # of a multiprocessor with USUAL_CORES cores, for a step of a warp
    sector_cycles: float  # of a multiprocessor, for a sector that a lane asks of the L2
    random_share: float  # of the memory's peak that scattered sectors get
    pull_work: float = (
        1.0  # steps and sectors of a pull take the cores so many times those of a push
    )
    overlap: float = (
        3.0  # of cores and memory: 1 would add their times, infinity would take the longer
    )

    def launch_seconds(self, gpu: GPU, direction: str) -> float:
        """Return the time of a level beside its work."""
        push = gpu.launch_us
        if push is None:
            push = self.fixed_us + self.clocked_us / gpu.clock_ghz
        return push * 1e-6 * (self.pull_ratio if direction == "pull" else 1.0)


class Kept(NamedTuple):
    """The file: constants of all GPUs, of architectures and of GPUs, and measured errors."""

    every: Constants
    architectures: dict[str, Constants]
    gpus: dict[str, Constants]
    errors: dict[str, dict[str, float]]


@lru_cache(1)
def kept() -> Kept:
    """Read the file."""
    found: dict[str, Any] = tomllib.loads(FILE.read_text())

    def those(group: str) -> dict[str, Constants]:
        return {name: Constants(**values) for name, values in found.get(group, {}).items()}

    return Kept(
        Constants(**found["every"]), those("architecture"), those("gpu"), found.get("errors", {})
    )


def origin_of(gpu: GPU) -> str:
    """Return what is known of a GPU: its own runs, runs of its architecture or of other GPUs that are
    about as large, or only runs of GPUs that are very different.

    >>> origin_of(GPU("v100")), origin_of(GPU("titan-v")), origin_of(GPU("rtx3080"))
    ('gpu', 'architecture', 'every')
    >>> origin_of(GPU("v100", sms=60)), origin_of(GPU("a100"))
    ('architecture', 'unlike')
    """
    file = kept()
    if gpu.name in file.gpus and not _times_as_large(gpu, GPU(gpu.name)):
        return "gpu"
    measured = [GPU(name) for name in file.gpus]
    kin = [other for other in measured if other.architecture == gpu.architecture]
    for word, others, most in (
        ("architecture", kin, ALIKE_WITHIN),
        ("every", measured, COMPARABLE_WITHIN),
    ):
        if any(_times_as_large(gpu, other) <= math.log(most) for other in others):
            return word
    return "unlike"


def _times_as_large(gpu: GPU, other: GPU) -> float:
    """Return the logarithm of the largest ratio between what two GPUs have; 0 if they are the same."""
    speeds = [
        (g.sms * g.clock_ghz, g.cores, g.l2_bytes, g.l2_ways, g.memory_gbps) for g in (gpu, other)
    ]
    return max(abs(math.log(a / b)) for a, b in zip(*speeds, strict=True))


def constants_of(gpu: GPU) -> Constants:
    """Return the constants of a GPU: of its own runs, of its architecture, or of all GPUs."""
    file = kept()
    usual = file.architectures.get(gpu.architecture, file.every)
    same = gpu.name in file.gpus and GPU(gpu.name).architecture == gpu.architecture
    return file.gpus[gpu.name] if same else usual


def errors_of(kind: str) -> dict[str, float]:
    """Return median and 90th percentile of max(r, 1/r) that validation found for a kind of cell."""
    return dict(kept().errors.get(kind, {}))
