"""What a GPU is: declared parameters with their sources, a catalogue by name, and users' own in TOML.

Data sheets give the parameters of ``catalogue.toml``. How fast a framework launches kernels, and what
share of its memory's bandwidth random sectors get, no data sheet says: these are calibrated (see
``constants.py``), and a GPU's own value replaces them.
"""

from __future__ import annotations

import os
import re
import tomllib
from functools import lru_cache
from pathlib import Path

from ...util.arguments import single
from ...util.errors import InputError
from ...util.memory import human
from ...util.settings import check_shape, read_toml
from ...util.text import did_you_mean
from ..accelerators.base import Machine, Parameter
from ..caches.sectored import LINE_BYTES

__all__ = ["GPU", "gpu_named", "is_gpu", "known_gpus"]

CATALOGUE = Path(__file__).with_name("catalogue.toml")
SHEET = "data sheet; see source"
ABOUT = ("name", "source", "note")  # what an entry of the catalogue has beside parameters
#: What a TOML file must say of a GPU that is not like another one.
NEEDED = ("sms", "clock_ghz", "l2_bytes", "memory_gbps", "memory_bytes")
MEMORIES = (
    *("DDR3", "DDR4", "DDR5", "LPDDR4", "LPDDR4X", "LPDDR5", "LPDDR5X", "GDDR3", "GDDR5", "GDDR5X"),
    *("GDDR6", "GDDR6X", "GDDR7", "HBM", "HBM2", "HBM2E", "HBM3", "HBM3E", "HBM4"),
)
#: Cores of a multiprocessor by architecture, for files that do not say it: vendors' descriptions of the
#: architectures. Chips for data centres may have another number.
CORES = {"kepler": 192, "maxwell": 128, "pascal": 128, "volta": 64, "turing": 64, "ampere": 128}
CORES |= {"ada": 128, "hopper": 128, "blackwell": 128, "gcn": 64, "cdna": 64, "rdna": 64}
CLOCK_IN_MHZ = 20.0  # GHz, several times what any chip has: such a number is in other units
PLAIN_NAME = re.compile(r"[\w.+-]+( [\w.+-]+)*")  # no separators of paths: models are kept by name


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
    memory: Parameter[str] = Parameter(
        "GDDR5", "family of the memory; its rate is what times follow", SHEET
    )
    channels: Parameter[int] = Parameter(
        8, "channels of the memory; its rate is what times follow", SHEET, low=1
    )
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
        name = single("name", name, "str")
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
        self.settings["architecture"] = self.architecture.lower()
        if self.memory.partition("-")[0].upper() not in MEMORIES:
            raise InputError(f"memory = {self.memory!r} must be one of {', '.join(MEMORIES)}")
        if self.clock_ghz > CLOCK_IN_MHZ:
            raise InputError(f"clock_ghz = {self.clock_ghz:g} is too fast: is it in MHz?")
        if self.l2_bytes < self.l2_ways * LINE_BYTES:
            raise InputError(
                f"l2_bytes = {self.l2_bytes} must hold {self.l2_ways} lines of {LINE_BYTES} bytes"
            )

    def changed(self, **settings: object) -> GPU:
        """Return the same GPU with other settings.

        >>> GPU("v100").changed(sms=40).sms
        40
        """
        made = GPU("", **{**self.settings, **settings})
        made.name, made.title, made.source = self.name, self.title, self.source
        return made

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


def gpu_named(name: str | os.PathLike[str] | GPU) -> GPU:
    """Return a GPU by its name in the catalogue, or from a TOML file of the user's."""
    if isinstance(name, GPU):
        return name
    name = os.fspath(name)
    if not name:
        raise InputError(f"a GPU needs a name; known: {', '.join(known_gpus())}, or a TOML file")
    if not name.endswith(".toml"):
        return GPU(name)
    given = read_toml(name)
    known = {*GPU.declared(), *ABOUT, "like"}
    for key in given:
        if key not in known:
            raise InputError(f"{name}: unknown key {key!r}; known: {', '.join(sorted(known))}")
    check_shape(name, given, dict.fromkeys(("like", *ABOUT), str))
    like, title = given.pop("like", ""), given.pop("name", Path(name).stem)
    source = given.pop("source", name)
    given.pop("note", None)
    if not PLAIN_NAME.fullmatch(title):
        raise InputError(f"{name}: name = {title!r} must be words of letters, digits, and - + . _")
    missing = [] if like else [key for key in NEEDED if key not in given]
    try:
        made = GPU(like, **given)
        if missing:
            raise InputError(
                f"says nothing of {', '.join(missing)}: add them, or the GPU that it is like, as in "
                'like = "v100"'
            )
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    if not like and "cores" not in given:
        made = GPU(**given, cores=CORES.get(made.architecture, GPU.cores.default))
    made.name, made.title, made.source = plain(title), title, source
    return made
