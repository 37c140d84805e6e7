"""Train the direction: measure levels, fit the cost model and the network, leave families out.

Both are fitted to what matters, time: the cost model by the expected time of its choices, the network
by weighting each level with what is at stake there. Every graph counts the same.

SURF's two measures judge a policy, and its time against the best that was possible. *Accuracy* is the
share of levels at which the faster direction was taken. *Saved* is SURF's reduced execution time: of
the time that lies between the two directions of the levels, the share that the policy did not lose.
Both are means over graphs, because long thin graphs have thousands of levels. Levels of at most n / 256
arcs are pushed without timing a pull; they count for no policy, in none of the measures, and a graph
that has no other levels does not count at all.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...journal.campaign import Record
from ..graphs import about, family, graph_named
from ..trainer import Quality, run_named
from ..trainer import Trainer as Base
from .state import State

if TYPE_CHECKING:
    from .model import Model, Network, Policy

__all__ = ["Levels", "Score", "Trainer", "chosen_unseen", "cost_of", "level_record", "levels_of"]
__all__ += ["measure"]
__all__ += ["score", "sources_of", "surf_of"]

HOST = "host"
SEARCHES = 4  # of each graph
REPEATS = 5  # times that each direction of a level runs
UNTIMED_PUSHES = 5.0  # a pull that was not timed is taken to cost so many pushes
#: Where the fit begins: nanoseconds that are usual on today's machines; see COST_NAMES.
START = np.array([16.0, 1.0, 1.0, 300.0, 0.8, 1.0, 3.0, 0.5, 0.35, 1.4, 0.5, 1.0, 1.0, 2.8, 0.007,
                  1.2, 0.017, 0.5, 0.5])  # fmt: skip
FORM = slice(13, 17)  # the coefficients of the changes of form
SHARPNESS = (0.5, 0.25, 0.12)  # from a soft choice to a hard one
DRIFT_PENALTY = 0.002  # of the squared logarithm of how far a coefficient is from its start
MOST_AT_STAKE = 3.0  # a level counts at most so many times its shorter time
HIDDEN_UNITS, WEIGHT_PENALTY, NETWORKS = 8, 3.0, 5
Numbers = NDArray[np.float64]


def sources_of(graph: Graph, count: int, seed: int = 1) -> NDArray[np.int64]:
    """Distinct vertices with arcs, chosen by ``seed``: all of them if there are few."""
    candidates = np.flatnonzero(graph.degrees)
    return candidates[np.random.default_rng(seed).permutation(candidates.size)[:count]]


def measure(graph: Graph, name: str, source: int, repeats: int = REPEATS) -> Record:
    """A record: the graph's numbers, and what each level of a search was and took."""
    from ...kernels.bfs import oracle

    start = np.array([source], graph.indices.dtype)
    _, _, rows, workers = oracle.both(graph.rows, graph.transpose.rows, start, repeats=repeats)
    levels = dict(zip(oracle.COLUMNS, rows.T.tolist(), strict=True))
    return level_record(graph, name, source, levels, workers)


def measure_graph(
    name: str, sources: int, seed: int, repeats: int, device: str = HOST, simulated: str = ""
) -> Record:
    """The records of a graph: a task of the campaign."""
    graph = graph_named(name)
    known = about(name, graph)
    chosen = sources_of(graph, sources, seed).tolist()
    if device == HOST:
        records = [measure(graph, name, source, repeats) for source in chosen]
    else:
        both = cast("Callable[..., Record]", run_named(simulated))
        records = [level_record(graph, name, s, both(graph, s, device), 1) for s in chosen]
    return {"records": [{**record, **known} for record in records]}


def level_record(graph: Graph, name: str, source: int, levels: Record, threads: int) -> Record:
    """Return a record of the levels of one search."""
    return {
        "graph": name, "family": family(name), "source": int(source), "threads": threads,
        "directed": graph.directed, "n": graph.n, "arcs": graph.arcs,
        "p_h": graph.features.hub_probability_sampled,
        "hubs": round(graph.features.hub_probability * graph.n), "levels": levels,
    }  # fmt: skip


