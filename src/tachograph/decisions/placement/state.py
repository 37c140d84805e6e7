"""What the placement of a kernel looks at: the call that is about to be made."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["KERNELS", "PLACES", "Call", "Kernel"]

PLACES = ("host", "device")


class Call(NamedTuple):
    """A kernel about to be run: what a policy looks at.

    ``share`` is the available parallelism as a part of the most that there was: for a flow the vertices
    with excess; None if it is ``vertices`` of ``total``. ``moves`` are the bytes that must be copied
    before the host, or the device, can run it.

    >>> Call("select", 0, 30, 90, 120).parallelism, Call("bfs", 3, 120, 900, 120, 0.1).parallelism
    (0.25, 0.1)
    """

    kernel: str
    iteration: int
    vertices: int  # entries of the work list
    arcs: int  # their arcs
    total: int  # vertices of the graph
    share: float | None = None
    moves: tuple[int, int] = (0, 0)

    @property
    def parallelism(self) -> float:
        """The part of the parallelism that is still available, from 0 to 1."""
        return self.vertices / max(self.total, 1) if self.share is None else self.share


class Kernel(NamedTuple):
    """A kernel of an algorithm in rounds.

    ``above`` is its published place above the break point, ``ratio`` its scalar instructions for each
    vector instruction: published for the set. For the flow, of which none are published, they were
    ``counted`` in the host's kernels as compiled for x86-64 (``count_instructions``), and ``tacho train
    placement`` counts again. ``host`` is the function of ``kernels`` that runs it on the host, as
    "module:function".
    """

    above: str
    ratio: float
    host: str
    counted: bool = False


#: The kernels of each task that runs in rounds.
KERNELS: dict[str, dict[str, Kernel]] = {
    "maximal_independent_set": {
        "randomize": Kernel("host", 9.12, "independent_set.rounds:randomize"),
        "select": Kernel("device", 1.02, "independent_set.rounds:select"),
        "deactivate": Kernel("device", 0.89, "independent_set.rounds:deactivate"),
    },
    "maximum_flow": {
        "preflow": Kernel("device", 0.90, "flow.rounds:preflow", counted=True),
        "push-adjust": Kernel("host", 0.39, "flow.rounds:adjust", counted=True),
        "bfs": Kernel("device", 0.49, "flow.rounds:bfs", counted=True),
    },
}
