"""``tacho train``: fit the models that decide to this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import out

__all__ = ["app"]

app = typer.Typer(help="Fit the models that decide to this machine.", no_args_is_help=True)


@app.command()
def placement(
    devices: Annotated[str, typer.Option(help="The OpenCL device beside the host.")] = "opencl",
) -> None:
    """Learn where the kernels of tacho run mis and maxflow --devices run faster.

    [bold]Example[/bold]

    tacho train placement
    """
    from ..devices.opencl import open_device
    from ..learning.placement import TASKS, train_placement

    device = open_device(devices)
    for task in TASKS:
        model, calls = train_placement(task, device)
        out().print(f"{task}: {', '.join(model.times)} learned from {calls} calls")
