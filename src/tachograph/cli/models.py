"""``tacho models``: the models that decide, where they are from, and how good they are."""

from __future__ import annotations

from typing import Any

from ..decisions.model_file import own_model, read, shipped_model
from ..decisions.trainer import FORKS
from ..util.errors import TachographError
from .options import Json, out, print_json, table

__all__ = ["models"]

QUESTIONS = {name: fork.question for name, fork in FORKS.items()}
QUESTIONS["networkx"] = "Which calls of NetworkX are faster here?"


def models(json: Json = False) -> None:
    """List the models that are in use: from where, trained on what, and how good.

    [bold]Examples[/bold]

    tacho models

    tacho models --json
    """
    rows = [_row(name) for name in QUESTIONS]
    if json:
        print_json(rows)
        return
    heads = ["model", "decides", "from", "trained", "graphs", "quality"]
    out().print(table(heads, [[str(row[head]) for head in heads] for row in rows], heads))


def _row(name: str) -> dict[str, Any]:
    """Return what is known of the model in use."""
    row: dict[str, Any] = {"model": name, "decides": QUESTIONS[name]}
    for origin, path in (("this machine", own_model(name)), ("the package", shipped_model(name))):
        try:
            card = read(path, name).card
        except TachographError:
            continue
        graphs = len(card.get("graphs", ()))
        row |= {"from": origin, "trained": card.get("date") or "?", "graphs": graphs}
        return row | {"quality": card.get("comparison") or _quality(card), "file": str(path)}
    return row | {"from": f"none: tacho train {name}", "trained": "", "graphs": "", "quality": ""}


def _quality(card: dict[str, Any]) -> str:
    """Return the numbers of the first row of a card's table."""
    first: dict[str, Any] = next(iter(card.get("quality") or ()), {})
    numbers = {k: v for k, v in first.items() if isinstance(v, int | float)}
    return ", ".join(f"{k} {v:.3g}" for k, v in list(numbers.items())[:3]) or "not recorded"
