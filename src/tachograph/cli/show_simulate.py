"""Tables and charts of simulated accelerators for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..plots import numbers as form
from ..plots.charts import bars
from ..plots.drawing import Drawing, stacked
from ..simulation.accelerators import Job
from ..simulation.accelerators.compare import variation
from ..simulation.accelerators.result import Numbers

__all__ = ["drawn", "show"]

#: A job and what came of it.
Done: TypeAlias = tuple[Job, Numbers]
LONGEST_BAR = 40  # characters
SHOWN_COLUMNS: dict[str, Callable[[Done], str]] = {
    "source": lambda d: str(d[0].question.options.get("source", "")),
    "ms": lambda d: f"{d[1]['seconds'] * 1e3:,.4g}",
    "iterations": lambda d: str(d[1]["iterations"]),
    "requests": lambda d: f"{sum(d[1]['requests'].values()):,}",
    "GB/s": lambda d: f"{d[1]['gbps']:.2f}",
    "of peak": lambda d: f"{d[1]['peak_share']:.0%}",
    "row hits": lambda d: f"{d[1]['row_hit_rate']:.1%}",
    "GREPS": lambda d: f"{d[1]['reps'] / 1e9:.3f}",
    "GTEPS": lambda d: f"{d[1]['teps'] / 1e9:.3f}",
    "M/s": lambda d: f"{d[1]['rate'] / 1e6:.2f}",
}
PANELS: dict[str, tuple[Callable[[Numbers], float], Callable[[float], str]]] = {
    "run time": (lambda n: n["seconds"], form.seconds),
    "iterations": (lambda n: n["iterations"], form.count),
    "GB/s": (lambda n: n["gbps"], form.short),
    "row hits": (lambda n: n["row_hit_rate"], form.percent),
}


def settings_of(job: Job) -> dict[str, object]:
    """Return what was chosen for the accelerator and its memory."""
    return job.accelerator.given | (job.memory.given if job.memory is not None else {})


def label(job: Job, fixed: Iterable[str] = ()) -> str:
    """Return what tells a job from others, without its source and settings that all share."""
    memory = job.memory or job.accelerator.memory()
    settings = [f"{k}={v}" for k, v in job.accelerator.given.items() if k not in fixed]
    sizes = [f"{k} {v}" for k, v in memory.given.items() if job.memory and k not in fixed]
    return " ".join(
        [job.name.rpartition(":")[2], *settings, f"[{', '.join([memory.name, *sizes])}]"]
    )


def drawn(done: Sequence[Done]) -> Drawing:
    """Draw run time, iterations, bandwidth and row hits of every job."""
    names = []
    for job, _ in done:
        source = job.question.source
        names.append(label(job) + ("" if source is None else f" from {source}"))
    panels = []
    for what, (value, shown) in PANELS.items():
        rows = [
            (name, float(value(n)), "simulated") for name, (_, n) in zip(names, done, strict=True)
        ]
        panels.append(bars(rows, f"{done[0][0].question.task}, simulated: {what}", shown=shown))
    return stacked(panels)


def show(console: Console, graph: str, done: Sequence[Done]) -> None:
    """Print the table, the chart, what varied with the source, and what was assumed."""
    chosen = [settings_of(job) for job, _ in done]
    values = {name: {str(s.get(name)) for s in chosen} for s in chosen for name in s}
    same = {name: found.pop() for name, found in values.items() if len(found) == 1}
    labels = [label(job, same) for job, _ in done]
    console.print(graph, style="bold")
    if same:
        console.print("everywhere: " + ", ".join(f"{k}={v}" for k, v in same.items()))
    rows = [
        [text, *(cell(d) for cell in SHOWN_COLUMNS.values())]
        for text, d in zip(labels, done, strict=True)
    ]
    console.print(table(SHOWN_COLUMNS, rows))
    times: dict[str, list[float]] = {}
    for text, (_, numbers) in zip(labels, done, strict=True):
        times.setdefault(text, []).append(numbers["seconds"])
    found = {text: variation(seconds) for text, seconds in times.items()}
    longest = max(v["mean"] for v in found.values())
    chart = Table(box=None, show_header=False, padding=(0, 1, 0, 0))
    for text, v in found.items():
        bar = "█" * max(1, round(LONGEST_BAR * v["mean"] / longest))
        chart.add_row(Text(text, style="cyan"), bar, f"{v['mean'] * 1e3:,.4g} ms")
    console.print(chart)
    if len(times) < len(done):
        rows = [
            [text, str(len(times[text])), f"{v['mean'] * 1e3:,.4g}", f"{v['deviation'] * 1e3:,.4g}",
             f"{v['coefficient']:.2f}"]
            for text, v in found.items()
        ]  # fmt: skip
        heads = ("sources", "mean ms", "deviation ms", "coefficient of variation")
        console.print(table(heads, rows, "over the sources"))
    first, numbers = done[0]
    console.print(
        "All numbers are simulated; the method's expected error against hardware is "
        f"{numbers['expected_error']:.0f} % for {first.question.task}. REPS count the edges of all "
        "iterations, TEPS the graph's edges once; M/s are million requests simulated in a second here.",
        style="dim",
    )
    for name in dict.fromkeys(job.name for job, _ in done):
        console.print(assumed(next(job for job, _ in done if job.name == name)))


def table(heads: Iterable[str], rows: Iterable[Sequence[str]], title: str | None = None) -> Table:
    """Return a table with the accelerators on the left."""
    made = Table(box=None, padding=(0, 2, 0, 0), title=title, title_justify="left")
    made.add_column("accelerator", style="cyan")
    for name in heads:
        made.add_column(name, justify="right", no_wrap=True)
    for name, *cells in rows:
        made.add_row(Text(name), *cells)
    return made


def assumed(job: Job) -> Text:
    """Say what the paper leaves open, and which values were taken."""
    lines = [f"{job.name.rpartition(':')[2]}, what its description leaves open:"]
    for name, parameter in job.accelerator.declared().items():
        if "inferred" in parameter.source:
            value = job.accelerator.settings[name]
            lines.append(f"  {name} = {value}: {parameter.about} ({parameter.source})")
    return Text("\n".join(lines), style="dim")
