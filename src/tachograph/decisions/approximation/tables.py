"""Measured configurations as arrays: the paper's features, ours, and the paper's CSV columns."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .methods import METHODS
from .state import FEATURES

__all__ = ["COLUMNS", "PAPER_FEATURES", "Data", "write_csv"]

#: Section 3.3.1 of the paper, in its order; then which graph, algorithm and errors in detail.
COLUMNS = (
    "vertices", "edges", "maxEdgeDegree", "iterationNum", "minProcessEdge", "maxProcessEdge",
    "percentage", "sReduceExecution", "sMinEdgeToProcess", "sMaxEdgeToProcess",
    "sPartialGraphProcess", "sAtomicBlock", "inaccuracy", "time", "exactTime", "fastestExactTime",
    "speedup", "gain", "graph", "family", "algorithm", "fromHub", "wrong", "lost", "median", "p95",
    "maximum",
)  # fmt: skip
#: Table 3 of the paper.
PAPER_FEATURES = (
    "graphSize", "iterationNum", "minProcessEdge", "maxProcessEdge", "percentage",
    "sOriginalDistance", "sMinEdgeToProcess", "sMaxEdgeToProcess", "sPartialGraphProcess",
    "sReduceExecution", "sAtomicBlock",
)  # fmt: skip


def _signals(record: dict[str, Any]) -> dict[str, int]:
    """Which methods a record uses, by the names of ``METHODS``."""
    a = record["approximation"]
    on = {
        "iterations": a["iterations"] is not None,
        "min_degree": a["min_degree"] > 0,
        "max_degree": a["max_degree"] is not None,
        "fraction": a["fraction"] < 1,
        "atomic": not a["atomic"],
    }
    return {name: int(on[name]) for name in METHODS}


def _parameters(record: dict[str, Any]) -> tuple[float, ...]:
    """Iterations, least and greatest degree, percentage; as they are if nothing is left out."""
    a = record["approximation"]
    return (
        a["iterations"] or record["exact_iterations"],
        a["min_degree"],
        a["max_degree"] or record["largest_degree"],
        100 * a["fraction"],
    )


def _scaled(values: np.ndarray, low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Each column between ``low`` and ``high`` (formula 1 of the paper)."""
    least, most = values.min(axis=0), values.max(axis=0)
    scaled: np.ndarray = low + (high - low) * (values - least) / np.where(
        most > least, most - least, 1
    )
    return scaled


@dataclass(frozen=True)
class Data:
    """Records and what models see of them; ``chosen[mask]`` keeps some."""

    records: list[dict[str, Any]]

    def only(self, **conditions: Any) -> Data:
        """The records whose fields have these values, or one of a set of values."""

        def fits(r: dict[str, Any]) -> bool:
            return all(
                r[k] in v if isinstance(v, set) else r[k] == v for k, v in conditions.items()
            )

        return Data([r for r in self.records if fits(r)])

    def __len__(self) -> int:
        return len(self.records)

    def column(self, name: str) -> np.ndarray:
        """One field of all records."""
        return np.array([r[name] for r in self.records])

    @property
    def ours(self) -> np.ndarray:
        """Rows of ``FEATURES``."""
        return np.array([[r["features"][f] for f in FEATURES] for r in self.records])

    @property
    def paper(self) -> np.ndarray:
        """Rows of ``PAPER_FEATURES``, normalised as in section 3.3.2."""
        size = _scaled(self.column("n").astype(float)[:, None], 1, 32)
        parameters = _scaled(np.array([_parameters(r) for r in self.records], float))
        on = np.array([list(_signals(r).values()) for r in self.records], float)
        iterations, least, most, fraction, atomic = on.T
        original = 1 - on.max(axis=1)
        signals = np.stack([original, least, most, fraction, iterations, atomic], axis=1)
        return np.hstack([size, parameters, signals])

    @property
    def targets(self) -> np.ndarray:
        """Inaccuracy and speedup, each normalised."""
        return _scaled(np.stack([self.column("error"), self.column("speedup")], axis=1))


def write_csv(records: Sequence[dict[str, Any]], path: Path) -> None:
    """Write all records with the paper's columns."""
    from ...graph.files.streams import aside

    with aside(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        table.writerow(COLUMNS)
        for r in records:
            iterations, least, most, share = _parameters(r)
            s = _signals(r)
            errors = r["inaccuracy"]
            table.writerow([
                r["n"], r["m"], r["largest_degree"], iterations, least, most, share,
                s["iterations"], s["min_degree"], s["max_degree"], s["fraction"], s["atomic"],
                errors["mean"], r["seconds"], r["exact_seconds"], r["fastest_seconds"],
                r["speedup"], r["gain"], r["graph"], r["family"], r["algorithm"], int(r["hub"]),
                *(errors[k] for k in ("wrong", "lost", "median", "p95", "maximum")),
            ])  # fmt: skip
