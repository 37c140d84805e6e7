"""What the placement of a kernel looks at: the call that is about to be made."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["KERNELS", "PLACES", "Call", "Kernel"]

PLACES = ("host", "device")


class Call(NamedTuple):
    """A kernel about to be run: what a policy looks at."""

    kernel: str
    iteration: int
    vertices: int  # entries of the work list
    arcs: int  # their arcs
    total: int  # vertices of the graph


class Kernel(NamedTuple):
    """A kernel of an algorithm in rounds.

    ``above`` is its published place above the break point, ``ratio`` its scalar instructions for each
    vector instruction: published for the set, declared for the flow. ``host`` is the function of
    ``kernels`` that runs it on the host, as "module:function".
    """

    above: str
    ratio: float
    host: str


#: The kernels of each task that runs in rounds.
KERNELS: dict[str, dict[str, Kernel]] = {
    "maximal_independent_set": {
        "randomize": Kernel("host", 9.12, "independent_set.rounds:randomize"),
        "select": Kernel("device", 1.02, "independent_set.rounds:select"),
        "deactivate": Kernel("device", 0.89, "independent_set.rounds:deactivate"),
    },
    "maximum_flow": {
        "preflow": Kernel("device", 4.0, "flow.rounds:preflow"),
        "push-adjust": Kernel("host", 4.0, "flow.rounds:adjust"),
        "bfs": Kernel("device", 4.0, "flow.rounds:bfs"),
    },
}
