"""The colours of charts, for light and dark paper; people who see red and green alike can tell them
apart.

``s1`` to ``s5`` are series. The first two, a blue and an orange, are those of every pair: push and
pull, host and device, predicted and measured.
"""

from __future__ import annotations

__all__ = ["DARK", "LIGHT", "classes", "series", "style", "variables"]

ROLES = ("paper", "ink", "soft", "grid", "axis", "s1", "s2", "s3", "s4", "s5", "s6")
_LIGHT = "#ffffff #1c2430 #5b6675 #e3e7ec #aab3be #1f6fb2 #d9730d #0b8468 #a04c8f #7a6c00 #7f8896"
_DARK = "#171b21 #e6eaf0 #9aa6b5 #2a313b #566172 #62aee8 #f2a154 #43c3a1 #d991c8 #cdbd4a #a3adba"
LIGHT = dict(zip(ROLES, _LIGHT.split(), strict=True))
DARK = dict(zip(ROLES, _DARK.split(), strict=True))
SERIES = [role for role in ROLES if role.startswith("s") and role != "soft"]
PAIRS = {"push": "s1", "pull": "s2", "host": "s1", "device": "s2"}


def series(names: list[str]) -> dict[str, str]:
    """Give every name a colour: its own if it has one, else one that is left.

    >>> series(["host", "opencl:0"]), series(["pull"])
    ({'host': 's1', 'opencl:0': 's2'}, {'pull': 's2'})
    """
    made = {name: PAIRS[name] for name in names if name in PAIRS}
    free = [s for s in SERIES if s not in made.values()] or SERIES
    others = [name for name in names if name not in made]
    return made | {name: free[k % len(free)] for k, name in enumerate(others)}


def variables(colours: dict[str, str]) -> str:
    """Return the colours as CSS."""
    return "".join(f"--{name}:{value};" for name, value in colours.items())


def style() -> str:
    """Return the CSS of a drawing that stands alone: light or dark as the reader's system is set."""
    dark = f"@media (prefers-color-scheme: dark){{.tacho{{{variables(DARK)}}}}}"
    return f".tacho{{{variables(LIGHT)}}}{dark}{classes()}"


def classes() -> str:
    """Return the CSS classes of a fill, a line and a ring of each role."""
    return "".join(
        f".tacho .f-{role}{{fill:var(--{role})}}.tacho .l-{role}{{stroke:var(--{role});fill:none}}"
        f".tacho .r-{role}{{stroke:var(--{role});fill:var(--paper)}}"
        for role in LIGHT
    )
