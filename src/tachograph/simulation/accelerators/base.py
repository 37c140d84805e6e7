"""What an accelerator is: a machine with phases of request streams, and arrays in its memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ...util.errors import InputError
from ...util.memory import human
from ..dram import Memory
from ..machine import Machine, Parameter
from ..streams import Phase
from .problem import Problem

__all__ = ["Accelerator", "Layout"]

WIDTHS = (8, 16, 32, 64)  # bits
NO_SOURCE = "inferred: the text does not mention it"


class Layout:
    """Addresses for arrays, one after the other, in the whole memory or on one channel of it.

    >>> from tachograph.simulation.dram import Memory
    >>> layout = Layout(Memory("DDR3-1600K", channels=2))
    >>> layout.place(100), layout.place(100), layout.place(10, channel=1)
    (0, 128, 128)
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.line = memory.standard.request_bytes
        self._used = [0] * memory.channels  # lines of each channel

    @property
    def bytes(self) -> int:
        """Bytes in use, in all channels."""
        return sum(self._used) * self.line

    def place(self, size: int, channel: int | None = None) -> int:
        """Make room for ``size`` bytes, from a line on, and return the address of the first line.

        Addresses of an array on one channel count the lines of this channel alone.

        Raises
        ------
        InputError
            If the memory is full.
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

    clock_mhz = Parameter(
        200.0,
        "clock of the accelerator in MHz",
        "inferred: not given in the text; chosen on slashdot, where 200 MHz agrees best with the "
        "paper's simulation",
        low=1.0,
    )
    inject = Parameter(
        None,
        "requests that a port sends in a cycle (None: as many as the memory takes)",
        "inferred: producers make requests in bulk, only edge and update reading is rate limited",
        kind=int,
        low=1,
    )
    bram_bytes = Parameter(
        10_000_000,
        "on-chip memory for vertex values in bytes",
        "inferred: 2,394,385 values of 32 bits (wiki-talk) fit, 3,072,627 (orkut) do not",
        low=1,
    )
    value_bits = Parameter(
        None, "bits of a vertex value (None: as in Table 3)", "Table 3", kind=int, choices=WIDTHS
    )
    vertex_bits = Parameter(32, "bits of a vertex id", "Table 3", choices=WIDTHS)
    permute_ids = Parameter(
        None, "seed of a permutation of the ids (None: no permutation)", NO_SOURCE, kind=int, low=0
    )

    def width(self, task: str) -> int:
        """Return the bytes of a vertex value."""
        return (self.value_bits or 32) // 8

    def memory(self) -> Memory:
        """Return the memory that is used if none is given."""
        return Memory("DDR4-2400R")

    @property
    def banks(self) -> int:
        """Banks of on-chip memory that the items of a line wait for."""
        return 1

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
