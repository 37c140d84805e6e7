"""The tables of the SURF paper on this machine: accuracy and time saved, run time and overhead, rates.

All policies run in the same search and take turns, each with the guards of the default and without, on
graphs that no model and no constant has seen. *Best* repeats, without guards, the directions whose
times add up to the least by the times that both took in an earlier walk. In another run they are not
always the shortest, and guards save time that no direction does, so a policy can be faster than it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..algorithms.bfs import bfs
from ..algorithms.bfs_on_host import find_hubs
from ..decisions.direction.levels import Levels, levels_of, score
from ..decisions.direction.model import Policy, State, policy_named, scripted
from ..decisions.direction.train import Trainer, sources_of
from ..decisions.direction.train import measure as measure_search
from ..decisions.graphs import graph_named, names_of, present
from ..journal import machine
from .published import published
from .reproduce import GRAPH_COLUMNS, Cell, Record, Settings, Table, measure, origin

__all__ = ["Runs", "about_graph", "compared_graphs", "every_run", "named", "real_runs"]
__all__ += ["table_2", "table_3", "table_4", "table_5", "timed_levels", "unseen_graphs"]
__all__ += ["validation"]

#: Graphs of a run without --full.
SHORT_LIST = ["kronecker-17-test", "uniform-18-test", "road-500-test", "hyperbolic 100000 10 2.5"]
SHORT_LIST += [
    "block_model 100000 40 14 2",
    "small_world 150000 6 0.5",
    "delaunay 100000",
    "hep-th",
]
SHORT_LIST += ["ca-HepTh", "USA-road-topology.BAY"]
PAPERS_GRAPHS = {str(row[1]): str(row[0]) for row in published("surf", "table-2").rows}
GUARDED = " guarded"
COMPARED = ["cost", "surf", "surf-paper", "enterprise", "hbfs", "gunrock", "gapbs", "gapbs 8/8"]
COMPARED += ["lagraph", "cugraph", "push"]
BOTH = [*COMPARED, *(p + GUARDED for p in COMPARED if p != "push")]  # pushes need no guards
VALIDATION_GRAPHS = 14  # as many as the paper has
SEARCH_ROUNDS, SEARCH_SOURCES = 7, 4  # runs of a policy from each source; sources of each graph
HOW_SCORED = (
    "Both directions of a level were timed several times, and policies replayed on the least times. "
    "Of levels of few arcs, a timed one stands for those after it that were not. A pull that is given "
    "up cannot be replayed."
)
BEST = (
    "best: the directions whose times in an earlier walk add up to the least, repeated without guards; "
    "a policy below 1 is faster than that."
)


@dataclass(frozen=True)
class Runs:
    """Seconds of real searches on one graph: a row for each source, a column for each round."""

    name: str
    sources: list[int]
    seconds: dict[str, np.ndarray]
    deciding: dict[str, np.ndarray]  # the part of a traced search that went into decisions, alike
    reached: list[float]  # arcs out of the vertices that each search reached
    levels: Levels  # of the same searches

    def time(self, policy: str) -> float:
        """Seconds of all searches, the median of the rounds of each."""
        return float(np.median(self.seconds[policy], axis=1).sum())


def tuned_gapbs(s: State) -> bool:
    """GAPBS's rule with both thresholds 8; on which graphs they were chosen is not recorded."""
    if s.previous == 0:
        return bool(s.m_f > s.m_u / 8)
    return not (s.n_f < s.before and s.n_f <= s.n / 8)


def named(policy: str) -> Policy:
    """Return a policy of the comparison: without guards, unless its name says so."""
    name = policy.removesuffix(GUARDED)
    made = policy_named(tuned_gapbs if name == "gapbs 8/8" else name)
    return made.with_guards(policy.endswith(GUARDED))


def unseen_graphs(full: bool) -> list[str]:
    """Return graphs that nothing has seen; data sets that are not there are left out."""
    return present(names_of("direction", "test") if full else SHORT_LIST)


def compared_graphs(settings: Settings) -> list[str]:
    """Return the graphs that were asked for, or those of the paper that are here and unseen ones."""
    return list(settings.graphs) or [*present(PAPERS_GRAPHS), *unseen_graphs(settings.full)]


