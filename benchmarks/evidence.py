"""Every number in README and docs with its file, command, age and state.

    python benchmarks/evidence.py [--check]

``--check`` fails if a number comes from nowhere. (This is a script and no command of the package,
because results and documents are not installed with it.)

A claim is a number in a sentence with a unit (%, ms, MB, MHz, times ...), a count of things that are
measured (graphs, runs, levels, edges ...), a number with a decimal point, or an R² or factor. Its
source is a place for a result, a published table or a constant of the code (``references.py``), or
``definitions.toml``, which says of each number why it needs no source. Examples that tests run, names
("Python 3.11", "Table 4", "section 3.2") and years are no claims. Numbers in words are not found.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import references
import render
import result_file
from result_file import ROOT

DEFINITIONS = ROOT / "benchmarks" / "definitions.toml"
TYPED, DEFINED = "typed", "defined"

_NUMBER = r"(?<![\w.,^*/-])\d[\d,]*(?:\.\d+)?(?:e-?\d+)?"
_UNITS = r"%|(?:ns|µs|ms|s|seconds|minutes|hours|kB|MB|GB|TB|GB/s|MHz|GHz|times|×|R²)(?![\w-])"
_KINDS = "million|billion|random|unseen|other|whole|real|timed|small"
_THINGS = "graphs|runs|levels|cases|configurations|searches|questions|vertices|edges|requests"
_THINGS += "|iterations|partitions|roots|seeds|rounds|tasks|cells|samples|problems"
CLAIM = re.compile(
    rf"(?:R²|factor|factors) (?:of )?{_NUMBER}"
    rf"|{_NUMBER}(?:\s*(?:to|and|–|…)\s*{_NUMBER})*\s*(?:{_UNITS})"
    rf"|{_NUMBER}\s+(?:(?:{_KINDS})\s+){{0,2}}(?:{_THINGS})\b"
    r"|(?<![\w.,-])\d+\.\d+(?![\w.]*\d)"
)
#: What is no sentence of ours: results, examples, code, addresses, names of versions and places, years.
NO_PROSE = [
    render.PLACE,
    re.compile(r"```.*?```", re.DOTALL),
    re.compile(r"``.+?``|`[^`]+`", re.DOTALL),
    references.PLACE,
    re.compile(r"<!--.*?-->", re.DOTALL),
    re.compile(r"\]\([^)]*\)"),
    re.compile(r"^    .*$", re.MULTILINE),
    re.compile(r"(?:Python|OpenCL C?|Ramulator|[Ss]ections?|[Tt]ables?|[Ff]igures?)\s+\d[\d.]*"),
]


class Found(NamedTuple):
    """A number in a document, or the numbers of a table."""

    page: str
    line: int
    text: str
    source: str
    state: str
    command: str = ""
    days: int | None = None


def prose(text: str) -> str:
    """Blank out what is no prose; everything stays where it is."""
    for pattern in NO_PROSE:
        text = pattern.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), text)
    return text


def definitions() -> list[dict[str, str]]:
    """Return the numbers that need no source: page, text and why."""
    found: list[dict[str, str]] = tomllib.loads(DEFINITIONS.read_text(encoding="utf-8"))["number"]
    return found


def places(pattern: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield where some words stand, wherever lines end."""
    words = r"\s+".join(map(re.escape, pattern.split()))
    yield from (found.span() for found in re.finditer(words, text))


def claims(page: str, text: str, defined: list[dict[str, str]]) -> Iterator[Found]:
    """Yield the numbers in sentences that are not taken from a source."""
    plain = prose(text)
    spans = {
        span: d["why"] for d in defined if d["page"] == page for span in places(d["text"], plain)
    }
    for found in CLAIM.finditer(plain):
        line = text.count("\n", 0, found.start()) + 1
        why = [w for (a, b), w in spans.items() if a <= found.start() and found.end() <= b]
        said = " ".join(found[0].split())
        yield Found(page, line, said, why[0] if why else "", DEFINED if why else TYPED)


def numbers(page: str, text: str, defined: list[dict[str, str]]) -> list[Found]:
    """Return all numbers of a document with their sources, in their order."""
    made = list(claims(page, text, defined))
    for found in references.PLACE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        known = references.resolve(found[1])
        made.append(Found(page, line, known.text, known.source, known.state, *_run(known.kept)))
    for found in render.PLACE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        state, source = result_file.state_of(found[1]), f"results/{found[1]}.json"
        if state == result_file.NEVER:
            made.append(Found(page, line, "table", source, state))
            continue
        kept = result_file.read(found[1])
        cells = sum(bool(re.search(r"\d", cell)) for row in _rows(found[0]) for cell in row)
        made.append(Found(page, line, f"table: {cells} numbers", source, state, *_run(kept)))
    return sorted(made, key=lambda each: each.line)


def _rows(table: str) -> list[list[str]]:
    return [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")]


def _run(kept: dict | None) -> tuple[str, int | None]:
    return (kept["command"], result_file.age_days(kept)) if kept else ("", None)


def everything() -> list[Found]:
    """Return the numbers of all documents."""
    defined = definitions()
    found = []
    for path in render.documents():
        page = path.relative_to(ROOT).as_posix()
        found += numbers(page, path.read_text(encoding="utf-8"), defined)
    return found


def unused(defined: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the definitions whose words stand nowhere any more."""
    pages = {d["page"]: prose((ROOT / d["page"]).read_text(encoding="utf-8")) for d in defined}
    return [d for d in defined if not any(places(d["text"], pages[d["page"]]))]


def main() -> None:
    found = everything()
    for each in found:
        age = "" if each.days is None else f", {each.days} days old"
        by = f", {each.command}" if each.command else ""
        print(f"{each.page}:{each.line}: {each.text} [{each.state}] {each.source}{by}{age}")
    counts = Counter(each.state for each in found)
    print(", ".join(f"{count} {state}" for state, count in sorted(counts.items())), file=sys.stderr)
    if "--check" in sys.argv and counts[TYPED]:
        sys.exit(f"{counts[TYPED]} numbers come from nowhere: python benchmarks/evidence.py")


if __name__ == "__main__":
    main()
