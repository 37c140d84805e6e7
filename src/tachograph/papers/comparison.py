"""What the paper on accelerators shows besides its tables: errors, degrees, roots; and a matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import correlation, mean, quantiles
from typing import cast

import numpy as np

from ..algorithms.strong import strongly_connected_components
from ..graph.generate import kronecker, road, uniform
from ..graph.graph import Graph
from ..simulation.accelerators import AccuGraph, ForeGraph, HitGraph, Job, ThunderGP
from ..simulation.accelerators.base import Accelerator
from ..simulation.accelerators.problem import Question
from ..simulation.accelerators.simulate import compare
from ..simulation.dram import Memory
from .accelerators import GRAPHS, TABLE_COLUMNS, Loaded, load_graphs, table_5, table_6
from .published import published
from .reproduce import GRAPH_COLUMNS, Cell, Settings, Table

__all__ = ["figure_2b", "figure_10", "figure_12", "matrix", "table_1"]

MATRIX_TASKS = ("bfs", "sssp", "connected_components", "pagerank", "spmv")
MATRIX_MEMORIES = (
    *("DDR3-1600K", "DDR4-2400R", "DDR5-4800AN", "LPDDR5-6400", "GDDR6-14000"),
    *("HBM-1000", "HBM2-2000", "HBM3-6400"),
)
BESIDE = "DDR4-2400R"  # the memory beside which times are told
MATRIX_PARTITIONS = 4  # into which every graph is cut
FEW = 3  # points that a correlation needs


def _tables(settings: Settings) -> Iterator[tuple[str, list[Table]]]:
    for name, make in (("HitGraph", table_5), ("AccuGraph", table_6)):
        yield name, list(make(settings))


def figure_2b(settings: Settings) -> Iterator[Table]:
    """Errors by design and task, as boxes."""
    groups: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for name, (table, *_) in _tables(settings):
        for row in table.rows:
            cell = dict(zip(TABLE_COLUMNS, row, strict=True))
            if cell["published"] is not None:
                pair = float(str(cell["error, %"])), float(str(cell["their error, %"]))
                groups.setdefault((name, str(cell["task"])), []).append(pair)
    rows: list[list[Cell]] = []
    for (name, task), pairs in groups.items():
        own = sorted(ours for ours, _ in pairs)
        low, middle, high = quantiles(own, n=4, method="inclusive") if len(own) > 1 else own * 3
        five = [own[0], low, middle, high, own[-1], mean(theirs for _, theirs in pairs)]
        rows.append([name, task, len(own), *(round(v, 1) for v in five)])
    if settings.output is not None and groups:
        from ..plots.axes import Axis
        from ..plots.charts import boxes

        named = {f"{name} {task}": [ours for ours, _ in v] for (name, task), v in groups.items()}
        boxes("Errors, %", named, Axis("%")).save(settings.output / "figure-2b.svg")
    columns = ["design", "task", "cells", "least, %", "first quartile, %", "median, %"]
    columns += ["third quartile, %", "most, %", "their mean, %"]
    notes = [
        "cells of the graphs that are here; all of them count, also those the paper leaves out"
    ]
    rows = rows or [["none", "", 0, *[None] * 6]]  # graphs of the user's have no published cells
    yield Table("Errors against published numbers (figure 2b)", columns, rows, notes, "simulated")


def figure_12(settings: Settings) -> Iterator[Table]:
    """AccuGraph's rates by mean degree: they grow with its logarithm."""
    rows: list[list[Cell]] = []
    degrees = {r[0]: float(cast(float, r[4])) for r in published("accelerators", "table-1").rows}
    (table,) = table_6(settings)
    for row in table.rows:
        cell = dict(zip(TABLE_COLUMNS, row, strict=True))
        facts = [cell[k] for k in ("task", *GRAPH_COLUMNS)]
        degree = degrees.get(str(cell["graph"]).partition(",")[0])
        rows.append([*facts, degree, cell["here"], cell["published"]])
    notes = [*_along("rates and the logarithm of the degree", rows, 4, 5)]
    columns = ["task", *GRAPH_COLUMNS, "mean degree", "GREPS here", "published"]
    title = "AccuGraph by mean degree (figure 12)"
    yield Table(title, columns, rows, notes, "simulated")


