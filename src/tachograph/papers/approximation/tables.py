"""Table 1: what combined approximations gain for their error. Table 4: how well models predict
inaccuracy and speedup, and what the advisor makes of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, product

import numpy as np

from ...decisions.approximation.collect import Data, trimmed
from ...decisions.approximation.collect import measure as search_once
from ...decisions.approximation.model import the_model
from ...decisions.approximation.rules import Approximation, inaccuracy
from ...decisions.approximation.state import Configuration, State
from ...decisions.approximation.train import evaluate, to_test
from ...decisions.graphs import graph_named, weighted
from ...graph import generate
from ...graph.graph import Graph
from ...tasks.measure import run
from ..published import published
from ..reproduce import Cell, Record, Settings, Table, measure, origin
from .models import (
    FEWEST_CONFIGURATIONS,
    MODELS,
    OURS,
    SCENARIOS,
    joint_score,
    leave_family_out,
    measurements,
    paper_data,
    scenario,
    score,
)

__all__ = ["about_graphs", "graph_of", "of_graph", "of_rows", "shortest", "table_1", "table_4"]

SCALE, FULL_SCALE = 15, 20  # the paper's graphs have scale 19 to 24
COMPARED_SEARCHES = ("bellman-ford", "delta-stepping")
ITERATION_CAPS = (1, 2, 3, 4, 6)
TIMED_RUNS = 3  # of each configuration
PAPER_RUNS = 10  # of each of the paper's own rows
PAPER_MEAN_DEGREE = 31.0  # of its Kronecker graphs: twice the edges over the vertices of table 2
EXACT_EVERY = 6  # configurations between two exact searches
ERROR_LIMITS = (0.10, 0.20, 0.28)
SPEEDUP_COLUMNS = ["inaccuracy", "paper", "Bellman-Ford, speedup", "by", "error"]
SPEEDUP_COLUMNS += ["over fastest exact", "by", "error"]


OUTPUTS = ("joint", "inaccuracy", "speedup")
METRICS = ("MAE", "RMSE", "R2")
HOW = (
    "random: 80 % of the configurations predict 20 %; large: smaller graphs predict the largest; "
    "real: road networks, 80 % predict 20 %. Values are normalised as in the paper.",
    "ours: boosted trees on shares of vertices and arcs; the others see the paper's features.",
)
Scores = dict[tuple[str, str], dict[str, tuple[float, ...]]]  #: by model and scenario, by output


@lru_cache(1)
def graph_of(name: str) -> tuple[Graph, np.ndarray]:
    """Return a graph and its vertex of highest degree; kronecker-N is the paper's kind, of scale N."""
    scale = name.removeprefix("kronecker-")
    if scale.isdigit():
        graph = generate.kronecker(int(scale), rng=1, weights=True)
    else:
        graph = weighted(graph_named(name))
    return graph, np.array([graph.degrees.argmax()])


def about_graphs(names: Iterable[str]) -> str:
    """Say of graphs whether they are those of the paper, and what has seen them.

    >>> about_graphs(["kronecker-14", "rome99"])
    'kronecker-14 (generated alike, seen by the model), rome99 (stand-in)'
    """
    said = []
    for name in names:
        kind, seen = origin(name, "approximation", alike={"kronecker"})
        said.append(f"{name} ({kind}{f', seen by {seen}' if seen else ''})")
    return ", ".join(said)


