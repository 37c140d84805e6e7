"""``tacho lab``: a page on this machine where one drops a graph and watches what is decided."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import flat, option, say

__all__ = ["lab"]

Graph = Annotated[
    str | None, typer.Argument(metavar="GRAPH", help="A graph file, or the name of a data set.")
]


@flat
def lab(
    graph: Graph = None,
    port: int = option(0, "The port to listen on; 0 takes a free one.", min=0, max=65535),
    no_browser: bool = option(False, "Print the address only.", "--no-browser"),
) -> None:
    """Open a page on this machine: see how a graph would be run, what it costs, and watch it run.

    The address is printed, with a token that nobody else knows; only this machine can reach it. Ctrl-C
    ends it. Needs: pip install 'tachograph[lab]'

    [bold]Examples[/bold]

    tacho lab

    tacho lab web.txt.gz --port 8400

    tacho lab roadNet-CA --no-browser
    """
    from ..graph.datasets import datasets
    from ..util.errors import MissingDependencyError, MissingFileError

    try:
        from ..lab.server import Lab, listen
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise MissingDependencyError("the lab needs: pip install 'tachograph[lab]'") from None

    made = Lab()
    if graph is not None:
        known = {name.lower(): name for name in datasets()}
        if Path(graph).exists():
            made.first = made.sources.add_file(graph, Path(graph).resolve())
        elif graph.lower() in known:
            made.first = f"data:{known[graph.lower()]}"
        else:
            made.close()
            raise MissingFileError(f"{graph}: there is no such file and no such data set")
    listening = listen(made, port)
    print(listening.url, flush=True)
    if no_browser or not _browser(listening.url):
        say("open this address in a browser on this machine; Ctrl-C ends the lab")
    else:
        say("the lab is open in your browser; Ctrl-C ends it")
    listening.run()


def _browser(url: str) -> bool:
    """Open a page in a browser; False if there is none."""
    import webbrowser

    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
