"""Tables as exported by databases and reference managers, with quirks that users have reported."""

import csv
import io
import random
from collections.abc import Iterable, Sequence

from benchmarks.producer_records import MONTHS, Producers, Record, add_markup, first_last, initials_last, last_first


def table(
    header: Sequence[str], rows: Iterable[Sequence[str]], delimiter: str = ",", above: str = "", end: str = ""
) -> str:
    """Write a table, optionally with lines above it or with a string at the end of each row."""
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator=f"{end}\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return above + file.getvalue()


def _scopus_csv(records: list[Record], rng: random.Random) -> str:
    header = [
        "Authors",
        "Author full names",
        "Title",
        "Year",
        "Source title",
        "DOI",
        "Abstract",
        "Author Keywords",
        "EID",
    ]

    def full(one: Record) -> str:
        return "; ".join(f"{family}, {given} (57{one.number:09})" for given, family in one.authors)

    return "\ufeff" + table(
        header,
        (
            [initials_last(one, "; "), full(one), one.title, one.year, one.journal, one.doi,
             rng.choice([one.abstract, "[No abstract available]"]), "; ".join(one.keywords), f"2-s2.0-{one.number}"]
            for one in records
        ),
    )  # fmt: skip


def _web_of_science_tabs(records: list[Record], rng: random.Random) -> str:
    rows = (
        [
            "J",
            initials_last(one, "; "),
            one.title,
            one.journal,
            one.abstract,
            one.year,
            one.doi,
            f"WOS:{one.number:015}",
        ]
        for one in records
    )
    return table(["PT", "AU", "TI", "SO", "AB", "PY", "DI", "UT"], rows, "\t", end="\t").replace("\t\r\n", "\r\n", 1)


def _ebsco_csv(records: list[Record], rng: random.Random) -> str:
    lines = (
        f'"{one.title}","{last_first(one)}","{one.journal}",="19326203",="{one.day.month}/{one.day.day}/{one.year}",'
        f'"{1_764_045_030 + one.number}","{one.doi}","{one.abstract}"\r\n'
        for one in records
    )
    return "Article Title,Author,Journal Title,ISSN,Publication Date,Accession Number,DOI,Abstract\r\n" + "".join(lines)


def _embase_csv(records: list[Record], rng: random.Random) -> str:
    rows = (
        [one.title, initials_last(one), one.journal, one.year, one.abstract, one.doi, ", ".join(one.keywords)]
        for one in records
    )
    header = ["Title", "Author Names", "Source title", "Publication Year", "Abstract", "DOI", "Emtree keywords"]
    return table(header, rows, above='"SEARCH QUERY","wages:ti"\r\n-------------------\r\n\r\n')


def _dimensions_csv(records: list[Record], rng: random.Random) -> str:
    rows = (
        [
            str(one.number + 1),
            f"pub.{one.number}",
            one.doi,
            one.title,
            one.abstract,
            one.journal,
            one.year,
            last_first(one),
        ]
        for one in records
    )
    above = '"About the data: Exported on Nov 10, 2026. Criteria: ""wages"" in title and abstract."\r\n'
    return table(
        ["Rank", "Publication ID", "DOI", "Title", "Abstract", "Source title", "PubYear", "Authors"], rows, above=above
    )


def _rayyan_csv(records: list[Record], rng: random.Random) -> str:
    header = [
        "key",
        "title",
        "year",
        "month",
        "day",
        "journal",
        "issn",
        "volume",
        "issue",
        "pages",
        "authors",
        "url",
        "abstract",
        "doi",
    ]
    rows = (
        [f"rayyan-{one.number}", add_markup(rng, one.title), one.year, "", "", one.journal, "", "15", "1", "",
         last_first(one, " and "), f"https://x.example.org/{one.number}", one.abstract, one.doi]
        for one in records
    )  # fmt: skip
    return table(header, rows)


def _ieee_csv(records: list[Record], rng: random.Random) -> str:
    header = ["Document Title", "Authors", "Publication Title", "Publication Year", "Abstract", "DOI", "Issue Date"]
    lines = [",".join(f'"{name}"' for name in header)]
    for one in records:
        journal = rng.choice(
            [one.journal, 'EUROCON - The Conference on "Computer as a Tool"', f'"{one.journal}" Section']
        )
        authors = "; ".join(f"{given[0]}. {family}" for given, family in one.authors)
        when = rng.choice(
            [
                one.day.isoformat(),
                f"{one.day.day} {MONTHS[one.day.month - 1]}. {one.year}",
                f"22-24 Nov. {one.year}",
                "",
            ]
        )
        lines.append(
            ",".join(f'"{cell}"' for cell in (one.title, authors, journal, one.year, one.abstract, one.doi, when))
        )
    return "\r\n".join([*lines, ""])


