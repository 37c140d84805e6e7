"""Tables and charts of simulated accelerators for people."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..simulation.accelerators.compare import design
from ..simulation.accelerators.roots import variation

__all__ = ["show"]

Row = dict[str, Any]
BAR = 40  # characters of the longest bar


def label(row: Row, fixed: set[str]) -> str:
    """What distinguishes a row, without its source and what is the same in all."""
    settings = [f"{k}={v}" for k, v in row["settings"].items() if k not in fixed]
    sizes = [f"{k} {v}" for k, v in row["memory_settings"].items() if k not in fixed]
    memory = row["memory"] or row["result"]["memory"].split("(")[1].split(",")[0]
    name = row["accelerator"].rpartition(":")[2]
    return " ".join([name, *settings, f"[{', '.join([memory, *sizes])}]"])


def _given(rows: list[Row]) -> dict[str, list[Any]]:
    """The values of every setting of accelerators and memories that was asked for."""
    found: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in {**row["settings"], **row["memory_settings"]}.items():
            if value not in found.setdefault(name, []):
                found[name].append(value)
    return found


def show(console: Console, graph: str, rows: list[Row]) -> None:
    """The table, the chart, what varied with the source, and what was assumed."""
    same = {name: values[0] for name, values in _given(rows).items() if len(values) == 1}
    rows = [{**row, "label": label(row, set(same))} for row in rows]
    console.print(graph, style="bold")
    if same:
        console.print("everywhere: " + ", ".join(f"{k}={v}" for k, v in same.items()))
    console.print(_table(rows))
    console.print(_chart(rows))
    if any("source" in row["options"] for row in rows[1:]):
        console.print(_variation(rows))
    error = rows[0]["result"]["expected_error"]
    console.print(
        f"All numbers are simulated; the method's expected error against hardware is {error:.0f} % "
        f"for {rows[0]['algorithm']}. REPS count edges of all iterations, TEPS the graph's once; M/s "
        "are million requests that were simulated in a second.",
        style="dim",
    )
    for name in dict.fromkeys(row["accelerator"] for row in rows):
        console.print(_assumed(name, next(r for r in rows if r["accelerator"] == name)))


def _table(rows: list[Row]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("accelerator", style="cyan")
    for name in ("source", "ms", "iterations", "requests", "GB/s", "of peak", "row hits", "GREPS",
                 "GTEPS", "M/s"):  # fmt: skip
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        r = row["result"]
        table.add_row(
            Text(row["label"]),
            str(row["options"].get("source", "")),
            f"{r['seconds'] * 1e3:,.4g}",
            str(r["iterations"]),
            f"{sum(r['requests'].values()):,}",
            f"{r['gbps']:.2f}",
            f"{r['peak_share']:.0%}",
            f"{r['row_hit_rate']:.1%}",
            f"{r['reps'] / 1e9:.3f}",
            f"{r['teps'] / 1e9:.3f}",
            f"{r['rate'] / 1e6:.2f}",
        )
    return table


def _means(rows: list[Row]) -> dict[str, list[float]]:
    """Seconds of each configuration, over its sources."""
    found: dict[str, list[float]] = {}
    for row in rows:
        found.setdefault(row["label"], []).append(row["result"]["seconds"])
    return found


def _chart(rows: list[Row]) -> Table:
    """Bars of the run times."""
    means = {name: variation(times)["mean"] for name, times in _means(rows).items()}
    longest = max(means.values())
    chart = Table(box=None, show_header=False, padding=(0, 1, 0, 0))
    for name, mean in means.items():
        bar = "█" * max(1, round(BAR * mean / longest))
        chart.add_row(Text(name, style="cyan"), bar, f"{mean * 1e3:,.4g} ms")
    return chart


def _variation(rows: list[Row]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), title="over the sources", title_justify="left")
    table.add_column("accelerator", style="cyan")
    for name in ("sources", "mean ms", "deviation ms", "coefficient of variation"):
        table.add_column(name, justify="right")
    for name, times in _means(rows).items():
        v = variation(times)
        table.add_row(Text(name), str(len(times)), f"{v['mean'] * 1e3:,.4g}",
                      f"{v['deviation'] * 1e3:,.4g}", f"{v['coefficient']:.2f}")  # fmt: skip
    return table


def _assumed(name: str, row: Row) -> Text:
    """What the paper leaves open, and what was taken."""
    values = row["result"]["parameters"]
    lines = [f"{name.rpartition(':')[2]}, what its description leaves open:"]
    for key, parameter in design(name).declared().items():
        if "inferred" in parameter.source:
            lines.append(f"  {key} = {values[key]}: {parameter.about} ({parameter.source})")
    return Text("\n".join(lines), style="dim")
