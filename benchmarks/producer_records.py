"""Synthetic records, and functions that write their fields in the same way as producers."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape

from presort.data.text.cleaning import split_words

GIVEN = split_words("Ann Bo Cy Di Ed Fay Gil Hua Ida Jörg Łucja María Ngozi Olga Per Quinn Rosa Søren Tea Uwe")
FAMILY = split_words("Author Writer Scholar Reader García-López O'Neil Müller Ek McDonald DeVries Zhang Núñez Şahin Wu")
WORDS = split_words(
    "wages jobs prices trade bread rivers drought banks towns farms schools roads rent growth shocks "
    "taxes votes care skills firms ports fish wheat cotton soil carbon whales cysts bears tigers wolves "
    "graphs sets rings maps"
)
JOURNALS = ("Journal of Examples", "Annals of Samples", "Letters & Notes", "Bulletin, Series B")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
Names = Sequence[tuple[str, str]]  # given name and family name of each author


@dataclass(frozen=True)
class Record:
    """Data that a producer has about a paper."""

    number: int
    title: str
    authors: Names
    journal: str
    day: date
    doi: str
    abstract: str
    keywords: tuple[str, ...]

    @property
    def year(self) -> str:
        """Year of publication."""
        return str(self.day.year)


def make_records(rng: random.Random, n_records: int) -> list[Record]:
    """Return synthetic records with distinct titles."""
    return [
        Record(
            number,
            f"{' and '.join(rng.sample(WORDS, 3)).capitalize()} in town {number}",
            list(dict.fromkeys((rng.choice(GIVEN), rng.choice(FAMILY)) for _ in range(rng.randint(1, 5)))),
            rng.choice(JOURNALS),
            date(rng.randint(1990, 2026), rng.randint(1, 12), rng.randint(1, 28)),
            f"10.1000/ex.{number}" if rng.random() < 0.8 else "",
            " ".join(rng.choices(WORDS, k=40)).capitalize() + ".",
            tuple(rng.sample(WORDS, 3)),
        )
        for number in range(n_records)
    ]


def last_first(record: Record, between: str = "; ") -> str:
    """Write authors as "Lee, Ann"."""
    return between.join(f"{family}, {given}" for given, family in record.authors)


def initials_last(record: Record, between: str = ", ") -> str:
    """Write authors as "Lee A."."""
    return between.join(f"{family} {given[0]}." for given, family in record.authors)


def first_last(record: Record, between: str = "; ") -> str:
    """Write authors as "Ann Lee"."""
    return between.join(f"{given} {family}" for given, family in record.authors)


def add_markup(rng: random.Random, text: str) -> str:
    """Randomly add HTML tags and entities to a text."""
    first, _, rest = text.partition(" ")
    return rng.choice([text, text, f"<i>{first}</i> {rest}", f"{escape(text)} &amp; <b>more</b>", f"<p>{text}</p>"])


Write = Callable[[list[Record], random.Random], str]
# maps each file name to the function that writes the file, and to the encoding
Producers = dict[str, tuple[Write, str]]
