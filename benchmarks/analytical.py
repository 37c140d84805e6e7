"""Fit the analytical model of accelerators to simulations; tell its error on real graphs.

The terms were changed while looking at errors on the real graphs ``LOOKED_AT``: only the coefficients
have not seen these. Neither terms nor coefficients have seen the graphs ``UNSEEN``.

    python benchmarks/analytical.py [--fits 36] [--tests 12] [--designs all] [--write yes]
    python benchmarks/analytical.py --fits 0 [--tests 22]

With ``--fits 0`` nothing is fitted: ``modelled``, as the package has it, is compared with simulations
of the graphs ``UNSEEN``.

Fit: ``--fits`` runs of every design and task on generated graphs, with random memories and values of
the parameters that a search tries (seeded). Test: ``--tests`` runs on real graphs that are here.
With ``--write yes`` coefficients go to ``simulation/accelerators/analytical.csv``, with the
median error of the tests; the table that comes with the package has more runs of AccuGraph
(``--designs accugraph --fits 130 --tests 33``).
"""

from __future__ import annotations

import csv
import statistics
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from harness import Table, main
from scipy.optimize import nnls

import tachograph as tg
from tachograph.simulation.accelerators import analytical
from tachograph.simulation.accelerators.activity import activity
from tachograph.simulation.accelerators.base import Accelerator, Size
from tachograph.simulation.accelerators.problem import Question
from tachograph.simulation.accelerators.simulate import ACCELERATORS
from tachograph.util.errors import InputError

TASKS = ("bfs", "connected_components", "pagerank")
MEMORIES = [("DDR3-1600K", 1), ("DDR3-1600K", 4), ("DDR4-2400R", 1), ("DDR4-2400R", 4), ("HBM", 8)]
LOOKED_AT = (
    "ca-GrQc",
    "ca-HepTh",
    "wiki-Vote",
    "p2p-Gnutella31",
    "PGPgiantcompo",
    "3elt",
    "rome99",
)
LOOKED_AT += ("as-caida20071105", "socfb-Amherst41", "hep-th", "tntp-ChicagoRegional")
UNSEEN = ("ca-AstroPh", "astro-ph", "email-Enron", "ego-Facebook", "socfb-MIT8", "4elt", "copter2")
UNSEEN += ("wing", "debian-bookworm-depends", "tntp-Philadelphia", "cit-HepTh")
FEWEST_RUNS = 30  # to which coefficients of one family of memories are fitted
PARTITIONS = (3, 1, 4, 8)  # into which a graph is cut, about, in turns
COLUMNS = [
    "design",
    "task",
    "memory",
    "fitted runs",
    "test runs",
    "median error, %",
    "90th percentile, %",
]


def generated(rng: np.random.Generator) -> tg.Graph:
    seed, kind = int(rng.integers(1 << 30)), int(rng.integers(4))
    if kind == 0:
        return tg.kronecker(int(rng.integers(8, 13)), int(rng.choice([4, 8, 16])), rng=seed)
    if kind == 1:
        return tg.uniform(int(rng.integers(500, 15_000)), int(rng.choice([2, 6, 12])), rng=seed)
    if kind == 2:
        side = int(rng.integers(15, 40))
        return tg.road(side, side, rng=seed)
    return tg.power_law(int(rng.integers(500, 12_000)), exponent=2.3, least=4, rng=seed)


def plain(graph: tg.Graph) -> tg.Graph:
    """Without weights or directions: connected components of the accelerators need that."""
    sources = np.repeat(np.arange(graph.n), graph.degrees)
    return tg.Graph.from_edges(sources, graph.indices, n=graph.n, directed=False)


