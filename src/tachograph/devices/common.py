"""Arrays that kernels of the host and of a device write alternately."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .memory import Buffer
from .opencl import OpenCL

__all__ = ["Common"]


class Common:
    """Named arrays that are up to date on whichever side uses them.

    They are on the host until the device uses one. With fine-grained shared memory, both sides then
    use the same array; otherwise each side has its own, and one that the other side wrote last is
    copied before it is used.

    Parameters
    ----------
    device
        The device, or None if only the host uses the arrays.
    arrays
        Their initial values.
    """

    def __init__(self, device: OpenCL | None, arrays: Mapping[str, np.ndarray]) -> None:
        self.device = device
        self.shared: bool = device is not None and device.capabilities.svm == "fine"
        self._host = dict(arrays)
        self._there: dict[str, Buffer | np.ndarray] = {}
        self._stale: dict[str, str] = {}  # the side, "host" or "device", whose copy is out of date

    def _share(self, name: str) -> None:
        """Make an array available to the device."""
        assert self.device is not None
        array = self._host[name]
        if self.shared:
            both = self.device.shared(max(1, array.size), array.dtype, name)[: array.size]
            both[:] = array
            self._host[name] = self._there[name] = both
        else:
            self._there[name] = self.device.output(array.copy(), name)

    def host(self, *names: str) -> tuple[np.ndarray, ...]:
        """Return the arrays for the host."""
        for name in names:
            there = self._there.get(name)
            if self._stale.get(name) == "host" and isinstance(there, Buffer):
                self._host[name][:] = there.fetch()
                del self._stale[name]
        return tuple(self._host[name] for name in names)

    def there(self, *names: str) -> tuple[Buffer | np.ndarray, ...]:
        """Return the arrays as arguments of the device's kernels."""
        assert self.device is not None
        for name in names:
            if name not in self._there:
                self._share(name)
            there = self._there[name]
            if self._stale.get(name) == "device" and isinstance(there, Buffer):
                self.device.write(there, self._host[name])
                del self._stale[name]
        return tuple(self._there[name] for name in names)

    def wrote(self, side: str, *names: str) -> None:
        """Note that ``side``, ``"host"`` or ``"device"``, has written the arrays."""
        if self.device is None or self.shared:
            return
        for name in names:
            if name in self._there:
                self._stale[name] = "device" if side == "host" else "host"

    def release(self) -> None:
        """Free the memory on the device."""
        for made in self._there.values():
            if isinstance(made, Buffer):
                made.release()
        self._there.clear()
