"""Charts of policies: what each chose at every level, and a small network at work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from . import numbers as show
from .axes import TICK_PIXELS, head, text_width
from .drawing import WIDE, Drawing

__all__ = ["Choices", "Layers", "choices", "neurons"]

ROW_PIXELS, PUSH_PIXELS, PULL_PIXELS = 22.0, 5.0, 15.0  # a pull is tall, a push is low
VALUE_PIXELS = 76.0  # room for the time at the end of a row
WIDEST_CELL = 34.0
UNIT_PIXELS, INPUT_PIXELS = 13.0, 44.0  # of a hidden unit, and of an input
FAINTEST = 0.06  # of a connection that carries nothing


class Choices(NamedTuple):
    """A policy, which of its levels were pulled, its seconds, and the levels to mark."""

    name: str
    pulled: Sequence[bool]
    seconds: float
    marked: Sequence[bool] = ()


def choices(
    rows: Sequence[Choices],
    levels: Sequence[int],
    title: str = "What each would have chosen",
    width: float = WIDE,
) -> Drawing:
    """Draw a row for each policy and a cell for each level: tall if it is pulled, low if pushed.

    ``levels`` are the numbers of the levels; a ring stands around a cell that is marked.

    >>> rows = [Choices("surf", [False, True], 0.001), Choices("best", [False, False], 0.0008)]
    >>> print(choices(rows, [0, 1]).about)
    What each would have chosen: surf pulls 1 of 2 levels, 1 ms; best pulls 0 of 2 levels, 800 µs
    """
    made = Drawing(title, width)
    top = head(made, {"push (low)": "s1", "pull (tall)": "s2"}) + 12
    left = max((text_width(row.name) for row in rows), default=0.0) + 10
    cell = min(WIDEST_CELL, (width - left - VALUE_PIXELS) / max(1, len(levels)))
    for number, row in enumerate(rows):
        middle = top + (number + 0.5) * ROW_PIXELS
        made.text(left - 8, middle + 4, row.name, anchor="end", bold=number == 0)
        for k, pulled in enumerate(row.pulled):
            tall = PULL_PIXELS if pulled else PUSH_PIXELS
            box = (left + k * cell, middle - tall / 2, max(1.0, cell - 1.5), tall)
            way = "pull" if pulled else "push"
            tip = f"{row.name}\nlevel {levels[k]}: {way}"
            if row.marked and row.marked[k]:
                tip += ", flipped"
                around = (box[0] - 1.5, middle - 9.5, box[2] + 3, 19.0)
                made.rect(around, "ink", opacity=0.9)
                made.rect((around[0] + 1.5, around[1] + 1.5, around[2] - 3, 16.0), "paper")
            made.rect(box, "s2" if pulled else "s1", tip=tip)
        made.text(left + cell * len(levels) + 8, middle + 4, show.seconds(row.seconds), "soft")
    bottom, free = top + len(rows) * ROW_PIXELS + 14, 0.0
    for k, level in enumerate(levels):
        x, half = left + (k + 0.5) * cell, text_width(str(level), TICK_PIXELS) / 2
        if x - half > free:
            made.text(x, bottom, str(level), "soft", anchor="middle", size=TICK_PIXELS)
            free = x + half + 5
    made.text(left - 8, bottom, "level", "soft", anchor="end", size=TICK_PIXELS)
    made.height = bottom + 8
    told = (
        f"{r.name} pulls {sum(map(bool, r.pulled))} of {len(levels)} levels, {show.seconds(r.seconds)}"
        for r in rows
    )
    made.about = f"{title}: {'; '.join(told)}"
    return made


class Layers(NamedTuple):
    """A network with one hidden layer: standardised inputs, weights by unit, what units give."""

    names: Sequence[str]
    inputs: Sequence[float]
    weights: Sequence[Sequence[float]]
    hidden: Sequence[float]
    output: Sequence[float]  # the weight of each unit
    result: float
    threshold: float = 0.0  # a result above it means pull


def neurons(
    layers: Layers, title: str = "The network", width: float = WIDE, chosen: int | None = None
) -> Drawing:
    """Draw what flows through a network: towards pull in one colour, towards push in the other.

    >>> layers = Layers(["a", "b"], [1.0, -1.0], [[1.0, 0.5]], [0.5], [2.0], 1.0)
    >>> print(neurons(layers).about)
    The network: 2 inputs, 1 hidden units, output +1.00: pull
    """
    names, inputs, weights, hidden, output, result, threshold = layers
    made = Drawing(title, width)
    top = head(made, {"towards push": "s1", "towards pull": "s2"}) + 10
    tall = max(len(names) * INPUT_PIXELS, len(hidden) * UNIT_PIXELS)
    label = max((text_width(name) for name in names), default=0.0) + 56
    ends = label, (label + width - 74) / 2, width - 74.0

    def at(number: int, of: int) -> float:
        return top + tall * (number + 0.5) / of

    flows = [
        [w * x * o * (h > 0) for w, x in zip(row, inputs, strict=True)]
        for row, h, o in zip(weights, hidden, output, strict=True)
    ]
    most = max((abs(f) for row in flows for f in row), default=0.0) or 1.0
    middle = at(0, 1)
    for unit, row in enumerate(flows):
        for k, flow in enumerate(row):
            look = min(1.0, FAINTEST + 0.94 * abs(flow) / most)
            ends_of = [(ends[0], at(k, len(names))), (ends[1], at(unit, len(hidden)))]
            made.line(ends_of, _role(flow), size=0.6 + 1.6 * abs(flow) / most, opacity=look)
    shares = [h * o for h, o in zip(hidden, output, strict=True)]
    largest = max(map(abs, shares), default=0.0) or 1.0
    for unit, share in enumerate(shares):
        look = min(1.0, FAINTEST + 0.94 * abs(share) / largest)
        y = at(unit, len(hidden))
        path = [(ends[1], y), (ends[2], middle)]
        made.line(path, _role(share), size=0.6 + 2.4 * abs(share) / largest, opacity=look)
    for unit, share in enumerate(shares):
        tip = f"unit {unit}\ngives {hidden[unit]:.3g}, {share:+.3g} to the output"
        y, radius = at(unit, len(hidden)), 3.0 + 2.5 * abs(share) / largest
        if unit == chosen:
            made.dot(ends[1], y, radius + 3, "ink", hollow=True)
        made.dot(ends[1], y, radius, _role(share), tip=tip)
    for k, name in enumerate(names):
        y = at(k, len(names))
        made.text(ends[0] - 50, y + 4, name, anchor="end")
        made.text(ends[0] - 10, y + 4, f"{inputs[k]:+.2f}", "soft", anchor="end", size=TICK_PIXELS)
        made.dot(ends[0], y, 5, "axis", tip=f"{name}\nstandardised {inputs[k]:+.3f}")
    way = "pull" if result > threshold else "push"
    made.dot(ends[2], middle, 9, _role(result - threshold), tip=f"output {result:+.3f}\n{way}")
    made.text(ends[2] + 16, middle + 1, way, bold=True)
    made.text(ends[2] + 16, middle + 16, f"{result:+.2f}", "soft")
    made.height = top + tall + 6
    made.about = (
        f"{title}: {len(names)} inputs, {len(hidden)} hidden units, output {result:+.2f}: {way}"
    )
    return made


def _role(value: float) -> str:
    return "s2" if value > 0 else "s1"
