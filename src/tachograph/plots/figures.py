"""Matplotlib figures that need no screen, and how they are written: the extra ``plot``."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path
from typing import Any

from ..graph.files.streams import aside
from ..util.errors import MissingDependencyError
from .drawing import check_picture

__all__ = ["need_matplotlib", "new_figure", "save_figure"]

PAGE = (
    "<!doctype html><meta charset='utf-8'><meta name='viewport' content='width=device-width'>"
    "<title>Tachograph</title><style>svg{max-width:100%;height:auto}</style>"
)


def need_matplotlib() -> Any:
    """The class of its figures; refuses, saying what to install, where it is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError(
            "pictures need matplotlib: python -m pip install 'tachograph[plot]'"
        ) from None
    return Figure


def new_figure(*arguments: Any, **options: Any) -> tuple[Any, Any]:
    """A figure of the given ``figsize`` and its axes; other arguments are those of ``subplots``."""
    figure = need_matplotlib()(figsize=options.pop("figsize"), layout="constrained")
    return figure, figure.subplots(*arguments, **options)


def save_figure(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure aside, then rename it; the suffix tells the format, .html is a page with it."""
    check_picture(path)
    suffix = Path(path).suffix.lower()
    with aside(path) as temporary:
        if suffix == ".html":
            text = StringIO()
            figure.savefig(text, format="svg")
            drawing = text.getvalue()
            temporary.write_text(PAGE + drawing[drawing.index("<svg") :], encoding="utf-8")
        else:
            figure.savefig(temporary, format=suffix[1:], dpi=130)
