"""The tables of the SURF paper on this machine: accuracy and time saved, run time and overhead, rates.

All policies run in the same search, on graphs that no model was fitted to, and take turns. *Best*
repeats the directions that would have taken the least time by the measured times of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..algorithms.bfs import bfs
from ..decisions.direction.model import Policy, State, policy_named, scripted
from ..decisions.direction.train import Levels, Trainer, levels_of, score, sources_of
from ..decisions.direction.train import measure as measure_search
from ..decisions.graphs import graph_named, names_of, present
from ..journal import machine
from ..kernels.runtime.launch import clock
from .published import published
from .reproduce import Cell, Record, Settings, Table, measure

__all__ = ["Runs", "every_run", "real_runs", "table_3", "table_4", "table_5", "unseen_graphs"]

#: Graphs of a run without --full; all are among those that no model has seen.
SHORT_LIST = ["kronecker 17 20", "uniform 200000 12", "road 700 700", "soc-Epinions1"]
SHORT_LIST += ["web-NotreDame", "cnr-2000", "socfb-Cornell5", "cit-HepTh", "p2p-Gnutella31"]
SHORT_LIST += ["USA-road-topology.COL"]
COMPARED = ["cost", "surf", "enterprise", "hbfs", "gunrock", "gapbs", "gapbs 8/8"]
COMPARED += ["lagraph", "cugraph", "push"]
SEARCH_ROUNDS, SEARCH_SOURCES = 7, 4  # runs of a policy from each source; sources of each graph
#: SURF's features, and the column of the state that holds each.
FEATURE_COLUMNS = {
    "m_d": "arcs",
    "p_h": "p_h",
    "s_f": "s_f",
    "c_f": "c_f",
    "r_f": "n_f",
    "r_u": "n_u",
}


@dataclass(frozen=True)
class Runs:
    """Seconds of real searches on one graph: a row for each source, a column for each round."""

    name: str
    sources: list[int]
    seconds: dict[str, np.ndarray]
    reached: list[float]  # arcs out of the vertices that each search reached
    levels: Levels  # of the same searches

    def time(self, policy: str) -> float:
        """Seconds of all searches, the median of the rounds of each."""
        return float(np.median(self.seconds[policy], axis=1).sum())


def tuned_gapbs(s: State) -> bool:
    """GAPBS's rule with both thresholds 8: the best pair for machines like this one."""
    if s.previous == 0:
        return bool(s.m_f > s.m_u / 8)
    return not (s.n_f < s.before and s.n_f <= s.n / 8)


def named(policy: str) -> Policy:
    """Return a policy of the comparison."""
    return policy_named(tuned_gapbs if policy == "gapbs 8/8" else policy)


def unseen_graphs(full: bool) -> list[str]:
    """Return graphs that no model was fitted to; data sets that are not there are left out."""
    return present(names_of("direction", "tune", "test") if full else SHORT_LIST)


def every_run(settings: Settings) -> list[Runs]:
    """Return searches of all policies on all graphs; what was measured before is not measured again."""
    tasks = [{"name": name, "policies": COMPARED} for name in unseen_graphs(settings.full)]
    made = []
    for r in measure(settings, "surf:real_runs", tasks):
        seconds = {p: np.array(s) for p, s in r["seconds"].items()}
        made.append(Runs(r["name"], r["sources"], seconds, r["reached"], levels_of(r["records"])))
    return made


def real_runs(name: str, policies: list[str]) -> Record:
    """Let all policies search from the same vertices, in turns: a task of a campaign."""
    graph = graph_named(name)
    sources = sources_of(graph, SEARCH_SOURCES, seed=2).tolist()
    records = [measure_search(graph, name, source) for source in sources]
    seconds = {p: np.zeros((len(sources), SEARCH_ROUNDS)) for p in (*policies, "best")}
    reached = []
    for i, source in enumerate(sources):
        using = {p: named(p) for p in policies}
        using["best"] = scripted(levels_of([records[i]]).best().tolist())
        wanted = bfs(graph, source).levels
        reached.append(float(graph.degrees[wanted >= 0].sum()))
        order = list(using)
        for r in range(SEARCH_ROUNDS):
            for p in order[r % len(order) :] + order[: r % len(order)]:
                found = bfs(graph, source, direction=using[p], trace=False)
                seconds[p][i, r] = found.seconds
                if r == 0 and not np.array_equal(found.levels, wanted):
                    raise AssertionError(f"{name}: {p} gives other levels")
    times = {p: found.tolist() for p, found in seconds.items()}
    about = {"name": name, "sources": sources, "reached": reached}
    return {**about, "records": records, "seconds": times}


def _here() -> str:
    about = machine()[1]
    return (
        f"This machine: {about['cores']} cores, {about['processor']}. The paper: an RTX 3080 GPU."
    )


