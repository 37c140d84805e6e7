"""The reference: a page for each public name, made from its docstring when the site is built.

MkDocs calls :func:`on_config`, which puts the pages into the navigation where ``mkdocs.yml`` has
``reference/index.md``, and :func:`on_files`, which adds them.
Docstrings are in NumPy's style; sections become headings, parameters a list, examples code.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import tachograph

GROUPS = {  # by the beginning of the module: the first that fits
    "graph.generate": "Generators",
    "graph.files": "Files and data sets",
    "graph.datasets": "Files and data sets",
    "graph": "Graphs",
    "algorithms": "Algorithms",
    "results": "Results",
    "tasks": "Plans",
    "decisions": "Decisions",
    "devices": "Devices",
    "simulation": "Memories and accelerators",
    "scale": "Graphs in parts",
    "util.errors": "Errors",
    "": "More",
}
#: What guides build with, beside the public names: modules below ``tachograph``, and names in them.
GUIDES = {
    "decisions.direction.model": ("State",),
    "decisions.placement.state": ("Call",),
    "simulation.accelerators.base": ("Accelerator", "Layout", "Machine", "Parameter"),
    "simulation.accelerators.problem": ("Problem",),
    "simulation.streams": (
        *("Direct", "Phase", "Port", "Priority", "RoundRobin", "Stage", "Stream"),
        *("buffered", "joined", "lines", "prefetched"),
    ),
}
LISTS = ("Parameters", "Returns", "Yields", "Raises", "Attributes")
SECTIONS = (*LISTS, "Examples", "Notes")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put a section for each group below the index."""
    sections: list[Any] = ["reference/index.md"]
    for group, names in groups().items():
        if group == "Errors":
            sections.append({group: "reference/errors.md"})
        elif names:
            sections.append({group: [{name: f"reference/{slug(name)}.md"} for name in names]})
    for entry in config.nav or []:
        if entry.get("Reference") == "reference/index.md":
            entry["Reference"] = sections
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    for name, text in pages().items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    return files


def pages() -> dict[str, str]:
    """Return the text of every page, with the index."""
    found = groups()
    made = {
        slug(name): page(name, public()[name])
        for group, names in found.items()
        for name in names
        if group != "Errors"
    }
    return {**made, "errors": errors(found["Errors"]), "index": index(found)}


def groups() -> dict[str, list[str]]:
    """Return the public names under each heading."""
    found: dict[str, list[str]] = {group: [] for group in GROUPS.values()}
    for name, thing in public().items():
        found[group_of(thing)].append(name)
    return found


def public() -> dict[str, Any]:
    """Return everything public by name; the contents of a module are called ``module.name``."""
    found: dict[str, Any] = {}
    for name in sorted(tachograph.__all__, key=str.lower):
        thing = getattr(tachograph, name)
        if inspect.ismodule(thing):
            found |= {f"{name}.{inner}": getattr(thing, inner) for inner in thing.__all__}
        elif not name.startswith("_"):
            found[name] = thing
    for module, names in GUIDES.items():
        home = import_module(f"tachograph.{module}")
        found |= {f"{module}.{name}": getattr(home, name) for name in names}
    return found


def with_pages() -> dict[str, type]:
    """Return the public classes that have pages, by name."""
    errors = Exception, Warning
    classes = {name: thing for name, thing in public().items() if inspect.isclass(thing)}
    return {name: thing for name, thing in classes.items() if not issubclass(thing, errors)}


def slug(name: str) -> str:
    """Return the name of its page: some file systems take Plan and plan for the same name."""
    twins = [other for other in public() if other.lower() == name.lower()]
    return name if name.islower() or len(twins) == 1 else f"{name}-class"


def group_of(thing: Any) -> str:
    """Return the heading that it belongs under.

    A public function wraps the one of its algorithm; results are in the same modules as algorithms.
    """
    home = inspect.unwrap(thing).__module__.removeprefix("tachograph.")
    if inspect.isclass(thing) and home.startswith("algorithms"):
        return "Results"
    return next(group for start, group in GROUPS.items() if home.startswith(start))


def index(found: dict[str, list[str]]) -> str:
    """List all names with the first sentence of each."""
    lines = [
        "# Reference",
        "",
        "Everything in `import tachograph as tg`, and what guides build with; all examples run.",
        "",
    ]
    for group, names in found.items():
        if not names:
            continue
        lines += [f"## {group}", "", "| | |", "|---|---|"]
        for name in names:
            target = "errors.md#" + name.lower() if group == "Errors" else f"{slug(name)}.md"
            lines.append(f"| [`{name}`]({target}) | {summary(public()[name])} |")
        lines.append("")
    return "\n".join(lines)


def summary(thing: Any) -> str:
    """Return the first paragraph of a docstring."""
    text = markdown(inspect.getdoc(thing) or "").partition("\n\n")[0].replace("\n", " ")
    return text.replace("|", "\\|")


