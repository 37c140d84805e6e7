"""Help texts that lose nothing to markup."""

from __future__ import annotations

import re

from typer.core import TyperGroup

__all__ = ["Group"]

#: What Rich would take for markup, except for [bold] and [/bold].
MARKUP = re.compile(r"\[(?!/?bold\])(?=[a-z#/@])")


class Group(TyperGroup):
    """A group of commands in whose help only [bold] is markup; other [brackets] are printed."""

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]
        _escape(self)


def _escape(command: object) -> None:
    """Escape the help of a command, its options, and its subcommands."""
    for thing in (command, *getattr(command, "params", ())):
        if isinstance(text := getattr(thing, "help", None), str):
            thing.help = MARKUP.sub(r"\[", text)
    for subcommand in getattr(command, "commands", {}).values():
        _escape(subcommand)
