"""How learned directions carry over: every graph, and every family, judged by models fitted without it.

Uses the measurements in the journal (tacho train direction makes them). The network is fitted with five
seeds; the cost model has none.

    python benchmarks/direction.py [--graphs]     (--graphs: leave out single graphs, too; slow)
"""

from __future__ import annotations

import sys

import numpy as np

from tachograph.decisions.direction.collect import levels_of
from tachograph.decisions.direction.fit import fit_cost, fit_surf
from tachograph.decisions.direction.model import cost_policy, surf_policy
from tachograph.decisions.direction.train import Trainer, chosen_unseen, score

SEEDS = 5


def main() -> None:
    trainer = Trainer(budget=float("inf"))
    levels = levels_of(trainer.collect(trainer.choose()))
    print(f"{len(np.unique(levels.graph))} graphs, {np.count_nonzero(levels.timed):,} timed levels")
    left_out = {"family": levels.family}
    if "--graphs" in sys.argv:
        left_out["graph"] = levels.graph
    for name, by in left_out.items():
        row("cost", name, levels, by, lambda rest: cost_policy(fit_cost(rest)))
        for seed in range(SEEDS if name == "family" else 1):
            row(
                f"surf, seed {seed}", name, levels, by,
                lambda rest, seed=seed: surf_policy(fit_surf(rest, seed)),
            )  # fmt: skip


def row(policy, name, levels, by, fit) -> None:
    found = score(levels, chosen_unseen(levels, fit, by)).summary()
    shown = "  ".join(f"{key} {value:.4f}" for key, value in found.items())
    print(f"without the {name:6}  {policy:14}  {shown}", flush=True)


if __name__ == "__main__":
    main()
