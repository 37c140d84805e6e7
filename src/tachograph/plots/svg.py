"""Drawings as SVG. Colours are classes, so that a page can have a light and a dark set of them."""

from __future__ import annotations

from html import escape

from .drawing import Drawing, Mark
from .palette import style

__all__ = ["svg"]

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif'


def svg(drawing: Drawing, styled: bool) -> str:
    """An ``<svg>`` element that scales with its surroundings."""
    width, height = _number(drawing.width), _number(drawing.height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tacho" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(drawing.about or drawing.title)}">'
    ]
    if styled:
        parts.append(
            f"<style>.tacho{{max-width:100%;height:auto;font-family:{FONT}}}{style()}</style>"
        )
        parts.append(f'<rect class="f-paper" width="{width}" height="{height}"/>')
    parts += [_element(mark) for mark in drawing.marks]
    parts.append("</svg>")
    return "".join(parts)


def _element(mark: Mark) -> str:
    attributes = _SHAPES[mark.kind](mark)
    if mark.opacity < 1:
        attributes += f' opacity="{mark.opacity:.3g}"'
    name = {"rect": "rect", "line": "polyline", "area": "polygon", "dot": "circle", "text": "text"}
    tag = name[mark.kind]
    if mark.tip:
        return f"<{tag} {attributes}><title>{escape(mark.tip)}</title></{tag}>"
    if mark.kind == "text":
        return f"<text {attributes}>{escape(mark.text)}</text>"
    return f"<{tag} {attributes}/>"


def _rect(mark: Mark) -> str:
    (x, y), (right, bottom) = mark.points
    return (
        f'class="f-{mark.role}" x="{_number(x)}" y="{_number(y)}" '
        f'width="{_number(max(0.0, right - x))}" height="{_number(max(0.0, bottom - y))}"'
    )


def _line(mark: Mark) -> str:
    dashes = ' stroke-dasharray="4 4"' if mark.dashed else ""
    return (
        f'class="l-{mark.role}" points="{_points(mark)}" stroke-width="{mark.size:g}"'
        f' stroke-linejoin="round"{dashes}'
    )


def _area(mark: Mark) -> str:
    return f'class="f-{mark.role}" points="{_points(mark)}"'


def _dot(mark: Mark) -> str:
    ((x, y),) = mark.points
    look = f'class="r-{mark.role}" stroke-width="2"' if mark.hollow else f'class="f-{mark.role}"'
    return f'{look} cx="{_number(x)}" cy="{_number(y)}" r="{mark.size:g}"'


def _text(mark: Mark) -> str:
    ((x, y),) = mark.points
    look = f'class="f-{mark.role}" x="{_number(x)}" y="{_number(y)}" font-size="{mark.size:g}"'
    if mark.anchor != "start":
        look += f' text-anchor="{mark.anchor}"'
    if mark.bold:
        look += ' font-weight="600"'
    return look


def _points(mark: Mark) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in mark.points)


def _number(value: float) -> str:
    """To a tenth of a pixel.

    >>> _number(3.14159), _number(200.0)
    ('3.1', '200')
    """
    return f"{value:.1f}".removesuffix(".0")


_SHAPES = {"rect": _rect, "line": _line, "area": _area, "dot": _dot, "text": _text}
