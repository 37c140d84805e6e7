"""Notebooks: run their cells, and show them as pages.

``python docs/hooks/notebooks.py`` runs all of them and writes what came out into their files; a test
runs them again. MkDocs calls :func:`on_files`, which makes a page of each. None of it needs Jupyter.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import tempfile
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
KINDS = {
    "text/html": "_repr_html_",
    "image/svg+xml": "_repr_svg_",
}
Cell = dict[str, Any]


def cells_of(path: Path) -> list[Cell]:
    """Return the cells of a notebook."""
    found: list[Cell] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def text_of(lines: list[str] | str) -> str:
    """Return a text that a notebook may hold as lines."""
    return lines if isinstance(lines, str) else "".join(lines)


def run(cells: list[Cell]) -> list[list[Cell]]:
    """Run the cells in the current directory, and return the outputs of each."""
    space: dict[str, Any] = {"__name__": "__main__"}
    return [_run(text_of(c["source"]), space) if c["cell_type"] == "code" else [] for c in cells]


def _run(source: str, space: dict[str, Any]) -> list[Cell]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), space)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), space)
    made: list[Cell] = []
    if printed.getvalue():
        made.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        for kind, method in KINDS.items():
            if hasattr(value, method):
                data[kind] = _lines(getattr(value, method)())
        made.append(
            {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": None}
        )
    return made


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def plain(output: Cell) -> str:
    """Return an output as text."""
    data = output["text"] if "text" in output else output["data"]["text/plain"]
    return text_of(data)


def page(path: Path) -> str:
    """Return a notebook as Markdown."""
    parts = []
    for cell in cells_of(path):
        source = text_of(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            rich = next((text_of(data[kind]) for kind in KINDS if kind in data), None)
            rich = rich and rich.replace(' border="1" class="dataframe"', "")  # as other tables
            text = f"```text\n{plain(output).rstrip()}\n```"
            parts.append(text if rich is None else f'<div class="output">{rich}</div>')
    parts.append(f"[This page as a notebook]({path.name})")
    return "\n\n".join(parts)


def on_files(files: Any, config: Any) -> Any:
    """Add a page for each notebook."""
    from mkdocs.structure.files import File

    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        name = f"notebooks/{path.stem}.md"
        files.append(File.generated(config, name, content=page(path)))
    return files


def write(path: Path) -> None:
    """Run a notebook, and keep what came out."""
    made = json.loads(path.read_text(encoding="utf-8"))
    for cell, outputs in zip(made["cells"], run(made["cells"]), strict=True):
        if cell["cell_type"] == "code":
            cell["outputs"] = outputs
    path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as directory, contextlib.chdir(directory):
            os.environ["TACHOGRAPH_HOME"] = directory
            write(notebook)
