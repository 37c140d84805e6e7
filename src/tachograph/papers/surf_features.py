"""What SURF's features do: the paper's four observations tested, and the networks looked into.

The paper proves its observations from a model of a GPU, and leaves the influence of each feature on the
network as future work. Here both are asked of measured levels, of which every one was timed in both
directions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..decisions.direction.levels import Levels, score
from ..decisions.direction.model import Policy
from ..decisions.direction.rules import surf_output_of
from ..decisions.direction.state import State
from ..plots import numbers as show
from ..plots.axes import Axis
from ..plots.charts import Series, xy
from ..plots.drawing import NARROW, stacked
from .published import published
from .reproduce import GRAPH_COLUMNS, Cell, Settings, Table
from .surf import about_graph, compared_graphs, named, timed_levels

__all__ = ["accumulated_effects", "importance", "observations"]

NETWORKS = ("surf-paper", "surf")
#: SURF's features, the column of the state that holds each, and whether it is over n.
FEATURES = {
    "m_d": ("arcs", True),
    "p_h": ("p_h", False),
    "s_f": ("s_f", True),
    "c_f": ("c_f", True),
    "r_f": ("n_f", True),
    "r_u": ("n_u", True),
}
#: Parts of a search by the share of the vertices that is not visited: name, from, below.
STAGES = (("early", 0.9, 1.1), ("middle", 0.1, 0.9), ("late", 0.0, 0.1))
SHUFFLES = 5  # of a feature; the losses are their means
INTERVALS = 20  # of a feature, with as many levels in each, for the accumulated effects
SIGNIFICANCE = 0.05  # of the sign test over graphs
FEWEST_LEVELS = 5  # of a graph, to rank them
Numbers = NDArray[np.float64]


def feature(levels: Levels, name: str) -> Numbers:
    """Return a feature of SURF at all levels."""
    column, shared = FEATURES[name]
    return levels.column(column) / (levels.column("n") if shared else 1.0)


def with_feature(levels: Levels, name: str, values: Numbers) -> Levels:
    """Return the levels with another value of a feature, and all others as they are."""
    column, shared = FEATURES[name]
    states = levels.states.copy()
    states[:, State._fields.index(column)] = values * (levels.column("n") if shared else 1.0)
    return replace(levels, states=states)


def losses(levels: Levels, policy: Policy, name: str) -> Numbers:
    """Return the accuracy, and the share of time saved, that each graph loses if a feature is shuffled.

    It is shuffled among the levels of all graphs, for within one the features of the graph itself (m_d,
    p_h) are the same.
    """
    whole = score(levels, levels.chosen_by(policy))
    rng = np.random.default_rng(0)
    lost = np.zeros((2, len(whole.graphs)))
    for _ in range(SHUFFLES):
        shuffled = with_feature(levels, name, rng.permutation(feature(levels, name)))
        found = score(levels, shuffled.chosen_by(policy))
        lost += [whole.accuracy - found.accuracy, whole.saved - found.saved]
    return 100 * lost / SHUFFLES


def importance(settings: Settings) -> Iterator[Table]:
    """Permutation importance by network, by graph and by stage of the search; a picture of effects."""
    levels = timed_levels(settings, compared_graphs(settings))
    graphs = np.unique(levels.graph).tolist()
    note = f"Means of {SHUFFLES} shuffles. The paper leaves this as future work."
    overall: list[list[Cell]] = []
    for network in NETWORKS:
        policy = named(network)
        lost = {name: losses(levels, policy, name) for name in FEATURES}
        for name, numbers in lost.items():
            overall.append([network, name, *numbers.mean(axis=1).round(2).tolist()])
        rows = [
            [*about_graph(g), *(round(float(lost[name][1, i]), 2) for name in FEATURES)]
            for i, g in enumerate(graphs)
        ]
        title = f"{network}: time saved that is lost when a feature is shuffled (points)"
        yield Table(title, [*GRAPH_COLUMNS, *FEATURES], rows, [note], "measured")
        yield _by_stage(levels, policy, network)
    columns = ["network", "feature", "accuracy (points)", "time saved (points)"]
    title = "What the networks lose when a feature is shuffled, means over graphs"
    yield Table(title, columns, overall, [note], "measured")
    yield _effects(levels, settings.output or Path())


def _by_stage(levels: Levels, policy: Policy, network: str) -> Table:
    """Return the share of levels whose direction changes when a feature is shuffled, by stage."""
    chosen = levels.chosen_by(policy)
    rng = np.random.default_rng(1)
    left = feature(levels, "r_u")
    rows: list[list[Cell]] = []
    changed = {}
    for name in FEATURES:
        shuffled = with_feature(levels, name, rng.permutation(feature(levels, name)))
        changed[name] = shuffled.chosen_by(policy) != chosen
    for stage, least, below in STAGES:
        weight = levels.weight * ((left >= least) & (left < below))
        total = max(float(weight.sum()), 1e-9)
        shares = [
            round(100 * float((weight * changed[name]).sum()) / total, 1) for name in FEATURES
        ]
        rows.append([stage, *shares])
    note = "early: more than 90 % of the vertices are unvisited; late: less than 10 %."
    title = f"{network}: directions that change when a feature is shuffled (% of levels)"
    return Table(title, ["stage", *FEATURES], rows, [note], "measured")


def accumulated_effects(levels: Levels, policy: Policy, name: str) -> list[tuple[float, float]]:
    """Return how a network's output changes along a feature: accumulated local effects, centred.

    The levels are cut into intervals of the feature. In each, the output is computed with the feature
    at both ends of the interval, and everything else as it was; the mean differences are added up.
    Unlike means over all levels, this asks nothing about combinations that do not occur.
    """
    values = feature(levels, name)
    edges = np.unique(np.quantile(values, np.linspace(0, 1, INTERVALS + 1)))
    if edges.size < 2:
        return []
    at = np.clip(np.searchsorted(edges, values, side="left") - 1, 0, edges.size - 2)
    low, high = (_outputs(with_feature(levels, name, edges[at + k]), policy) for k in (0, 1))
    counts = np.maximum(np.bincount(at, minlength=edges.size - 1), 1)
    steps = np.bincount(at, high - low, edges.size - 1) / counts
    effect = np.concatenate([[0.0], np.cumsum(steps)])
    middle = (effect[1:] + effect[:-1]) / 2
    return list(
        zip(edges.tolist(), (effect - np.average(middle, weights=counts)).tolist(), strict=True)
    )


def _outputs(levels: Levels, policy: Policy) -> Numbers:
    return np.array([surf_output_of(State(*row), policy.parameters) for row in levels.states])


def _effects(levels: Levels, where: Path) -> Table:
    """Draw the accumulated effects of all features on both networks."""
    timed = levels.where(levels.timed)
    charts = []
    for name in FEATURES:
        series = [Series(p, accumulated_effects(timed, named(p), name), "curve") for p in NETWORKS]
        axes = Axis(name, kind="near"), Axis("towards pull", kind="near")
        charts.append(xy(f"Effect of {name}", [s for s in series if s.points], axes, NARROW))
    path = where / "surf-features.svg"
    stacked(charts, columns=2).save(path)
    note = "Accumulated local effects on the output; a network pulls if its output is positive."
    return Table("Effects of the features", ["figure", "file"], [["effects", str(path)]], [note])


def observations(settings: Settings) -> Iterator[Table]:
    """Test whether costs rise and fall with the features as the paper says, graph by graph."""
    levels = timed_levels(settings, compared_graphs(settings))
    timed = levels.where(levels.timed)
    costs = {"push": timed.push, "pull": timed.pull}
    rows: list[list[Cell]] = []
    for number, name, cost, should in published("surf", "observations").rows:
        ranks = [
            rank_correlation(feature(timed, str(name))[mine], costs[str(cost)][mine])
            for mine in (timed.graph == g for g in np.unique(timed.graph))
        ]
        known = np.array([r for r in ranks if np.isfinite(r)])
        agree = int((known > 0).sum() if should == "rise" else (known < 0).sum())
        mean = round(float(known.mean()), 3) if known.size else None
        rows.append(
            [number, name, cost, should, mean, agree, known.size, verdict(agree, known.size)]
        )
    columns = ["observation", "as this grows", "the time of a", "should", "mean rank correlation",
               "graphs that agree", "of", "verdict"]  # fmt: skip
    notes = [
        "Spearman's rank correlation over the timed levels of a graph; a sign test over graphs "
        f"({SIGNIFICANCE:.0%}) gives the verdict.",
        "The paper argues with synchronised warps of a GPU; this is measured here.",
    ]
    yield Table("SURF's observations 1 to 4", columns, rows, notes, "measured")
    yield _scatter(timed, settings.output or Path())


def rank_correlation(a: Numbers, b: Numbers) -> float:
    """Return Spearman's rank correlation; NaN if there are few numbers, or all are equal.

    >>> round(rank_correlation(np.array([1.0, 2, 3, 4, 5]), np.array([2.0, 4, 8, 16, 1])), 2)
    0.0
    """
    from scipy.stats import rankdata

    if a.size < FEWEST_LEVELS or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(rankdata(a), rankdata(b))[0, 1])


def verdict(agree: int, graphs: int) -> str:
    """Return what a sign test over graphs says of an observation.

    >>> verdict(19, 20), verdict(11, 20), verdict(1, 20), verdict(0, 0)
    ('holds', 'undecided', 'the opposite holds', 'undecided')
    """
    from scipy.stats import binomtest

    if not graphs or binomtest(agree, graphs).pvalue >= SIGNIFICANCE:
        return "undecided"
    return "holds" if 2 * agree > graphs else "the opposite holds"


def _scatter(timed: Levels, where: Path) -> Table:
    """Draw the times of levels against the features."""
    charts = []
    for number, name, cost, _ in published("surf", "observations").rows:
        values, times = feature(timed, str(name)), getattr(timed, str(cost)) / 1e9
        dots = Series(str(cost), list(zip(values.tolist(), times.tolist(), strict=True)), "dots")
        axes = Axis(str(name), kind="near"), Axis(f"time of a {cost}", show.seconds, "log")
        charts.append(xy(f"Observation {number}", [dots], axes, NARROW))
    path = where / "surf-observations.svg"
    stacked(charts, columns=2).save(path)
    return Table("Pictures", ["figure", "file"], [["observations", str(path)]])