@dataclass(frozen=True)
class Levels:
    """Times are in nanoseconds. ``timed`` is False where only the push was worth timing."""

    graph: np.ndarray
    family: np.ndarray
    first: np.ndarray
    timed: np.ndarray
    states: np.ndarray
    push: np.ndarray
    pull: np.ndarray
    to_bitmap: np.ndarray
    to_queue: np.ndarray

    def __len__(self) -> int:
        return len(self.graph)

    def where(self, chosen: np.ndarray) -> Levels:
        """Those of some graphs: ``chosen`` must keep searches whole."""
        return Levels(**{f.name: getattr(self, f.name)[chosen] for f in fields(self)})

    def column(self, name: str) -> np.ndarray:
        """A number of the state at all levels."""
        return self.states[:, State._fields.index(name)]

    def chosen_by(self, policy: Policy) -> NDArray[np.int64]:
        """The directions that a policy would have taken."""
        from .model import VERTICES_PER_CERTAIN_ARC

        certain = VERTICES_PER_CERTAIN_ARC if policy.guarded else 0
        asked = (policy.address, policy.parameters, certain, self.states, self.first)
        return self._replayed("choices", *asked, np.zeros(len(self), np.int64))

    def best(self) -> NDArray[np.int64]:
        """The directions that would have taken the least time."""
        return self._replayed("best", *self._times(), np.zeros(len(self), np.int64))

    def spent(self, chosen: NDArray[np.int64]) -> Numbers:
        """Nanoseconds of each level with these directions."""
        return self._replayed("spent", *self._times(), chosen, np.zeros(len(self)))

    def _times(self) -> tuple[np.ndarray, ...]:
        return self.first, self.push, self.pull, self.to_bitmap, self.to_queue

    def _replayed(self, kernel: str, *arguments: object) -> np.ndarray:
        """What a kernel of ``kernels.bfs.oracle`` writes into its last argument."""
        from ...kernels.bfs import oracle
        from ...kernels.runtime.launch import run

        run(getattr(oracle, kernel), [arguments], brief=True)
        return cast(np.ndarray, arguments[-1])


def levels_of(records: Iterable[Record]) -> Levels:
    """One table of all records."""
    parts = [_one(record) for record in records]
    names = [f.name for f in fields(Levels)]
    return Levels(**{name: np.concatenate([part[name] for part in parts]) for name in names})


def _one(record: Record) -> dict[str, np.ndarray]:
    at = {name: np.array(column, float) for name, column in record["levels"].items()}
    n_f, m_f = at["frontier_vertices"], at["frontier_edges"]
    rows = n_f.size

    def before(values: Numbers) -> Numbers:
        return np.concatenate([[0.0], values[:-1]])[:rows]

    variation = n_f - before(n_f)
    values = {
        "n": record["n"], "arcs": record["arcs"], "n_f": n_f, "m_f": m_f, "n_u": at["unvisited"],
        "m_u": at["unseen_edges"], "s_f": variation, "c_f": variation - before(variation),
        "before": before(n_f), "m_before": before(m_f), "depth": np.arange(rows),
        "hubs_f": at["hubs"], "hubs": record["hubs"], "p_h": record["p_h"],
        "threads": record["threads"], "directed": float(record["directed"]),
    }  # fmt: skip
    states = np.zeros((rows, len(State._fields)))
    for name, value in values.items():
        states[:, State._fields.index(name)] = value
    push, pull = at["push_nanoseconds"], at["pull_nanoseconds"]
    timed = pull >= 0
    return {
        "graph": np.full(rows, record["graph"]),
        "family": np.full(rows, record["family"]),
        "first": np.arange(rows) == 0,
        "timed": timed,
        "states": states,
        "push": push,
        "pull": np.where(timed, pull, UNTIMED_PUSHES * push),
        "to_bitmap": np.where(timed, at["to_bitmap_nanoseconds"], 0.0),
        "to_queue": np.where(timed, at["to_queue_nanoseconds"], 0.01 * record["n"]),
    }


