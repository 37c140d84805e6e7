"""What an accelerator is: a machine with declared parameters and phases of request streams.

Every parameter says what it means and where its default comes from. A machine is hardware that is
known by its off-chip requests: an accelerator is one, a GPU could be one, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import ClassVar, Generic, NamedTuple, TypeVar, cast, overload

import numpy as np

from ...algorithms.result import Trace
from ...util.errors import InputError
from ...util.memory import human
from ...util.text import did_you_mean
from ..dram import Memory
from ..streams import Phase
from .activity import Activity
from .problem import Problem

__all__ = ["Accelerator", "Layout", "Machine", "Parameter", "Size"]

T = TypeVar("T")
WIDTHS = (8, 16, 32, 64)  # bits
PARTITION_SIZES = tuple(1 << k for k in range(10, 23, 2))  # vertices, that a search tries
LARGEST_SETTING = 2**53  # of a parameter: exact as a float, and far from overflows
NO_SOURCE = "inferred: the text does not mention it"
WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
WRITTEN = {int: "a whole number", float: "a number", bool: "yes or no", str: "text"}


class Parameter(Generic[T]):
    """A declared parameter: its default, what it means, and where the default comes from.

    ``source`` names the table of the paper, or says ``inferred`` and why. ``low`` is the smallest
    value, ``choices`` are all values; a parameter whose default is None needs ``kind``. ``search`` are
    values that :func:`~tachograph.simulation.accelerators.explore.explore` tries.
    """

    def __init__(
        self,
        default: T,
        about: str,
        source: str,
        *,
        kind: type | None = None,
        low: float | None = None,
        choices: tuple[T, ...] | None = None,
        search: tuple[T, ...] = (),
    ) -> None:
        self.default = default
        self.about = about
        self.source = source
        self.kind: type = kind or type(default)
        self.low = low
        self.choices = choices
        self.search = search
        self.name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Parameter[T]: ...
    @overload
    def __get__(self, instance: Machine, owner: type) -> T: ...
    def __get__(self, instance: Machine | None, owner: type) -> Parameter[T] | T:
        return self if instance is None else cast(T, instance.settings[self.name])

    def __set__(self, instance: Machine, value: T) -> None:
        raise AttributeError(
            f"{instance!r} cannot be changed: make another with {self.name}={value}"
        )

    def checked(self, value: object) -> T:
        """Return a value that was given as itself or as text, or raise InputError."""
        if value is None or (isinstance(value, str) and value.lower() == "none"):
            if self.default is not None:
                raise InputError(f"{self.name} needs a value: {self.about}")
            return self.default
        if isinstance(value, str) and self.kind is bool:
            value = WORDS.get(value.lower(), value)
        elif isinstance(value, str):
            with suppress(ValueError):
                value = self.kind(value if self.kind is str else value.replace("_", ""))
        if isinstance(value, int) and abs(value) > LARGEST_SETTING:
            value = math.inf if value > 0 else -math.inf
        if isinstance(value, int) and self.kind is float:
            value = float(value)
        problem = None
        if isinstance(value, float) and not abs(value) <= LARGEST_SETTING:
            problem = f"must be finite, and at most {LARGEST_SETTING}"
        elif not isinstance(value, self.kind) or (self.kind is int and isinstance(value, bool)):
            problem = f"must be {WRITTEN.get(self.kind, self.kind.__name__)}"
        elif self.low is not None and not cast(float, value) >= self.low:
            problem = f"must be at least {self.low}"
        elif self.choices is not None and value not in self.choices:
            problem = f"must be one of {', '.join(map(str, self.choices))}"
        if problem is not None:
            raise InputError(f"{self.name} = {value!r} {problem}: {self.about}")
        return cast(T, value)


class Machine:
    """Hardware that is simulated by its off-chip memory requests.

    A subclass declares :class:`Parameter` objects. They are given as keywords; the error for an unknown
    one lists the known ones. ``settings`` has the value of every parameter, ``given`` those that the
    caller chose.

    >>> from tachograph.simulation.accelerators import AccuGraph
    >>> AccuGraph(edge_pipelines=8), AccuGraph(edge_pipelines=8).given
    (AccuGraph(edge_pipelines=8), {'edge_pipelines': 8})
    """

    def __init__(self, **settings: object) -> None:
        known, kind = self.declared(), type(self).__name__
        for name in settings:
            if name not in known:
                near = did_you_mean(name, known)
                raise InputError(
                    f"{kind} has no parameter {name!r}; known: {', '.join(known)}{near}"
                )
        self.given: dict[str, object] = {k: known[k].checked(v) for k, v in settings.items()}
        self.settings: dict[str, object] = {k: p.default for k, p in known.items()} | self.given

    @classmethod
    def declared(cls) -> dict[str, Parameter[object]]:
        """Return all parameters by name, those of the subclass first."""
        found: dict[str, Parameter[object]] = {}
        for owner in cls.__mro__:
            own = {k: p for k, p in vars(owner).items() if isinstance(p, Parameter)}
            found |= {name: p for name, p in own.items() if name not in found}
        return found

    @classmethod
    def path(cls) -> str:
        """Return where the class is, as ``package.module:Class``."""
        return f"{cls.__module__}:{cls.__qualname__}"

    def __repr__(self) -> str:
        usual = {name: p.default for name, p in self.declared().items()}
        changed = [f"{k}={self.settings[k]!r}" for k in usual if self.settings[k] != usual[k]]
        return f"{type(self).__name__}({', '.join(changed)})"


class Size(NamedTuple):
    """What an analytical model knows of a run: the graph's sizes, the task, and the memory.

    ``rows`` says where the edges of each vertex begin, so that partitions can be weighed, ``active``
    when vertices are (None: always).
    """

    n: int
    edges: int
    task: str
    iterations: int
    memory: Memory
    rows: np.ndarray | None = None
    active: Activity | None = None

    @property
    def additive(self) -> bool:
        """Whether every value changes in every iteration."""
        return self.task in ("pagerank", "spmv")

    @property
    def line(self) -> int:
        """Bytes of a request."""
        return self.memory.standard.request_bytes

    def sweeps(self, partition: int, skipping: bool) -> float:
        """Return how often all edges are read, if partitions without active vertices are skipped."""
        if self.active is None or self.active.steps is None or not skipping:
            return self.iterations
        # a design that sees changes at once has fewer iterations, with more that is active in each
        return min(self.iterations, self.active.iterations * self.active.share(partition))

    def updates(self, partition: int, merged: bool) -> float:
        """Return the updates of a run; ``merged``: those of a partition for one target are one."""
        pairs, shares = float(max(1, self.edges)), None
        if self.active is not None:
            shares = self.active.active_shares
        if merged and self.active is not None:
            pairs = max(1, self.active.pairs(partition))
        elif merged:  # as if edges went anywhere
            most = max(1.0, float(self.n * -(-self.n // partition)))
            pairs = -most * math.expm1(-pairs / most)
        if shares is None:
            return pairs * self.iterations
        return float((pairs * (1 - (1 - np.minimum(shares, 1)) ** (self.edges / pairs))).sum())

    def busy(self, partition: int, pes: int) -> float:
        """Return how many of ``pes`` elements work at a time if they have partitions in turns."""
        parts = -(-self.n // partition)
        if self.rows is None or not self.edges:
            return parts / -(-parts // pes)
        cuts = np.minimum(np.arange(parts + 1) * partition, self.n)
        edges = np.bincount(np.arange(parts) % pes, np.diff(self.rows[cuts]))
        return float(self.edges / edges.max())

    def moved(self, bytes_: float, channels: float) -> float:
        """Return the seconds in which so many channels move so many bytes that lie in order.

        If neighbouring lines are in one bank group, that is slower than the peak.
        """
        standard, shifts = self.memory.standard, self.memory.mapping.shifts
        gap = standard.timings["CCDL" if shifts["Bg"] > shifts["Co"] else "CCDS"]
        cycles = max(gap, standard.timings["BL"])
        return bytes_ / self.line / max(1.0, channels) * cycles * standard.tck * 1e-9


class Layout:
    """Addresses for arrays, one after the other, in the whole memory or on one channel of it.

    >>> from tachograph.simulation.dram import Memory
    >>> layout = Layout(Memory("DDR3-1600K", channels=2))
    >>> layout.place(100), layout.place(100), layout.place(10, channel=1)
    (0, 128, 128)
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.line: int = memory.standard.request_bytes
        self._used = [0] * memory.channels  # lines of each channel

    @property
    def bytes(self) -> int:
        """Bytes in use, in all channels."""
        return sum(self._used) * self.line

    def place(self, size: int, channel: int | None = None) -> int:
        """Make room for ``size`` bytes, from a line on, and return the address of the first line.

        Addresses of an array on one channel count the lines of this channel alone.
        """
        lines, channels = -(-size // self.line), len(self._used)
        if channel is None:
            start = max(self._used) * channels
            top = -(-(start + lines) // channels)
            self._used = [top] * channels
        else:
            start = self._used[channel]
            self._used[channel] = top = start + lines
        if top > self.memory.capacity // channels // self.line:
            raise InputError(
                f"the graph needs {human(top * self.line * channels)} of simulated memory with its "
                f"values and queues, but {self.memory!r} has {human(self.memory.capacity)}: use more "
                "channels or ranks, or a larger density"
            )
        return start * self.line


class Accelerator(Machine):
    """A graph accelerator, simulated by its off-chip memory requests.

    A subclass declares its :class:`Parameter` objects, says which ``tasks`` it runs and writes
    :meth:`phases`: see the guide.
    """

    tasks: ClassVar[tuple[str, ...]] = ()
    weights: ClassVar[bool] = True  # whether edges can have weights

    clock_mhz: Parameter[float | None] = Parameter(
        200.0,
        "clock of the accelerator in MHz",
        "inferred: not given in the text; chosen on slashdot, where 200 MHz agrees best with the "
        "paper's simulation",
        low=1.0,
    )
    inject: Parameter[int | None] = Parameter(
        None,
        "requests that a port sends in a cycle (None: as many as the memory takes)",
        "inferred: producers make requests in bulk, only edge and update reading is rate limited",
        kind=int,
        low=1,
    )
    bram_bytes: Parameter[int] = Parameter(
        10_000_000,
        "on-chip memory for vertex values in bytes",
        "inferred: 2,394,385 values of 32 bits (wiki-talk) fit, 3,072,627 (orkut) do not",
        low=1,
    )
    value_bits: Parameter[int | None] = Parameter(
        None, "bits of a vertex value (None: as in Table 3)", "Table 3", kind=int, choices=WIDTHS
    )
    vertex_bits: Parameter[int] = Parameter(32, "bits of a vertex id", "Table 3", choices=WIDTHS)
    permute_ids: Parameter[int | None] = Parameter(
        None, "seed of a permutation of the ids (None: no permutation)", NO_SOURCE, kind=int, low=0
    )

    def width(self, task: str) -> int:
        """Return the bytes of a vertex value."""
        return (self.value_bits or 32) // 8

    def clock(self, task: str) -> float:
        """Return the clock in MHz."""
        return self.clock_mhz or 200.0

    def bitstream(self, task: str) -> str:
        """Return what runs a task, by the name under which it was validated: the task's own."""
        return task

    def measures(self, edges: int, trace: Trace) -> dict[str, float]:
        """Return what the design's authors report, by name, if that is not time or REPS."""
        return {}

    def memory(self) -> Memory:
        """Return the memory that is used if none is given."""
        return Memory("DDR4-2400R")

    @property
    def banks(self) -> int:
        """Banks of on-chip memory that the items of a line wait for."""
        return 1

    def on_chip(self, n: int, task: str, channels: int) -> int:
        """Return the bytes of on-chip memory that a graph of ``n`` vertices takes."""
        return n * self.width(task)

    def terms(self, size: Size) -> dict[str, float]:
        """Return seconds that a run takes for this and that, as far as formulas tell.

        The analytical model weighs them with coefficients that are fitted to simulations; a design
        without terms is not modelled.
        """
        return {}

    def phases(self, problem: Problem, layout: Layout) -> Iterator[Phase]:
        """Yield the phases of a run; values computed between them decide what the next one asks for."""
        raise NotImplementedError

    def fits(self, values: int, width: int, what: str) -> None:
        """Raise InputError if the on-chip memory cannot hold so many values of ``width`` bytes."""
        if values * width > self.bram_bytes:
            most = self.bram_bytes // width
            raise InputError(
                f"{what}: {values:,} values of {width} bytes need {values * width:,} bytes of on-chip "
                f"memory, but bram_bytes = {self.bram_bytes:,} holds {most:,}: set partition_size to "
                f"at most {most:,}, or bram_bytes"
            )
