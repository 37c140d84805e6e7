"""Table 4 of "Performance and accuracy predictions of approximation methods for shortest-path
algorithms on GPUs" (B. Aktılav, I. Öz, 2022), from what was measured on this machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..decisions.approximation.collect import PLAIN, Data, records
from ..decisions.approximation.model import the_model
from ..decisions.approximation.train import Trainer, evaluate
from ..tasks.measure import runner
from .approximation_models import MODELS, OURS, leave_family_out, scenario, score
from .reproduce import Settings, Table

__all__ = ["measurements", "paper_data", "table_4"]

SMALL = ("kronecker-13", "kronecker-14", "kronecker-15")  # if nothing was measured before
SHARE = 0.25  # of the configurations, then
FEWEST = 30  # configurations that a scenario needs
#: R2 of Table 4: joint, inaccuracy, speedup.
TABLE_4 = {
    ("LR", "random"): (0.661, 0.792, 0.531), ("LR", "large"): (0.352, 0.456, 0.249),
    ("LR", "real"): (0.587, 0.591, 0.583), ("KNN", "random"): (0.951, 0.921, 0.982),
    ("KNN", "large"): (0.843, 0.748, 0.939), ("KNN", "real"): (0.905, 0.893, 0.916),
    ("RF", "random"): (0.999, 0.999, 0.999), ("RF", "large"): (0.969, 0.951, 0.985),
    ("RF", "real"): (0.908, 0.896, 0.920), ("DT", "random"): (0.999, 0.999, 0.999),
    ("DT", "large"): (0.969, 0.951, 0.984), ("DT", "real"): (0.900, 0.893, 0.913),
    ("GB", "random"): (0.989, 0.987, 0.991), ("GB", "large"): (0.957, 0.945, 0.970),
    ("GB", "real"): (0.885, 0.909, 0.860),
}  # fmt: skip
OUTPUTS = ("joint", "inaccuracy", "speedup")


def measurements(settings: Settings) -> Data:
    """What the journal holds; with ``full`` all there is to measure, else a little if it is empty."""
    found = records()
    if settings.full or not found:
        graphs, size = (None, 1.0) if settings.full else (SMALL, SHARE)
        trainer = Trainer(graphs, executor=settings.executor, runner=runner(), size=size)
        found = trainer.collect(trainer.choose())
    return Data(found)


def paper_data(data: Data) -> dict[str, Data]:
    """What the paper predicts in each scenario: Bellman-Ford from the vertex of highest degree, on
    Kronecker graphs of one kind in several sizes, and on real road networks.
    """
    own = data.only(algorithm="bellman-ford", hub=True)
    plain = own.only(graph=PLAIN)
    if not len(plain):
        plain = own.only(family="kronecker")
    return {"random": plain, "large": plain, "real": own.only(family="roads", real=True)}


def table_4(settings: Settings) -> Iterator[Table]:
    """How well the models predict, in the paper's scenarios and one more."""
    data = measurements(settings)
    columns = ["model", "scenario"]
    columns += [f"{m} {o}" for m in ("MAE", "RMSE", "R2") for o in OUTPUTS]
    columns += [f"paper R2 {o}" for o in OUTPUTS]
    found: dict[tuple[str, str], dict[str, tuple[float, ...]]] = {}
    notes = [
        "random: 80 % of the configurations predict 20 %; large: smaller graphs predict the largest; "
        "real: road networks, 80 % predict 20 %. Values are normalised as in the paper.",
        "ours: boosted trees on shares of vertices and arcs; the others see the paper's features.",
    ]
    for name, part in paper_data(data).items():
        if len(part) < FEWEST:
            notes.append(
                f"{name}: only {len(part)} configurations were measured, so it is left out"
            )
            continue
        graphs = dict.fromkeys(part.column("graph").tolist())
        notes.append(f"{name}: {len(part):,} configurations of {', '.join(graphs)}")
        for model, output, wanted, guessed in scenario(part, name):
            if output == "joint":
                parts = [score(wanted[:, k], guessed[:, k]) for k in (0, 1)]
                numbers = tuple((a + b) / 2 for a, b in zip(*parts, strict=True))
            else:
                numbers = score(wanted, guessed)
            found.setdefault((model, name), {})[output] = numbers
    rows = [
        [model, name, *(found[model, name][o][m] for m in range(3) for o in OUTPUTS),
         *TABLE_4.get((model, name), (None,) * 3)]
        for model in (*MODELS, OURS) for name in ("random", "large", "real")
        if (model, name) in found
    ]  # fmt: skip
    yield _best(found, notes)
    yield Table("Table 4: prediction of inaccuracy and speedup", columns, rows, notes)
    yield from _families(data)
    yield from _advice(data)