def _asreview_csv(records: list[Record], rng: random.Random) -> str:
    header = [
        "record_id",
        "primary_title",
        "first_authors",
        "publication_year",
        "alternate_title3",
        "doi",
        "abstract",
        "asreview_label",
    ]
    rows = (
        [str(one.number), one.title, str([f"{family}, {given}" for given, family in one.authors]), f"{one.year}.0",
         one.journal, one.doi or "NA", one.abstract, str(one.number % 2)]
        for one in records
    )  # fmt: skip
    return table(header, rows)


def _refworks_csv(records: list[Record], rng: random.Random) -> str:
    header = [
        "Reference Type",
        "Authors, Primary",
        "Title Primary",
        "Periodical Full",
        "Pub Year",
        "Pub Date Free Form",
        "Descriptors",
        "Abstract",
        "DOI",
    ]
    rows = (
        [
            "Journal Article",
            last_first(one),
            one.title,
            one.journal,
            one.year,
            MONTHS[one.day.month - 1],
            ";".join(one.keywords),
            one.abstract,
            one.doi,
        ]
        for one in records
    )
    return table(header, rows)


def _springerlink_csv(records: list[Record], rng: random.Random) -> str:
    header = [
        "Item Title",
        "Publication Title",
        "Book Series Title",
        "Journal Volume",
        "Journal Issue",
        "Item DOI",
        "Authors",
        "Publication Year",
        "URL",
        "Content Type",
    ]
    rows = (
        [
            one.title,
            one.journal,
            "",
            "1",
            "2",
            one.doi,
            first_last(one, ""),
            one.year,
            f"http://link.example.com/{one.number}",
            "Article",
        ]
        for one in records
    )
    return table(header, rows)


def _lens_csv(records: list[Record], rng: random.Random) -> str:
    header = [
        "Lens ID",
        "Title",
        "Date Published",
        "Publication Year",
        "Publication Type",
        "Source Title",
        "Author/s",
        "Abstract",
        "DOI",
    ]
    rows = (
        [
            f"{one.number:03}-046",
            one.title,
            one.day.isoformat(),
            one.year,
            "journal article",
            one.journal,
            first_last(one),
            one.abstract,
            one.doi,
        ]
        for one in records
    )
    return table(header, rows)


def _publish_or_perish_csv(records: list[Record], rng: random.Random) -> str:
    header = [
        "Cites",
        "Authors",
        "Title",
        "Year",
        "Source",
        "Publisher",
        "ArticleURL",
        "GSRank",
        "Type",
        "DOI",
        "Abstract",
    ]
    rows = (
        [str(one.number), ", ".join(f"{given[0]} {family}" for given, family in one.authors) + rng.choice(["",
        ", ..."]),
         one.title, one.year, one.journal, "Wiley", f"https://x.example/{one.number}", "1", rng.choice(["PDF",
         ""]), one.doi, one.abstract]
        for one in records
    )  # fmt: skip
    return table(header, rows)


def _zotero_csv(records: list[Record], rng: random.Random) -> str:
    header = [
        "Key",
        "Item Type",
        "Publication Year",
        "Author",
        "Title",
        "Publication Title",
        "DOI",
        "Abstract Note",
        "Date",
        "Date Added",
        "Issue",
        "Volume",
    ]
    rows = (
        [f"K{one.number:07}", "journalArticle", one.year, last_first(one), add_markup(rng, one.title), one.journal,
        one.doi, one.abstract,
         rng.choice([one.day.isoformat(), f"{MONTHS[one.day.month - 1]} {one.year}", one.year]),
         "2026-11-01 10:00:00", "3", "7"]
        for one in records
    )  # fmt: skip
    return table(header, rows)


def _pubmed_csv(records: list[Record], rng: random.Random) -> str:
    header = [
        "PMID",
        "Title",
        "Authors",
        "Citation",
        "First Author",
        "Journal/Book",
        "Publication Year",
        "Create Date",
        "PMCID",
        "DOI",
    ]
    rows = (
        [str(one.number + 1), one.title, ", ".join(f"{family} {given[0]}" for given, family in one.authors) + ".",
        "", "", one.journal, one.year,
         "2024/03/05", "", one.doi]
        for one in records
    )  # fmt: skip
    return table(header, rows)


TABLES: Producers = {
    "scopus.csv": (_scopus_csv, "utf-8"),
    "web-of-science-tabs.txt": (_web_of_science_tabs, "utf-16"),
    "ebsco.csv": (_ebsco_csv, "utf-8"),
    "embase.csv": (_embase_csv, "utf-8"),
    "dimensions.csv": (_dimensions_csv, "utf-8"),
    "rayyan.csv": (_rayyan_csv, "utf-8"),
    "ieee.csv": (_ieee_csv, "utf-8"),
    "asreview.csv": (_asreview_csv, "utf-8"),
    "refworks.csv": (_refworks_csv, "utf-8"),
    "springerlink.csv": (_springerlink_csv, "utf-8"),
    "lens.csv": (_lens_csv, "utf-8"),
    "publish-or-perish.csv": (_publish_or_perish_csv, "utf-8-sig"),
    "zotero.csv": (_zotero_csv, "utf-8"),
    "pubmed.csv": (_pubmed_csv, "utf-8"),
}
