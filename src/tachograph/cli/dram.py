"""``tacho dram``: what a memory does with a trace of requests."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Crew, Json, flat, option, out, print_json

if TYPE_CHECKING:
    from ..simulation.dram import Memory

__all__ = ["app"]

app = typer.Typer(
    help="Simulate a memory.\n\n[bold]Example[/bold]  tacho dram run a.trace --memory ddr4-2400r",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

TraceFile = Annotated[
    Path, typer.Argument(metavar="TRACE", help="Ramulator's text, .npz or .parquet.")
]
Picture = Annotated[Path | None, typer.Option("--plot", help="Draw to this .png, .svg or .pdf.")]


@dataclass(frozen=True)
class Settings:
    """How a memory is built and controlled."""

    channels: int | None = option(None, "Default: what the standard usually has.")
    ranks: int = option(1, "Ranks of each channel.")
    density: str | None = option(None, "Density of a device, such as 8Gb.")
    width: int | None = option(None, "Width of a device, such as 16.")
    mapping: str = option("RoBaRaCoCh", "Fields of an address, highest bits first.")
    hash_banks: bool = option(False, "XOR banks with bits of the row.", "--hash-banks")
    scheduler: str = option("FRFCFS-Cap", "FRFCFS-Cap, FRFCFS or FCFS.")
    rows: str = option("open", "When rows are closed: open, closed or timeout.")

    def memory(self, name: str) -> Memory:
        """Return the memory of that name."""
        from ..simulation.dram import Memory

        return Memory(name.strip(), **asdict(self))


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
    from ..util.progress import bar

    made = settings.memory(memory)
    with bar(f"simulating {made.standard.name}"):
        result = made.run(trace, **asdict(offer), commands=commands is not None)
    if commands is not None and result.commands is not None:
        from pyarrow import parquet

        from ..graph.files.streams import aside

        with aside(commands) as temporary:
            parquet.write_table(result.commands.to_arrow(), temporary)
    if plot is not None:
        result.plot(plot)
    if json:
        print_json(result.to_dict())
        return
    from .show_dram import result_table

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
    plot: Picture = None,
    json: Json = False,
) -> None:
    """Run a trace through several memories, side by side.

    Results are kept: a comparison that was stopped goes on where it was.

    [bold]Example[/bold]

    tacho dram compare a.trace --memory ddr3-1600k,ddr4-2400r,hbm
    """
    from ..simulation.dram.compare import compare as simulated

    memories = [settings.memory(name) for name in memory.split(",")]
    with crew.executor() as chosen:
        results = simulated(trace, memories, **asdict(offer), executor=chosen)
    if plot is not None:
        from ..plots.memory import bandwidth

        bandwidth({name: result.timeline() for name, result in results.items()}).save(plot)
    if json:
        print_json({name: result.to_dict() for name, result in results.items()})
        return
    from .show_dram import compare_table

    out().print(compare_table(results))


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
    from .show_dram import standards_table

    out().print(standards_table(found))


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

    if of.requests < 1 or not 0 <= of.writes <= 1 or of.size < 64:
        raise InputError("--requests must be 1 or more, --writes 0 to 1, --size 64 or more")
    random, numbers = np.random.default_rng(of.rng), np.arange(of.requests)
    makers = {
        "sequential": lambda: numbers * 64,
        "stride": lambda: numbers * of.stride,
        "random": lambda: random.integers(0, of.size // 64, of.requests) * 64,
    }
    if pattern not in makers:
        raise InputError(f"unknown pattern {pattern!r}; known: {', '.join(makers)}")
    write_trace(output, makers[pattern](), random.random(of.requests) < of.writes)
    typer.echo(f"{output}: {of.requests:,} requests", err=True)
