"""From measurements to a model file with its card."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ... import journal as journals
from ...journal.campaign import Executor
from ...util.errors import InputError
from .collect import collect
from .evaluate import chosen_unseen, score
from .fit import fit_cost, fit_surf
from .graphs import TRAINING, present
from .levels import Levels, levels_of
from .model import VERSION, Model
from .policies import Policy, learned

__all__ = ["fitted", "save", "train"]


def fitted(levels: Levels, seed: int = 0) -> dict[str, Any]:
    """A model without its card."""
    return {
        "format": "tachograph-direction",
        "version": VERSION,
        "surf": fit_surf(levels, seed),
        "cost": fit_cost(levels),
    }


def train(
    names: Iterable[str] | None = None,
    budget: float = float("inf"),
    executor: Executor | None = None,
) -> dict[str, Any]:
    """Measure what the journal does not have yet, fit, and judge by leaving families out.

    Without ``names`` those of the training set that are there.

    Raises
    ------
    InputError
        If fewer than four graphs were measured, or only one family: that would not carry over.
    """
    records = collect(present(TRAINING) if names is None else names, budget, executor=executor)
    families = {record["family"] for record in records}
    graphs = sorted({record["graph"] for record in records})
    if len(graphs) < 4 or len(families) < 2:
        raise InputError(
            f"{len(graphs)} graphs of {len(families)} families were measured: at least 4 graphs of 2 "
            "families are needed; name more graphs, or allow a larger --budget"
        )
    levels = levels_of(records)
    model = fitted(levels)
    metrics = {}
    for fit in (_cost, _surf):
        chosen = chosen_unseen(levels, fit, levels.family)
        found = score(levels, chosen).summary()
        metrics[fit.__name__[1:]] = {k: round(v, 4) for k, v in found.items()}
    model["card"] = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": journals.machine()[1],
        "graphs": graphs,
        "levels": int(np.count_nonzero(levels.timed)),
        "families_left_out": metrics,
    }
    return model


def _cost(levels: Levels) -> Policy:
    return learned("cost", {"cost": fit_cost(levels)})


def _surf(levels: Levels) -> Policy:
    return learned("surf", {"surf": fit_surf(levels)})


def save(model: Model, path: Path) -> None:
    """Write a model aside, then rename it."""
    from ...graph.files.streams import aside

    path.parent.mkdir(parents=True, exist_ok=True)
    with aside(path) as temporary:
        temporary.write_text(json.dumps(model, indent=1) + "\n", encoding="utf-8")
