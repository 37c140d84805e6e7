"""What a GPU is: declared parameters with their sources, a catalogue by name, and users' own in TOML.

Data sheets give the parameters of ``catalogue.toml``. How fast a framework launches kernels, and what
share of its memory's bandwidth random sectors get, no data sheet says: these are calibrated (see
``constants.py``), and a GPU's own value replaces them.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path

from ...util.errors import InputError
from ...util.memory import human
from ...util.settings import read_toml
from ...util.text import did_you_mean
from ..accelerators.base import Machine, Parameter
from ..caches.sectored import LINE_BYTES

__all__ = ["GPU", "gpu_named", "is_gpu", "known_gpus"]

CATALOGUE = Path(__file__).with_name("catalogue.toml")
SHEET = "data sheet; see source"
ABOUT = ("name", "source", "note")  # what an entry of the catalogue has beside parameters


class GPU(Machine):
    """A GPU by its name in the catalogue, with parameters changed by keywords.

    >>> GPU("v100").sms, GPU("v100", sms=40).sms
    (80, 40)
    >>> GPU("v100").shares_memory
    False
    """

    architecture: Parameter[str] = Parameter(
        "", "family of the design, such as volta; its calibration is used", SHEET
    )
    sms: Parameter[int] = Parameter(16, "multiprocessors", SHEET, low=1)
    cores: Parameter[int] = Parameter(
        64, "cores of a multiprocessor, each of which takes a lane in a cycle", SHEET, low=1
    )
    clock_ghz: Parameter[float] = Parameter(1.0, "clock that the driver names", SHEET, low=0.01)
    l2_bytes: Parameter[int] = Parameter(2 << 20, "size of the L2", SHEET, low=LINE_BYTES * 16)
    l2_ways: Parameter[int] = Parameter(
        16, "lines of a set of the L2", "inferred: vendors do not publish it", low=1
    )
    memory: Parameter[str] = Parameter("GDDR5", "family of the memory", SHEET)
    channels: Parameter[int] = Parameter(8, "channels of the memory", SHEET, low=1)
    memory_gbps: Parameter[float] = Parameter(200.0, "peak rate of the memory", SHEET, low=0.1)
    memory_bytes: Parameter[int] = Parameter(8 << 30, "size of the memory", SHEET, low=1)
    bus_gbps: Parameter[float] = Parameter(
        12.0,
        "rate of copies from the host; 0 if host and GPU share one memory",
        "inferred: about three quarters of PCIe 3.0 with 16 lanes",
        low=0.0,
    )
    bus_latency_us: Parameter[float] = Parameter(
        10.0, "time of a copy of no bytes", "inferred: usual for a copy over PCIe", low=0.0
    )
    launch_us: Parameter[float | None] = Parameter(
        None,
        "time of a level beside its work: launches, a count that is read back, an empty queue",
        "calibrated on published runs (None: of this GPU, else predicted from the clock)",
        kind=float,
        low=0.0,
    )
    atomics_per_cycle: Parameter[float] = Parameter(
        32.0,
        "atomic operations of the whole L2 in a cycle",
        "inferred: one for each slice",
        low=0.1,
    )

    def __init__(self, name: str = "", **settings: object) -> None:
        entry: dict[str, object] = {}
        if name:
            entry = dict(_catalogue().get(plain(name), {}))
            if not entry:
                known = ", ".join(known_gpus())
                raise InputError(
                    f"there is no GPU {name!r}; known: {known}, or your own as a TOML file"
                    f"{did_you_mean(name, known_gpus())}"
                )
        self.name = plain(name) or "gpu"
        self.title = str(entry.get("name", name))
        self.source = str(entry.get("source", ""))
        super().__init__(**{**{k: v for k, v in entry.items() if k not in ABOUT}, **settings})
        if self.l2_bytes < self.l2_ways * LINE_BYTES:
            raise InputError(
                f"l2_bytes = {self.l2_bytes} must hold {self.l2_ways} lines of {LINE_BYTES} bytes"
            )

    @property
    def shares_memory(self) -> bool:
        """Whether host and GPU share one memory, so that nothing is copied."""
        return self.bus_gbps == 0

    def copy_seconds(self, size: int) -> float:
        """Return how long copying so many bytes from the host takes.

        >>> GPU("a10-7850k").copy_seconds(1 << 30)
        0.0
        """
        if self.shares_memory:
            return 0.0
        return self.bus_latency_us * 1e-6 + size / (self.bus_gbps * 1e9)

    def must_hold(self, size: int, what: str) -> None:
        """Raise InputError if ``size`` bytes do not fit into its memory."""
        if size > self.memory_bytes:
            raise InputError(
                f"{what} needs {human(size)} on {self.name}, which has {human(self.memory_bytes)}: use "
                "a GPU with more memory, or a smaller graph"
            )

    def __repr__(self) -> str:
        return f"GPU({self.name!r})"


def plain(name: str) -> str:
    """Return a name as the catalogue writes it."""
    return name.lower().replace(" ", "-").replace("_", "-")


@lru_cache(1)
def _catalogue() -> dict[str, dict[str, object]]:
    return tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))


def known_gpus() -> tuple[str, ...]:
    """Return the names of the catalogue."""
    return tuple(_catalogue())


def is_gpu(name: str) -> bool:
    """Return whether a name is in the catalogue or is a TOML file.

    >>> is_gpu("v100"), is_gpu("host")
    (True, False)
    """
    return plain(name) in _catalogue() or name.endswith(".toml")


def gpu_named(name: str | GPU) -> GPU:
    """Return a GPU by its name in the catalogue, or from a TOML file of the user's."""
    if isinstance(name, GPU):
        return name
    if not name.endswith(".toml"):
        return GPU(name)
    given = read_toml(name)
    known = {*GPU.declared(), *ABOUT, "like"}
    for key in given:
        if key not in known:
            raise InputError(f"{name}: unknown key {key!r}; known: {', '.join(sorted(known))}")
    like, title = str(given.pop("like", "")), str(given.pop("name", Path(name).stem))
    source = str(given.pop("source", name))
    given.pop("note", None)
    try:
        made = GPU(like, **given)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    made.name, made.title, made.source = plain(title), title, source
    return made
