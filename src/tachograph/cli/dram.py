"""``tacho dram``: what a memory does with a trace of requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..plots.numbers import seconds
from ..util.memory import human
from .options import Crew, Json, facts_table, flat, option, out, print_json, say, split, write_table
from .tables import table

if TYPE_CHECKING:
    from rich.table import Table

    from ..simulation.dram import Memory, MemoryResult, Standard

__all__ = ["app"]

app = typer.Typer(
    help="Simulate a memory.\n\n[bold]Example[/bold]  tacho dram run a.trace --memory ddr4-2400r",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

TraceFile = Annotated[
    Path, typer.Argument(metavar="TRACE", help="Ramulator's text, .npz or .parquet.")
]
OF_RESULT: dict[str, Callable[[MemoryResult], str]] = {
    "channels": lambda r: str(len(r.channels)),
    "requests": lambda r: f"{r.requests:,}",
    "size": lambda r: human(r.bytes),
    "time": lambda r: seconds(r.seconds),
    "GB/s": lambda r: f"{r.gbps:.2f}" + " (port)" * r.port_bound,
    "of peak": lambda r: f"{r.peak_share:.1%}",
    "row hits": lambda r: f"{r.row_hit_rate:.1%}",
    "latency ns": lambda r: f"{r.latency['mean_ns']:.1f}",
    "99th": lambda r: f"{r.latency['p99'] * r.seconds / r.cycles * 1e9:.1f}",
    "mJ": lambda r: "" if r.energy is None else f"{r.energy['joules'] * 1e3:.3f}",
}
OF_STANDARD: dict[str, Callable[[Standard], str]] = {
    "device": lambda s: f"{s.density} x{s.width}",
    "channels": lambda s: str(s.default_channels),
    "GB/s each": lambda s: f"{s.peak / 1e9:.1f}",
    "tCK ns": lambda s: f"{s.tck:.3f}",
    "CL-RCD-RP": lambda s: f"{s.timings['CL']}-{s.timings['RCDR']}-{s.timings['RP']}",
    "bytes": lambda s: str(s.request_bytes),
    "banks": lambda s: " x ".join(str(n) for n in (s.pseudo, s.stacks, s.groups, s.banks) if n > 1),
    "energy": lambda s: "" if s.currents is None else "yes",
}
Picture = Annotated[Path | None, typer.Option("--plot", help="Draw to this .png, .svg or .pdf.")]


@dataclass(frozen=True)
class Settings:
    """How a memory is built and controlled."""

    channels: int | None = option(None, "Default: what the standard usually has.")
    ranks: int = option(1, "Ranks of each channel.")
    density: str | None = option(None, "Density of a device, such as 8Gb.")
    width: int | None = option(None, "Width of a device, such as 16.")
    mapping: str = option("RoBaRaCoCh", "Fields of an address, highest bits first, or MOP4CLXOR.")
    hash_banks: bool = option(False, "XOR banks with bits of the row.", "--hash-banks")
    jedec: bool = option(False, "Timings of JEDEC where the table follows a simulator.", "--jedec")
    scheduler: str | None = option(None, "FRFCFS-Cap, FRFCFS, FCFS or FRFCFS-RowHit.")
    rows: str = option("open", "When rows are closed: open, closed or timeout.")
    refresh: str = option("all-bank", "all-bank, per-bank or none.")
    read_queue: int = option(32, "Reads that can wait in a channel.")

    def memory(self, name: str) -> Memory:
        """Return the memory of that name."""
        from ..simulation.dram import Memory

        return Memory(name.strip(), **{k: v for k, v in asdict(self).items() if v is not None})


@dataclass(frozen=True)
class Offer:
    """How requests come to the memory."""

    rate: float | None = option(None, "Requests per cycle, at most 1.")
    ports: str = option("shared", "shared, or channel: each takes its own requests.")


@dataclass(frozen=True)
class Requests:
    """Requests of a trace that is made up."""

    requests: int = option(100_000, "Number of requests.")
    writes: float = option(0.0, "Share of writes, 0 to 1.")
    stride: int = option(4096, "Bytes from one request to the next.")
    size: int = option(1 << 30, "Bytes that random requests spread over.")
    rng: int = option(0, "Seed of random requests and writes.")


MOST_REQUESTS, MOST_BYTES = 1 << 30, 1 << 48  # of a trace that is made up
BYTES_PER_REQUEST = 40  # while it is made


@app.command()
@flat
def run(
    trace: TraceFile,
    memory: Annotated[str, typer.Option(help="A name from tacho dram list, or a .toml file.")],
    settings: Settings,
    offer: Offer,
    commands: Annotated[
        Path | None, typer.Option(help="Write every command to this Parquet file.")
    ] = None,
    plot: Picture = None,
    json: Json = False,
) -> None:
    """Run a trace through one memory.

    [bold]Examples[/bold]

    tacho dram run a.trace --memory ddr4-2400r --channels 2

    tacho dram run a.npz --memory hbm --json --plot hbm.png
    """
    from ..plots.drawing import check_picture
    from ..util.files import keep_inputs
    from ..util.progress import bar

    if plot is not None:
        check_picture(plot)
    keep_inputs((commands, plot), [trace])
    made = settings.memory(memory)
    with bar(f"simulating {made.standard.name}"):
        result = made.run(trace, **asdict(offer), commands=commands is not None)
    if commands is not None and result.commands is not None:
        write_table(result.commands.to_arrow(), commands)
    if plot is not None:
        result.plot(plot)
    if json:
        print_json(result.to_dict())
        return
    console = out()
    console.print(result.memory, style="bold")
    console.print(result_table(result))


@app.command()
@flat
def compare(
    trace: TraceFile,
    memory: Annotated[str, typer.Option(help="Names with commas between them.")],
    settings: Settings,
    offer: Offer,
    crew: Crew,
    equal: Annotated[
        str, typer.Option(help="bytes: an address stands for 64; requests: for one request.")
    ] = "bytes",
    plot: Picture = None,
    json: Json = False,
) -> None:
    """Run a trace through several memories, side by side.

    Results are kept: a comparison that was stopped goes on where it was.

    [bold]Examples[/bold]

    tacho dram compare a.trace --memory ddr3-1600k,ddr4-2400r,hbm

    tacho dram compare a.trace --memory ddr5,hbm3 --equal requests
    """
    from ..plots.drawing import check_picture
    from ..simulation.dram.compare import LINE_BYTES
    from ..simulation.dram.compare import compare as simulated

    memories = [settings.memory(name) for name in split(memory)]
    if plot is not None:
        check_picture(plot)
    with crew.executor() as chosen:
        results = simulated(trace, memories, **asdict(offer), equal=equal, executor=chosen)
    if plot is not None:
        from ..plots.memory import bandwidth

        bandwidth({name: result.timeline() for name, result in results.items()}).save(plot)
    if json:
        print_json({name: result.to_dict() for name, result in results.items()})
        return
    rows = [[name, *(cell(r) for cell in OF_RESULT.values())] for name, r in results.items()]
    out().print(table(["memory", *OF_RESULT], rows))
    if equal == "bytes":
        say(f"equal bytes: every address of the trace stands for {LINE_BYTES} bytes")
    else:
        say(
            "equal requests: every address of the trace is one request, of as many bytes as it moves"
        )
    if any(result.port_bound for result in results.values()):
        say("port: bound by a port that takes a request in a cycle (--ports channel has more)")


@app.command("list")
def list_memories(json: Json = False) -> None:
    """List the memories that can be used by name.

    [bold]Example[/bold]

    tacho dram list --json
    """
    from ..simulation.dram import names, standard

    found = [standard(name) for name in names()]
    if json:
        own = ("name", "density", "width", "timings", "currents", "source")
        rows = [{name: getattr(s, name) for name in own} for s in found]
        for s, row in zip(found, rows, strict=True):
            row |= {"channels": s.default_channels, "peak_gbps": s.peak / 1e9, "tck_ns": s.tck}
        print_json(rows)
        return
    cells = [[s.name, *(cell(s) for cell in OF_STANDARD.values())] for s in found]
    out().print(table(["memory", *OF_STANDARD], cells))


@app.command()
@flat
def generate(
    pattern: Annotated[str, typer.Argument(help="sequential, stride or random.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The suffix tells the format.")],
    of: Requests,
) -> None:
    """Make a trace to try memories with.

    [bold]Example[/bold]

    tacho dram generate random a.trace --requests 50000 --writes 0.3
    """
    import numpy as np

    from ..simulation.dram import write_trace
    from ..util.errors import InputError
    from ..util.memory import require

    if not 1 <= of.requests <= MOST_REQUESTS or not 0 <= of.writes <= 1 or of.rng < 0:
        limit = f"--requests must be 1 to {MOST_REQUESTS:,}, --writes 0 to 1, --rng 0 or more"
        raise InputError(limit)
    if not 64 <= of.size <= MOST_BYTES or abs(of.stride) > MOST_BYTES // of.requests:
        limit = f"--size must be 64 to {MOST_BYTES:,}, and all strides together not more"
        raise InputError(limit)
    require(of.requests * BYTES_PER_REQUEST, "the trace", "ask for fewer --requests")
    random, numbers = np.random.default_rng(of.rng), np.arange(of.requests)
    makers = {
        "sequential": lambda: numbers * 64,
        "stride": lambda: numbers * of.stride,
        "random": lambda: random.integers(0, of.size // 64, of.requests) * 64,
    }
    if pattern not in makers:
        raise InputError(f"unknown pattern {pattern!r}; known: {', '.join(makers)}")
    write_trace(output, makers[pattern](), random.random(of.requests) < of.writes)
    say(f"{output}: {of.requests:,} requests")


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
        "time": f"{seconds(r.seconds)}, {r.cycles:,} cycles (simulated)",
        "bandwidth": f"{r.gbps:.3f} GB/s, {r.peak_share:.1%} of {r.peak_gbps:.1f}"
        + ", bound by the port: a request in a cycle (see --ports)" * r.port_bound,
        "row hits, misses, conflicts": ", ".join(shares),
        "read latency, cycles": f"mean {late['mean']:.1f} ({late['mean_ns']:.1f} ns), "
        f"median {late['median']:.0f}, 99th {late['p99']:.0f}",
        "queued, mean per channel": f"{queued['reads']:.1f} reads, {queued['writes']:.1f} writes, "
        f"{queued['in_flight']:.1f} reads on their way",
        "cycles spent at a full queue": f"{r.stalled:,}",
        "in refresh": f"{r.refresh_share:.1%} of the time",
        "commands": ", ".join(f"{k} {n:,}" for k, n in r.command_counts.items() if n),
        "energy": energy,
    }
    if len(r.channels) > 1:
        rows["requests by channel"] = ", ".join(f"{c['requests']:,}" for c in r.channels)
        rows["busiest channel / mean"] = f"{r.balance:.2f}"
    if r.forwarded:
        rows["reads of waiting writes"] = f"{r.forwarded:,}"
    if r.merged:
        rows["writes merged with waiting ones"] = f"{r.merged:,}"
    if r.port_bound:
        rows["limited by"] = "the port: one request a cycle (--ports channel has more)"
    if r.wrapped:
        rows["requests beyond the capacity"] = f"{r.wrapped:,} (wrapped around)"
    return facts_table(rows.items())
