"""``tacho train``: fit the models that decide to this machine."""

from __future__ import annotations

import typer

from .train_approximation import approximation

__all__ = ["app"]

app = typer.Typer(help="Fit the models that decide to this machine.", no_args_is_help=True)


@app.callback()
def train() -> None:
    """Fit the models that decide to this machine."""


app.command()(approximation)
