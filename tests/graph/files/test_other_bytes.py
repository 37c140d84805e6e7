"""Bytes that do not belong to a file's text: behind compressed data, and those of UTF-16."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import tachograph as tg
from tachograph.graph.files.arrays import read_csv
from tachograph.graph.files.streams import Input

TEXT = b"0 1\n1 2\n2 3\n"
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda text: pa.compress(text, "zstd", asbytes=True),
}
KINDS = pytest.mark.parametrize("kind", COMPRESS)


@KINDS
def test_parts_one_behind_another(kind: str) -> None:
    name, part = Path(f"g.el{kind}"), COMPRESS[kind](TEXT)
    for padding in (b"",) if kind == ".zst" else (b"", bytes(4), bytes(70_000)):
        name.write_bytes(part + padding + part + padding)
        assert tg.read(name).indices.tolist() == [1, 1, 2, 2, 3, 3]


@KINDS
@pytest.mark.parametrize("damaged", [b"j", b"junk", b"\n", b"another"])
def test_what_follows_compressed_data(kind: str, damaged: bytes) -> None:
    """A part with a damaged beginning was left out without a word (bz2, xz)."""
    name, part = Path(f"g.el{kind}"), COMPRESS[kind](TEXT)
    name.write_bytes(part + damaged + part[len(damaged) :])
    with pytest.raises(tg.FileFormatError, match=f"damaged {kind[1:]} data"):
        tg.read(name)
    name.write_bytes(part + part[:-3])
    with pytest.raises(tg.FileFormatError, match=f"damaged {kind[1:]} data"):
        tg.read(name)


@pytest.mark.parametrize("padding", [1, 3, 70_002])
def test_padding_of_xz_has_a_multiple_of_four_bytes(padding: int) -> None:
    part = lzma.compress(TEXT)
    for whole in (part + bytes(padding), part + bytes(padding) + part):
        Path("g.el.xz").write_bytes(whole)
        with pytest.raises(tg.FileFormatError, match="damaged xz data"):
            tg.read("g.el.xz")


@pytest.mark.parametrize("coding", ["utf-16-be", "utf-16-le", "utf-16", "utf-32-be"])
@pytest.mark.parametrize("text", ["0 1\n1 2\n", "anna bob\nbob carl\n", "中文 汉字\n汉字 日本\n"])
def test_names_in_utf16(coding: str, text: str) -> None:
    """Zeros became part of names: '\\x000\\x00' for 0."""
    Path("g.el").write_bytes(text.encode(coding))
    with pytest.raises(tg.FileFormatError, match="line 1: .*zero bytes"):
        tg.read("g.el", relabel=True)
    Path("g.csv").write_bytes(("source,target\n" + text.replace(" ", ",")).encode(coding))
    with pytest.raises(tg.FileFormatError, match="line 1: .*zero bytes"):
        tg.read("g.csv", relabel=True)


def test_a_table_of_text_is_not_copied_to_be_looked_at(monkeypatch) -> None:
    content = b"source,target\n" + b"1,2\n" * 100_000
    Path("g.csv").write_bytes(content)
    monkeypatch.setattr(Input, "content", lambda _: content)
    source = Input(Path("g.csv"))
    read_csv(source, True)
    tracemalloc.start()
    try:
        read_csv(source, True)
        assert tracemalloc.get_traced_memory()[1] < len(content) / 2
    finally:
        tracemalloc.stop()
