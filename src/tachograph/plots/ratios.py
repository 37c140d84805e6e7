"""Ratios of groups of candidates: bars that begin at 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import numbers as show
from .axes import Axis, panels, text_width
from .drawing import WIDE, Drawing
from .palette import series

__all__ = ["ratios"]

BAR, GAP = 9.0, 8.0  # pixels of a bar, and between two groups


def ratios(
    title: str,
    groups: Mapping[str, Mapping[str, float]],
    label: str,
    names: Sequence[str] = (),
    width: float = WIDE,
) -> Drawing:
    """Draw a bar from 1 to the ratio of each candidate in each group, on a logarithmic axis.

    Candidates have the same colours in all charts that are given the same ``names``.

    >>> print(ratios("kron-17", {"bfs": {"SciPy": 6.9}}, "their time / ours").about)
    kron-17: bfs, SciPy 6.9×
    """
    found = dict.fromkeys(name for group in groups.values() for name in group)
    every_colour = series(list(dict.fromkeys([*names, *found])))
    colours = {name: colour for name, colour in every_colour.items() if name in found}
    made = Drawing(title, width, 0)
    left_margin = max((text_width(name) for name in groups), default=0.0) + 10
    heights = [BAR * len(group) + GAP for group in groups.values()]
    (frame,) = panels(made, (sum(heights) + GAP,), colours, (left_margin, 16))
    every = [ratio for group in groups.values() for ratio in group.values()]
    over = frame.x([1.0, *every], Axis(label, show.factor, "log", 6, grid=True))
    made.line([(over(1.0), frame.top), (over(1.0), frame.bottom)], "ink")
    y = frame.top + GAP
    for (group, own), height in zip(groups.items(), heights, strict=True):
        made.text(left_margin - 8, y + (height - GAP) / 2 + 4, group, anchor="end")
        for name, ratio in own.items():
            left, right = sorted((over(1.0), over(ratio)))
            tip = f"{group}, {name}\n{label} {show.factor(ratio)}"
            made.rect((left, y, max(1.0, right - left), BAR - 1), colours[name], tip=tip)
            y += BAR
        y += GAP
    parts = [f"{g}, {n} {show.factor(r)}" for g, own in groups.items() for n, r in own.items()]
    made.about = f"{title}: {'; '.join(parts)}"
    return made
