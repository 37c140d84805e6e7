"""``tacho dram``: what a memory does with a trace of requests."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import Crew, Json, grouped, out, print_json

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

    channels: Annotated[
        int | None, typer.Option(help="Default: what the standard usually has.")
    ] = None
    ranks: Annotated[int, typer.Option(help="Ranks of each channel.")] = 1
    density: Annotated[str | None, typer.Option(help="Density of a device, such as 8Gb.")] = None
    width: Annotated[int | None, typer.Option(help="Width of a device, such as 16.")] = None
    mapping: Annotated[str, typer.Option(help="Fields of an address, highest bits first.")] = (
        "RoBaRaCoCh"
    )
    hash_banks: Annotated[
        bool, typer.Option("--hash-banks", help="XOR banks with bits of the row.")
    ] = False
    scheduler: Annotated[str, typer.Option(help="FRFCFS-Cap, FRFCFS or FCFS.")] = "FRFCFS-Cap"
    rows: Annotated[str, typer.Option(help="When rows are closed: open, closed or timeout.")] = (
        "open"
    )

    def memory(self, name: str) -> Memory:
        """Return the memory of that name."""
        from ..simulation.dram import Memory

        return Memory(name.strip(), **asdict(self))


@dataclass(frozen=True)
class Offer:
    """How requests come to the memory."""

    rate: Annotated[float | None, typer.Option(help="Requests per cycle, at most 1.")] = None
    ports: Annotated[str, typer.Option(help="shared, or channel: each takes its own requests.")] = (
        "shared"
    )


@app.command()
@grouped
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
@grouped
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
        from ..plots.bandwidth import bandwidth

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
    if not json:
        from .show_dram import standards_table

        out().print(standards_table(found))
        return
    own = ("name", "density", "width", "timings", "currents", "source")
    print_json(
        [
            {
                **{name: getattr(s, name) for name in own},
                "channels": s.default_channels,
                "peak_gbps": s.peak / 1e9,
                "tck_ns": s.tck,
            }
            for s in found
        ]
    )


@app.command()
def generate(
    pattern: Annotated[str, typer.Argument(help="sequential, stride or random.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The suffix tells the format.")],
    requests: Annotated[int, typer.Option(help="Number of requests.")] = 100_000,
    writes: Annotated[float, typer.Option(help="Share of writes, 0 to 1.")] = 0.0,
    stride: Annotated[int, typer.Option(help="Bytes from one request to the next.")] = 4096,
    size: Annotated[int, typer.Option(help="Bytes that random requests spread over.")] = 1 << 30,
    rng: Annotated[int, typer.Option(help="Seed of random requests and writes.")] = 0,
) -> None:
    """Make a trace to try memories with.

    [bold]Example[/bold]

    tacho dram generate random a.trace --requests 50000 --writes 0.3
    """
    import numpy as np

    from ..simulation.dram import write_trace
    from ..util.errors import InputError

    if requests < 1 or not 0 <= writes <= 1 or size < 64:
        raise InputError("--requests must be 1 or more, --writes 0 to 1, --size 64 or more")
    chance = np.random.default_rng(rng)
    makers = {
        "sequential": lambda: np.arange(requests) * 64,
        "stride": lambda: np.arange(requests) * stride,
        "random": lambda: chance.integers(0, size // 64, requests) * 64,
    }
    if pattern not in makers:
        raise InputError(f"unknown pattern {pattern!r}; known: {', '.join(makers)}")
    write_trace(output, makers[pattern](), chance.random(requests) < writes)
    typer.echo(f"{output}: {requests:,} requests", err=True)
