"""Shared helpers for tests of reference importers: files, papers with arbitrary texts, and damage."""

import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

import pytest
from hypothesis import strategies as st

from presort.data.errors import UnreadableFileError
from presort.data.records import Entry, ExportedPaper, Paper
from presort.data.records.paper_types import BY_NAME
from presort.data.text.cleaning import clean
from presort.data.text.prose import prose
from tests.data.workspaces import FIRST

Reader = Callable[[Path], Iterator[Entry]]

PAPER = Paper(
    "RePEc:abc:1",
    "Wages & jobs: {5 %} of <it>",
    abstract=r"We show $x_1$ ~ y^2, \unknown{not} a -- b.",
    authors=("Ann Lee", "Chen, Bo", "Simon and Schuster"),
    codes=("J31", "J38"),
    series="Working papers",
    date="2026-11-01",
    doi="10.1257/aer.1",
    url="https://a.example/1.pdf",
    type="report",
)
HOSTILE = [
    "ER  -",
    "TY  - JOUR",
    "an open { brace",
    "a closed } one",
    "a } @misc{evil, title = {x}",
    r"\'e \textbackslash{} \\ \{ $",
    "</title><text id='x'>",
    "&lol; <!ENTITY lol 'lol'>",
    "]]>",
    "and",
    "others",
    "A, B and C, D, E",
]
texts = st.sampled_from(HOSTILE).map(clean) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\ufffe\uffff"), max_size=30
).map(clean)  # not allowed in XML
filled = texts.filter(bool)
as_read = texts.filter(lambda text: prose(text) == text)  # TeX outside of formulas is not restored


def papers(ids: st.SearchStrategy[str] = filled, codes: st.SearchStrategy[str] = filled) -> st.SearchStrategy[Paper]:
    return st.builds(
        Paper,
        paper_id=ids,
        title=as_read.filter(bool),
        abstract=as_read,
        authors=st.lists(filled, max_size=3).map(tuple),
        codes=st.lists(codes, max_size=3, unique=True).map(tuple),
        series=texts,
        date=st.just("") | st.dates().map(str),
        doi=st.sampled_from(["", "10.1257/aer.1", "10.1000/a_b(c)"]),
        url=st.sampled_from(["", "https://a.example/a_b?c=1&d#e"]),
        type=st.sampled_from(["", *BY_NAME]),
    )


def read_text(read: Reader, content: str | bytes) -> list[Paper]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "papers.txt"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return [entry.paper for entry in read(path)]


def refusal(read: Reader, content: str | bytes) -> str:
    with pytest.raises(UnreadableFileError) as caught:
        read_text(read, content)
    return str(caught.value)


def out_and_in(write: Callable[[Iterable[ExportedPaper], BinaryIO], None], read: Reader, some: list[Paper]) -> object:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "papers.txt"
        with path.open("wb") as file:
            write([ExportedPaper(paper, "lab", FIRST, place) for place, paper in enumerate(some, 1)], file)
        return [entry.paper for entry in read(path)]


def assert_damage_is_named(read: Reader, whole: bytes, *, n_times: int = 300) -> None:
    """Change random bytes and lines. The file must be read, or rejected with its name."""
    dice = random.Random(1)
    n_refused = 0
    for _ in range(n_times):
        lines = whole.splitlines(keepends=True)
        for _ in range(dice.choice([0, 0, 1, 2])):
            a, b = dice.randrange(len(lines)), dice.randrange(len(lines))
            lines[a] = dice.choice([b"", lines[b], lines[a][: len(lines[a]) // 2]])
        damaged = bytearray(b"".join(lines))
        for _ in range(dice.choice([0, 1, 2, 5])):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        n_refused += _is_refused(read, bytes(damaged))
    assert n_times / 10 < n_refused < n_times, "the damage is too light or too heavy to tell anything"


def _is_refused(read: Reader, content: bytes) -> bool:
    try:
        read_text(read, content)
    except UnreadableFileError:
        return True
    return False
