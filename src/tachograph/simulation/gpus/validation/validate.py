"""The whole validation: every bar with its figure, and the file of constants.

Constants come from the graphs of ``graphs.py`` (exact, generated, one stand-in for web graphs) in
the mode whose filter is part of the kernel, as ours is. Errors by kind of run come from leaving
out: the graph (GPU seen), or the GPU (its architecture seen, or not).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ....journal.campaign import Executor
from ....util.files import aside
from ..constants import FILE, Constants
from ..gpu import GPU
from . import bars
from .directions import agreement, ranking
from .fast import beside_simulator, everybody
from .features import asked_of, features, scaled
from .fit import OVERLAPS, Fitted, Sample, chosen, fit
from .graphs import KNOWN
from .runs import GPUS, MODES, Cell, cells

__all__ = ["validate", "write"]

OWN_MODE = "LB_CULL"  # advance and filter are one kernel, as in our push
WEB = "indochina-2004"  # the stand-in that constants are fitted to
KRONECKER = "kron_g500-logn18"
MOST_ARCS_OF_PATHS = 30_000_000  # more take long, and say the same
GPU_SEEN, ARCHITECTURE_SEEN, GPU_UNSEEN = "GPU seen", "architecture seen", "GPU unseen"


def samples_of(found: dict[str, list[Cell]], executor: Executor) -> dict[str, list[Sample]]:
    """Return the cells of each algorithm with their features."""
    pairs = [(algorithm, cell) for algorithm, cells in found.items() for cell in cells]
    known = features(pairs, executor)
    made: dict[str, list[Sample]] = {algorithm: [] for algorithm in found}
    for algorithm, cell in pairs:
        record = known.get((cell.dataset, asked_of(algorithm, cell)))
        if record is not None and record["searches"]:
            made[algorithm].append(Sample(cell, scaled(record, cell)))
    return made


def core(samples: list[Sample]) -> list[Sample]:
    """Return the samples that constants may be fitted to."""
    kinds = ("exact", "generated")
    return [s for s in samples if KNOWN[s.cell.dataset].kind in kinds or s.cell.dataset == WEB]


def validate(where: Path | None = None, executor: Executor | None = None) -> dict[str, Any]:
    """Return every bar, and the constants of the own mode fitted to all its cells.

    Graphs are simulated by ``executor``, by default with a process for each core.
    """
    with everybody(executor) as crew:
        return _validated(where, crew)


def _validated(where: Path | None, executor: Executor) -> dict[str, Any]:
    found = cells(where)
    asked = {
        "bfs": [c for c in found if c.dataset in KNOWN and c.undirected],
        "sssp": _paths(where),
    }
    simulated = samples_of(asked, executor)
    every, paths = simulated["bfs"], simulated["sssp"]
    used = core(every)
    push = [s for s in used if not s.cell.optimised]
    fitted = {mode: _fitted([s for s in used if s.cell.mode == mode]) for mode in MODES}

    def works(s: Sample) -> bool:
        return bars.work_bound(s, fitted[s.cell.mode].of(GPU(s.cell.gpu)))

    bound = {id(s): works(s) for s in every}
    by_gpu = bars.left_out(used, lambda c: c.gpu)
    by_graph = bars.left_out(used, lambda c: c.dataset)
    pooled = bars.rivals_left_out(push, lambda c: c.gpu, per_gpu=False)
    own = bars.rivals_left_out(push, lambda c: c.dataset, per_gpu=True)
    others = [s for s in every if s not in used]
    work = [s for s in push if bound[id(s)]]

    def those(ratios: dict[int, float], samples: list[Sample]) -> dict[str, float]:
        return bars.summary(ratios[id(s)] for s in samples)

    carried = {by: _carried_over(used, paths, by) for by in ("dataset", "gpu")}
    bound |= {id(s): works(s) for s in paths}
    made: dict[str, Any] = {
        "exact graphs, each source, launches from the others": bars.summary(
            bars.exact_sources(found)
        ),
        "launch-bound searches of graphs not fitted to": bars.summary(
            bars.unseen_launch_bound(found, fitted)
        ),
        f"kron_g500, pushes, constants from {KRONECKER}": bars.summary(
            bars.from_one_graph(push, KRONECKER, "kronecker")
        ),
        "one GPU left out, all cells": those(by_gpu, used),
        "one GPU left out, pushes": those(by_gpu, push),
        "one GPU left out, work-bound pushes": those(by_gpu, work),
        "  pooled regression": those(pooled, work),
        "one graph left out, all cells": those(by_graph, used),
        "one graph left out, work-bound pushes": those(by_graph, work),
        "  regression for each GPU": those(own, work),
        "  half of the runs beside the other half": bars.summary(bars.halves(s.cell for s in work)),
        "stand-ins, not fitted to": bars.summary(
            fitted[s.cell.mode].ms(s) / s.cell.ms for s in others
        ),
        "one graph left out, all cells, beside means instead of medians": bars.summary(
            by_graph[id(s)] * s.cell.ms / s.cell.mean_ms for s in used
        ),
        "shortest paths, constants of searches, one graph left out": those(
            carried["dataset"], paths
        ),
        "shortest paths, constants of searches, one GPU left out": those(carried["gpu"], paths),
    }
    same, total = agreement(where)
    gpu = GPU("gv100")
    constants = fitted[OWN_MODE].of(gpu)
    return {
        "bars": made,
        "directions": {"same": same, "levels": total},
        "ranking": ranking(where, gpu, constants, _per_arc(every, gpu, constants)),
        "errors": {
            **_errors(used, bound, by_gpu, by_graph),
            **_errors(paths, bound, carried["gpu"], carried["dataset"], "sssp, "),
            **_fast_path_errors(executor),
        },
        "constants": _constants(fitted[OWN_MODE]),
        "cells": {s.cell.dataset: KNOWN[s.cell.dataset].kind for s in every},
    }


def _fitted(samples: list[Sample], by: str = "dataset") -> Fitted:
    """Fit constants, with what is chosen by leaving parts of the samples out."""
    return fit(samples, chosen(samples, lambda cell: str(getattr(cell, by))))


def _per_arc(samples: list[Sample], gpu: GPU, constants: Constants) -> dict[str, float]:
    """Return the seconds of a pushed arc of each graph on a GPU, as simulated."""
    from .fit import predicted

    made = {}
    for s in samples:
        if s.cell.gpu == gpu.name and s.cell.mode == OWN_MODE and not s.cell.optimised:
            rows = {**s.rows, "launches": np.zeros_like(s.rows["launches"])}
            made[s.cell.dataset] = predicted(gpu, constants, rows) * 1e-3 / s.cell.arcs
    return made


def _errors(
    used: list[Sample],
    bound: dict[int, bool],
    by_gpu: dict[int, float],
    by_graph: dict[int, float],
    task: str = "",
) -> dict[str, dict[str, float]]:
    """Return the errors of each kind of run."""
    own = [s for s in used if s.cell.mode == OWN_MODE]
    architectures = [GPU(name).architecture for name in GPUS.values()]
    made = {}
    for word, wanted in (("launch-bound", False), ("work-bound", True)):
        mine = [s for s in own if bound[id(s)] is wanted]
        kin = [s for s in mine if architectures.count(GPU(s.cell.gpu).architecture) > 1]
        groups = {
            GPU_SEEN: [by_graph[id(s)] for s in mine],
            ARCHITECTURE_SEEN: [by_gpu[id(s)] for s in kin],
            GPU_UNSEEN: [by_gpu[id(s)] for s in mine if s not in kin],
        }
        for name, ratios in groups.items():
            found = bars.summary(ratios)
            made[f"{task}{word}, {name}"] = {k: round(found[k], 3) for k in ("median", "most")}
    return made


def _paths(where: Path | None) -> list[Cell]:
    """Return the cells of shortest paths whose graphs can be had and are not large."""
    kinds = ("exact", "generated")
    return [
        c
        for c in cells(where, "sssp")
        if c.dataset in KNOWN and KNOWN[c.dataset].kind in kinds and c.mode == OWN_MODE
        if c.undirected and c.arcs <= MOST_ARCS_OF_PATHS
    ]


def _carried_over(searches: list[Sample], paths: list[Sample], by: str) -> dict[int, float]:
    """Predict shortest paths by constants of searches without their graph or their GPU."""
    own = [s for s in searches if s.cell.mode == OWN_MODE]
    ratios: dict[int, float] = {}
    for name in sorted({getattr(s.cell, by) for s in paths}):
        fitted = _fitted([s for s in own if getattr(s.cell, by) != name], by)
        mine = [s for s in paths if getattr(s.cell, by) == name]
        ratios |= {id(s): fitted.ms(s) / s.cell.ms for s in mine}
    return ratios


def _fast_path_errors(executor: Executor) -> dict[str, dict[str, float]]:
    """Return how far the fast path is from the simulator; of two ways to ask it, the worse one."""
    found = beside_simulator(executor)
    made = {}
    for word, wanted in (("launch-bound", True), ("work-bound", False)):
        own = [c for c in found if c.launch_bound is wanted]
        both = [bars.summary(c.ratio for c in own), bars.summary(c.without_source for c in own)]
        made[f"fast path, {word}"] = {
            k: round(max(each[k] for each in both), 3) for k in ("median", "most")
        }
    return made


def _constants(fitted: Fitted) -> dict[str, Any]:
    def named(values: Any) -> dict[str, float]:
        return {k: float(f"{v:.4g}") for k, v in Constants(*np.exp(values))._asdict().items()}

    return {
        "every": named(fitted.every),
        "architecture": {k: named(v) for k, v in fitted.architectures.items()},
        "gpu": {k: named(v) for k, v in fitted.gpus.items()},
    }


def write(found: dict[str, Any], path: Path = FILE) -> None:
    """Write the file of constants and errors."""
    graphs = ", ".join(sorted({n for n, k in found["cells"].items() if k != "stand-in"} | {WEB}))
    lines = [
        "# Written by `tacho gpus validate --write`: constants fitted to runs of Gunrock 1.0.0",
        f"# ({OWN_MODE}), and the errors of runs of each kind when their graph or GPU was left out.",
        f"# Graphs: {graphs}.",
        "",
    ]
    constants = found["constants"]
    if constants["every"]["overlap"] in (min(OVERLAPS), max(OVERLAPS)):
        tried = ", ".join(f"{overlap:g}" for overlap in OVERLAPS)
        lines.insert(3, f"# The overlap that predicts best is at the end of those tried: {tried}.")
    tables = {"every": constants["every"]}
    tables |= {f"architecture.{k}": v for k, v in constants["architecture"].items()}
    tables |= {f"gpu.{k}": v for k, v in constants["gpu"].items()}
    tables |= {f'errors."{k}"': v for k, v in found["errors"].items()}
    for name, values in tables.items():
        lines += [f"[{name}]", *(f"{k} = {v!r}" for k, v in values.items()), ""]
    with aside(path) as temporary:
        temporary.write_text("\n".join(lines), encoding="utf-8")