def page(name: str, thing: Any) -> str:
    """Make the page of a function, or of a class with its methods."""
    path = f"tachograph.{name}" if name.rpartition(".")[0] in GUIDES else f"tg.{name}"
    lines = [f"# {path}", "", signature(path, thing), "", body(thing), ""]
    if inspect.isclass(thing):
        for base, parent in with_pages().items():
            if parent in thing.__mro__[1:]:
                lines += [f"It has all that [`{base}`]({slug(base)}.md) has.", ""]
        for member, value in members(thing):
            lines += [f"## {member}", ""]
            if callable(getattr(thing, member)):
                lines += [signature(member, getattr(thing, member)), ""]
            lines += [body(value, depth=3), ""]
    lines.append(f"<small>`{inspect.unwrap(thing).__module__}`</small>")
    return "\n".join(lines) + "\n"


def members(thing: type) -> Iterator[tuple[str, Any]]:
    """Yield public methods and properties that have a docstring, in the order of the source.

    Those of base classes come last, unless those have pages of their own.
    """
    homes = [thing, *(base for base in thing.__mro__[1:] if base not in with_pages().values())]
    every = {name: value for home in reversed(homes) for name, value in vars(home).items()}
    order = dict.fromkeys(name for home in homes for name in vars(home))
    for name in order:
        value = every[name]
        if name.startswith("_"):
            continue
        if isinstance(value, classmethod | staticmethod):
            value = value.__func__
        documented = (
            inspect.isfunction(value) or hasattr(value, "func") or isinstance(value, property)
        )
        if documented and inspect.getdoc(value):
            yield name, value


def errors(names: list[str]) -> str:
    """Make one page for all errors."""
    lines = ["# Errors", "", "Every error is a `TachographError` and says what to do.", ""]
    for name in names:
        thing = getattr(tachograph, name)
        parent = thing.__mro__[1].__name__
        lines += [f"## {name}", "", f"A `{parent}`.", "", body(thing, depth=3), ""]
    return "\n".join(lines)


def signature(name: str, thing: Any) -> str:
    """Return how it is called, with a line for each parameter if one line is too short."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    parts, star = [], False
    for p in found.parameters.values():
        if p.name == "self":
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        parts.append(parameter(p))
    parts = [re.sub(r"ForwardRef\('(.*?)'\)", r"\1", part) for part in parts]  # of named tuples
    text = f"{name}({', '.join(parts)})"
    if len(text) > 88:
        text = f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + ")"
    return f"```python\n{text}\n```"


def parameter(p: inspect.Parameter) -> str:
    """Return its name, type and default. Types stay text, and objects become ``...``."""
    text = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name
    typed = p.annotation is not p.empty
    if typed:
        kind = p.annotation
        text += f": {kind if isinstance(kind, str) else getattr(kind, '__name__', kind)}"
    if p.default is not p.empty:
        default = "..." if " object at 0x" in repr(p.default) else repr(p.default)
        text += f"{' = ' if typed else '='}{default}"
    return text


def body(thing: Any, depth: int = 2) -> str:
    """Turn a docstring into Markdown."""
    lines = (inspect.getdoc(thing) or "").split("\n")
    parts: list[tuple[str, list[str]]] = [("", [])]
    for k, line in enumerate(lines):
        following = lines[k + 1] if k + 1 < len(lines) else ""
        if line in SECTIONS and following and set(following) == {"-"}:
            parts.append((line, []))
        elif not (parts[-1][0] and not parts[-1][1] and set(line) == {"-"}):
            parts[-1][1].append(line)
    made = []
    for heading, text in parts:
        if heading:
            made.append(f"{'#' * depth} {heading}")
        made.append(entries(text) if heading in LISTS else prose(text))
    return "\n\n".join(part for part in made if part.strip())


def entries(lines: list[str]) -> str:
    """Make a list of names (at the margin) and their meanings (indented)."""
    made: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            made.append(f"- `{line}`")
        elif line.strip():
            lead = ": " if made and made[-1].endswith("`") and "\n" not in made[-1] else "\n  "
            made[-1:] = (
                [made[-1] + lead + markdown(line.strip())] if made else [markdown(line.strip())]
            )
    return "\n".join(made)


def prose(lines: list[str]) -> str:
    """Keep paragraphs, and show examples as code."""
    made, code = [], False
    for line in lines:
        if line.startswith(">>>") and not code:
            made += ["", "```pycon"]
            code = True
        elif code and not line.strip():
            made += ["```"]
            code = False
        made.append(line if code else markdown(line))
    return "\n".join(made + ["```"] * code).strip("\n")


def markdown(text: str) -> str:
    """Replace the double backticks and roles of docstrings by single backticks."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return re.sub(r"``([^`]+)``", r"`\1`", text)
