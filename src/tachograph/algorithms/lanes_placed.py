"""Where the similarity of edges is computed: on the host, a device, or both."""

from __future__ import annotations

from dataclasses import dataclass

from ..decisions.split import model as decision
from ..devices.calibrate import calibration
from ..devices.choice import DeviceLike, calibrated_device, only_host, parse
from ..devices.host import Host
from ..devices.opencl import OpenCL
from ..graph.graph import Graph
from ..util.cores import threads_available
from ..util.errors import InputError

__all__ = ["Placement", "place"]

HOST_BELOW_ARCS = 1 << 18  # with fewer, asking which devices there are takes longer than it gains


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
    def id(self) -> str:
        """The devices that compute, by their ids."""
        names = ["host"] if self.workers else []
        return ",".join([*names, *([self.device.id] if self.device is not None else [])])


def place(graph: Graph, device: DeviceLike, split: float | str, splits: bool) -> Placement:
    """Follow what was asked for, or decide. ``splits`` says whether devices can take part at all."""
    workers = threads_available()
    if not splits:
        if not only_host(device):
            raise InputError(
                "devices take part for edges of undirected graphs without weights only: leave out "
                "device, or give 'host'"
            )
        return Placement(workers, None, None, 1.0, "computed by the host")
    share = _share(split)
    asked = parse(device)
    if share is not None and (asked is None or not asked.both):
        raise InputError("split needs two devices: device=['host', 'opencl']")
    if asked is None:
        return _decided(graph, workers)
    there = asked.opencl
    if there is None:
        return Placement(workers, None, None, 1.0, "the host was asked for")
    if asked.host is None:
        return Placement(0, there, None, 0.0, f"{there.id} was asked for")
    mine = there.host_threads(workers)
    expected = _expected(graph, mine, there)
    guess = 0.5 if expected is None else expected.share
    return Placement(mine, there, share, guess, "both were asked for")


def _share(split: float | str) -> float | None:
    if split == "auto":
        return None
    if isinstance(split, str) or not 0 <= split <= 1:
        raise InputError(f"split = {split!r}: 'auto', or the host's share from 0 to 1")
    return float(split)


def _decided(graph: Graph, workers: int) -> Placement:
    """Choose what is predicted to be fastest; the host where nothing is known."""

    def host(reason: str) -> Placement:
        return Placement(workers, None, None, 1.0, f"the host: {reason}")

    if graph.arcs < HOST_BELOW_ARCS:
        return host("the graph is small")
    device = calibrated_device()
    if device is None:
        return host("no device is calibrated and works (tacho devices --calibrate)")
    alone = _expected(graph, workers, device)
    mine = device.host_threads(workers)
    shared = _expected(graph, mine, device)
    if alone is None or shared is None:
        return host("it is not calibrated itself (tacho devices --calibrate)")
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
    """Return the predicted times, or None if the host or the device is not calibrated."""
    theirs = calibration(device)
    ours = calibration(Host(workers)) or _of_all(workers)
    if theirs is None or ours is None:
        return None
    resident = graph in device.room.graphs or device.capabilities.shares_memory
    state = decision.State.of(graph, 0 if resident else graph.nbytes)
    return decision.expected(state, ours, theirs, device.found.shares_cores)


def _of_all(workers: int) -> dict[str, float | None] | None:
    """Return the host's calibration with all its threads, slowed down to those that work."""
    cores = threads_available()
    known = calibration(Host(cores))
    if known is None or known["gather"] is None:
        return None
    return {**known, "gather": known["gather"] * min(workers, cores) / cores}
