"""Train the direction: measure levels, fit the cost model and two networks, leave families out.

The cost model and ``surf`` are fitted to what matters, time: the former by the expected time of its
choices, the latter by weighting each level with what is at stake there. ``surf-paper`` is fitted as the
paper does it: the label of a level is the direction that was faster in the mean of its runs, and all
levels of a graph count the same. Every graph counts the same for all three.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ...graph.graph import Graph
from ...journal.campaign import Record
from ...util.errors import InputError
from ...util.tables import check_table
from ..graphs import about, family, graph_named
from ..trainer import Quality, run_named
from ..trainer import Trainer as Base
from .levels import Levels, export, features_of, levels_of, score
from .state import State

if TYPE_CHECKING:
    from ...devices.opencl import OpenCL
    from .model import Model, Network, Policy

__all__ = ["Trainer", "chosen_unseen", "cost_of", "fit_surf_paper", "level_record", "measure"]
__all__ += ["sources_of", "surf_of", "surf_paper_of"]

HOST = "host"
SEARCHES = 8  # of each graph; half of them with hubs
REPEATS = 5  # times that each direction of a level runs
#: Where the fit begins: nanoseconds that are usual on today's machines; see COST_NAMES.
START = np.array([16.0, 1.0, 1.0, 300.0, 0.8, 1.0, 3.0, 0.5, 0.35, 1.4, 0.5, 1.0, 1.0, 2.8, 0.007,
                  1.2, 0.017, 0.5, 0.5, 2.0, 0.5])  # fmt: skip
FORM = slice(13, 17)  # the coefficients of the changes of form
SHARPNESS = (0.5, 0.25, 0.12)  # from a soft choice to a hard one
DRIFT_PENALTY = 0.002  # of the squared logarithm of how far a coefficient is from its start
MOST_AT_STAKE = 3.0  # a level counts at most so many times its shorter time
HIDDEN_UNITS, WEIGHT_PENALTY, NETWORKS = 8, 3.0, 5
PAPER_HIDDEN_UNITS = 16  # the paper does not say how many it has
Numbers = NDArray[np.float64]


def sources_of(graph: Graph, count: int, seed: int = 1) -> NDArray[np.int64]:
    """Distinct vertices with arcs, chosen by ``seed``: all of them if there are few."""
    candidates = np.flatnonzero(graph.degrees)
    return candidates[np.random.default_rng(seed).permutation(candidates.size)[:count]]


def measure(
    graph: Graph, name: str, source: int, repeats: int = REPEATS, hubs: np.ndarray | None = None
) -> Record:
    """A record: the graph's numbers, and what each level of a search was and took.

    Pulls look at ``hubs`` first, if they are given.
    """
    from ...kernels.bfs import oracle

    start = np.array([source], graph.indices.dtype)
    _, _, rows, (workers, pushing) = oracle.both(
        graph.rows, graph.transpose.rows, start, hubs=hubs, repeats=repeats
    )
    levels = dict(zip(oracle.COLUMNS, rows.T.tolist(), strict=True))
    record = level_record(graph, name, source, levels, workers)
    return {**record, "alone": pushing < workers, "near": hubs is not None}


def measure_graph(
    name: str, sources: int, seed: int, repeats: int, device: str = HOST, simulated: str = ""
) -> Record:
    """The records of a graph: a task of the campaign."""
    graph = graph_named(name)
    known = about(name, graph)
    chosen = sources_of(graph, sources, seed).tolist()
    if device == HOST:
        from ...kernels.bfs.hubs import hubs_of

        hubs = hubs_of(graph.rows, graph.transpose.rows)  # as many searches have them as have not
        records = [
            measure(graph, name, source, repeats, hubs if i % 2 else None)
            for i, source in enumerate(chosen)
        ]
    else:
        both = cast("Callable[..., Record]", run_named(simulated))
        found = [(s, both(graph, s, device)) for s in chosen]
        threads = [levels.pop("threads", 1) for _, levels in found]
        records = [
            level_record(graph, name, s, levels, count)
            for (s, levels), count in zip(found, threads, strict=True)
        ]
    return {"records": [{**record, **known} for record in records]}


def level_record(graph: Graph, name: str, source: int, levels: Record, threads: int) -> Record:
    """Return a record of the levels of one search; a graph without a name belongs to no family."""
    return {
        "graph": name, "family": family(name) if name else "", "source": int(source),
        "threads": threads, "directed": graph.directed, "n": graph.n, "arcs": graph.arcs,
        "p_h": graph.features.hub_probability_sampled,
        "hubs": round(graph.features.hub_probability * graph.n), "levels": levels,
    }  # fmt: skip


def fit_cost(levels: Levels) -> Numbers:
    """Coefficients that make the expected time of the choices small (mean over graphs of its log).

    Very different coefficients choose alike on the graphs that are measured, but not on others. So how
    far predicted times are from measured ones counts as much.
    """
    from scipy.optimize import minimize

    from .rules import expected_times, times_missed

    names, at = np.unique(levels.graph, return_inverse=True)
    walked, thin = levels.walked, levels.thin  # the policy is not asked about thin ones
    reference = np.bincount(at[walked], levels.spent(levels.best())[walked], len(names))
    obvious = np.bincount(at[walked & thin], levels.push[walked & thin], len(names))
    asked = walked & ~thin
    states, push, pull = levels.states[asked], levels.push[asked], levels.pull[asked]
    pull_after_push = pull + levels.to_bitmap[asked]  # as ``costs`` tells it of these states
    start = START.copy()
    start[FORM] = _forms(levels.where(asked))
    found = np.log(start)
    free = np.ones(start.size, bool)
    free[FORM] = False

    def loss(values: Numbers, width: float) -> float:
        z = np.log(start)
        z[free] = values
        p = np.concatenate([[0.0], np.exp(z)])
        total = obvious + expected_times(states, push, pull, at[asked], len(names), p, width)
        missed = times_missed(states, push, pull_after_push, at[asked], len(names), p)
        drift = float(((z - np.log(start)) ** 2).sum())
        lost = float(np.log(total / reference).mean())
        return lost + float(missed.mean()) + DRIFT_PENALTY * drift

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
    """``surf``: the mean of several networks, which is one with their hidden units side by side."""
    from .model import Network

    levels = levels.where(levels.timed)
    features = features_of(levels, "surf_features")
    mean, scale = features.mean(axis=0), features.std(axis=0) + 1e-9
    least = np.minimum(levels.push, levels.pull)
    stake = np.minimum(np.abs(levels.push - levels.pull), MOST_AT_STAKE * least)
    weight = _per_graph(levels, stake)
    found = [
        _perceptron(
            (features - mean) / scale, levels.pull < levels.push, weight,
            hidden_layer_sizes=(HIDDEN_UNITS,), solver="lbfgs", alpha=WEIGHT_PENALTY, max_iter=300,
            random_state=NETWORKS * seed + k,
        )
        for k in range(NETWORKS)
    ]  # fmt: skip
    hidden, bias, output = (np.concatenate([net[k] for net in found]) for k in range(3))
    output_bias = np.array([sum(net[3] for net in found) / NETWORKS])
    return Network(mean, scale, hidden, bias, output / NETWORKS, output_bias)


def fit_surf_paper(levels: Levels, seed: int = 0) -> Network:
    """``surf-paper``: labels by mean times, all levels of a graph alike, sigmoids, one network."""
    from .model import Network

    levels = levels.where(levels.timed)
    features = features_of(levels, "raw_features")
    mean, scale = features.mean(axis=0), features.std(axis=0) + 1e-9
    net = _perceptron(
        (features - mean) / scale, levels.pull_mean < levels.push_mean,
        _per_graph(levels, levels.weight), activation="logistic", solver="lbfgs", alpha=1e-3,
        hidden_layer_sizes=(PAPER_HIDDEN_UNITS,), max_iter=2000, random_state=seed,
    )  # fmt: skip
    return Network(mean, scale, net[0], net[1], net[2], np.array([net[3]]))


def _per_graph(levels: Levels, weight: Numbers) -> Numbers:
    """Scale weights so that every graph counts the same, and the mean is 1."""
    _, at = np.unique(levels.graph, return_inverse=True)
    scaled = weight / np.maximum(np.bincount(at, weight), 1e-9)[at]
    return cast(Numbers, scaled / scaled.mean())


def _perceptron(
    features: Numbers, label: np.ndarray, weight: Numbers, **options: object
) -> tuple[Numbers, Numbers, Numbers, float]:
    """Fit one hidden layer; return its weights, biases, weights of the output, and its bias."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    from threadpoolctl import threadpool_limits

    if label.all() or not label.any():
        faster = "pull" if label.all() else "push"
        raise InputError(
            f"a {faster} was faster at every level that was measured, so nothing can be learned: "
            "name graphs of other families, too"
        )
    net = MLPClassifier(**options)
    with warnings.catch_warnings(), threadpool_limits(1):  # its matrices are small
        warnings.simplefilter("ignore", ConvergenceWarning)
        net.fit(features, label, sample_weight=weight)
    hidden, output = net.coefs_
    bias, output_bias = net.intercepts_
    return hidden.T, bias, output[:, 0], float(output_bias[0])