def _percent(values: Iterable[float], digits: int = 2) -> list[Cell]:
    return [round(100 * float(value), digits) for value in values]


def table_3(settings: Settings) -> Iterator[Table]:
    """Accuracy and share of the possible time saved, per graph; what SURF's features contribute."""
    names = unseen_graphs(settings.full)
    trainer = Trainer(None, float("inf"), settings.executor, searches=SEARCH_SOURCES, seed=2)
    levels = levels_of(trainer.collect(names))
    scores = [score(levels, levels.chosen_by(named(p))) for p in COMPARED]
    columns = [*COMPARED, *(f"saved {p}" for p in COMPARED)]
    found = np.array([s.accuracy for s in scores] + [s.saved for s in scores])
    rows = [[g, *_percent(found[:, i], 1)] for i, g in enumerate(scores[0].graphs)]
    rows.append(["mean", *_percent(found.mean(axis=1))])
    rows.append(["spread", *_percent(found.std(axis=1))])
    paper = published("surf", "table-3")
    for row, label in (("mean", "paper, mean of its 8 graphs"), ("spread", "paper, spread")):
        rows.append([label, *(paper.row(row).get(column) for column in columns)])
    how = "Both directions were timed at every level and the policies replayed on the times."
    title = "SURF table 3: accuracy (%), then time saved (%)"
    yield Table(title, ["graph", *columns], rows, [_here(), how])
    yield _importance(levels)


def _importance(levels: Levels) -> Table:
    """Return what the network loses when one feature is shuffled among the levels of all graphs."""
    policy = policy_named("surf")
    whole = score(levels, levels.chosen_by(policy)).summary()
    n = levels.states[:, State._fields.index("n")]
    rng = np.random.default_rng(0)
    rows: list[tuple[str, float, float]] = []
    for feature, column in FEATURE_COLUMNS.items():
        k, scale = State._fields.index(column), 1 if feature == "p_h" else n
        states = levels.states.copy()
        states[:, k] = rng.permutation(states[:, k] / scale) * scale
        found = score(levels, replace(levels, states=states).chosen_by(policy)).summary()
        right, saved = (100 * (whole[name] - found[name]) for name in ("accuracy", "saved"))
        rows.append((feature, round(right, 2), round(saved, 2)))
    rows.sort(key=lambda row: -row[2])
    columns = ["feature", "accuracy (points)", "time saved (points)"]
    title = "What SURF's network loses when a feature is shuffled"
    return Table(title, columns, rows, ["The paper leaves this as future work."])


def table_4(settings: Settings) -> Iterator[Table]:
    """Run time and overhead of the decisions."""
    every = every_run(settings)
    policies = (*COMPARED, "best")
    rows: list[list[Cell]] = [
        [r.name, *(round(1e3 * r.time(p) / len(r.sources), 3) for p in policies)] for r in every
    ]
    ratio = np.array([[r.time(p) / r.time("best") for p in policies] for r in every])
    mean, worst = np.exp(np.log(ratio).mean(axis=0)), ratio.max(axis=0)
    rows.append(["time / best, mean", *mean.round(3).tolist()])
    rows.append(["time / best, worst", *worst.round(3).tolist()])
    runs = f"mean of {SEARCH_SOURCES} sources, median of {SEARCH_ROUNDS} rounds"
    best = "Best: the directions that would have taken the least time, repeated."
    yield Table(f"SURF table 4: run time (ms, {runs})", ["graph", *policies], rows, [_here(), best])
    yield _overheads(every)


def _overheads(every: list[Runs]) -> Table:
    """Return the time of the decisions alone: all levels are asked about again, many times."""
    policies, rows = COMPARED[:-1], []
    for r in every:
        row: list[Cell] = [r.name]
        for p in policies:
            policy = named(p)
            for turn in range(23):  # of which the first three warm up
                if turn == 3:
                    begin = clock()
                r.levels.chosen_by(policy)
            row.append(round(100 * (clock() - begin) / 20 / r.time(p), 3))
        rows.append(row)
    note = (
        "Arcs of the frontier are summed while it is found, for every policy. Counting hubs, which "
        "Enterprise needs, is in its run time above, not here."
    )
    return Table(
        "Overhead of the decisions (% of the run time)", ["graph", *policies], rows, [note]
    )


def table_5(settings: Settings) -> Iterator[Table]:
    """Arcs out of reached vertices per second."""
    rows: list[list[Cell]] = []
    for r in every_run(settings):
        rates = [round(sum(r.reached) / r.time(p) / 1e9, 4) for p in COMPARED]
        rows.append([r.name, *rates, round(r.time("push") / r.time("cost"), 2)])
    columns = ["graph", *COMPARED, "cost over push"]
    notes = [_here(), published("surf", "table-5").note]
    yield Table("SURF table 5: traversal rate (billion arcs per second)", columns, rows, notes)
