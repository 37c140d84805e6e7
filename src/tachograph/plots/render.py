"""Drawings as SVG, and by matplotlib as PNG and PDF; and the colours of both.

In SVG colours are classes, so that a page can have a light and a dark set of them; PNG and PDF are
light. People who see red and green alike can tell the colours apart. ``s1`` to ``s6`` are series. The
first two, a blue and an orange, are those of every pair: push and pull, host and device, predicted and
measured.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..util.text import as_html, plain
from .drawing import Drawing, Mark

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DARK", "LIGHT", "classes", "draw", "series", "svg", "variables"]

ROLES = ("paper", "ink", "soft", "grid", "axis", "s1", "s2", "s3", "s4", "s5", "s6")
_LIGHT = "#ffffff #1c2430 #5b6675 #e3e7ec #aab3be #1f6fb2 #d9730d #0b8468 #a04c8f #7a6c00 #7f8896"
_DARK = "#171b21 #e6eaf0 #9aa6b5 #2a313b #566172 #62aee8 #f2a154 #43c3a1 #d991c8 #cdbd4a #a3adba"
LIGHT = dict(zip(ROLES, _LIGHT.split(), strict=True))
DARK = dict(zip(ROLES, _DARK.split(), strict=True))
SERIES = ROLES[5:]
PAIRS = {"push": "s1", "pull": "s2", "host": "s1", "device": "s2"}
PAIRS |= {"modelled": "s1", "simulated": "s2", "measured": "s3", "published": "s4"}
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif'
TAGS = {"rect": "rect", "line": "polyline", "area": "polygon", "dot": "circle", "text": "text"}
ANCHORS = {"start": "left", "middle": "center", "end": "right"}  # of SVG, and of matplotlib
INCH_PIXELS, INCH_POINTS = 96, 72


def series(names: Iterable[str]) -> dict[str, str]:
    """Give every name a colour: its own if it has one, else one that is left.

    >>> series(["host", "opencl:0"]), series(["pull"])
    ({'host': 's1', 'opencl:0': 's2'}, {'pull': 's2'})
    """
    every = dict.fromkeys(names)
    made = {name: PAIRS[name] for name in every if name in PAIRS}
    free = [s for s in SERIES if s not in made.values()] or SERIES
    others = [name for name in every if name not in made]
    return made | {name: free[k % len(free)] for k, name in enumerate(others)}


def variables(colours: dict[str, str]) -> str:
    """Return the colours as CSS."""
    return "".join(f"--{name}:{value};" for name, value in colours.items())


def classes() -> str:
    """Return the CSS classes of a fill, a line and a ring of each role."""
    return "".join(
        f".tacho .f-{role}{{fill:var(--{role})}}.tacho .l-{role}{{stroke:var(--{role});fill:none}}"
        f".tacho .r-{role}{{stroke:var(--{role});fill:var(--paper)}}"
        for role in ROLES
    )


def svg(drawing: Drawing, styled: bool) -> str:
    """Return an ``<svg>`` element that scales with its surroundings.

    With a style of its own it is light or dark as the reader's system is set.
    """
    size = f'width="{_number(drawing.width)}" height="{_number(drawing.height)}"'
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" class="tacho" '
        f'viewBox="0 0 {_number(drawing.width)} {_number(drawing.height)}" {size} role="img" '
        f'aria-label="{as_html(drawing.about or drawing.title)}">'
    ]
    if styled:
        dark = f"@media (prefers-color-scheme: dark){{.tacho{{{variables(DARK)}}}}}"
        sizes = f".tacho{{max-width:100%;height:auto;font-family:{FONT}}}"
        parts.append(f"<style>{sizes}.tacho{{{variables(LIGHT)}}}{dark}{classes()}</style>")
        parts.append(f'<rect class="f-paper" {size}/>')
    return "".join([*parts, *map(_element, drawing.marks), "</svg>"])


def _element(mark: Mark) -> str:
    tag, attributes = TAGS[mark.kind], _attributes(mark)
    if mark.opacity < 1:
        attributes += f' opacity="{mark.opacity:.3g}"'
    tip = "\n".join(map(as_html, mark.tip.split("\n")))  # its line ends are ours
    inside = f"<title>{tip}</title>" if tip else as_html(mark.text)
    return f"<{tag} {attributes}>{inside}</{tag}>" if inside else f"<{tag} {attributes}/>"


def _attributes(mark: Mark) -> str:
    x, y = map(_number, mark.points[0])
    filled = f'class="f-{mark.role}"'
    match mark.kind:
        case "rect":
            width, height = (max(0.0, b - a) for a, b in zip(*mark.points, strict=True))
            return f'{filled} x="{x}" y="{y}" width="{_number(width)}" height="{_number(height)}"'
        case "dot":
            look = f'class="r-{mark.role}" stroke-width="2"' if mark.hollow else filled
            return f'{look} cx="{x}" cy="{y}" r="{mark.size:g}"'
        case "text":
            look = f'{filled} x="{x}" y="{y}" font-size="{mark.size:g}"'
            look += f' text-anchor="{mark.anchor}"' if mark.anchor != "start" else ""
            return look + (' font-weight="600"' if mark.bold else "")
    points = " ".join(f"{_number(a)},{_number(b)}" for a, b in mark.points)
    if mark.kind == "area":
        return f'{filled} points="{points}"'
    dashes = ' stroke-dasharray="4 4"' if mark.dashed else ""
    width = f'stroke-width="{mark.size:g}" stroke-linejoin="round"'
    return f'class="l-{mark.role}" points="{points}" {width}{dashes}'


def _number(value: float) -> str:
    """Round to a tenth of a pixel.

    >>> _number(3.14159), _number(200.0)
    ('3.1', '200')
    """
    return f"{value:.1f}".removesuffix(".0")


def draw(drawing: Drawing, kind: str) -> bytes:
    """Return a file of a drawing by matplotlib, with two pixels of it for each of the drawing's own.

    It is not written here: matplotlib fails with other errors if the disk is full.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(drawing.width / INCH_PIXELS, drawing.height / INCH_PIXELS))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, drawing.width), ylim=(drawing.height, 0))
    axes.set_axis_off()
    for order, mark in enumerate(drawing.marks, 2):
        _add(axes, mark, order)  # matplotlib would put all lines above all areas
    out = io.BytesIO()
    figure.savefig(out, format=kind, dpi=2 * INCH_PIXELS, facecolor=LIGHT["paper"])
    return out.getvalue()


