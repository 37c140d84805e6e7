"""``tacho run jaccard`` and its kin."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..graph.graph import Graph
from ..util.errors import InputError
from .run import Outcome, algorithm

__all__: list[str] = []


def _similarity(task: str, what: str) -> None:
    """Add the command for one kind of similarity."""

    def solve(
        graph: Graph,
        verify: bool,
        pairs: Annotated[str, typer.Option(help="edges or two_hop.")] = "edges",
        weight: Annotated[bool, typer.Option("--weight", help="Use the weights.")] = False,
        topk: Annotated[int | None, typer.Option(help="The best of each vertex only.")] = None,
        memory_limit: Annotated[str | None, typer.Option(help="Such as '200 MB'.")] = None,
        device: Annotated[
            str, typer.Option(help="auto, host, opencl, or host,opencl (tacho devices).")
        ] = "auto",
        split: Annotated[str, typer.Option(help="The host's share, 0 to 1, or auto.")] = "auto",
        stream: Annotated[
            Path | None, typer.Option(help="Write two-hop pairs to this file, block by block.")
        ] = None,
        timeline: Annotated[
            Path | None, typer.Option(help="Draw who did what when: .png, .svg or .pdf.")
        ] = None,
    ) -> Outcome:
        from ..algorithms import similarity
        from ..plots.drawing import check_picture

        if timeline is not None:
            check_picture(timeline)
        share: float | str = split
        if split != "auto":
            try:
                share = float(split)
            except ValueError:
                raise InputError(f"--split {split}: auto, or a share from 0 to 1") from None
        result = getattr(similarity, task)(
            graph, pairs, weight="weight" if weight else None, topk=topk, output=stream,
            memory_limit=memory_limit, device=device, split=share, verify=verify,
        )  # fmt: skip
        if timeline is not None:
            result.plot(timeline)
        if stream is not None:
            return result, {"pairs": result.count, "file": result.output}
        mean = float(result.values.mean()) if result.values.size else 0.0
        facts = {"pairs": result.values.size, "mean": mean, "host share": result.share}
        return result, {**facts, "why": result.why}

    solve.__name__ = task
    solve.__doc__ = f"""{what}

    [bold]Examples[/bold]

    tacho run {task} web.txt.gz --undirected --output values.parquet

    tacho run {task} web.txt.gz --undirected --device host,opencl --split auto --timeline lanes.svg

    tacho run {task} web.txt.gz --pairs two_hop --topk 10 --memory-limit '200 MB'
    """
    algorithm(solve)


_similarity("jaccard", "Jaccard's similarity of the ends of edges, or of pairs two hops apart.")
_similarity("overlap", "The overlap coefficient of the ends of edges, or of pairs two hops apart.")
_similarity("sorensen", "Sørensen's coefficient of the ends of edges, or of pairs two hops apart.")
_similarity("cosine", "The cosine similarity of the ends of edges, or of pairs two hops apart.")
