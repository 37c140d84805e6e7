"""The colours of charts, for light and dark paper. Who sees red and green alike can tell them apart.

``s1`` to ``s5`` are series. The first two, a blue and an orange, are those of every pair: push and
pull, host and device, predicted and measured.
"""

from __future__ import annotations

__all__ = ["DARK", "LIGHT", "SERIES", "series", "style", "variables"]

SERIES = ("s1", "s2", "s3", "s4", "s5")
LIGHT = {
    "paper": "#ffffff", "ink": "#1c2430", "soft": "#5b6675", "grid": "#e3e7ec", "axis": "#aab3be",
    "s1": "#1f6fb2", "s2": "#d9730d", "s3": "#0b8468", "s4": "#a04c8f", "s5": "#7a6c00",
}  # fmt: skip
DARK = {
    "paper": "#171b21", "ink": "#e6eaf0", "soft": "#9aa6b5", "grid": "#2a313b", "axis": "#566172",
    "s1": "#62aee8", "s2": "#f2a154", "s3": "#43c3a1", "s4": "#d991c8", "s5": "#cdbd4a",
}  # fmt: skip
PAIRS = {"push": "s1", "pull": "s2", "host": "s1", "device": "s2"}


def series(names: list[str]) -> dict[str, str]:
    """A colour for each name: those with one of their own have it, others what is left.

    >>> series(["host", "opencl:0"]), series(["pull"])
    ({'host': 's1', 'opencl:0': 's2'}, {'pull': 's2'})
    """
    made = {name: PAIRS[name] for name in names if name in PAIRS}
    free = [s for s in SERIES if s not in made.values()] or list(SERIES)
    others = [name for name in names if name not in made]
    return made | {name: free[k % len(free)] for k, name in enumerate(others)}


def variables(colours: dict[str, str]) -> str:
    """The colours as CSS."""
    return "".join(f"--{name}:{value};" for name, value in colours.items())


def style() -> str:
    """CSS of a drawing that stands alone: its colours follow the reader's light or dark setting."""
    dark = f"@media (prefers-color-scheme: dark){{.tacho{{{variables(DARK)}}}}}"
    return f".tacho{{{variables(LIGHT)}}}{dark}{classes()}"


def classes() -> str:
    """What a fill, a line and a ring of each role look like."""
    return "".join(
        f".tacho .f-{role}{{fill:var(--{role})}}.tacho .l-{role}{{stroke:var(--{role});fill:none}}"
        f".tacho .r-{role}{{stroke:var(--{role});fill:var(--paper)}}"
        for role in LIGHT
    )
