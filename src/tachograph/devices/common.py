"""Arrays that kernels of the host and of a device write in turns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .memory import Buffer
from .opencl import OpenCL

__all__ = ["Common"]


class Common:
    """Arrays by name, each up to date where it is asked for.

    They are the host's alone until the device asks for one. Then, with fine-grained shared memory,
    there is one of each; otherwise host and device have their own, and asking for one that the other
    side wrote last copies it.

    Parameters
    ----------
    device
        None: only the host uses them.
    arrays
        What they begin as.
    """

    def __init__(self, device: OpenCL | None, arrays: Mapping[str, np.ndarray]) -> None:
        self.device = device
        self.shared = device is not None and device.capabilities.svm == "fine"
        self._host: dict[str, np.ndarray] = {}
        self._there: dict[str, Any] = {}
        self._stale: dict[str, str] = {}  # arrays that are old on one side: "host" or "device"
        self._host |= arrays

    def _share(self, name: str) -> None:
        """Let the device have an array, too."""
        assert self.device is not None
        array = self._host[name]
        if self.shared:
            both = self.device.shared(max(1, array.size), array.dtype, name)[: array.size]
            both[:] = array
            self._host[name] = self._there[name] = both
        else:
            self._there[name] = self.device.output(array.copy(), name)

    def host(self, *names: str) -> tuple[np.ndarray, ...]:
        """The arrays, for the host."""
        for name in names:
            if self._stale.get(name) == "host":
                self._host[name][:] = self._there[name].fetch()
                del self._stale[name]
        return tuple(self._host[name] for name in names)

    def there(self, *names: str) -> tuple[Any, ...]:
        """The arrays, as arguments of the device's kernels."""
        assert self.device is not None
        for name in names:
            if name not in self._there:
                self._share(name)
            if self._stale.get(name) == "device":
                self.device.write(self._there[name], self._host[name])
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
        """Give the device's memory back."""
        for made in self._there.values():
            if isinstance(made, Buffer):
                made.release()
        self._there.clear()
