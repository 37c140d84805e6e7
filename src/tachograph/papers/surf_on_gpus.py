"""SURF's tables on a simulated GPU: ``tacho reproduce surf-table-3 --gpu rtx3080``.

The graphs cannot be had, so smaller ones of about the same mean degree stand in for them. They are
simulated with an L2 that is as much smaller, and the work of each level is multiplied: the published
sizes with the stand-in's shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..algorithms.bfs import bfs
from ..decisions.direction.levels import Levels, levels_of, score
from ..decisions.direction.model import Policy, learned, policy_named, the_model
from ..decisions.direction.train import level_record, sources_of
from ..decisions.graphs import graph_named
from ..decisions.model_file import own_model
from ..graph.graph import Graph
from ..simulation.gpus.directions import both_directions
from ..simulation.gpus.gpu import GPU, gpu_named
from ..simulation.gpus.validation.graphs import undirected
from ..util.errors import InputError
from .published import published
from .reproduce import Cell, Settings, Table

__all__ = ["conclusions", "gpu_of", "smaller", "surf_tables"]

POLICIES = ("surf", "enterprise", "hbfs", "gunrock", "push")
SEARCHES = 2  # of each graph
#: SURF's graphs: what stands in for each. Sizes of stand-ins are about a fiftieth.
STAND_INS = {
    "LJ": "kronecker 16 16",
    "OR": "kronecker 15 40",
    "PK": "kronecker 15 15",
    "PT": "uniform 65536 8",
    "MG": "power_law 8000 2.1 120",
    "HG": "power_law 4000 2.1 200",
    "UU": "preferential_attachment 200000 2",
    "IC": "web-NotreDame",
}


def gpu_of(settings: Settings) -> GPU:
    """Return the GPU that was named."""
    if settings.gpu is None:
        raise InputError("name a GPU with --gpu, such as rtx3080")
    return gpu_named(settings.gpu)


def smaller(gpu: GPU, times: float) -> GPU:
    """Return the GPU with an L2 that is so many times smaller."""
    return gpu.changed(l2_bytes=max(int(gpu.l2_bytes / times), 128 * gpu.l2_ways))


def conclusions(rows: Sequence[Sequence[Cell]], notes: Sequence[str]) -> Table:
    """Return what the paper concluded, what was found here, and whether it holds.

    A row has the conclusion, the published and the simulated number, and whether that agrees.
    """
    said = [[*row[:-1], "yes" if row[-1] else "no"] for row in rows]
    heads = ["conclusion of the paper", "published", "simulated", "holds in simulation"]
    return Table("What holds in simulation", heads, said, notes, "simulated")


class StandIn(NamedTuple):
    """What stands in for a graph, the published arcs, and how often it was searched."""

    made: str
    arcs: float
    searches: int


def _surf_levels(gpu: GPU) -> tuple[Levels, dict[str, StandIn]]:
    """Return both directions of the levels of all stand-ins."""
    records, about = [], {}
    for name, made in STAND_INS.items():
        row = published("surf", "table-2").row(name)
        graph = undirected(graph_named(made))
        times = float(str(row["vertices"])) / graph.n
        arcs = float(str(row["arcs"]))
        sources = _far_reaching(graph)
        about[name] = StandIn(made, arcs, len(sources))
        for source in sources:
            levels = both_directions(graph, source, smaller(gpu, times), arcs / max(graph.arcs, 1))
            records.append(level_record(graph, name, source, levels, 1))
    return levels_of(records), about


def _far_reaching(graph: Graph) -> list[int]:
    """Return sources whose searches reach a good part of the graph."""
    every = sources_of(graph, 8 * SEARCHES, seed=2).tolist()
    reached = {s: int((bfs(graph, s, trace=False).levels >= 0).sum()) for s in every}
    return [s for s in every if reached[s] >= max(reached.values()) / 2][:SEARCHES]


def _policies(gpu: GPU) -> tuple[dict[str, Policy], str]:
    """Return the policies, surf as it was trained on this GPU if it was; and where it was trained."""
    trained = own_model(f"direction-{gpu.name}")
    made = {name: policy_named(name) for name in POLICIES}
    if not trained.exists():
        return made, f"on this host, not on {gpu.name} (tacho train direction --device {gpu.name})"
    return {**made, "surf": learned("surf", the_model.read(trained))}, f"on simulated {gpu.name}"


def surf_tables(settings: Settings) -> Iterator[Table]:
    """SURF tables 3 to 5: accuracy and time saved, run times, rates; and what holds."""
    gpu = gpu_of(settings)
    levels, about = _surf_levels(gpu)
    policies, where = _policies(gpu)
    chosen = {name: levels.chosen_by(policy) for name, policy in policies.items()}
    scores = {name: score(levels, directions) for name, directions in chosen.items()}
    own = next(iter(scores.values())).graphs
    notes = [
        f"Every number is simulated on {gpu.name}, on smaller stand-ins with an L2 that is as much "
        f"smaller. Decisions take no time here. The network surf was trained {where}."
    ]
    accuracy = np.array(
        [[100 * float(scores[p].accuracy[i]) for p in POLICIES] for i in range(len(own))]
    )
    spent = {p: levels.spent(chosen[p]) for p in POLICIES}
    ms = np.array(
        [
            [1e-6 * spent[p][levels.graph == g].sum() / about[g].searches for p in POLICIES]
            for g in own
        ]
    )
    rates = np.array([about[g].arcs for g in own])[:, None] / (ms * 1e6)
    heads = ["graph", "stand-in", *POLICIES, *(f"paper: {p}" for p in POLICIES[:-1])]
    for number, unit, values in (
        (3, "accuracy (%)", accuracy.round(1)),
        (4, "run time (ms)", ms.round(3)),
        (5, "GTEPS", rates.round(2)),
    ):
        rows: list[list[Cell]] = [
            [graph, about[graph].made, *mine, *_published(number, graph)]
            for graph, mine in zip(own, values.tolist(), strict=True)
        ]
        yield Table(f"SURF table {number} simulated: {unit}", heads, rows, notes, "simulated")
    yield conclusions(_surf_conclusions(own, accuracy, ms), notes)


def _published(table: int, graph: str) -> list[Cell]:
    """Return the paper's numbers for the policies that it has."""
    kept = published("surf", f"table-{table}")
    if table != 5:
        return [kept.row(graph).get(p) for p in POLICIES[:-1]]
    return [kept.row(p).get(graph) for p in POLICIES[:-1]]