def _add(axes: Axes, mark: Mark, order: int) -> None:
    from matplotlib.patches import Circle, Patch, Polygon, Rectangle

    colour, points = LIGHT[mark.role], mark.size * INCH_POINTS / INCH_PIXELS
    x, y = mark.points[0]
    if mark.kind == "line":
        style = "--" if mark.dashed else "-"
        (drawn,) = axes.plot(*zip(*mark.points, strict=True), style, color=colour, linewidth=points)
        drawn.set(alpha=mark.opacity, zorder=order)
    elif mark.kind == "text":
        weight, place = "bold" if mark.bold else "normal", ANCHORS[mark.anchor]
        shown = axes.text(x, y, plain(mark.text), ha=place, parse_math=False, zorder=order)
        shown.set(color=colour, fontsize=points, fontweight=weight)
    else:
        right, bottom = mark.points[-1]
        shapes: dict[str, Patch] = {"dot": Circle((x, y), mark.size), "area": Polygon(mark.points)}
        shape = shapes.get(mark.kind) or Rectangle((x, y), right - x, bottom - y)
        face = LIGHT["paper"] if mark.hollow else colour
        shape.set(facecolor=face, edgecolor=colour, linewidth=1.5 if mark.hollow else 0)
        shape.set(alpha=mark.opacity, zorder=order)
        axes.add_patch(shape)
