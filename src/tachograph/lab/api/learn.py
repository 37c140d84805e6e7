"""The panel Learn: a recorded search, what policies chose at its levels, and what changes would do."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from starlette.requests import Request
from starlette.responses import Response

from ...decisions.direction.levels import Levels
from ...decisions.direction.model import LEARNED, POLICIES, Policy, policy_named
from ...decisions.direction.replay import (
    FEATURES,
    THRESHOLD,
    Replay,
    changed,
    changed_network,
    knobs,
)
from ...kernels.bfs.state import PULL
from ...plots import numbers as show
from ...plots.policies import Choices, Layers, choices, neurons
from ...plots.traces import directions
from ...util.errors import InputError
from ...util.text import number_in, plain
from ..asking import asked
from ..events import followed, stream
from ..recordings import Recordings
from ..sources import Opened
from . import Endpoint, arguments

if TYPE_CHECKING:
    from ..server import Lab

__all__ = ["ENDPOINTS"]

WAITING_SECONDS = 0.5  # for a recording that may soon be done
SHOWN_LEVELS = 60  # of a long search: those where there is something to choose
CHANGED, BEST = "changed", "best"  # rows beside those of policies


@dataclass(frozen=True)
class Watched:
    """What the address of the page holds: whose choices, from where, with which changes."""

    opened: Opened
    policy: str = "surf"
    start: str | None = None
    changes: dict[str, float] = field(default_factory=dict)
    unit: int | None = None
    level: int | None = None

    def checked(self) -> Policy:
        """Return the changed policy, or say what is wrong before a search is recorded."""
        for name, value in self.changes.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(f"{name} = {value!r}: a number is needed")
        knobs(self.policy, self.unit)
        return changed(self.policy, self.changes)

    @cached_property
    def name(self) -> Any:
        """What the graph calls the vertex where the search begins."""
        if not self.opened.graph.n:
            raise InputError("the graph has no vertex to search from: choose another one")
        return asked(self.opened, "bfs", {"source": self.start}).arguments["source"]

    @property
    def vertex(self) -> int:
        """The id of that vertex."""
        graph = self.opened.graph
        return self.name if graph.names is None else graph.id_of(self.name)

    def python(self) -> str:
        """Return code that does the same, and then searches with the changed policy."""
        vertex = repr(self.name)
        known = vertex if self.opened.graph.names is None else f"g.id_of({vertex})"
        return f"""from tachograph.decisions.direction.replay import Replay, changed, recorded

