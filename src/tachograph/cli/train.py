"""``tacho train``: fit the models that decide to this machine. One command for each trainer."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_type_hints

import typer

from ..decisions.model_file import own_model
from ..decisions.trainer import FORKS, Trained, Trainer, device_here, train
from .options import (
    Cluster,
    Crew,
    Json,
    Workers,
    duration,
    made,
    option,
    out,
    print_json,
    say,
    split,
)
from .tables import table

if TYPE_CHECKING:
    from ..decisions.trainer import Fitted

__all__ = ["app"]

app = typer.Typer(help="Fit the models that decide to this machine.", invoke_without_command=True)
MODELS = (*FORKS, "networkx")

Graphs = Annotated[
    str | None,
    typer.Option(help="Data sets, generators or files, by commas. Default: a chosen set."),
]
Budget = Annotated[
    str | None,
    typer.Option(help="Measure for at most this long, such as 5m; a later run continues."),
]
Force = Annotated[bool, typer.Option("--force", help="Use the model even if it is worse.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Train and compare, but write nothing.")]
Reset = Annotated[bool, typer.Option("--reset", help="Use the model of the package again.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Default: where this user's runs find it.")
]


@app.callback()
def all_of_them(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Train all, one after the other.")] = False,
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

    here = [name for name, fork in FORKS.items() if not fork.needs_device or device_here()]
    for name in (*here, *(["networkx"] if find_spec("networkx") else ())):
        out().rule(f"tacho train {name}")
        trained(name)


def trainer_of(name: str) -> type[Trainer[Fitted]]:
    """Return the trainer of a fork, or of the NetworkX backend."""
    if name in FORKS:
        return FORKS[name].trainer
    from ..networkx.train import Trainer as OfBackend

    return cast("type[Trainer[Fitted]]", OfBackend)


def trained(
    name: str,
    graphs: Graphs = None,
    budget: Budget = None,
    output: Output = None,
    force: Force = False,
    dry_run: DryRun = False,
    reset: Reset = False,
    workers: Workers = None,
    cluster: Cluster = None,
    json: Json = False,
    **own: object,
) -> None:
    """Train a model and print how good it is."""
    from ..tasks.measure import runner

    if reset:
        model = trainer_of(name)(runner=runner(), **own).file  # type: ignore[arg-type]
        own_model(model).unlink(missing_ok=True)
        say(f"{model}: the model of the package is used from now on")
        return
    options: dict[str, object] = dict(own)
    if graphs is not None:
        options["graphs"] = split(graphs)
    if budget is not None:
        options["budget"] = duration(budget)
    with Crew(workers, cluster).executor() as chosen:
        trainer = trainer_of(name)(executor=chosen, runner=runner(), **options)  # type: ignore[arg-type]
        done = train(trainer, output, force, dry_run)
    if json:
        print_json({"file": str(done.path), "written": done.written, **done.file.card})
        return
    show(done)
    if done.comparison is not None:
        say(str(done.comparison))
    elif output is None:
        say("not compared with the model in use")
    if done.written:
        say(f"{done.path}: used from now on" if output is None else f"{done.path}")
    elif dry_run:
        say("nothing was written (--dry-run)")
    else:
        say("it is worse than the model in use, which stays; --force uses it nevertheless")


def show(done: Trained) -> None:
    """Print the card's table of quality."""
    rows = done.file.card["quality"]
    title = f"{done.file.fork}: {len(done.file.card['graphs'])} graphs"
    cells = [[f"{v:.4g}" if isinstance(v, float) else str(v) for v in r.values()] for r in rows]
    out().print(table(rows[0] if rows else ("nothing could be judged",), cells, title=title))


def _command(name: str) -> Callable[..., None]:
    """Make the command of a model: the options of all models, and those of its trainer."""
    trainer = trainer_of(name)
    usual = {} if math.isinf(trainer.budget) else {"budget": f"{trainer.budget / 60:g}m"}
    both = [
        made(p.name, p.annotation, usual.get(p.name, p.default))
        for p in inspect.signature(trained, eval_str=True).parameters.values()
        if p.name not in ("name", "own", *trainer.without)
    ]
    hints = get_type_hints(trainer)
    for field in fields(trainer):
        if "help" in field.metadata:
            own = option(field.default, field.metadata["help"])
            both.append(made(field.name, hints[field.name], own))

    def command(**options: object) -> None:
        trained(name, **options)  # type: ignore[arg-type]

    command.__doc__ = trainer.__doc__
    command.__signature__ = inspect.Signature(both)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in both}
    return command


for _name in MODELS:
    app.command(_name)(_command(_name))
