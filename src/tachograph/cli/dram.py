"""``tacho dram``: what a memory does with a trace of requests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Cluster, Json, Workers, executor, out, print_json

__all__ = ["app"]

app = typer.Typer(
    help="Simulate a memory.\n\n[bold]Example[/bold]  tacho dram run a.trace --memory ddr4-2400r",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

TraceFile = Annotated[
    Path, typer.Argument(metavar="TRACE", help="Ramulator's text, .npz or .parquet.")
]
Channels = Annotated[int | None, typer.Option(help="Default: what the standard usually has.")]
Ranks = Annotated[int, typer.Option(help="Ranks of each channel.")]
Density = Annotated[str | None, typer.Option(help="Of a device, such as 8Gb.")]
Width = Annotated[int | None, typer.Option(help="Of a device, such as 16.")]
MappingName = Annotated[str, typer.Option(help="Fields of an address, highest bits first.")]
Hashed = Annotated[bool, typer.Option("--hash-banks", help="XOR banks with bits of the row.")]
Scheduler = Annotated[str, typer.Option(help="FRFCFS-Cap, FRFCFS or FCFS.")]
Rows = Annotated[str, typer.Option(help="When rows are closed: open, closed or timeout.")]
Rate = Annotated[float | None, typer.Option(help="Requests per cycle, at most 1.")]
Ports = Annotated[str, typer.Option(help="shared, or channel: each takes its own requests.")]
Picture = Annotated[Path | None, typer.Option("--plot", help="Draw to this .png, .svg or .pdf.")]


@app.command()
def run(
    trace: TraceFile,
    memory: Annotated[str, typer.Option(help="A name of tacho dram list, or a .toml file.")],
    channels: Channels = None,
    ranks: Ranks = 1,
    density: Density = None,
    width: Width = None,
    mapping: MappingName = "RoBaRaCoCh",
    hash_banks: Hashed = False,
    scheduler: Scheduler = "FRFCFS-Cap",
    rows: Rows = "open",
    rate: Rate = None,
    ports: Ports = "shared",
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
    from ..simulation.dram import Memory
    from ..util.progress import bar

    made = Memory(
        memory, channels=channels, ranks=ranks, density=density, width=width, mapping=mapping,
        hash_banks=hash_banks, scheduler=scheduler, rows=rows,
    )  # fmt: skip
    with bar(f"simulating {made.standard.name}"):
        result = made.run(trace, rate=rate, ports=ports, commands=commands is not None)
    if commands is not None and result.commands is not None:
        _write(result.commands.to_arrow(), commands)
    if plot is not None:
        from ..simulation.dram.plots import plot as draw

        draw(result, plot)
    if json:
        print_json(result.to_dict())
        return
    from .show_dram import result_table

    console = out()
    console.print(result.memory, style="bold")
    console.print(result_table(result))


@app.command()
def compare(
    trace: TraceFile,
    memory: Annotated[str, typer.Option(help="Names with commas between them.")],
    channels: Channels = None,
    ranks: Ranks = 1,
    mapping: MappingName = "RoBaRaCoCh",
    hash_banks: Hashed = False,
    scheduler: Scheduler = "FRFCFS-Cap",
    rows: Rows = "open",
    rate: Rate = None,
    ports: Ports = "shared",
    plot: Picture = None,
    workers: Workers = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Run a trace through several memories, side by side.

    Results are kept: a comparison that was stopped goes on where it was.

    [bold]Example[/bold]

    tacho dram compare a.trace --memory ddr3-1600k,ddr4-2400r,hbm
    """
    from ..simulation.dram.compare import compare as simulated

    names = [name.strip() for name in memory.split(",")]
    settings = {"channels": channels, "ranks": ranks, "mapping": mapping, "hash_banks": hash_banks,
                "scheduler": scheduler, "rows": rows}  # fmt: skip
    with executor(workers, cluster) as chosen:
        results = simulated(trace, names, settings, rate=rate, ports=ports, executor=chosen)
    if plot is not None:
        from ..simulation.dram.plots import plot_compare

        plot_compare(results, plot)
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
        print_json(
            [
                {
                    "name": s.name,
                    "density": s.density,
                    "width": s.width,
                    "channels": s.default_channels,
                    "peak_gbps": s.peak / 1e9,
                    "tck_ns": s.tck,
                    "timings": s.timings,
                    "currents": s.currents,
                    "source": s.source,
                }
                for s in found
            ]
        )
        return
    from .show_dram import standards_table

    out().print(standards_table(found))


@app.command()
def generate(
    pattern: Annotated[str, typer.Argument(help="sequential, stride or random.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="The suffix tells the format.")],
    requests: Annotated[int, typer.Option(help="How many.")] = 100_000,
    writes: Annotated[float, typer.Option(help="Share of writes, 0 to 1.")] = 0.0,
    stride: Annotated[int, typer.Option(help="Bytes from one to the next.")] = 4096,
    size: Annotated[int, typer.Option(help="Bytes that random requests spread over.")] = 1 << 30,
    seed: Annotated[int, typer.Option(help="Of random requests and writes.")] = 0,
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
    rng = np.random.default_rng(seed)
    makers = {
        "sequential": lambda: np.arange(requests) * 64,
        "stride": lambda: np.arange(requests) * stride,
        "random": lambda: rng.integers(0, size // 64, requests) * 64,
    }
    if pattern not in makers:
        raise InputError(f"unknown pattern {pattern!r}; known: {', '.join(makers)}")
    write_trace(output, makers[pattern](), rng.random(requests) < writes)
    typer.echo(f"{output}: {requests:,} requests", err=True)


def _write(table: Any, path: Path) -> None:
    from pyarrow import parquet

    from ..graph.files.streams import aside

    with aside(path) as temporary:
        parquet.write_table(table, temporary)
