"""``tacho generate KIND [options] OUT``: a command for each generator, made from its signature."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from ..graph.files import write
from ..graph.generate import GENERATORS
from ..graph.graph import Graph
from ..util.errors import InputError
from ..util.progress import bar
from .options import made, say

__all__ = ["app"]

app = typer.Typer(
    help="Generate a graph and write it to a file.\n\n"
    "[bold]Example[/bold]  tacho generate kronecker --scale 20 --rng 1 kron.tgraph",
    no_args_is_help=True,
)
Out = Annotated[Path, typer.Argument(metavar="OUT", help="The suffix tells the format.")]
Weights = Annotated[
    str, typer.Option(metavar="LOW:HIGH", help="Random weights: 1:255 whole, 0.0:1.0 real.")
]
TYPES = {"int": int, "float": float, "bool": bool, "Rng": int}


def _weights(text: str) -> tuple[float, float] | None:
    if text in ("", "none"):
        return None
    low, _, high = text.partition(":")
    try:
        number = float if "." in text or "e" in text else int
        return number(low), number(high)
    except ValueError:
        raise InputError(f"--weights {text}: expected LOW:HIGH, such as 1:255 or 0.0:1.0") from None


def _command(generator: Callable[..., Graph]) -> Callable[..., None]:
    """Return a function that calls ``generator``, and whose signature tells Typer its options."""

    def command(out: Path, **options: Any) -> None:
        begin = time.perf_counter()
        with bar("generating"):
            graph = generator(**{**options, "weights": _weights(options["weights"])})
        write(graph, out)
        say(f"{out}: {graph!r} in {time.perf_counter() - begin:.1f} s")

    parameters = [made("out", Out)]
    for name, p in inspect.signature(generator).parameters.items():
        if name == "weights":
            parameters.append(made(name, Weights, "1:255" if p.default else "none"))
        else:
            parameters.append(made(name, TYPES[str(p.annotation)], p.default))
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    paragraphs = (generator.__doc__ or "").split(">>>")[0].replace("``", "").split("\n\n")
    command.__doc__ = "\n\n".join(" ".join(p.split()) for p in paragraphs)
    return command


for _name, _generator in GENERATORS.items():
    app.command(_name)(_command(_generator))
