"""Tables about memories for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from ..simulation.dram import MemoryResult, Standard

__all__ = ["compare_table", "result_table", "standards_table"]


def _energy(result: MemoryResult) -> str:
    if result.energy is None:
        return "unknown: no currents declared for this part"
    return f"{result.energy['joules'] * 1e3:,.3f} mJ, {result.energy['watts']:.3f} W (modelled)"


def result_table(result: MemoryResult) -> Table:
    """Two columns: what was simulated, and its value."""
    r, total = result, max(1, result.row_hits + result.row_misses + result.row_conflicts)
    shares = [f"{n:,} ({n / total:.1%})" for n in (r.row_hits, r.row_misses, r.row_conflicts)]
    rows = [
        ("requests", f"{r.requests:,}: {r.reads:,} reads, {r.writes:,} writes"),
        ("time", f"{r.seconds * 1e3:,.6g} ms, {r.cycles:,} cycles (simulated)"),
        ("bandwidth", f"{r.gbps:.3f} GB/s, {r.peak_share:.1%} of {r.peak_gbps:.1f}"),
        ("row hits, misses, conflicts", ", ".join(shares)),
        ("read latency, cycles", f"mean {r.latency['mean']:.1f} ({r.latency['mean_ns']:.1f} ns), "
                                 f"median {r.latency['median']:.0f}, 99th {r.latency['p99']:.0f}"),
        ("queued, mean per channel", f"{r.queues['reads']:.1f} reads, {r.queues['writes']:.1f} writes, "
                                     f"{r.queues['in_flight']:.1f} reads on their way"),
        ("cycles spent at a full queue", f"{r.stalled:,}"),
        ("in refresh", f"{r.refresh_share:.1%} of the time"),
        ("commands", ", ".join(f"{k} {n:,}" for k, n in r.command_counts.items())),
        ("energy", _energy(r)),
    ]  # fmt: skip
    if len(r.channels) > 1:
        rows.append(("requests by channel", ", ".join(f"{c['requests']:,}" for c in r.channels)))
        rows.append(("busiest channel / mean", f"{r.balance:.2f}"))
    if r.forwarded:
        rows.append(("reads of waiting writes", f"{r.forwarded:,}"))
    if r.port_bound:
        rows.append(("limited by", "the port: one request a cycle (--ports channel has more)"))
    if r.wrapped:
        rows.append(("requests beyond the capacity", f"{r.wrapped:,} (wrapped around)"))
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for name, value in rows:
        table.add_row(Text(name, style="cyan"), value)
    return table


def compare_table(results: Mapping[str, MemoryResult]) -> Table:
    """One row for each memory."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("memory", style="cyan")
    for name in ("channels", "ms", "GB/s", "of peak", "row hits", "latency ns", "99th", "mJ"):
        table.add_column(name, justify="right")
    for name, r in results.items():
        cycle = r.seconds / r.cycles * 1e9
        table.add_row(
            name,
            str(len(r.channels)),
            f"{r.seconds * 1e3:,.4g}",
            f"{r.gbps:.2f}" + " (port)" * r.port_bound,
            f"{r.peak_share:.1%}",
            f"{r.row_hit_rate:.1%}",
            f"{r.latency['mean_ns']:.1f}",
            f"{r.latency['p99'] * cycle:.1f}",
            "" if r.energy is None else f"{r.energy['joules'] * 1e3:.3f}",
        )
    return table


def standards_table(standards: Sequence[Standard]) -> Table:
    """One row for each standard, with its usual organisation."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("memory", style="cyan")
    for name in (
        "device",
        "channels",
        "GB/s each",
        "tCK ns",
        "CL-RCD-RP",
        "bytes",
        "banks",
        "energy",
    ):
        table.add_column(name, justify="right")
    for s in standards:
        t = s.timings
        table.add_row(
            s.name,
            f"{s.density} x{s.width}",
            str(s.default_channels),
            f"{s.peak / 1e9:.1f}",
            f"{s.tck:.3f}",
            f"{t['CL']}-{t['RCDR']}-{t['RP']}",
            str(s.request_bytes),
            f"{s.groups} x {s.banks}" if s.groups > 1 else str(s.banks),
            "" if s.currents is None else "yes",
        )
    return table