policy = changed("{self.policy}", {self.changes!r})
replay = Replay(recorded(g, {known}), policy)
print(replay.chosen, replay.seconds.sum())
result = tg.bfs(g, {vertex}, direction=policy)"""

    def command(self) -> str:
        """Return the command that searches with the policy as it was learned."""
        vertex = shlex.quote(str(self.name))
        return f"run bfs {{graph}} --source {vertex} --direction {self.policy}"


def replay(
    lab: Lab,
    source: str,
    told: dict[str, Any] | None = None,
    width: float = 640,
    again: bool = False,
) -> dict[str, Any]:
    """Return what a policy, with changes or without, chooses at the levels of a recorded search.

    If it is not recorded yet, that begins: ``recording`` is its number, to be watched or stopped.
    """
    opened = lab.sources.open(source)
    watched = Watched(opened, **arguments(Watched, told or {}))
    now, policy, vertex = watched.checked(), watched.policy, watched.vertex
    recording = lab.queue(Recordings).of(opened, vertex, again)
    recording.ended.wait(WAITING_SECONDS)
    if (levels := recording.levels) is None:
        return {"recording": recording.number}
    usual, other = Replay(levels, policy_named(policy)), Replay(levels, now)
    shown, at = _shown(levels, usual, other), _level(watched.level, levels, usual, other)
    flips = np.flatnonzero(usual.chosen != other.chosen)
    rows = _chosen(levels, usual, other if watched.changes else None)
    return {
        "graph": plain(opened.name),
        "start": plain(watched.name),
        "policy": policy,
        "policies": list(LEARNED),
        "knobs": [k._asdict() for k in knobs(policy, watched.unit)],
        "units": 0 if policy == "cost" else len(changed_network(policy, {}).bias),
        "levels": len(levels),
        "level": at,
        "reach": float(np.abs(usual.says()).max()),
        "rows": [_row(k, usual, other) for k in shown],
        "flips": flips.tolist(),
        "scores": [_score(levels, name, chosen) for name, chosen in rows.items()],
        "threads": int(levels.column("threads")[0]),
        "state": _state(at, other, watched.changes.get(THRESHOLD, 0.0)),
        "choices": _choices(levels, rows, shown, width),
        "times": _times(levels, other, width),
        "network": _network(watched, other, at, width),
        "python": opened.code(watched.python()),
        "command": opened.command(watched.command()),
    }


def _level(level: int | None, levels: Levels, usual: Replay, other: Replay) -> int:
    """Return the level to look at: the one that was asked for, a flip, or the one most at stake."""
    if level is not None and 0 <= level < len(levels):
        return level
    flips = np.flatnonzero(usual.chosen != other.chosen)
    if flips.size:
        return int(flips[0])
    return int((np.abs(levels.push - levels.pull) * np.where(levels.thin, 0, 1)).argmax())


def _shown(levels: Levels, usual: Replay, other: Replay) -> list[int]:
    """Return the levels to show: all, or of a long search those where there is something to choose."""
    if len(levels) <= SHOWN_LEVELS:
        return list(range(len(levels)))
    flipped = usual.chosen != other.chosen
    stake = np.abs(levels.push - levels.pull) * np.where(levels.thin, 0, 1) + 1e18 * flipped
    order = np.argsort(-stake, kind="stable")[:SHOWN_LEVELS]
    return sorted(order.tolist())


def _row(k: int, usual: Replay, other: Replay) -> dict[str, Any]:
    levels = usual.levels
    return {
        "level": k,
        "frontier": int(levels.column("n_f")[k]),
        "push": float(levels.push[k] / 1e9),
        "pull": float(levels.pull[k] / 1e9),
        "timed": bool(levels.timed[k]),
        "asked": bool(other.asked[k]),
        "before": _way(usual.chosen[k]),
        "now": _way(other.chosen[k]),
    }


def _way(direction: int) -> str:
    return "pull" if direction == PULL else "push"


def _chosen(levels: Levels, usual: Replay, other: Replay | None) -> dict[str, NDArray[np.int64]]:
    """Return what each policy chooses, the watched one first, and what would have been best."""
    rows = {} if other is None else {CHANGED: other.chosen}
    rows[usual.policy.name] = usual.chosen
    for name in POLICIES:
        if name not in ("auto", usual.policy.name):  # auto is cost
            rows[name] = levels.chosen_by(policy_named(name))
    return {**rows, BEST: levels.best()}


def _score(levels: Levels, name: str, chosen: NDArray[np.int64]) -> dict[str, Any]:
    taken, least = (float(levels.spent(c).sum()) for c in (chosen, levels.best()))
    right = (chosen == PULL) == (levels.pull < levels.push)
    return {
        "name": name,
        "seconds": taken / 1e9,
        "over": taken / least if least else 1.0,
        "right": int(right.sum()),
        "pulls": int((chosen == PULL).sum()),
    }


def _choices(
    levels: Levels, rows: dict[str, NDArray[np.int64]], shown: list[int], width: float
) -> str:
    """Draw what each policy chose; a ring stands where the changed one chose differently."""
    _, usual = [*rows.values()][:2] if CHANGED in rows else [*rows.values()][:1] * 2
    drawn = [
        Choices(
            name,
            (chosen[shown] == PULL).tolist(),
            float(levels.spent(chosen).sum() / 1e9),
            (chosen != usual)[shown].tolist() if name == CHANGED else (),
        )
        for name, chosen in rows.items()
    ]
    return choices(drawn, shown, width=width).svg(styled=False)


def _times(levels: Levels, replay: Replay, width: float) -> str:
    """Draw the frontier of each level, and its recorded time in both directions."""
    trace: dict[str, list[Any]] = {
        "direction": [_way(c) for c in replay.chosen],
        "frontier_vertices": levels.column("n_f").tolist(),
        "seconds": (np.where(replay.chosen == PULL, levels.pull, levels.push) / 1e9).tolist(),
        "push_seconds": (levels.push / 1e9).tolist(),
        "pull_seconds": (levels.pull / 1e9).tolist(),
    }
    return directions(trace, width).svg(styled=False)


def _state(at: int, replay: Replay, threshold: float) -> dict[str, Any]:
    """Return what the policy saw before a level, and what it said."""
    state, said = replay.states()[at], replay.says()[at]
    features = zip(
        FEATURES.items(), replay.features(raw=True)[at], replay.features()[at], strict=True
    )
    told = f"{said + threshold:+.3f}" if np.ndim(said) == 0 else ""
    return {
        "why": replay.policy.explain(state, threshold),
        "asked": bool(replay.asked[at]),
        "features": [
            [
                name,
                about,
                f"{plain_value:.4g}" + (f" → {value:.4g}" if value != plain_value else ""),
            ]
            for (name, about), plain_value, value in features
        ],
        "output": told,
        "predicted": [] if told else [show.seconds(float(v)) for v in said],
        "measured": [
            show.seconds(float(replay.levels.push[at] / 1e9)),
            show.seconds(float(replay.levels.pull[at] / 1e9)),
        ],
    }


def _network(watched: Watched, replay: Replay, at: int, width: float) -> str:
    """Draw the network at a level; a cost model has none."""
    policy = watched.policy
    if policy == "cost":
        return ""
    net, features = changed_network(policy, watched.changes), replay.features()[at]
    layers = Layers(
        list(FEATURES),
        ((features - net.mean) / net.scale).tolist(),
        net.weights.tolist(),
        net.hidden(features, policy == "surf-paper").tolist(),
        net.output.tolist(),
        float(replay.says()[at]) + watched.changes.get(THRESHOLD, 0.0),
        watched.changes.get(THRESHOLD, 0.0),
    )
    return neurons(layers, f"The network at level {at}", width, watched.unit).svg(styled=False)


def stop(lab: Lab, recording: int) -> dict[str, Any]:
    """Stop a recording, or take it from the queue."""
    return {"status": lab.queue(Recordings).stop(recording).status}


async def watch(lab: Lab, request: Request) -> Response:
    """Send events about a recording until it is over."""
    number = number_in(request.query_params.get("recording", ""))
    return stream(followed(lab.queue(Recordings).job(number), lambda _: {}))


ENDPOINTS = (
    Endpoint("replay", replay, "POST"),
    Endpoint("stop", stop, "POST"),
    Endpoint("watch", watch, streams=True),
)