def cost_of(levels: Levels) -> Policy:
    """The policy ``cost``, fitted to these levels."""
    from .model import cost_policy

    return cost_policy(fit_cost(levels))


def surf_of(levels: Levels, seed: int = 0) -> Policy:
    """The policy ``surf``, fitted to these levels."""
    from .model import surf_policy

    return surf_policy(fit_surf(levels, seed))


def surf_paper_of(levels: Levels, seed: int = 0) -> Policy:
    """The policy ``surf-paper``, fitted to these levels."""
    from .model import surf_policy

    return surf_policy(fit_surf_paper(levels, seed), as_published=True)


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

    tacho train direction --device opencl

    tacho train direction --graphs 'kronecker 16 16,road 300 300,uniform 60000 8,soc-Slashdot0902'

    tacho train direction --records levels.csv
    """

    searches: int = SEARCHES
    seed: int = 1  # of the vertices that they begin at
    device: str = field(
        default=HOST,
        metadata={"help": "host, an OpenCL device such as opencl, or a simulated GPU (rtx3080)."},
    )
    records: Path | None = field(
        default=None,
        metadata={"help": "Write the records that are learned from there, too (.csv, .parquet)."},
    )

    name = "direction"
    state = State._fields
    fewest = (4, 2)  # to carry over to others

    def how(self) -> tuple[Record, str]:
        """Return how many searches are measured, how often, and where."""
        check_table(self.records)
        asked: Record = {"sources": self.searches, "seed": self.seed, "repeats": REPEATS}
        if self.opened is not None:
            asked |= {"device": self.opened.id, "simulated": self.runner.measured}
            return asked, self.opened.key
        if self.device != HOST:
            asked |= {"device": self.device, "simulated": self.runner.simulated}
        return asked, ""

    @property
    def opened(self) -> OpenCL | None:
        """The OpenCL device that is measured, if it is one."""
        if self.device.partition(":")[0] != "opencl":
            return None
        from ...devices.opencl import open_device

        return open_device(self.device)

    @property
    def file(self) -> str:
        """The name of the model's file; one for another device is used on such devices only."""
        if self.opened is not None:
            return f"{self.name}-{self.opened.slug}"
        return self.name if self.device == HOST else f"{self.name}-{self.device}"

    def facts(self, model: Model) -> Record:
        """Return which device was measured, or simulated."""
        if self.opened is not None:
            return {"device": self.opened.name, "provenance": "measured"}
        return {} if self.device == HOST else {"device": self.device, "provenance": "simulated"}

    def fit(self, records: list[Record]) -> Model:
        """Fit all three, and write the records down if that was asked for."""
        from .model import Model

        levels = levels_of(records)
        if self.records is not None:
            export(levels, self.records)
        return Model(fit_surf(levels), fit_surf_paper(levels), fit_cost(levels))

    def evaluate(self, model: Model, records: list[Record]) -> Quality:
        """Return scores on families that the model was fitted without."""
        levels = levels_of(records)
        return [
            {"policy": name} | score(levels, chosen_unseen(levels, fit, levels.family)).summary()
            for name, fit in (
                ("cost", cost_of),
                ("surf", surf_of),
                ("surf-paper", surf_paper_of),
            )
        ]