def shortest(times: Sequence[float], runs: int) -> float:
    """The shortest of ``runs`` times; of more, the mean of the shortest of each so many."""
    groups = max(1, len(times) // runs)
    return float(np.mean([min(times[k::groups]) for k in range(groups)]))


def of_graph(name: str, algorithm: str, iterations: int) -> Record:
    """Return error and speedup of all thresholds with that many iterations: a task of the campaign."""
    graph, source = graph_of(name)
    state = State(graph, source, 1)
    every = len(state.thresholds[0])
    choices = [Approximation(iterations, *pair) for pair in state.pairs(every)]
    search = partial(search_once, run, graph, source)
    exact = Configuration(algorithm)
    wanted = search(exact).distances
    times: list[list[float]] = [[] for _ in choices]
    errors = [0.0] * len(choices)
    exact_times = []
    for _ in range(TIMED_RUNS):
        for k, choice in enumerate(choices):
            if k % EXACT_EVERY == 0:
                exact_times.append(search(exact).seconds)
            found = search(Configuration(algorithm, choice))
            times[k].append(found.seconds)
            errors[k] = inaccuracy(wanted, found.distances, source).mean
    # as many exact runs as of each configuration: more would have a shorter shortest one
    alone = shortest(exact_times, TIMED_RUNS)
    rows = [[e, alone / min(t), str(c)] for e, t, c in zip(errors, times, choices, strict=True)]
    return {"rows": rows}


def of_rows(name: str, row: int) -> Record:
    """Return error and speedup of the paper's row with its parameters scaled: a task of the campaign.

    The largest degree that is taken keeps its share of the graph's largest; the least keeps its share
    of the mean degree, which all Kronecker graphs of one kind have in common.
    """
    graph, source = graph_of(name)
    paper = published("approximation", "table-1")
    rounds, largest, most, least = (
        paper.numbers(k)[row] for k in ("iterations", "largest degree", "max degree", "min degree")
    )
    low = round(least * graph.features.mean_degree / PAPER_MEAN_DEGREE)
    high = max(1, low, round(most / largest * graph.features.max_degree))
    choice = Approximation(int(rounds), low, high)
    search = partial(search_once, run, graph, source)
    exact, approximate = Configuration("bellman-ford"), Configuration("bellman-ford", choice)
    wanted, found = search(exact).distances, search(approximate).distances
    times = [(search(exact).seconds, search(approximate).seconds) for _ in range(PAPER_RUNS)]
    alone, shortened = (trimmed(part) for part in zip(*times, strict=True))
    error = inaccuracy(wanted, found, source).mean
    return {"choice": str(choice), "error": error, "speedup": alone / shortened}


def _rows_of_table_1(name: str, settings: Settings) -> Table:
    """Return the paper's 13 rows with our numbers beside them."""
    paper = published("approximation", "table-1")
    count = len(paper.numbers("speedup"))
    tasks = [{"name": name, "row": row} for row in range(count)]
    found = measure(settings, "approximation.tables:of_rows", tasks)
    theirs = zip(paper.numbers("inaccuracy"), paper.numbers("speedup"), strict=True)
    rows: list[list[Cell]] = [
        [k + 1, r["choice"], error / 100, r["error"], speedup, r["speedup"]]
        for k, (r, (error, speedup)) in enumerate(zip(found, theirs, strict=True))
    ]
    columns = ["row", "parameters, scaled", "inaccuracy, paper", "ours", "speedup, paper", "ours"]
    how = "Thresholds keep their share of the largest and of the mean degree; mean of "
    how += f"{PAPER_RUNS} runs without the shortest and the longest; Bellman-Ford."
    return Table(f"Table 1, row by row, on {name}", columns, rows, [paper.note, how])


def table_1(settings: Settings) -> Iterator[Table]:
    """The best trade-offs, and the paper's own rows, on each graph."""
    for name in settings.graphs or (f"kronecker-{FULL_SCALE if settings.full else SCALE}",):
        yield _trade_offs(name, settings)
        yield _rows_of_table_1(name, settings)


def _trade_offs(name: str, settings: Settings) -> Table:
    tasks = [
        {"name": name, "algorithm": algorithm, "iterations": cap}
        for algorithm in COMPARED_SEARCHES
        for cap in ITERATION_CAPS
    ]
    found = measure(settings, "approximation.tables:of_graph", tasks)
    paper = published("approximation", "table-1")
    theirs = list(zip(paper.numbers("inaccuracy"), paper.numbers("speedup"), strict=True))
    rows = []
    for limit in ERROR_LIMITS:
        row: list[Cell] = [f"{limit:.0%}", max(s for e, s in theirs if e <= 100 * limit)]
        for part in (found[: len(ITERATION_CAPS)], found[len(ITERATION_CAPS) :]):
            within = [r for record in part for r in record["rows"] if r[0] <= limit]
            within.append([0.0, 1.0, "exact"])  # on some graphs nothing else keeps it
            error, speedup, choice = max(within, key=lambda r: r[1])
            row += [speedup, choice, error]
        rows.append(row)
    here = "The last three columns are delta-stepping against exact delta-stepping, the fastest "
    here += "exact algorithm here."
    kind, seen = origin(name, "approximation", alike={"kronecker"})
    about = (
        f"The graph is {kind}, seen by {seen or 'nothing'}; a row is the best that was tried on it."
    )
    title = f"Table 1: best speedup within an inaccuracy, on {name}"
    return Table(title, SPEEDUP_COLUMNS, rows, [paper.note, about, here])


def table_4(settings: Settings) -> Iterator[Table]:
    """How well the models predict, in the paper's scenarios and one more."""
    data = measurements(settings)
    found, notes = _scores(data)
    columns = ["model", "scenario", "metric"]
    columns += [f"{o}{source}" for o in OUTPUTS for source in ("", ", paper")]
    paper = published("approximation", "table-4")
    rows: list[list[Cell]] = []
    for model, name in product((*MODELS, OURS), SCENARIOS):
        own, theirs = found.get((model, name)), paper.row(model, name)
        if own is None:
            continue
        for k, metric in enumerate(METRICS):
            beside = [(own[o][k], theirs.get(f"{metric} {o}")) for o in OUTPUTS]
            rows.append([model, name, metric, *chain.from_iterable(beside)])
    yield _best(found, notes)
    yield Table("Table 4: prediction of inaccuracy and speedup", columns, rows, notes)
    yield from _families(data)
    yield from _advice(data)


def _scores(data: Data) -> tuple[Scores, list[str]]:
    """Return the errors of all models in all scenarios, and notes on what they were judged by."""
    found: Scores = {}
    notes = list(HOW)
    for name, part in paper_data(data).items():
        if len(part) < FEWEST_CONFIGURATIONS:
            notes.append(
                f"{name}: only {len(part)} configurations were measured, so it is left out"
            )
            continue
        graphs = dict.fromkeys(part.column("graph").tolist())
        notes.append(f"{name}: {len(part):,} configurations of {about_graphs(graphs)}")
        for model, output, wanted, guessed in scenario(part, name):
            if output == "joint":
                numbers = joint_score(wanted, guessed)
            else:
                numbers = score(wanted, guessed)
            found.setdefault((model, name), {})[output] = numbers
    return found, notes


def _best(found: Scores, notes: list[str]) -> Table:
    """Return R2 of the model that predicts best, here and in the paper."""
    paper = published("approximation", "table-4")
    rows = []
    for name in dict.fromkeys(name for _, name in found):
        row: list[Cell] = [name]
        for output in OUTPUTS[1:]:
            own = [(scores[output][2], m) for (m, n), scores in found.items() if n == name]
            best, model = max(own)
            theirs = max(float(paper.row(m, name)[f"R2 {output}"] or 0.0) for m in MODELS)
            row += [f"{best:.3f} ({model})", theirs]
        rows.append(row)
    columns = ["scenario", "inaccuracy", "in the paper", "speedup", "in the paper"]
    return Table("R² of the best model", columns, rows, notes)


def _advice(data: Data) -> Iterator[Table]:
    """Yield what the advisor chooses on graphs that its model has not learned from."""
    verdicts = evaluate(the_model(), to_test(data))
    if not verdicts:
        return
    rows = []
    for budget in dict.fromkeys(v.budget for v in verdicts):
        own = [v for v in verdicts if v.budget == budget]
        gains, best = np.array([v.gain for v in own]), np.array([v.best_gain for v in own])
        tried = [v for v in own if v.chosen != "exact"]  # an exact answer keeps any budget
        kept = sum(v.kept for v in tried)
        means = [float(gains.mean()), float(best.mean()), float(gains.min())]
        most = max((v.error for v in tried), default=0.0)
        row: list[Cell] = [f"{budget:.0%}", len(own), len(tried), kept, most, *means]
        rows.append([*row, float(np.median(best / gains))])
    columns = ["budget", "cases", "approximated", "of which kept", "largest error", "mean gain"]
    columns += ["mean gain of the best that keeps it", "least gain", "time to the best's, median"]
    graphs = dict.fromkeys(v.graph for v in verdicts)
    note = (
        f"From the vertex of highest degree and two random ones of {', '.join(graphs)}, among the "
    )
    note += (
        "measured configurations; the live advisor chooses among others, too. The other cases were "
    )
    note += "searched exactly. Gains are over the fastest exact search, of the search alone."
    title = "The advisor on graphs it has not learned from, with 90 % confidence"
    yield Table(title, columns, rows, [note])


def _families(data: Data) -> Iterator[Table]:
    """Yield the harder scenario: a kind of graph that was never seen."""
    own = data.only(hub=True, algorithm={"bellman-ford", "delta-stepping"})
    if len(set(own.column("family").tolist())) < 2:
        return
    rows: list[list[Cell]] = []
    for family, wanted, guessed in leave_family_out(own):
        errors, speedups = (score(wanted[:, k], guessed[:, k]) for k in (0, 1))
        rows.append([family, len(wanted), *errors, *speedups])
    columns = ["family left out", "configurations"]
    columns += [f"{m} {o}" for o in OUTPUTS[1:] for m in METRICS]
    note = "Our model; Bellman-Ford and delta-stepping from the vertex of highest degree. "
    note += "Not in the paper."
    yield Table("A family of graphs predicted from the others", columns, rows, [note])