def fit_cost(levels: Levels) -> Numbers:
    """Coefficients that make the expected time of the choices small (mean over graphs of its log)."""
    from scipy.optimize import minimize

    from .rules import expected_times

    names, at = np.unique(levels.graph, return_inverse=True)
    reference = np.bincount(at, levels.spent(levels.best()), len(names))
    timed = levels.timed
    obvious = np.bincount(at[~timed], levels.push[~timed], len(names))
    open_ones = levels.states[timed], levels.push[timed], levels.pull[timed], at[timed]
    start = START.copy()
    start[FORM] = _forms(levels.where(timed))
    found = np.log(start)
    free = np.ones(start.size, bool)
    free[FORM] = False

    def loss(values: Numbers, width: float) -> float:
        z = np.log(start)
        z[free] = values
        p = np.concatenate([[0.0], np.exp(z)])
        total = obvious + expected_times(*open_ones, len(names), p, width)
        drift = float(((z - np.log(start)) ** 2).sum())
        return float(np.log(total / reference).mean()) + DRIFT_PENALTY * drift

    for width in SHARPNESS:
        result = minimize(loss, found[free], (width,), "L-BFGS-B", options={"maxiter": 60})
        found[free] = result.x
    return np.asarray(np.exp(found))


def _forms(timed: Levels) -> Numbers:
    """Costs of each vertex of frontier and graph to change their form: least relative squares."""
    from scipy.optimize import nnls

    made = []
    sizes = np.column_stack([timed.column("n_f"), timed.column("n")])
    matrix = np.column_stack([np.ones(len(timed)), sizes / timed.column("threads")[:, None]])
    for times in (timed.to_bitmap, timed.to_queue):
        known = np.maximum(times, 50.0)
        made.append(nnls(matrix / known[:, None], times / known)[0][1:])
    return np.asarray(np.maximum(np.concatenate(made), 1e-4))


