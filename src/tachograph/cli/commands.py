"""The command ``tacho``: which module has which of its commands, and how their help is shown.

A module is imported when one of its commands is asked for.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from .. import __version__
from ..util.text import plain

__all__ = ["MARKUP", "app"]

#: What Rich would take for markup in a help text, except for [bold] and [/bold].
MARKUP = re.compile(r"\[(?!/?bold\])(?=[a-z#/@])")
#: What is said of more arguments than a command takes.
COMMAS = ": several values of an option are one word, with commas, as in --graphs a.txt,b.txt"
#: The module of each command, which is a function there.
COMMANDS = {
    "info": "graphs",
    "convert": "graphs",
    "datasets": "graphs",
    "tour": "tour.guide",
    "warm": "warm",
    "bench": "bench",
    "devices": "devices",
    "plan": "plan",
    "what-if": "plan",
    "models": "models",
    "report": "journal",
    "nx-profile": "bench",
    "reproduce": "reproduce",
    "simulate": "simulate",
    "explore": "explore",
    "lab": "lab",
}
#: Those with commands of their own, which are the ``app`` of the module of that name.
GROUPS = ("compare", "dram", "generate", "gpus", "journal", "run", "scale", "train")


class Commands(Mapping[str, TyperCommand | TyperGroup]):
    """The commands by their names; a module is imported when its command is asked for."""

    def __iter__(self) -> Iterator[str]:
        return iter((*COMMANDS, *GROUPS))

    def __len__(self) -> int:
        return len(COMMANDS) + len(GROUPS)

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        return _loaded(name)


@functools.cache
def _loaded(name: str) -> TyperCommand | TyperGroup:
    holder = typer.Typer(rich_markup_mode="rich")
    if name in GROUPS:
        holder.add_typer(import_module(f".{name}", __package__).app, name=name)
    else:
        module = import_module(f".{COMMANDS[name]}", __package__)
        holder.command(name)(getattr(module, name.replace("-", "_")))
    made: TyperCommand | TyperGroup = get_group(holder).commands[name]  # type: ignore[assignment]
    _escape(made)
    return made


def _escape(command: object) -> None:
    """Escape brackets in the help of a command, its options, and its subcommands."""
    for thing in (command, *getattr(command, "params", ())):
        if isinstance(text := getattr(thing, "help", None), str):
            thing.help = MARKUP.sub(r"\[", text)
    for subcommand in getattr(command, "commands", {}).values():
        _escape(subcommand)


@contextmanager
def _plain_mistakes() -> Iterator[None]:
    """Let messages about wrong usage quote what was typed by :func:`plain`."""
    try:
        yield
    except Exception as error:
        if isinstance(text := getattr(error, "message", None), str):
            several = text.startswith("Got unexpected extra argument")  # of --graphs {a,b}.txt
            error.message = plain(text) + COMMAS * several  # type: ignore[attr-defined]
        raise


class Tacho(TyperGroup):
    """The group of all commands."""

    def make_context(self, *given: Any, **more: Any) -> Any:
        """Parse the arguments up to the command."""
        with _plain_mistakes():
            return super().make_context(*given, **more)

    def invoke(self, ctx: Any) -> Any:
        """Parse the other arguments, and run the command."""
        with _plain_mistakes():
            return super().invoke(ctx)

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]
        self.commands = Commands()  # type: ignore[assignment]


app = typer.Typer(
    cls=Tacho,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(show: bool) -> None:
    if show:
        print(f"tacho {__version__}")
        raise typer.Exit


@app.callback()
def tacho(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Runs graph algorithms fast and decides how to run them."""
