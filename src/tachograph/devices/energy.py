"""The energy that the processors have used, where Linux counts it (powercap)."""

from __future__ import annotations

from pathlib import Path

__all__ = ["Meter"]

POWERCAP = Path("/sys/class/powercap")


class Meter:
    """Reads the energy counters of all processor packages.

    ``available`` is False on machines without counters, or where reading them is not allowed.
    """

    def __init__(self) -> None:
        self._zones: list[tuple[Path, int]] = []
        self._joules = 0.0
        self._last: list[int] = []
        try:
            for zone in sorted(POWERCAP.glob("*:*")):
                if zone.name.count(":") == 1 and (zone / "energy_uj").exists():  # a whole package
                    most = int((zone / "max_energy_range_uj").read_text())
                    self._zones.append((zone / "energy_uj", most))
            self._last = self._read()
        except (OSError, ValueError):
            self._zones = []

    @property
    def available(self) -> bool:
        """Whether there are counters that can be read."""
        return bool(self._zones)

    def _read(self) -> list[int]:
        return [int(place.read_text()) for place, _ in self._zones]

    def joules(self) -> float:
        """Return the joules used since the last call, or since the meter was made; NaN if unknown."""
        if not self.available:
            return float("nan")
        now = self._read()
        used = 0
        for (_, most), before, after in zip(self._zones, self._last, now, strict=True):
            used += (
                after - before if after >= before else after + most - before
            )  # the counter has wrapped
        self._last = now
        return used / 1e6