def _surf_conclusions(own: Sequence[str], accuracy: np.ndarray, ms: np.ndarray) -> list[list[Cell]]:
    """Return what the paper says of surf and the rules beside it, counted in both."""
    many = len(own)
    paper = {n: np.array([_published(n, g) for g in own], float) for n in (3, 4)}
    best = int((accuracy[:, 0] >= accuracy[:, 1:4].max(axis=1)).sum())
    theirs = int((paper[3][:, 0] >= paper[3][:, 1:4].max(axis=1)).sum())
    first = int((ms[:, 0] <= ms[:, 1:4].min(axis=1)).sum())
    their_first = int((paper[4][:, 0] <= paper[4][:, 1:4].min(axis=1)).sum())
    means = accuracy[:, :4].mean(axis=0), paper[3][:, :4].mean(axis=0)
    gains = [float((t[:, 3] / t[:, 0]).mean()) for t in (ms, paper[4])]
    pulling = float((ms[:, 4] / ms[:, 0]).mean())
    return [
        ["mean accuracy of surf (%), above that of each rule", round(float(means[1][0]), 1),
         round(float(means[0][0]), 1), bool(means[0][0] >= means[0][1:].max())],
        [f"graphs of {many} where surf is most accurate: most of them", theirs, best, best > many / 2],
        [f"graphs of {many} where a search with surf is fastest: all", their_first, first,
         first == many],
        ["Gunrock's rule takes so many times as long as surf, in the mean", round(gains[1], 2),
         round(gains[0], 2), gains[0] > 1.05],
        ["pushing only takes so many times as long as surf, in the mean", None, round(pulling, 2),
         pulling > 1.05],
    ]  # fmt: skip
