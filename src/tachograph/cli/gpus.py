"""``tacho gpus``: the GPUs that can be simulated, and how well that agrees with published runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..util.errors import InputError
from .options import Crew, Json, flat, option, out, print_json, say, split, vertex_of
from .tables import table

if TYPE_CHECKING:
    from ..graph.graph import Graph
    from ..simulation.gpus.gpu import GPU

__all__ = ["OnGpus", "app", "simulated"]

app = typer.Typer(help="GPUs that can be simulated.", invoke_without_command=True)
RUNS_HELP = "The directory of the published runs; default: $TACHOGRAPH_GPU_RUNS."
#: What each bar of the validation is to reach: median and 90th percentile of max(r, 1/r).
WANTED = {
    "exact graphs, each source, launches from the others": (1.03, 1.10),
    "launch-bound searches of graphs not fitted to": (1.10, 1.25),
    "kron_g500, pushes, constants from kron_g500-logn18": (1.20, 1.40),
    "one GPU left out, all cells": (1.25, 1.6),
    "one GPU left out, work-bound pushes": (1.10, 1.46),
    "one graph left out, work-bound pushes": (1.08, 1.28),
}
DIRECTIONS_WANTED, RANKING_WANTED = 0.95, 0.8


@app.callback()
def listed(context: typer.Context, json: Json = False) -> None:
    """List the GPUs that can be simulated, with their parameters.

    [bold]Examples[/bold]

    tacho gpus

    tacho gpus validate published-runs
    """
    if context.invoked_subcommand is not None:
        return
    from ..simulation.gpus.constants import origin_of
    from ..simulation.gpus.gpu import GPU, known_gpus

    gpus = [GPU(name) for name in known_gpus()]
    seen = {
        "gpu": "its own",
        "architecture": "its kind",
        "every": "others",
        "unlike": "others, far",
    }
    if json:
        print_json(
            [{"name": g.name, "title": g.title, "source": g.source, **g.settings} for g in gpus]
        )
        return
    heads = ("name", "GPU", "SMs", "GHz", "L2, MB", "GB/s", "memory", "GB", "fitted to")
    rows = []
    for g in gpus:
        sizes = [f"{g.l2_bytes / 2**20:g}", f"{g.memory_gbps:g}", g.memory]
        shown = [g.name, g.title, str(g.sms), f"{g.clock_ghz:g}", *sizes]
        rows.append([*shown, f"{g.memory_bytes / 2**30:g}", seen[origin_of(g)]])
    out().print(table(heads, rows))
    say("fitted to: the published runs that its constants are from; docs/gpus.md says how far off")


@app.command("validate")
@flat
def validate(
    crew: Crew,
    runs: Annotated[Path | None, typer.Argument(help=RUNS_HELP)] = None,
    write: Annotated[bool, typer.Option("--write", help="Write the package's constants.")] = False,
    json: Json = False,
) -> None:
    """Compare simulated times with published runs, graphs and GPUs left out, and print every bar.

    Simulating the graphs takes some minutes the first time; what is done is kept.

    [bold]Example[/bold]

    tacho gpus validate published-runs --json
    """
    from ..simulation.gpus.validation.validate import validate as judge
    from ..simulation.gpus.validation.validate import write as keep

    with crew.executor() as chosen:
        found = judge(runs, chosen)
    if write:
        keep(found)
    if json:
        print_json(found)
        return
    show(found)


@dataclass(frozen=True)
class OnGpus:
    """GPUs instead of accelerators, and how their kernels run."""

    gpu: str | None = option(
        None, "GPUs instead of accelerators: names of tacho gpus, or TOML files; with commas."
    )
    direction: str = option(
        "auto", "What chooses push or pull of bfs on a GPU, also FILE.py:FUNCTION; with commas."
    )
    balance: str = option(
        "balanced", "Work of a warp: vertex, warp, balanced or degree; with commas."
    )
    sink: str | None = option(None, "Where maximum_flow on a GPU ends: an id, or a name.")

    def machines(self, settings: Mapping[str, list[str]]) -> Iterator[tuple[str, GPU]]:
        """Yield every GPU with every combination of the settings, and what to call it."""
        from ..simulation.gpus.gpu import GPU, gpu_named

        for name in split(self.gpu or ""):
            if settings and name.endswith(".toml"):
                raise InputError(f"--set: write {', '.join(settings)} into {name}")
            for values in itertools.product(*settings.values()):
                told = dict(zip(settings, values, strict=True))
                made = GPU(name, **told) if told else gpu_named(name)
                yield " ".join([made.name, *(f"{k}={v}" for k, v in told.items())]), made


def simulated(
    task: str,
    graph: Graph,
    asked: OnGpus,
    settings: Mapping[str, list[str]],
    source: int | None,
    plot: Path | None,
    json: bool,
) -> None:
    """Simulate a task on every combination of GPUs, directions and balances; draw, print a table."""
    from ..plots.charts import bars
    from ..plots.numbers import seconds as form
    from ..simulation.gpus.simulate import simulate
    from ..util.names import canonical
    from .compare import policy_of

    name = canonical(task)
    start = source
    if start is None and name in ("bfs", "sssp") and graph.n:
        start = int(graph.degrees.argmax())
    sink = None if asked.sink is None else vertex_of(graph, asked.sink)
    directions = split(asked.direction) if name == "bfs" else ["auto"]
    policies = {word: policy_of(word, "direction") for word in directions}
    every = itertools.product(asked.machines(settings), directions, split(asked.balance))
    found, rows = [], []
    for (label, gpu), direction, balance in every:
        options: dict[str, Any] = {"source": start, "sink": sink, "balance": balance}
        run = simulate(name, graph, gpu, direction=policies[direction], **options)
        told = {k: gpu.settings[k] for k in settings}
        found.append({**run.numbers(), "set": told, "direction": direction, "balance": balance})
        low, high = run.interval or (None, None)
        between = "" if low is None else f"{form(low)} to {form(high)}"
        parts = [form(v) for v in run.shares().values()]
        pulled = str(int((run.trace["kernel"] == "pull").sum())) if len(run.trace) else "0"
        labels = [label, direction if name == "bfs" else "", balance]
        rows.append([*labels, form(run.seconds), between, str(run.iterations), pulled, *parts])
    if plot is not None:
        bar = [
            (" ".join(filter(None, row[:3])), one["seconds"], "simulated")
            for row, one in zip(rows, found, strict=True)
        ]
        bars(bar, f"{name}, simulated: run time", shown=form).save(plot)
    if json:
        print_json(found)
        return
    out().print(repr(graph), style="bold")
    if start is not None and source is None:
        who = start if graph.names is None else graph.names[start]
        out().print(f"from vertex {who}, that of highest degree")
    heads = ("GPU", "direction", "balance", "time", "between", "rounds", "pulled")
    parts_of = ("launches", "issue", "L2", "memory", "overlapped")
    out().print(table((*heads, *parts_of), rows, names=3))
    bands = dict.fromkeys(f"{row['gpu']}: {row['band']}" for row in found)
    out().print(
        f"All times are simulated. Beside published runs, {'; '.join(bands)}. Copies over the bus are "
        "not part of the times.",
        style="dim",
    )


def show(found: dict[str, Any]) -> None:
    """Print the bars."""
    rows = []
    for name, values in found["bars"].items():
        wanted = WANTED.get(name)
        text = f"{wanted[0]:.2f} / {wanted[1]:.2f}" if wanted else ""
        good = wanted and values["median"] <= wanted[0] and values["most"] <= wanted[1]
        cells = [f"{values[k]:.3f}" for k in ("median", "most", "max")]
        met = "" if wanted is None else "met" if good else "missed"
        rows.append([name, *cells, str(values["cells"]), text, met])
    heads = ("predicted over measured", "median", "90 %", "max", "cells", "wanted", "")
    out().print(table(heads, rows))
    same, levels = found["directions"]["same"], found["directions"]["levels"]
    out().print(
        f"directions: {same} of {levels} recorded levels ({DIRECTIONS_WANTED:.0%} wanted); ranking of "
        f"settings, {RANKING_WANTED} wanted: "
        + ", ".join(f"{name} {value:.2f}" for name, value in found["ranking"].items())
    )
    kinds = [[k, f"{v['median']:.3f}", f"{v['most']:.3f}"] for k, v in found["errors"].items()]
    out().print(table(("kind of run", "median", "90 %"), kinds))
