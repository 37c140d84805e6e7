"""HitGraph and AccuGraph beside the published measurements and simulations."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import mean
from typing import NamedTuple, cast

from ..decisions.graphs import graph_named
from ..graph.datasets import dataset, datasets
from ..graph.generate import kronecker
from ..graph.graph import Graph
from ..simulation.accelerators import AccuGraph, HitGraph, Job
from ..simulation.accelerators.base import Accelerator
from ..simulation.accelerators.problem import PAPER_ROOTS, Numbers, Question, roots, variation
from ..simulation.accelerators.simulate import compare
from ..simulation.accelerators.validated import Cell as Validated
from ..simulation.dram import Memory
from ..util.errors import TachographError
from ..util.executor import Local
from .published import published
from .reproduce import GRAPH_COLUMNS, Cell, Settings, Table

__all__ = [
    "comparability",
    "enhancements",
    "full_validation",
    "load_graphs",
    "simulated",
    "table_5",
    "table_6",
    "validation",
]

COMPARED_MEMORY = Memory("DDR4-2400R", channels=1, density="8Gb", width=16)  # Table 2
COMPARED_PARTITION = 1_024_000  # vertices of a partition in the comparison (Table 4)
ONE_AT_A_TIME_ABOVE_EDGES = 50_000_000  # several such simulations would not fit the memory
FULL_GRAPH = "rmat-21-86"  # simulated in its full size to validate HitGraph: 180 million edges
LARGE_PARTITION = 1_700_000  # vertices: AccuGraph's values of larger graphs do not fit on chip
TABLE_COLUMNS = ["task", "graph", "graph is", "chosen on it", "iterations", "here", "published"]
TABLE_COLUMNS += ["their simulation", "error, %", "their error, %", "error to their simulation, %"]
#: What was chosen by looking at a design's cells of a graph (``source`` of its parameters says it).
CHOSEN_ON = {("AccuGraph", "slashdot"): "clock, pipeline sizes"}


def _cells(table: str) -> dict[str, dict[str, tuple[float, float]]]:
    """Return by task and graph what the design's authors and the paper's simulation report."""
    made: dict[str, dict[str, tuple[float, float]]] = {}
    for task, graph, reported, simulation in published("accelerators", table).rows:
        made.setdefault(str(task), {})[str(graph)] = float(reported or 0), float(simulation or 0)
    return made


Cells = dict[str, tuple[float, float]]  # by graph: as published, and in the paper's simulation
TABLE_5 = _cells("table-5")
TABLE_6 = _cells("table-6")


class Known(NamedTuple):
    """A graph of the paper: its data set, or how it is generated."""

    dataset: str | None
    scale: int = 0
    edge_factor: int = 0
    small: int = 0  # the scale that is used unless the full size is asked for


GRAPHS = {
    "slashdot": Known("soc-Slashdot0902"),
    "dblp": Known("com-DBLP"),
    "youtube": Known("com-Youtube"),
    "wiki-talk": Known("wiki-Talk"),
    "berk-stan": Known("web-BerkStan"),
    "roadnet-ca": Known("roadNet-CA"),
    "live-journal": Known("soc-LiveJournal1"),
    "orkut": Known("com-Orkut"),
    "twitter": Known("twitter-2010"),
    "rmat-21-86": Known(None, 21, 86, 14),
    "rmat-24-16": Known(None, 24, 16, 16),
}


@dataclass(frozen=True)
class Loaded:
    """A graph that can be run; ``share`` is how many times smaller than the paper's it is."""

    name: str
    graph: Graph
    share: int = 1

    @property
    def kind(self) -> str:
        """Whether it is the graph of the paper."""
        if self.name not in GRAPHS:
            return "yours" if Path(self.name).is_file() else "stand-in"
        return "same" if GRAPHS[self.name].dataset else "generated alike"

    def about(self, design: Accelerator) -> list[str]:
        """Return the columns behind a graph: what it is, and what of a design was chosen on it."""
        return [self.label, self.kind, CHOSEN_ON.get((type(design).__name__, self.name), "")]

    @property
    def label(self) -> str:
        """Its name, and how many times smaller it is."""
        return self.name if self.share == 1 else f"{self.name}, 1/{self.share}"

    def scaled(self, size: int) -> int:
        """Return a partition size that cuts this graph into as many partitions as the paper's."""
        return max(1, size // self.share)


def load_graphs(names: Iterable[str], settings: Settings, notes: list[str]) -> Iterator[Loaded]:
    """Yield the graphs that were asked for, or those that are here, one at a time; note the others."""
    if settings.graphs:
        theirs = {known.dataset: name for name, known in GRAPHS.items()}
        for name in settings.graphs:
            made = graph_named(name)
            plain = Graph.from_csr(made.indptr, made.indices, directed=made.directed)
            yield Loaded(theirs.get(name, name), plain)
        return
    here = {name for name, found in datasets().items() if found.file is not None}
    gone = []
    for name in names:
        known = GRAPHS[name]
        if known.dataset is None:
            scale = known.scale if settings.full else known.small
            made = kronecker(scale, known.edge_factor, directed=True, simple=False, rng=1)
            yield Loaded(name, made, 1 << (known.scale - scale))
        elif known.dataset in here:
            yield Loaded(name, dataset(known.dataset))
        else:
            gone.append(name)
    if gone:
        notes.append(f"not on this machine, left out: {', '.join(gone)}")


def error(found: float, truth: float) -> float:
    """Return the percentage error of the paper: 100 |s - t| / t."""
    return 100 * abs(found - truth) / truth


def simulated(
    loaded: Loaded,
    questions: list[Question],
    designs: list[Accelerator],
    settings: Settings,
    memory: Memory | None = None,
) -> list[Numbers]:
    """Return the numbers of every question for every design, in this order."""
    jobs = [Job(question, design, memory) for question in questions for design in designs]
    large = loaded.graph.arcs > ONE_AT_A_TIME_ABOVE_EDGES
    chosen = settings.executor or (Local(1) if large else None)
    found = dict(compare(loaded.graph, jobs, chosen, loaded.label))
    if len(found) < len(jobs):
        raise TachographError(f"not all simulations of {loaded.name} succeeded: run again")
    return [found[i] for i in range(len(jobs))]


def _questions(task: str, loaded: Loaded, sources: int) -> list[Question]:
    if task in ("bfs", "sssp"):
        return [Question(task, source=s) for s in roots(loaded.graph.n, sources)]
    return [Question(task, along_arcs=task == "connected_components")]


def _row(
    task: str, loaded: Loaded, design: Accelerator, found: tuple[float, float], own: Cells
) -> list[Cell]:
    """Return a row of ``TABLE_COLUMNS``; ``found`` are iterations and the number here."""
    iterations, here = found
    row: list[Cell] = [task, *loaded.about(design), round(iterations, 1), round(here, 4)]
    if loaded.name not in own:  # not in the paper
        return row + [None] * (len(TABLE_COLUMNS) - len(row))
    reported, theirs = own[loaded.name]
    errors = error(here, reported), error(theirs, reported), error(here, theirs)
    return [*row, reported, theirs, *(round(e, 1) for e in errors)]


def _means(every: list[list[Cell]]) -> list[str]:
    """Return the mean errors of the cells that the paper has, as it groups them."""
    wcc, rows = "connected_components", [r for r in every if r[6] is not None]
    groups = {"all cells but sssp": [r for r in rows if r[0] != "sssp"]}
    groups[wcc] = [r for r in rows if r[0] == wcc]
    means = {
        k: [mean(cast(float, r[i]) for r in own) for i in (8, 9, 10)]
        for k, own in groups.items()
        if own
    }
    return [
        f"mean error of {name}: {ours:.1f} % (theirs {theirs:.1f} %), {apart:.1f} % to their simulation"
        for name, (ours, theirs, apart) in means.items()
    ]


def table_5(settings: Settings) -> Iterator[Table]:
    """HitGraph's run times."""
    rows: list[list[Cell]] = []
    spread: list[list[Cell]] = []
    absent: list[str] = []
    for loaded in load_graphs(TABLE_5["connected_components"], settings, absent):
        design = HitGraph(partition_size=loaded.scaled(HitGraph().partition_size))
        for task, cells in TABLE_5.items():
            found = simulated(loaded, _questions(task, loaded, PAPER_ROOTS), [design], settings)
            seconds = [r["seconds"] * loaded.share for r in found]
            iterations = mean(r["iterations"] for r in found)
            rows.append(_row(task, loaded, design, (iterations, mean(seconds)), cells))
            if len(seconds) > 1:
                about = [round(v, 4) for v in variation(seconds).values()]
                spread.append([task, *loaded.about(design), len(seconds), *about])
    notes = [
        "rmat graphs are R-MAT with the Graph500 parameters, ids permuted, parallel edges kept; those "
        "of the paper have far smaller strongly connected components (0.103 and 0.023 of the "
        "vertices), so they are other graphs; how much of an error that explains is not known",
        "a graph marked 1/k is k times smaller, cut into as many partitions; its seconds are times k",
        "sssp: mean of the 20 roots of mt19937 with seed 3483584297",
    ]
    every = [*_means(rows), *absent, *notes]
    yield Table("HitGraph, seconds (Table 5)", TABLE_COLUMNS, rows, every, "simulated")
    columns = ["task", *GRAPH_COLUMNS, "roots", "mean", "deviation", "coefficient of variation"]
    yield Table(f"Seconds over {PAPER_ROOTS} roots (figure 10)", columns, spread, (), "simulated")


def table_6(settings: Settings) -> Iterator[Table]:
    """AccuGraph's read edges per second."""
    rows: list[list[Cell]] = []
    absent: list[str] = []
    for loaded in load_graphs(TABLE_6["connected_components"], settings, absent):
        for task, cells in TABLE_6.items():
            large = loaded.name in ("live-journal", "orkut") and task != "bfs"
            design = AccuGraph(partition_size=LARGE_PARTITION) if large else AccuGraph()
            (found,) = simulated(loaded, _questions(task, loaded, 1), [design], settings)
            greps = found["reps"] / 1e9
            rows.append(_row(task, loaded, design, (found["iterations"], greps), cells))
    notes = [
        "bfs: the first of the roots; GREPS hardly depend on it",
    ]
    every = [*_means(rows), *absent, *notes]
    yield Table("AccuGraph, GREPS (Table 6)", TABLE_COLUMNS, rows, every, "simulated")


def validation() -> Iterator[Validated]:
    """Yield what this code gives beside published numbers, in default sizes."""
    designs = {table_5: HitGraph(), table_6: AccuGraph()}
    for table, design in designs.items():
        yield from map(partial(_validated, design), next(table(Settings())).rows)


def full_validation() -> Iterator[Validated]:
    """Yield HitGraph on a graph as large as the paper's: all but sssp, whose 20 roots take hours."""
    design = HitGraph()
    for loaded in load_graphs([FULL_GRAPH], Settings(full=True), []):
        for task in (task for task in TABLE_5 if task != "sssp"):
            (found,) = simulated(loaded, _questions(task, loaded, 1), [design], Settings())
            numbers = found["iterations"], found["seconds"]
            yield _validated(design, _row(task, loaded, design, numbers, TABLE_5[task]))


def _validated(design: Accelerator, row: Sequence[Cell]) -> Validated:
    """Return a row of ``TABLE_COLUMNS`` as it is kept."""
    family = design.memory().standard.name.partition("-")[0]
    cell = dict(zip(TABLE_COLUMNS, row, strict=True))
    task, graph, kind, chosen = (str(cell[k]) for k in TABLE_COLUMNS[:4])
    ours, theirs = (cast(float, cell[k]) for k in ("here", "published"))
    return Validated(type(design).__name__, family, task, graph, kind, ours, theirs, chosen)


def comparability(settings: Settings) -> Iterator[Table]:
    """Both accelerators on equal terms (Tables 2 to 4)."""
    rows: list[list[Cell]] = []
    absent: list[str] = []
    faster = no_more = 0
    for loaded in load_graphs(GRAPHS, settings, absent):
        size = loaded.scaled(COMPARED_PARTITION)
        designs = [
            HitGraph(partition_size=size, pipelines=16, weighted=False),
            AccuGraph(partition_size=size),
        ]
        questions = _questions("connected_components", loaded, 1)
        both = simulated(loaded, questions, designs, settings, COMPARED_MEMORY)
        times = [r["seconds"] for r in both]
        milliseconds = [round(t * loaded.share * 1e3, 3) for t in times]
        greps = [round(r["reps"] / 1e9, 2) for r in both]
        iterations = [r["iterations"] for r in both]
        ratio = round(times[0] / times[1], 2)
        rows.append([*loaded.about(designs[1]), *milliseconds, ratio, *iterations, *greps])
        faster += times[0] > times[1]
        no_more += iterations[1] <= iterations[0]
    columns = [*GRAPH_COLUMNS, "HitGraph, ms", "AccuGraph, ms", "AccuGraph is faster by"]
    columns += ["iterations of HitGraph", "of AccuGraph", "GREPS of HitGraph", "of AccuGraph"]
    notes = [
        *absent,
        "published: AccuGraph faster on every graph, by 2 or more on all but rmat-24-16, where "
        "HitGraph skips partitions; with fewer iterations",
        f"{faster} of {len(rows)} graphs: AccuGraph is faster here; "
        f"{no_more} of {len(rows)}: no more iterations",
    ]
    title = "connected_components on equal terms (figure 13)"
    yield Table(title, columns, rows, notes, "simulated")


def enhancements(settings: Settings) -> Iterator[Table]:
    """Prefetch and partition skipping in AccuGraph."""
    rows, not_slower = [], 0
    absent: list[str] = []
    for loaded in load_graphs(GRAPHS, settings, absent):
        size = loaded.scaled(COMPARED_PARTITION)
        same = {"partition_size": size, "value_bits": 32}
        designs: list[Accelerator] = [
            AccuGraph(prefetch_skipping=pre, partition_skipping=part, **same)
            for part, pre in itertools.product((False, True), repeat=2)
        ]
        for task in ("bfs", "connected_components"):
            found = simulated(
                loaded, _questions(task, loaded, 1), designs, settings, COMPARED_MEMORY
            )
            base, *others = [r["seconds"] for r in found]
            parts = -(-loaded.graph.n // size)
            saved = [round(100 * (1 - s / base), 1) for s in others]
            without = round(base * loaded.share * 1e3, 3)
            rows.append([task, *loaded.about(designs[0]), parts, without, *saved])
            not_slower += min(saved) >= -0.1
    columns = ["task", *GRAPH_COLUMNS, "partitions", "without, ms"]
    columns += ["prefetch skipping", "partition skipping", "both"]
    notes = [
        *absent,
        "published: prefetch skipping helps all graphs with one partition, partition skipping some of "
        "the others; nothing gets slower",
        f"{not_slower} of {len(rows)} rows: nothing gets slower here",
    ]
    title = "AccuGraph's enhancements: less run time, % (figure 14)"
    yield Table(title, columns, rows, notes, "simulated")