def _along(what: str, rows: list[list[Cell]], over: int, upright: int) -> list[str]:
    """Return a note with a correlation, if there are points enough."""
    both = [(float(cast(float, r[over])), float(cast(float, r[upright]))) for r in rows if r[over]]
    x = [np.log(a) for a, _ in both if a > 0]
    if len(x) < FEW or len(set(x)) < 2 or len({b for _, b in both}) < 2:
        return []
    return [f"correlation of {what}: {correlation(x, [b for a, b in both if a > 0]):.2f}"]


def table_1(settings: Settings) -> Iterator[Table]:
    """The graphs: sizes, degrees, diameter and the largest strongly connected component."""
    rows: list[list[Cell]] = []
    absent: list[str] = []
    known = published("accelerators", "table-1")
    for loaded in load_graphs(GRAPHS, settings, absent):
        g, theirs = loaded.graph, known.row(loaded.name)
        largest = strongly_connected_components(g).largest / max(1, g.n)
        degree = g.arcs / max(1, g.n)
        facts = [g.n, g.m, round(degree, 2), g.features.diameter, round(largest, 3)]
        kind: list[Cell] = [loaded.label, loaded.kind, ""]
        rows.append([*kind, *facts, theirs.get("mean degree"), theirs.get("largest component")])
    columns = [*GRAPH_COLUMNS, "vertices", "edges", "mean degree", "diameter, at least"]
    columns += ["largest component", "published mean degree", "published largest component"]
    notes = [*absent, "the diameter is a lower bound: the farthest of two breadth-first searches"]
    yield Table("Graphs (Table 1)", columns, rows, notes)


def figure_10(settings: Settings) -> Iterator[Table]:
    """How SSSP varies with its root, and whether that goes with its error."""
    main, spread = table_5(settings)
    errors = {str(r[1]): r[8] for r in main.rows if r[0] == "sssp"}
    rows: list[list[Cell]] = []
    for task, graph, kind, chosen, count, average, deviation, coefficient in spread.rows:
        error = errors.get(str(graph)) if task == "sssp" else None
        rows.append([task, graph, kind, chosen, count, average, deviation, coefficient, error])
    columns = ["task", *GRAPH_COLUMNS, "roots", "mean, s", "deviation, s"]
    columns += ["coefficient of variation", "error, %"]
    known = [r for r in rows if r[8] is not None]
    notes = ["published: the error goes with the coefficient of variation"]
    if len(known) >= FEW:
        x, y = ([float(cast(float, r[i])) for r in known] for i in (7, 8))
        notes.append(f"correlation of coefficient and error here: {correlation(x, y):.2f}")
    else:
        notes.append("fewer than three graphs of the paper are here: no correlation")
    title = "SSSP over roots, and its error (figure 10)"
    yield Table(title, columns, rows, notes, "simulated")


