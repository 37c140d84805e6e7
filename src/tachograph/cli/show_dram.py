"""Tables about memories for people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from rich.table import Table
from rich.text import Text

from ..simulation.dram import MemoryResult, Standard

__all__ = ["compare_table", "result_table", "standards_table"]

T = TypeVar("T")
Columns = dict[str, Callable[[T], str]]

OF_RESULT: Columns[MemoryResult] = {
    "channels": lambda r: str(len(r.channels)),
    "ms": lambda r: f"{r.seconds * 1e3:,.4g}",
    "GB/s": lambda r: f"{r.gbps:.2f}" + " (port)" * r.port_bound,
    "of peak": lambda r: f"{r.peak_share:.1%}",
    "row hits": lambda r: f"{r.row_hit_rate:.1%}",
    "latency ns": lambda r: f"{r.latency['mean_ns']:.1f}",
    "99th": lambda r: f"{r.latency['p99'] * r.seconds / r.cycles * 1e9:.1f}",
    "mJ": lambda r: "" if r.energy is None else f"{r.energy['joules'] * 1e3:.3f}",
}
OF_STANDARD: Columns[Standard] = {
    "device": lambda s: f"{s.density} x{s.width}",
    "channels": lambda s: str(s.default_channels),
    "GB/s each": lambda s: f"{s.peak / 1e9:.1f}",
    "tCK ns": lambda s: f"{s.tck:.3f}",
    "CL-RCD-RP": lambda s: f"{s.timings['CL']}-{s.timings['RCDR']}-{s.timings['RP']}",
    "bytes": lambda s: str(s.request_bytes),
    "banks": lambda s: f"{s.groups} x {s.banks}" if s.groups > 1 else str(s.banks),
    "energy": lambda s: "" if s.currents is None else "yes",
}


def result_table(result: MemoryResult) -> Table:
    """Return two columns: what was simulated, and its value."""
    r, energy = result, "unknown: no currents are declared for this part"
    total = max(1, r.row_hits + r.row_misses + r.row_conflicts)
    shares = [f"{n:,} ({n / total:.1%})" for n in (r.row_hits, r.row_misses, r.row_conflicts)]
    late, queued = r.latency, r.queues
    if r.energy is not None:
        energy = f"{r.energy['joules'] * 1e3:,.3f} mJ, {r.energy['watts']:.3f} W (modelled)"
    rows = {
        "requests": f"{r.requests:,}: {r.reads:,} reads, {r.writes:,} writes",
        "time": f"{r.seconds * 1e3:,.6g} ms, {r.cycles:,} cycles (simulated)",
        "bandwidth": f"{r.gbps:.3f} GB/s, {r.peak_share:.1%} of {r.peak_gbps:.1f}",
        "row hits, misses, conflicts": ", ".join(shares),
        "read latency, cycles": f"mean {late['mean']:.1f} ({late['mean_ns']:.1f} ns), "
        f"median {late['median']:.0f}, 99th {late['p99']:.0f}",
        "queued, mean per channel": f"{queued['reads']:.1f} reads, {queued['writes']:.1f} writes, "
        f"{queued['in_flight']:.1f} reads on their way",
        "cycles spent at a full queue": f"{r.stalled:,}",
        "in refresh": f"{r.refresh_share:.1%} of the time",
        "commands": ", ".join(f"{k} {n:,}" for k, n in r.command_counts.items()),
        "energy": energy,
    }
    if len(r.channels) > 1:
        rows["requests by channel"] = ", ".join(f"{c['requests']:,}" for c in r.channels)
        rows["busiest channel / mean"] = f"{r.balance:.2f}"
    if r.forwarded:
        rows["reads of waiting writes"] = f"{r.forwarded:,}"
    if r.port_bound:
        rows["limited by"] = "the port: one request a cycle (--ports channel has more)"
    if r.wrapped:
        rows["requests beyond the capacity"] = f"{r.wrapped:,} (wrapped around)"
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for name, value in rows.items():
        table.add_row(Text(name, style="cyan"), value)
    return table


def compare_table(results: Mapping[str, MemoryResult]) -> Table:
    """Return one row for each memory."""
    return _table(OF_RESULT, results.items())


def standards_table(standards: Sequence[Standard]) -> Table:
    """Return one row for each standard, with its usual organisation."""
    return _table(OF_STANDARD, ((s.name, s) for s in standards))


def _table(columns: Columns[T], rows: Iterable[tuple[str, T]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("memory", style="cyan")
    for name in columns:
        table.add_column(name, justify="right")
    for name, row in rows:
        table.add_row(name, *(cell(row) for cell in columns.values()))
    return table
