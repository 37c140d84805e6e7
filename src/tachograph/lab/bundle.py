"""The modules of the page as one module, for notebooks, where there is no server to load them from.

Our modules are written so that this is simple: an import is one line, and what is exported is declared
with ``export`` in front.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from posixpath import dirname, join, normpath

from ..plots.render import DARK, LIGHT, classes, variables

__all__ = ["script", "style"]

PAGE = files(__package__) / "page"
IMPORT = re.compile(r'^import (\{[^}]*\}) from "([^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?(?:function|const|class)) (\w+)", re.MULTILINE)


@cache
def script(entry: str) -> str:
    """Return a module of the page, with all that it imports, as one module.

    Every module becomes a function that returns what it exports.
    """
    done: dict[str, str] = {}
    last = _add(entry, done)
    return "".join(done.values()) + f"export default {last}.default;\n"


def _add(path: str, done: dict[str, str]) -> str:
    """Add a module behind those that it imports; return the name of what it exports."""
    name = re.sub(r"\W", "_", path)
    if path not in done:
        text = PAGE.joinpath(path).read_text(encoding="utf-8")

        def known(found: re.Match[str]) -> str:
            other = _add(normpath(join(dirname(path), found[2])), done)
            return f"const {found[1].replace(' as ', ': ')} = {other};"

        text = IMPORT.sub(known, text)
        given = [found[2] for found in EXPORT.finditer(text)]
        text = EXPORT.sub(r"\1 \2", text)
        if "export default " in text:
            text = text.replace("export default ", "const whole = ")
            given.append("default: whole")
        done[path] = f"const {name} = (() => {{\n{text}\nreturn {{ {', '.join(given)} }};\n}})();\n"
    return name


def style() -> str:
    """Return the style of the page for what is inside a widget, light or dark as the notebook is."""
    page = PAGE.joinpath("style.css").read_text(encoding="utf-8")
    light, dark = re.findall(r"--card:[^}]*", page)[:2]
    dark = f"{variables(DARK)}{dark}"
    return (
        f".tacho-widget{{{variables(LIGHT)}{light};color:var(--ink);padding:4px;{classes()}{page}}}"
        f"@media (prefers-color-scheme:dark){{:root:not(:has([data-jp-theme-light])) "
        f".tacho-widget{{{dark}}}}}"
        f"[data-jp-theme-light=false] .tacho-widget{{{dark}}}"
    )
