"""Where arrays lie in the simulated memory: one after the other, each from a line on."""

from __future__ import annotations

from ...util.errors import InputError
from ...util.memory import human
from ..dram import Memory

__all__ = ["Layout"]


class Layout:
    """Addresses for arrays, in the whole memory or on one channel of it.

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
        """What is in use, in all channels."""
        return sum(self._used) * self.line

    def place(self, size: int, channel: int | None = None) -> int:
        """Room for ``size`` bytes; the address of its first line.

        An array on a channel has addresses that count the lines of this channel alone.

        Raises
        ------
        InputError
            If the memory is full.
        """
        lines = -(-size // self.line)
        if channel is None:
            start = max(self._used) * len(self._used)
            top = -(-(start + lines) // len(self._used))
            self._used = [top] * len(self._used)
        else:
            start = self._used[channel]
            self._used[channel] += lines
            top = self._used[channel]
        room = self.memory.capacity // len(self._used) // self.line
        if top > room:
            need = human(top * self.line * len(self._used))
            raise InputError(
                f"the graph needs {need} of simulated memory with its values and queues, but "
                f"{self.memory!r} has {human(self.memory.capacity)}: use more channels or ranks, or "
                "a larger density"
            )
        return start * self.line