def about_graph(name: str) -> list[Cell]:
    """Return the columns behind a graph: whether it is the paper's, and what has seen it."""
    return [name, *origin(name, "direction", PAPERS_GRAPHS)]


def every_run(settings: Settings) -> list[Runs]:
    """Return searches of all policies on all graphs; what was measured before is not measured again."""
    tasks = [{"name": name, "policies": BOTH} for name in compared_graphs(settings)]
    made = []
    for r in measure(settings, "surf:real_runs", tasks):
        seconds = {p: np.array(s) for p, s in r["seconds"].items()}
        deciding = {p: np.array(s) for p, s in r["deciding"].items()}
        levels = levels_of(r["records"])
        made.append(Runs(r["name"], r["sources"], seconds, deciding, r["reached"], levels))
    return made


def real_runs(name: str, policies: list[str]) -> Record:
    """Let all policies search from the same vertices, in turns: a task of a campaign."""
    graph = graph_named(name)
    sources = sources_of(graph, SEARCH_SOURCES, seed=2).tolist()
    hubs = find_hubs(graph)  # so that all searches, and the walks that time both, pull alike
    records = [measure_search(graph, name, source, hubs=hubs) for source in sources]
    seconds, deciding = (
        {p: np.zeros((len(sources), SEARCH_ROUNDS)) for p in (*policies, "best")} for _ in range(2)
    )
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
                traced = bfs(graph, source, direction=using[p]).trace["deciding_seconds"]
                deciding[p][i, r] = traced.sum()
                if r == 0 and not np.array_equal(found.levels, wanted):
                    raise AssertionError(f"{name}: {p} gives other levels")
    times, decided = ({p: v.tolist() for p, v in of.items()} for of in (seconds, deciding))
    about = {"name": name, "sources": sources, "reached": reached}
    return {**about, "records": records, "seconds": times, "deciding": decided}


def _here() -> str:
    about = machine()[1]
    return (
        f"This machine: {about['cores']} cores, {about['processor']}. The paper: an RTX 3080 GPU."
    )


def _percent(values: Iterable[float], digits: int = 2) -> list[Cell]:
    return [round(100 * float(value), digits) for value in values]


def _published(table: str, columns: Sequence[str]) -> list[list[Cell]]:
    """Return the paper's rows of these columns, which it may not have."""
    made: list[list[Cell]] = []
    for graph, *_ in published("surf", table).rows:
        own = published("surf", table).row(str(graph))
        made.append([f"paper: {graph}", "same", "", *(own.get(c) for c in columns)])
    return made


def timed_levels(settings: Settings, names: Sequence[str]) -> Levels:
    """Return levels that were timed in both directions, from other vertices than training has seen."""
    trainer = Trainer(None, float("inf"), settings.executor, searches=SEARCH_SOURCES, seed=2)
    return levels_of(trainer.collect(names))


def table_2(settings: Settings) -> Iterator[Table]:
    """The graphs: sizes, iterations of a search, and the two features of a graph."""
    rows: list[list[Cell]] = []
    columns = ["vertices", "arcs", "iterations", "m_d", "p_h"]
    for r in every_run(settings):
        n, arcs, share = (float(r.levels.column(name)[0]) for name in ("n", "arcs", "p_h"))
        iterations = len(r.levels) / len(r.sources)
        rows.append(
            [*about_graph(r.name), n, arcs, iterations, round(arcs / n, 2), round(share, 2)]
        )
    rows += _published("table-2", columns)
    yield Table("SURF table 2: graphs", [*GRAPH_COLUMNS, *columns], rows, [_here()], "measured")


def table_3(settings: Settings) -> Iterator[Table]:
    """Accuracy and share of the possible time saved, per graph, with guards and without."""
    levels = timed_levels(settings, compared_graphs(settings))
    for policies, guards in ((COMPARED, "without"), (BOTH[len(COMPARED) :], "with")):
        scores = [score(levels, levels.chosen_by(named(p))) for p in policies]
        columns = [*policies, *(f"saved {p}" for p in policies)]
        found = np.array([s.accuracy for s in scores] + [s.saved for s in scores])
        rows = [
            [*about_graph(g), *_percent(found[:, i], 1)] for i, g in enumerate(scores[0].graphs)
        ]
        rows.append(["mean", "", "", *_percent(found.mean(axis=1))])
        ddof = min(1, found.shape[1] - 1)  # the paper's spreads are those of a sample
        rows.append(["spread", "", "", *_percent(found.std(axis=1, ddof=ddof))])
        notes = [_here(), HOW_SCORED]
        title = f"SURF table 3, {guards} guards: accuracy (%), then time saved (%)"
        rows += _published("table-3", columns) if policies is COMPARED else []
        yield Table(title, [*GRAPH_COLUMNS, *columns], rows, notes, "measured")