def fit_surf(levels: Levels, seed: int = 0) -> Network:
    """SURF's network: the mean of several, which is one with their hidden units side by side."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    from threadpoolctl import threadpool_limits

    from .model import Network
    from .rules import surf_features

    rng = np.random.default_rng(seed)
    kept = levels.timed | (rng.random(len(levels)) < 0.02)  # some of the obvious ones
    levels = levels.where(kept)
    rows = [surf_features.py_func(State(*row)) for row in levels.states]
    features = np.array(rows).reshape(len(levels), -1)
    mean, scale = features.mean(axis=0), features.std(axis=0) + 1e-9
    label = levels.pull < levels.push
    least = np.minimum(levels.push, levels.pull)
    stake = np.minimum(np.abs(levels.push - levels.pull), MOST_AT_STAKE * least)
    _, at = np.unique(levels.graph, return_inverse=True)
    weight = stake / np.maximum(np.bincount(at, stake), 1e-9)[at]
    weight /= weight.mean()
    weights, bias, output, output_bias = [], [], [], 0.0
    for k in range(NETWORKS):
        net = MLPClassifier(
            hidden_layer_sizes=(HIDDEN_UNITS,), solver="lbfgs", alpha=WEIGHT_PENALTY, max_iter=300,
            random_state=NETWORKS * seed + k,
        )  # fmt: skip
        with warnings.catch_warnings(), threadpool_limits(1):  # its matrices are small
            warnings.simplefilter("ignore", ConvergenceWarning)
            net.fit((features - mean) / scale, label, sample_weight=weight)
        weights.append(net.coefs_[0].T)
        bias.append(net.intercepts_[0])
        output.append(net.coefs_[1][:, 0] / NETWORKS)
        output_bias += float(net.intercepts_[1][0]) / NETWORKS
    hidden, biases, joined = map(np.concatenate, (weights, bias, output))
    return Network(mean, scale, hidden, biases, joined, np.array([output_bias]))


def cost_of(levels: Levels) -> Policy:
    """The policy ``cost``, fitted to these levels."""
    from .model import cost_policy

    return cost_policy(fit_cost(levels))


def surf_of(levels: Levels, seed: int = 0) -> Policy:
    """The policy ``surf``, fitted to these levels."""
    from .model import surf_policy

    return surf_policy(fit_surf(levels, seed))


@dataclass(frozen=True)
class Score:
    """A policy on several graphs: arrays with a number for each of ``graphs``."""

    graphs: list[str]
    accuracy: Numbers
    saved: Numbers
    slowdown: Numbers  # time over the best possible

    def summary(self) -> dict[str, float]:
        """Means over graphs (geometric of the slowdown), spread, and the worst graph."""
        return {
            "accuracy": float(self.accuracy.mean()),
            "saved": float(self.saved.mean()),
            "saved_spread": float(self.saved.std()),
            "slowdown": float(np.exp(np.log(self.slowdown).mean())),
            "worst": float(self.slowdown.max()),
        }


def score(levels: Levels, chosen: NDArray[np.int64]) -> Score:
    """Judge directions by the measured times, at the levels where both were timed."""
    names, at = np.unique(levels.graph, return_inverse=True)

    def totals(values: np.ndarray) -> Numbers:
        return np.bincount(at, values, len(names)).astype(float)

    timed = totals(levels.timed)
    judged = timed > 0
    gap = np.where(levels.timed, np.abs(levels.push - levels.pull), 0.0)
    right = levels.timed & (chosen == (levels.pull < levels.push))
    whole = np.maximum(totals(gap), 1e-9)
    spent, least = (totals(levels.timed * levels.spent(d)) for d in (chosen, levels.best()))
    found = totals(right), totals(gap * right), spent
    parts = (a[judged] / b[judged] for a, b in zip(found, (timed, whole, least), strict=True))
    return Score(names[judged].tolist(), *parts)


def chosen_unseen(
    levels: Levels, fit: Callable[[Levels], Policy], by: NDArray[np.str_]
) -> NDArray[np.int64]:
    """Directions by policies that were fitted without the graph (or family) that they choose for."""
    chosen = np.zeros(len(levels), np.int64)
    for left_out in np.unique(by):
        mine = by == left_out
        chosen[mine] = levels.where(mine).chosen_by(fit(levels.where(~mine)))
    return chosen


@dataclass(frozen=True)
class Trainer(Base["Model"]):
    """Learn when to push and when to pull in breadth-first search, on this machine.

    Measures both directions at every level of searches on many graphs (what the journal has is not
    measured again), fits, and says how well it does on families of graphs that were left out.

    [bold]Examples[/bold]

    tacho train direction --budget 10m

    tacho train direction --device rtx3080

    tacho train direction --graphs 'kronecker 16 16,road 300 300,uniform 60000 8,soc-Slashdot0902'
    """

    searches: int = SEARCHES
    seed: int = 1  # of the vertices that they begin at
    device: str = field(
        default=HOST, metadata={"help": "host, or a simulated GPU such as rtx3080."}
    )

    name = "direction"
    state = State._fields
    fewest = (4, 2)  # to carry over to others

    def how(self) -> tuple[Record, str]:
        """Return how many searches are measured, how often, and where."""
        asked: Record = {"sources": self.searches, "seed": self.seed, "repeats": REPEATS}
        if self.device != HOST:
            asked |= {"device": self.device, "simulated": self.runner.simulated}
        return asked, ""

    @property
    def file(self) -> str:
        """The name of the model's file; one for a simulated GPU is used on that GPU only."""
        return self.name if self.device == HOST else f"{self.name}-{self.device}"

    def facts(self, model: Model) -> Record:
        """Return which device was measured, or simulated."""
        return {} if self.device == HOST else {"device": self.device, "provenance": "simulated"}

    def fit(self, records: list[Record]) -> Model:
        """Fit both."""
        from .model import Model

        levels = levels_of(records)
        return Model(fit_surf(levels), fit_cost(levels))

    def evaluate(self, model: Model, records: list[Record]) -> Quality:
        """Return scores on families that the model was fitted without."""
        levels = levels_of(records)
        return [
            {"policy": name} | score(levels, chosen_unseen(levels, fit, levels.family)).summary()
            for name, fit in (("cost", cost_of), ("surf", surf_of))
        ]
