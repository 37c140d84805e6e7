"""Text that others chose: names of files, graphs, vertices and data sets, and messages that quote them.

Whatever is shown to a person goes through :func:`plain`, and what becomes part of a page through
:func:`as_html`. Files and JSON keep the text as it was.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable
from html import escape
from typing import TextIO

__all__ = ["as_html", "did_you_mean", "number_in", "plain", "quoted", "spell_out"]

QUOTED_BITS = 64  # of a number that a message quotes
COMPARED_WORDS = 20_000  # with which a word is compared that was not found
LONGEST_NUMBER = 18  # digits of a number that somebody types: it fits into 64 bits
LENGTHS_APART = 3  # letters that a word may have more or fewer
#: What stands for letters of ours where they cannot be written, such as in ASCII.
INSTEAD = {"█": "#", "▏": "|", "–": "-", "µ": "u", "×": "x", "…": "..."}


def plain(text: object) -> str:
    r"""Return ``text`` in one line that does nothing but show it.

    Escape codes, line ends, marks that turn the direction of writing, and bytes that are not UTF-8
    are spelled out.

    >>> plain("a[/b]\x1b[31m\n.el"), plain("größe 5 %"), plain("\udcff")
    ('a[/b]\\x1b[31m\\n.el', 'größe 5 %', '\\udcff')
    """
    shown = str(text)
    if shown.isprintable():
        return shown
    every = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in shown)
    return "".join(every)


def quoted(value: object) -> str:
    """Return how a message quotes a value, which may be longer than anybody reads, or Python writes.

    >>> quoted("a"), quoted(10**5000), quoted((10**5000,))
    ("'a'", '<number of 16,610 bits>', '<tuple>')
    """
    if isinstance(value, int) and value.bit_length() > QUOTED_BITS:
        return f"<number of {value.bit_length():,} bits>"
    try:
        return f"{value!r:.200}"
    except Exception:  # a long number inside, or an object of somebody else
        return f"<{type(value).__name__}>"


def number_in(text: str, otherwise: int = -1) -> int:
    """Return the whole number that a text is, or ``otherwise`` if it is none that Python can read.

    >>> number_in("17"), number_in("²"), number_in("9" * 5000)
    (17, -1, -1)
    """
    return int(text) if text.isdecimal() and len(text) <= LONGEST_NUMBER else otherwise


def as_html(text: object) -> str:
    r"""Return ``text`` for HTML and SVG, in elements and attributes.

    >>> as_html("a<b>\x07")
    'a&lt;b&gt;\\x07'
    """
    return escape(plain(text))


def did_you_mean(word: object, known: Iterable[object]) -> str:
    """Return a question with the most similar of the known words; nothing if none is similar.

    A word that is the beginning of a known one is taken for that.

    >>> did_you_mean("pagernak", ["bfs", "pagerank"]), did_you_mean("x", ["bfs"])
    ('; did you mean pagerank?', '')
    >>> did_you_mean("Package", ["package"])
    '; did you mean package?'
    >>> did_you_mean("closeness", ["cosine", "closeness_centrality"])
    '; did you mean closeness_centrality?'
    """
    from difflib import get_close_matches

    said = str(word).lower() if isinstance(word, str) else quoted(word)
    near, longer = [], ""
    for text in map(str, known):
        if abs(len(text) - len(said)) <= LENGTHS_APART:
            near.append(text)
        elif not longer and len(said) > LENGTHS_APART and text.lower().startswith(said):
            longer = text
        if len(near) == COMPARED_WORDS:
            break
    words = {text.lower(): text for text in near}
    found = get_close_matches(said, words, n=1)
    meant = words[found[0]] if found else ""
    if longer and not meant.lower().startswith(said):
        meant = longer
    return f"; did you mean {plain(meant)}?" if meant else ""


def spell_out(stream: TextIO) -> None:
    """Let a stream write what its encoding lacks in other letters, or as an escape, and never fail."""
    codecs.register_error("tachograph", _other_letters)
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="tachograph")


def _other_letters(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeEncodeError):
        if (found := INSTEAD.get(error.object[error.start])) is not None:
            return found, error.start + 1
    return codecs.backslashreplace_errors(error)