def table_4(settings: Settings) -> Iterator[Table]:
    """Run time of the policies with and without guards, and the time of the decisions alone."""
    every = every_run(settings)
    runs = f"mean of {SEARCH_SOURCES} sources, median of {SEARCH_ROUNDS} rounds"
    for own, guards in ((COMPARED, "without"), (BOTH[len(COMPARED) :], "with")):
        policies = [*own, "best"]
        rows: list[list[Cell]] = [
            [*about_graph(r.name), *(round(1e3 * r.time(p) / len(r.sources), 3) for p in policies)]
            for r in every
        ]
        ratio = np.array([[r.time(p) / r.time("best") for p in policies] for r in every])
        mean, worst, least = (
            np.exp(np.log(ratio).mean(axis=0)),
            ratio.max(axis=0),
            ratio.min(axis=0),
        )
        for name, numbers in (("mean", mean), ("worst", worst), ("least", least)):
            rows.append([f"time / best, {name}", "", "", *numbers.round(3).tolist()])
        rows += _published("table-4", policies) if own is COMPARED else []
        title = f"SURF table 4, {guards} guards: run time (ms, {runs})"
        yield Table(title, [*GRAPH_COLUMNS, *policies], rows, [_here(), BEST], "measured")
    yield _overheads(every)


def _overheads(every: list[Runs]) -> Table:
    """Return the time of the decisions in searches that were traced, the counting of hubs included."""
    policies = COMPARED[:-1]
    rows: list[list[Cell]] = []
    for r in every:
        alone = [1e3 * np.median(r.deciding[p], axis=1).mean() for p in policies]
        rows.append([*about_graph(r.name), *(round(float(value), 5) for value in alone)])
    note = (
        "The clock is read before and after each decision, which is most of what the short ones take. "
        "Arcs of the frontier are summed while it is found, for every policy. Hubs are counted for "
        "Enterprise, by all threads together."
    )
    rows += _published("table-4", [f"overhead {p}" for p in policies])
    columns = [*GRAPH_COLUMNS, *policies]
    return Table("Overhead of the decisions (ms of a search)", columns, rows, [note], "measured")


def validation(settings: Settings) -> Iterator[Table]:
    """Accuracy of the networks on graphs that training has not seen (section 4.3)."""
    names = list(settings.graphs) or present(names_of("direction", "tune"))[:VALIDATION_GRAPHS]
    levels = timed_levels(settings, names)
    own = ("surf-paper", "surf")
    scores = [score(levels, levels.chosen_by(named(p))).accuracy for p in own]
    rows = [
        [*about_graph(g), *_percent((s[i] for s in scores), 1)]
        for i, g in enumerate(np.unique(levels.graph).tolist())
    ]
    rows.append(["mean", "", "", *_percent(s.mean() for s in scores)])
    paper = published("surf", "validation").row("accuracy")["surf"]
    rows.append(["paper: mean", "", "", paper, None])
    title = "SURF section 4.3: accuracy on graphs that training has not seen (%)"
    columns = [*GRAPH_COLUMNS, *own]
    yield Table(title, columns, rows, [_here(), HOW_SCORED], "measured")


def table_5(settings: Settings) -> Iterator[Table]:
    """Arcs out of reached vertices per second."""
    rows: list[list[Cell]] = []
    for r in every_run(settings):
        rates = [round(sum(r.reached) / r.time(p) / 1e9, 4) for p in BOTH]
        rows.append([*about_graph(r.name), *rates])
    paper = published("surf", "table-5")
    for graph in paper.columns[1:]:
        theirs = [paper.row(p).get(graph) for p in BOTH]
        rows.append([f"paper: {graph}", "same", "", *theirs])
    notes = [_here(), paper.note]
    title = "SURF table 5: traversal rate (billion arcs per second)"
    yield Table(title, [*GRAPH_COLUMNS, *BOTH], rows, notes, "measured")
