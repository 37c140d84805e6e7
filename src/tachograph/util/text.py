"""Text that others chose: names of files, graphs, vertices and data sets, and messages that quote them.

Whatever is shown to a person goes through :func:`plain`, and what becomes part of a page through
:func:`as_html`. Files and JSON keep the text as it was.
"""

from __future__ import annotations

from html import escape

__all__ = ["as_html", "plain"]


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


def as_html(text: object) -> str:
    r"""Return ``text`` for HTML and SVG, in elements and attributes.

    >>> as_html("a<b>\x07")
    'a&lt;b&gt;\\x07'
    """
    return escape(plain(text))