def _families(settings: Settings) -> Iterator[Loaded]:
    if settings.graphs:
        yield from load_graphs((), settings, [])
        return
    scale = 16 if settings.full else 11
    yield Loaded("R-MAT", kronecker(scale, 16, rng=1))
    yield Loaded("uniform", uniform(1 << scale, 16, rng=1))
    side = 1 << (scale // 2)
    yield Loaded("road", road(side, side, rng=1).without_weights())  # equal edges for all designs


def _equal(graph: Graph) -> list[Accelerator]:
    """Return all designs on equal settings: partitions, 16 edges in a cycle, 200 MHz."""
    size = max(1, -(-graph.n // MATRIX_PARTITIONS))
    same = {"partition_size": size, "clock_mhz": 200.0}
    return [
        HitGraph(pipelines=16, weighted=False, **same),
        AccuGraph(value_bits=32, **same),
        ForeGraph(**same),
        ThunderGP(edges_a_cycle=16, gather_pes=32, kernel_start_us=0.0, **same),
    ]


def matrix(settings: Settings) -> Iterator[Table]:
    """All designs on all memories, tasks and families of graphs, on equal settings."""
    rows: list[list[Cell]] = []
    wins: dict[tuple[str, str], Counter[str]] = {}
    for loaded in _families(settings):
        source = int(np.argmax(loaded.graph.degrees))
        for task in MATRIX_TASKS:
            asked = Question(
                task,
                source=source if task in ("bfs", "sssp") else None,
                along_arcs=task == "connected_components",
            )
            jobs = [
                Job(asked, design, Memory(name, channels=1))
                for design in _equal(loaded.graph)
                if task in design.tasks
                for name in MATRIX_MEMORIES
            ]
            done = dict(compare(loaded.graph, jobs, settings.executor, loaded.label))
            for i, numbers in sorted(done.items()):
                job, joules = jobs[i], numbers["joules"]
                memory = cast(Memory, job.memory)
                facts: list[Cell] = [round(1e3 * numbers["seconds"], 4), numbers["iterations"]]
                facts += [sum(numbers["requests"].values()), round(numbers["row_hit_rate"], 3)]
                facts.append(None if joules is None else round(1e3 * joules, 4))
                facts.append(round(100 * numbers["peak_share"], 1))
                rows.append([task, loaded.label, loaded.kind, "", job.name, memory.name, *facts])
            for by, key in (("design", 4), ("memory", 5)):
                mine = [r for r in rows if (r[0], r[1]) == (task, loaded.label)]
                best = min(mine, key=lambda r: float(cast(float, r[6])))
                wins.setdefault((by, task), Counter())[str(best[key])] += 1
    if settings.output is not None:
        _picture(rows, settings.output / "comparability-matrix.svg")
    columns = ["task", *GRAPH_COLUMNS, "design", "memory", "ms", "iterations", "requests"]
    columns += ["row hits", "mJ", "of peak, %"]
    notes = [
        f"{task}: fastest {by} on "
        + ", ".join(f"{count} of {won.total()} graphs {name}" for name, count in won.most_common())
        for (by, task), won in wins.items()
    ]
    notes += _memories(rows)
    notes.append("one channel of each memory; kernel starts of ThunderGP are left out")
    yield Table(
        "Designs, memories, tasks and graphs on equal terms", columns, rows, notes, "simulated"
    )


def _memories(rows: list[list[Cell]]) -> list[str]:
    """Say of each memory how long it takes beside another one, and how much of its peak is used."""
    times = {(*r[:2], r[4], r[5]): float(cast(float, r[6])) for r in rows}
    found = []
    for name in dict.fromkeys(str(r[5]) for r in rows):
        mine = [r for r in rows if r[5] == name]
        ratios = [
            float(cast(float, r[6])) / beside
            for r in mine
            if (beside := times.get((*r[:2], r[4], BESIDE)))
        ]
        share = mean(float(cast(float, r[11])) for r in mine)
        text = f"{name}: {share:.0f} % of its peak is used in the mean"
        if ratios and name != BESIDE:
            middle = float(np.exp(np.log(ratios).mean()))
            text += (
                f", and {middle:.2f} times the time of {BESIDE} (geometric mean of {len(ratios)} "
                f"cells, {min(ratios):.2f} to {max(ratios):.2f})"
            )
        found.append(text)
    return found


def _picture(rows: list[list[Cell]], path: Path) -> None:
    """Draw for each task and graph the time of every design with the memory that suits it best."""
    from ..plots.charts import bars
    from ..plots.drawing import stacked

    panels = []
    for task in dict.fromkeys(str(r[0]) for r in rows):
        best: dict[tuple[Cell, Cell], list[Cell]] = {}
        for row in (r for r in rows if r[0] == task):
            known = best.get((row[1], row[4]))
            if known is None or float(cast(float, row[6])) < float(cast(float, known[6])):
                best[row[1], row[4]] = row
        drawn = [
            (f"{r[1]}: {r[4]}, {r[5]}", float(cast(float, r[6])), "simulated")
            for r in best.values()
        ]
        panels.append(bars(drawn, f"{task}, ms"))
    stacked(panels).save(path)
