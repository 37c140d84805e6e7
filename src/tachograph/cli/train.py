"""``tacho train``: fit the models that decide to this machine."""

from __future__ import annotations

import typer

__all__ = ["app"]

app = typer.Typer(help="Fit the models that decide to this machine.", no_args_is_help=True)
