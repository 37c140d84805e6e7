"""Edge lists whose vertices are words: as strict as those with ids, line by line in Python."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from ..build import EdgeTable
from ..foreign import LAST_EXACT
from . import text
from .checks import NotAnIdError, shown
from .streams import HEADER_LINE_BYTES, ZEROS, Input

WHOLE = re.compile(r"-?[0-9]{1,19}", re.A)
HOLE = re.compile(r"^,|,[ \t]*(?:,|$)")


def read(source: Input, weight: str | bool) -> EdgeTable:
    """Read an edge list whose ids are numbers, or words if there are any."""
    try:
        return text.read(source, weight)
    except NotAnIdError:
        pass
    layout = text.Layout()
    ends: tuple[list[str], list[str]] = [], []
    weights: list[str] = []
    fields = before = 0
    for number, end, line in source.lines():
        length, before = end - before, end
        if not line or line[0] in "#%":
            continue
        words = layout.words(line)
        fields = fields or len(words)
        problem = _problem(line, words, fields, length)
        if not ends[0] and weight is not False and text.DECIMAL_COMMA.fullmatch(line.strip(" \t")):
            problem = "is the weight a number with a comma? Write it with a point"
        if problem:
            raise source.error(problem, number)
        ends[0].append(words[0])
        ends[1].append(words[1])
        if fields > 2 and weight is not False:
            if not text.DECIMAL.fullmatch(words[2]):
                raise source.error(
                    f"expected a weight, a finite number, but found {shown(words[2])!r}", number
                )
            weights.append(words[2])
    if not ends[0]:
        raise source.error("there are no edges, only comments")
    kind: npt.DTypeLike = object
    if all(WHOLE.fullmatch(word) and abs(int(word)) < 2**63 for side in ends for word in side):
        kind = np.int64  # names may be whole numbers, negative ones
    named = np.array(ends[0], kind), np.array(ends[1], kind)
    values = _numbers(source, weights) if weights else None
    return EdgeTable(*named, values, directed=text.comments(source)[1])


def _problem(line: str, words: list[str], fields: int, length: int) -> str:
    """Return what is wrong with a line of names, or ''."""
    if length > HEADER_LINE_BYTES:
        return f"the line is too long for names: {length:,} bytes"
    if "\0" in line:
        return ZEROS
    if HOLE.search(line):
        return f"an empty field between or behind commas (in {shown(line)!r})"
    if len(words) < 2:
        return f"has one column, too few (in {shown(line)!r})"
    if len(words) != fields:
        return f"has {len(words)} columns where the first line has {fields} (in {shown(line)!r})"
    if not line.isascii() and any("\ud800" <= c <= "\udfff" for c in line):
        return "the text is not UTF-8: convert it (iconv -f latin1 -t utf-8)"
    return ""


def _numbers(source: Input, words: list[str]) -> np.ndarray:
    """Return weights: int32 if all are whole and fit, else float64."""
    values = np.array(words, np.float64)
    if not np.isfinite(values).all():
        raise source.error("a weight is not a finite number")
    if (values == np.round(values)).all() and not any("." in w or "e" in w.lower() for w in words):
        if abs(values).max() < 2**31:
            return values.astype(np.int32)
        if max(abs(int(w)) for w in words) > LAST_EXACT:
            raise source.error("a whole-number weight beyond 2**53 cannot be kept exactly")
    return values
