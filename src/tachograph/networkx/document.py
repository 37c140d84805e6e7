"""The list of functions in the documentation, made from the table.

``python -m tachograph.networkx.document`` prints it.
"""

from __future__ import annotations

from .functions import FUNCTIONS, Function

__all__ = ["TITLES", "functions_list"]

TITLES = {
    "unweighted": "Breadth-first search and paths without weights",
    "generic": "Shortest paths by any method",
    "dijkstra": "Dijkstra's algorithm",
    "bellman_ford": "Weights that may be negative",
    "components": "Components",
    "rank": "PageRank",
    "links": "Link prediction",
    "clusters": "Triangles and clustering",
    "independent": "Independent sets",
    "flow": "Flows and cuts",
}


def functions_list() -> str:
    """Return a table for each group of functions, in Markdown."""
    parts = []
    for module, title in TITLES.items():
        rows = [f for f in FUNCTIONS.values() if f.module == module]
        lines = [f"### {title}", "", "| function | also takes | differs |", "|---|---|---|"]
        parts.append("\n".join([*lines, *map(_row, rows)]))
    return "\n\n".join(parts) + "\n"


def _row(function: Function) -> str:
    names = ", ".join(f"`{text.split(' : ')[0]}`" for text in function.parameters)
    return f"| `{function.name}` | {names} | {function.notes} |"


if __name__ == "__main__":
    print(functions_list(), end="")
