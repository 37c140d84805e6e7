"""Drawings as SVG. Colours are classes, so that a page can have a light and a dark set of them."""

from __future__ import annotations

from html import escape

from .drawing import Drawing, Mark
from .palette import style

__all__ = ["svg"]

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif'
TAGS = {"rect": "rect", "line": "polyline", "area": "polygon", "dot": "circle", "text": "text"}


def svg(drawing: Drawing, styled: bool) -> str:
    """Return an ``<svg>`` element that scales with its surroundings."""
    width, height = _number(drawing.width), _number(drawing.height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tacho" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(drawing.about or drawing.title)}">'
    ]
    if styled:
        sizes = f".tacho{{max-width:100%;height:auto;font-family:{FONT}}}"
        parts.append(f"<style>{sizes}{style()}</style>")
        parts.append(f'<rect class="f-paper" width="{width}" height="{height}"/>')
    return "".join([*parts, *map(_element, drawing.marks), "</svg>"])


def _element(mark: Mark) -> str:
    tag, attributes = TAGS[mark.kind], _attributes(mark)
    if mark.opacity < 1:
        attributes += f' opacity="{mark.opacity:.3g}"'
    inside = f"<title>{escape(mark.tip)}</title>" if mark.tip else escape(mark.text)
    return f"<{tag} {attributes}>{inside}</{tag}>" if inside else f"<{tag} {attributes}/>"


def _attributes(mark: Mark) -> str:
    x, y = map(_number, mark.points[0])
    match mark.kind:
        case "rect":
            width, height = (max(0.0, b - a) for a, b in zip(*mark.points, strict=True))
            size = f'width="{_number(width)}" height="{_number(height)}"'
            return f'class="f-{mark.role}" x="{x}" y="{y}" {size}'
        case "dot":
            look = f'class="f-{mark.role}"'
            if mark.hollow:
                look = f'class="r-{mark.role}" stroke-width="2"'
            return f'{look} cx="{x}" cy="{y}" r="{mark.size:g}"'
        case "text":
            look = f'class="f-{mark.role}" x="{x}" y="{y}" font-size="{mark.size:g}"'
            look += f' text-anchor="{mark.anchor}"' if mark.anchor != "start" else ""
            return look + (' font-weight="600"' if mark.bold else "")
    points = " ".join(f"{_number(a)},{_number(b)}" for a, b in mark.points)
    if mark.kind == "area":
        return f'class="f-{mark.role}" points="{points}"'
    dashes = ' stroke-dasharray="4 4"' if mark.dashed else ""
    width = f'stroke-width="{mark.size:g}" stroke-linejoin="round"'
    return f'class="l-{mark.role}" points="{points}" {width}{dashes}'


def _number(value: float) -> str:
    """Round to a tenth of a pixel.

    >>> _number(3.14159), _number(200.0)
    ('3.1', '200')
    """
    return f"{value:.1f}".removesuffix(".0")