def settings(kind: type[Accelerator], n: int, rng: np.random.Generator) -> dict[str, object]:
    """Values that a search could try; partitions are scaled to the graph."""
    made: dict[str, object] = {
        name: p.search[int(rng.integers(len(p.search)))]
        for name, p in kind.declared().items()
        if p.search
    }
    made["partition_size"] = max(32, -(-n // int(rng.choice(PARTITIONS))))
    if kind is tg.AccuGraph:
        made["value_bits"] = 32
    return made


def run(
    kind: type[Accelerator], task: str, graph: tg.Graph, rng: np.random.Generator
) -> tuple | None:
    name, channels = MEMORIES[int(rng.integers(len(MEMORIES)))]
    memory = tg.Memory(name, channels=channels)
    design = kind(**settings(kind, graph.n, rng))
    told: dict[str, object] = {"source": int(np.argmax(graph.degrees))} if task == "bfs" else {}
    if task == "pagerank":
        told["iterations"] = int(rng.integers(1, 4))
    try:
        done = tg.simulate(task, graph, design, memory, **told)
    except InputError:
        return None
    active = activity(graph, Question(task, told.get("source")))
    size = Size(graph.n, graph.arcs, task, done.iterations, memory, graph.indptr, active)
    return name.partition("-")[0], design, size, done.seconds


def fitted(runs: list[tuple]) -> dict[str, float]:
    terms = [design.terms(size) for _, design, size, _ in runs]
    names = list(terms[0])
    seconds = np.array([s for *_, s in runs])
    table = np.array([[t[name] for name in names] for t in terms]) / seconds[:, None]
    found, _ = nnls(table, np.ones(len(runs)))
    return dict(zip(names, found.tolist(), strict=True))


def errors(weights: dict[str, float], runs: list[tuple]) -> list[float]:
    made = []
    for _, design, size, seconds in runs:
        guess = sum(weights[k] * v for k, v in design.terms(size).items())
        made.append(100 * abs(guess - seconds) / seconds)
    return made


def measure(
    fits: int = 36, tests: int = 12, designs: str = "all", write: str = "no"
) -> Iterator[Table]:
    rows, kept = [], []
    names = LOOKED_AT if fits else UNSEEN
    real = [plain(tg.dataset(name)) for name in names if tg.datasets()[name].file is not None]
    wanted = list(ACCELERATORS) if designs == "all" else designs.split(",")
    path = Path(analytical.__file__).with_suffix(".csv")
    for name, kind in ACCELERATORS.items():
        if name not in wanted:
            continue
        for task in TASKS:
            if task not in kind.tasks or kind.terms is Accelerator.terms:
                continue
            rng = np.random.default_rng([list(ACCELERATORS).index(name), TASKS.index(task), fits])
            known = [r for _ in range(fits) if (r := run(kind, task, generated(rng), rng))]
            new = [r for i in range(tests) if (r := run(kind, task, real[i % len(real)], rng))]
            if not fits and new:
                found = [100 * abs(analytical.modelled(d, s).seconds / t - 1) for _, d, s, t in new]
                middle, ninety = np.percentile(found, [50, 90]).round(1).tolist()
                rows.append([kind.__name__, task, "all", 0, len(new), middle, ninety])
                print(*rows[-1], flush=True)
            families = ["any", *sorted({r[0] for r in known})]
            for family in families:
                mine = [r for r in known if family in ("any", r[0])]
                own = [r for r in new if family in ("any", r[0])]
                if len(mine) < FEWEST_RUNS:
                    continue
                weights = fitted(mine)
                found = errors(weights, own)
                middle = statistics.median(found) if found else 0.0
                ninety = float(np.percentile(found, 90)) if found else 0.0
                rows.append(
                    [
                        kind.__name__,
                        task,
                        family,
                        len(mine),
                        len(own),
                        round(middle, 1),
                        round(ninety, 1),
                    ]
                )
                kept += [(kind.__name__, family, task, k, f"{v:.6g}") for k, v in weights.items()]
                kept.append((kind.__name__, family, task, "error", f"{middle:.3g}"))
                print(*rows[-1], flush=True)
    if write == "yes":
        again = {ACCELERATORS[name].__name__ for name in wanted}
        with path.open(encoding="utf-8") as before:
            old = [row for row in list(csv.reader(before))[1:] if row[0] not in again]
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["design", "memory", "task", "term", "coefficient"])
            writer.writerows([*old, *kept])
    yield Table("Analytical model beside simulations of real graphs", COLUMNS, rows)


if __name__ == "__main__":
    main(measure)
