"""``tacho train``: fit the models that decide to this machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from .options import Cluster, Json, Workers, executor, out, print_json
from .train_approximation import approximation

__all__ = ["app"]

app = typer.Typer(help="Fit the models that decide to this machine.", invoke_without_command=True)


Graphs = Annotated[
    str | None, typer.Option(help="Names with commas between them. Default: a chosen set.")
]
Budget = Annotated[
    str, typer.Option(help="Measure for at most so long; a later run goes on from there.")
]


@app.callback()
def train(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="All models, one after the other.")] = False,
) -> None:
    """Fit the models that decide to this machine.

    [bold]Examples[/bold]

    tacho train times --budget 5m

    tacho train --all
    """
    if context.invoked_subcommand is None and not every:
        typer.echo(context.get_help())
    if not every:
        return
    from importlib.util import find_spec

    from ..decisions.times.collect import device_here

    every_one: list[Callable[[], None]] = [direction, approximation, times]
    every_one += [split, placement] if device_here() is not None else []
    every_one += [networkx] if find_spec("networkx") else []
    for command in every_one:
        out().rule(f"tacho train {command.__name__}")
        command()


def seconds(text: str) -> float:
    """What ``10m`` or ``90s`` or ``1h`` means."""
    from ..util.errors import InputError

    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if not found:
        raise InputError(f"--budget {text}: a number with s, m or h behind, such as 10m")
    return float(found[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[found[2]]


@app.command()
def direction(
    graphs: Graphs = None,
    budget: Budget = "10m",
    output: Annotated[
        Path | None, typer.Option(help="Default: where this user's searches find it.")
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Learn when to push and when to pull in breadth-first search, on this machine.

    Measures both directions at every level of searches on many graphs (what the journal has is not
    measured again), fits, and says how well it does on families of graphs that were left out.

    [bold]Examples[/bold]

    tacho train direction --budget 10m

    tacho train direction --graphs 'kronecker 16 16,road 300 300,uniform 60000 8,soc-Slashdot0902'
    """
    from ..decisions.direction.model import FILE
    from ..decisions.direction.train import save, train
    from ..decisions.model_files import own_model

    names = [n.strip() for n in graphs.split(",")] if graphs else None
    with executor(workers, cluster) as chosen:
        model = train(names, seconds(budget), chosen)
    path = output or own_model(FILE)
    save(model, path)
    card = model["card"]
    if json:
        print_json({"file": str(path), **card})
        return
    from rich.table import Table

    table = Table(title=f"{len(card['graphs'])} graphs, each family judged by a model without it")
    for column in ("policy", "accuracy", "time saved", "spread", "time / best", "worst graph"):
        table.add_column(column, justify="left" if column == "policy" else "right")
    for name, m in card["families_left_out"].items():
        table.add_row(
            name, f"{m['accuracy']:.1%}", f"{m['saved']:.1%}", f"{m['saved_spread']:.1%}",
            f"{m['slowdown']:.3f}", f"{m['worst']:.2f}",
        )  # fmt: skip
    out().print(table)
    typer.echo(f"{path}: used from now on" if output is None else f"{path}", err=True)


@app.command()
def split(
    graphs: Graphs = None,
    budget: Budget = "10m",
    output: Annotated[
        Path | None, typer.Option(help="Default: where this user's runs find it.")
    ] = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Learn how long host and device take for similarity, to decide who computes which part.

    Measures both on many graphs (what the journal has is not measured again), fits, and says how far
    off it is on families of graphs that were left out.

    [bold]Examples[/bold]

    tacho train split --budget 5m

    tacho train split --graphs 'kronecker 14 16,road 300 300,uniform 60000 8' --json
    """
    from ..decisions.model_files import own_model
    from ..decisions.split.model import FILE
    from ..decisions.split.train import train

    names = [n.strip() for n in graphs.split(",")] if graphs else None
    with executor(
        None, cluster
    ) as chosen:  # the device is there once: no workers beside each other
        model = train(names, seconds(budget), executor=chosen)
    path = output or own_model(FILE)
    model.write(path)
    if json:
        print_json({"file": str(path), **model.card})
        return
    typer.echo(f"{len(model.card['graphs'])} graphs; each family judged by a model without it:")
    for name, value in model.card["families left out"].items():
        typer.echo(f"  {name:28} {value:.1%}")
    typer.echo(f"{path}: used from now on" if output is None else f"{path}", err=True)


@app.command()
def times(
    graphs: Graphs = None,
    budget: Budget = "10m",
    output: Annotated[
        Path | None, typer.Option(help="Default: where this user's plans find it.")
    ] = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Learn how long each way to run each task takes, for plans.

    Measures all of them on many graphs (what the journal has is not measured again), adds the runs
    that the journal remembers, fits, and says how far off it is on families that were left out.

    [bold]Examples[/bold]

    tacho train times --budget 10m

    tacho train times --budget 0 --json
    """
    from ..decisions.model_files import own_model
    from ..decisions.times.model import FILE
    from ..decisions.times.train import train

    names = [n.strip() for n in graphs.split(",")] if graphs else None
    with executor(None, cluster) as chosen:  # times of all threads of a machine
        model = train(names, seconds(budget), chosen)
    path = output or own_model(FILE)
    model.write(path)
    if json:
        print_json({"file": str(path), **model.card})
        return
    typer.echo(f"{len(model.card['graphs'])} graphs; runs predicted within 35 % by a model without")
    typer.echo(f"  {'':24} {'runs':>5} {'the graph':>10} {'its family':>11}")
    for name, value in model.card["quality"].items():
        one, all_ = (value[k]["within_35"] for k in ("graphs_left_out", "families_left_out"))
        typer.echo(f"  {name:24} {value['rows']:5} {one:10.0%} {all_:11.0%}")
    typer.echo(f"{path}: used from now on" if output is None else f"{path}", err=True)


@app.command()
def placement(
    devices: Annotated[str, typer.Option(help="The OpenCL device beside the host.")] = "opencl",
    cluster: Cluster = None,
) -> None:
    """Learn where the kernels of tacho run mis and maxflow --device run faster.

    [bold]Example[/bold]

    tacho train placement
    """
    from ..decisions.placement.train import TASKS, train_placement
    from ..devices.opencl import open_device

    device = open_device(devices)
    with executor(None, cluster) as chosen:
        for task in TASKS:
            model, calls = train_placement(task, device, chosen)
            out().print(f"{task}: {', '.join(model.times)} learned from {calls} calls")


@app.command()
def networkx(
    largest: Annotated[int, typer.Option(help="Nodes of the largest graphs.")] = 10_000,
    output: Annotated[
        Path | None, typer.Option(help="Default: where the NetworkX backend finds it.")
    ] = None,
) -> None:
    """Learn how long functions take in NetworkX and here, to decide which calls the backend takes.

    [bold]Example[/bold]

    tacho train networkx --largest 1000
    """
    from ..decisions.model_files import own_model
    from ..networkx.train import MODEL, train
    from ..util.progress import bar

    path = output or own_model(MODEL)
    with bar("measuring") as shown:
        train(path, largest, shown.note)
    typer.echo(f"{path}: used from now on" if output is None else f"{path}", err=True)


app.command()(approximation)
