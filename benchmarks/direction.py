"""How learned directions carry over: every graph, and every family, judged by models fitted without it.

    python benchmarks/direction.py [--graphs] [--seeds 5]     (--graphs: leave out single graphs; slow)

Uses the measurements in the journal (tacho train direction makes them). The network is fitted with
several seeds; the cost model has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from harness import Table, main, rounded

from tachograph.decisions.direction.levels import levels_of, score
from tachograph.decisions.direction.train import Trainer, chosen_unseen, cost_of, surf_of


def measure(graphs: bool = False, seeds: int = 5) -> Iterator[Table]:
    trainer = Trainer(budget=float("inf"))
    levels = levels_of(trainer.collect(trainer.choose()))
    rows, names = [], {}
    for name in ("family", "graph") if graphs else ("family",):
        fits = {"cost": cost_of}
        for seed in range(seeds if name == "family" else 1):
            fits[f"surf, seed {seed}"] = partial(surf_of, seed=seed)
        for policy, fit in fits.items():
            by = getattr(levels, name)
            names = score(levels, chosen_unseen(levels, fit, by)).summary()
            rows.append([name, policy, *rounded(list(names.values()))])
    timed = int(np.count_nonzero(levels.timed))
    title = f"{len(np.unique(levels.graph))} graphs, {timed:,} timed levels"
    yield Table(title, ["left out", "policy", *names], rows)


if __name__ == "__main__":
    main(measure)