def _best(found: dict[tuple[str, str], dict[str, tuple[float, ...]]], notes: list[str]) -> Table:
    """R2 of whichever model predicts best, here and in the paper."""
    rows: list[list[Any]] = []
    for name in dict.fromkeys(name for _, name in found):
        row: list[Any] = [name]
        for k, output in enumerate(OUTPUTS[1:], 1):
            best, model = max(
                (numbers[output][2], m) for (m, n), numbers in found.items() if n == name
            )
            row += [
                f"{best:.3f} ({model})",
                max(p[k] for (_, n), p in TABLE_4.items() if n == name),
            ]
        rows.append(row)
    columns = ["scenario", "inaccuracy", "in the paper", "speedup", "in the paper"]
    return Table("R² of the best model", columns, rows, notes)


def _advice(data: Data) -> Iterator[Table]:
    """What the advisor chooses on graphs that its model has not learned from."""
    model = the_model()
    unseen = set(data.column("graph").tolist()) - set(model.card["graphs"])
    verdicts = evaluate(model, data.only(graph=unseen, held_out=True))
    if not verdicts:
        return
    rows: list[list[Any]] = []
    for budget in dict.fromkeys(v.budget for v in verdicts):
        own = [v for v in verdicts if v.budget == budget]
        rows.append([
            f"{budget:.0%}", f"{sum(v.kept for v in own)} of {len(own)}",
            sum(v.chosen == "exact" for v in own), float(np.mean([v.gain for v in own])),
            float(np.mean([v.best_gain for v in own])), min(v.gain for v in own),
            float(np.median([v.best_gain / v.gain for v in own])),
        ])  # fmt: skip
    columns = ["budget", "kept", "exact chosen", "mean gain", "mean gain of the best that keeps it",
               "least gain", "time to the best's, median"]  # fmt: skip
    graphs = dict.fromkeys(v.graph for v in verdicts)
    yield Table(
        "The advisor on graphs it has not learned from, with 90 % confidence", columns, rows,
        [f"From the vertex of highest degree and two random ones of {', '.join(graphs)}, among the "
         "measured configurations. Gains are over the fastest exact search, of the search alone."],
    )  # fmt: skip


def _families(data: Data) -> Iterator[Table]:
    """The harder scenario: a kind of graph that was never seen."""
    own = data.only(hub=True, algorithm={"bellman-ford", "delta-stepping"})
    if len(set(own.column("family").tolist())) < 2:
        return
    rows = []
    for family, wanted, guessed in leave_family_out(own):
        errors, speedups = (score(wanted[:, k], guessed[:, k]) for k in (0, 1))
        rows.append([family, len(wanted), *errors, *speedups])
    columns = ["family left out", "configurations", "MAE inaccuracy", "RMSE inaccuracy",
               "R2 inaccuracy", "MAE speedup", "RMSE speedup", "R2 speedup"]  # fmt: skip
    yield Table(
        "A family of graphs predicted from the others", columns, rows,
        ["Our model; Bellman-Ford and delta-stepping from the vertex of highest degree. Not in the "
         "paper."],
    )  # fmt: skip
