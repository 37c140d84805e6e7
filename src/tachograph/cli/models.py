"""``tacho models``: the models that decide, where they are from, and how good they are."""

from __future__ import annotations

from typing import Any

from ..decisions.model_file import own_model, read, shipped_model
from ..decisions.trainer import FORKS
from ..util.errors import TachographError
from .options import Json, out, print_json

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
    for row in rows:
        out().print(f"{row['model']}: {row['decides']}")
        out().print(f"  {_origin(row)}", soft_wrap=True)


def _origin(row: dict[str, Any]) -> str:
    """Return where a model is from and how good it is, in words."""
    when = f", trained {row['trained']}" * (row["trained"] not in ("", "?"))
    graphs = f", on {row['graphs']} graphs" * bool(row["graphs"])
    quality = f"; {row['quality']}" * bool(row["quality"])
    origin = row["from"] if row["from"].startswith("none") else f"from {row['from']}"
    return f"{origin}{when}{graphs}{quality}"


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
    """Return three numbers of a card's table: its first row, or rows of a name and a value."""
    rows: list[dict[str, Any]] = card.get("quality") or [{}]
    numbers = {k: v for k, v in rows[0].items() if isinstance(v, int | float)}
    if numbers.keys() == {"value"}:
        numbers = {row["measure"]: row["value"] for row in rows}
    told = [f"{k.replace('_', ' ')} {v:.3g}" for k, v in numbers.items()]
    return ", ".join(told[:3]) or "quality not recorded"
