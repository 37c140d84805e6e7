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
from .analytic import looks_of, predict, pull_seconds
from .constants import constants_of
from .gpu import GPU

__all__ = ["chosen", "policy_on"]


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


def policy_on(gpu: GPU, graph: Graph) -> Callable[[State], str]:
    """Return a function of the state that compares the predicted times of push and pull."""
    constants = constants_of(gpu)
    whole = predict(graph, gpu, levels=0.0)
    per_arc = whole["seconds"] / max(graph.arcs, 1)  # of a push
    launch = constants.launch_seconds(gpu, "push")

    def choose(s: State) -> str:
        """Compare the times of both."""
        looks = looks_of(s.arcs, s.m_f, s.n_u, s.m_u)
        pull = pull_seconds(gpu, constants, s.n, looks)
        return "pull" if pull < launch + s.m_f * per_arc else "push"

    return choose
