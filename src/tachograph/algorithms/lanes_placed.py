"""Where the similarity of edges is computed: on the host, a device, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..decisions.split import model as decision
from ..devices.calibrate import calibration
from ..devices.host import Host, host_threads
from ..devices.opencl import OpenCL, open_device
from ..graph.graph import Graph
from ..journal import journal
from ..kernels.runtime.launch import threads_available
from ..util.errors import DeviceError, InputError

__all__ = ["Placement", "place"]

SMALL = 1 << 18  # arcs below which it is not worth asking what devices there are


@dataclass(frozen=True)
class Placement:
    """Who computes: ``workers`` threads of the host (0: none), a device (None: none).

    ``share`` is the host's part if it is fixed; otherwise both take chunks until they meet, and
    ``guess`` is the part that is expected.
    """

    workers: int
    device: OpenCL | None
    share: float | None
    guess: float
    reason: str

    @property
    def device_name(self) -> str:
        """The devices that compute, by their ids."""
        names = ["host"] if self.workers else []
        return ",".join([*names, *([self.device.id] if self.device is not None else [])])


def place(graph: Graph, given: Any, split: float | str, splits: bool) -> Placement:
    """Decide, or follow what was asked for.

    ``splits`` says whether devices can take part at all.
    """
    asked = _names(given)
    workers = threads_available()
    if not splits:
        if asked not in (["auto"], ["host"]):
            raise InputError(
                "devices take part for edges of undirected graphs without weights only: leave out "
                "device, or give 'host'"
            )
        return Placement(workers, None, None, 1.0, "computed by the host")
    share = _share(split)
    if asked == ["auto"]:
        if share is not None:
            raise InputError("split needs two devices: device=['host', 'opencl']")
        return _decided(graph, workers)
    others = [name for name in asked if name != "host"]
    if len(others) > 1 or not asked:
        raise InputError(f"device = {given!r}: 'auto', 'host', a device, or the host and a device")
    if share is not None and len(asked) < 2:
        raise InputError("split needs two devices: device=['host', 'opencl']")
    if not others:
        return Placement(workers, None, None, 1.0, "the host was asked for")
    device = others[0] if isinstance(others[0], OpenCL) else open_device(others[0])
    if "host" not in asked:
        return Placement(0, device, None, 0.0, f"{device.id} was asked for")
    mine = host_threads(workers, device.found, device.threads)
    expected = _expected(graph, mine, device)
    guess = 0.5 if expected is None else expected.share
    return Placement(mine, device, share, guess, "both were asked for")


def _names(given: Any) -> list[Any]:
    """Devices, or their names, without those twice; ``Host`` is ``"host"``."""
    given = given.split(",") if isinstance(given, str) else given
    if not isinstance(given, Sequence):
        given = [given]
    made = [
        "host" if isinstance(d, Host) else d.strip() if isinstance(d, str) else d for d in given
    ]
    for one in made:
        if not isinstance(one, OpenCL) and not (
            isinstance(one, str) and one.partition(":")[0] in ("auto", "host", "opencl")
        ):
            raise InputError(f"there is no device {one!r}: tacho devices lists those there are")
    return list(dict.fromkeys(made))


def _share(split: float | str) -> float | None:
    if split == "auto":
        return None
    if isinstance(split, str) or not 0 <= split <= 1:
        raise InputError(f"split = {split!r}: 'auto', or the host's share from 0 to 1")
    return float(split)


def _decided(graph: Graph, workers: int) -> Placement:
    """The fastest by prediction; the host where nothing is known."""

    def host(reason: str) -> Placement:
        return Placement(workers, None, None, 1.0, f"the host: {reason}")

    if graph.arcs < SMALL:
        return host("the graph is small")
    if not any(not key.startswith("host") for key in journal().records("calibration")):
        return host("no device is calibrated (tacho devices --calibrate)")
    try:
        device = open_device()
    except (DeviceError, ImportError) as problem:
        return host(str(problem))
    alone = _expected(graph, workers, device)
    mine = host_threads(workers, device.found, device.threads)
    shared = _expected(graph, mine, device)
    if alone is None or shared is None:
        return host(f"{device.id} is not calibrated (tacho devices --calibrate)")
    best = decision.choose(alone.host, alone.device, shared.both)
    times = (
        f"predicted {alone.host * 1e3:.3g} ms on the host, {alone.device * 1e3:.3g} on {device.id}, "
        f"{shared.both * 1e3:.3g} on both"
    )
    if best == "host":
        return host(times)
    if best == "device":
        return Placement(0, device, None, 0.0, f"{device.id}: {times}")
    return Placement(mine, device, None, shared.share, f"both: {times}")


def _expected(graph: Graph, workers: int, device: OpenCL) -> decision.Expected | None:
    """Predicted times, or None if the device is not calibrated."""
    theirs = calibration(device)
    ours = calibration(Host(workers)) or _of_all(workers)
    if theirs is None or ours is None:
        return None
    resident = graph in device.room.graphs or device.capabilities.shares_memory
    state = decision.State.of(graph, 0 if resident else graph.nbytes)
    return decision.expected(state, ours, theirs, device.found.shares_cores)


def _of_all(workers: int) -> dict[str, Any] | None:
    """The host's calibration with all its threads, slowed down to those that work."""
    cores = threads_available()
    known = calibration(Host(cores))
    if known is None or known["gather"] is None:
        return None
    return {**known, "gather": known["gather"] * min(workers, cores) / cores}
