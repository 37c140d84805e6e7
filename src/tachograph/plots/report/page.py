"""A page for a browser in one file: needs no network, has light and dark colours, fits a phone."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files

from ... import __version__
from ...util.files import aside
from ...util.text import as_html
from ..drawing import NARROW, WIDE, Drawing
from ..render import DARK, LIGHT, classes, variables
from ..tables import Table

__all__ = ["Figure", "Section", "colours", "page", "write_page"]

BESIDE_LETTERS = 72  # width of a table that fits beside a chart


@dataclass(frozen=True)
class Figure:
    """A chart for any width, the numbers behind it, and what to see in it; each may be missing."""

    draw: Callable[[float], Drawing] | None = None
    table: Table | None = None
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A part of the page: what was done, what was decided and why, in numbers and figures."""

    title: str
    text: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    figures: Sequence[Figure] = ()


def page(title: str, sections: Sequence[Section], about: str = "") -> str:
    """Return the page as HTML; ``about`` is a sentence below the title.

    >>> text = page("One run", [Section("bfs", ["It was <fast>."])])
    >>> "It was &lt;fast&gt;." in text, "http://" in text.replace("http://www.w3.org/2000/svg", "")
    (True, False)
    """
    here = files(__package__)
    style = here.joinpath("style.css").read_text(encoding="utf-8")
    script = here.joinpath("script.js").read_text(encoding="utf-8")
    body = "\n".join(_section(k, section) for k, section in enumerate(sections))
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Tachograph {__version__}">
<title>{as_html(title)}</title>
<style>{colours()}{style}</style>
</head>
<body>
<header class="top"><div><h1>{as_html(title)}</h1><p class="soft">{as_html(about)}</p></div>
<button id="theme" type="button" hidden>Dark</button></header>
<main>
{_contents(sections)}
{body}
</main>
<footer>Made by Tachograph {__version__}, {when}. Point at a chart, or give it the focus and use the
arrow keys, to see its values.</footer>
<div id="tip" role="status"></div>
<script>{script}</script>
</body>
</html>
"""


def write_page(
    path: str | os.PathLike[str], title: str, sections: Sequence[Section], about: str = ""
) -> None:
    """Write the page to a file; a file that is there is complete."""
    text = page(title, sections, about)
    with aside(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def colours() -> str:
    """Return the CSS of the colours: as the reader's system is set, or as the button chose."""
    dark = variables(DARK)
    return (
        f":root{{{variables(LIGHT)}}}"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
        f":root[data-theme=dark]{{{dark}}}{classes()}"
    )


def _contents(sections: Sequence[Section]) -> str:
    titles = enumerate(as_html(section.title) for section in sections)
    links = "".join(f'<li><a href="#s{k}">{title}</a></li>' for k, title in titles)
    return f'<nav aria-label="Contents"><ul>{links}</ul></nav>' if len(sections) > 2 else ""


def _section(number: int, section: Section) -> str:
    text = "".join(f"<p>{as_html(line)}</p>" for line in section.text)
    pairs = [(as_html(name), as_html(value)) for name, value in section.facts]
    facts = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in pairs)
    facts = f'<dl class="facts">{facts}</dl>' if facts else ""
    rest = text + facts + "".join(map(_figure, section.figures))
    return f'<section id="s{number}"><h2>{as_html(section.title)}</h2>{rest}</section>'


def _figure(figure: Figure) -> str:
    """Return the chart in two widths, of which the style shows the one that fits, and its table."""
    parts = []
    if figure.draw is not None:
        wide, narrow = (figure.draw(width).svg(styled=False) for width in (WIDE, NARROW))
        both = f'<div class="wide">{wide}</div><div class="narrow">{narrow}</div>'
        drawn = wide if narrow == wide else both
        note = f"<figcaption>{as_html(figure.note)}</figcaption>" if figure.note else ""
        parts.append(f"<figure>{drawn}{note}</figure>")
    if (table := figure.table) is not None:
        region = f'tabindex="0" role="region" aria-label="{as_html(table.title)}"'
        parts.append(f'<div class="table" {region}>{table.html()}</div>')
    beside = len(parts) == 2 and table is not None and table.width <= BESIDE_LETTERS
    return f'<div class="pair{" two" if beside else ""}">{"".join(parts)}</div>'
