"""Which direction a simulated GPU takes at a level.

``auto`` takes the one that is predicted to be faster on that GPU. After ``tacho train direction
--device NAME`` it is the cost model that was trained on it, and ``surf`` is the network that was.
"""

from __future__ import annotations

from collections.abc import Callable

from ...decisions.direction.model import Policy, learned, policy_named, the_model
from ...decisions.direction.state import State
from ...decisions.model_file import own_model
from ...graph.graph import Graph
from ...util.errors import InputError
from .analytic import LABEL_BYTES, predict
from .constants import STREAM_SHARE, Constants, constants_of
from .gpu import GPU
from .warps import WARP

__all__ = ["chosen", "looks_of", "policy_on", "pull_seconds"]

#: A warp of a pull is as long as its longest search: so many times the mean (of 32 geometric ones).
LONGEST_OF_WARP = 4.0


def chosen(direction: object, gpu: GPU, graph: Graph) -> Policy | Callable[[State], str]:
    """Return the policy that a user means on this GPU."""
    if direction == "oracle":
        raise InputError(
            "direction = 'oracle' is for the host: on a simulated GPU, compare push and pull instead"
        )
    trained = own_model(f"direction-{gpu.name}")
    if direction in ("auto", "cost", "surf") and trained.exists():
        return learned("surf" if direction == "surf" else "cost", the_model.read(trained))
    if direction == "auto":
        return policy_on(gpu, graph)
    return policy_named(direction)  # type: ignore[arg-type]


def pull_seconds(gpu: GPU, constants: Constants, n: float, looks: float) -> float:
    """Predict a level that pulls: every vertex is scanned, and so many arcs are looked at.

    What is looked up is a bit for each vertex, which the L2 holds.
    """
    cycle = 1e-9 / (gpu.sms * gpu.clock_ghz)
    scan = n * LABEL_BYTES / (STREAM_SHARE * gpu.memory_gbps * 1e9)
    steps = LONGEST_OF_WARP * looks / WARP + n / WARP
    work = steps * constants.step_cycles + looks * constants.sector_cycles
    return constants.launch_seconds(gpu, "pull") + scan + work * cycle


def policy_on(gpu: GPU, graph: Graph) -> Callable[[State], str]:
    """Return a function of the state that compares the predicted times of push and pull."""
    constants = constants_of(gpu)
    whole = predict(graph, gpu, levels=0.0)
    per_arc = whole["seconds"] / max(graph.arcs, 1)  # of a push
    launch = constants.launch_seconds(gpu, "push")

    def choose(s: State) -> str:
        """Compare the times of both."""
        pull = pull_seconds(gpu, constants, s.n, looks_of(s))
        return "pull" if pull < launch + s.m_f * per_arc else "push"

    return choose


def looks_of(s: State) -> float:
    """Return how many arcs a pull is expected to look at: an arc leads to the frontier by chance."""
    return min(s.m_u, s.arcs / max(s.m_f, 1.0) * s.n_u)
