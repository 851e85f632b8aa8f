"""References as exported by databases and reference managers, with quirks that users have reported."""

import random
from collections.abc import Iterable

from benchmarks.producer_records import MONTHS, Producers, Record, add_markup, first_last, initials_last, last_first


def ris(fields: Iterable[tuple[str, str]], dash: str = "  - ", end: str = "ER  - \r\n\r\n") -> str:
    """Write a RIS record."""
    return "".join(f"{tag}{dash}{text}\r\n" for tag, text in fields) + end


def ris_fields(record: Record, title: str = "TI", journal: str = "JO", author: str = "AU") -> list[tuple[str, str]]:
    """Return the fields that most producers write."""
    return [
        ("TY", "JOUR"),
        (title, record.title),
        *((author, f"{family}, {given}") for given, family in record.authors),
        (journal, record.journal),
        ("PY", record.year),
        *([("DO", record.doi)] if record.doi else []),
        *(("KW", word) for word in record.keywords),
        ("AB", record.abstract),
    ]


def bib(record: Record, key: str, *more: str, authors: str = "") -> str:
    """Write a BibTeX entry."""
    fields = [
        f"title = {{{record.title}}}",
        f"author = {{{authors or last_first(record, ' and ')}}}",
        f"journal = {{{record.journal.replace('&', '{&}')}}}",
        f"year = {{{record.year}}}",
        f"abstract = {{{record.abstract}}}",
        *([f"doi = {{{record.doi}}}"] if record.doi else []),
    ]
    return f"@article{{{key},\n  " + ",\n  ".join([*fields, *more]) + "\n}\n\n"


def _scopus_ris(records: list[Record], rng: random.Random) -> str:
    return "".join(
        ris(
            [
                *ris_fields(one, journal="T2"),
                ("Y2", "4 March 2026"),
                ("N1", f"Export Date: 5 March 2026; Cited By: {one.number}"),
            ]
        )
        for one in records
    )


def _scopus_bib(records: list[Record], rng: random.Random) -> str:
    return "".join(
        bib(one, f"{one.authors[0][1]}{one.year}{one.number}", "funding_details={First Fund, FF}",
        "funding_details={Second}",
            "source={Scopus}", authors=initials_last(one, " and "))
        for one in records
    )  # fmt: skip


def _sciencedirect_ris(records: list[Record], rng: random.Random) -> str:
    return "".join(
        ris([*ris_fields(one, title="T1")[:-1], ("UR", f"https://www.example.com/pii/S{one.number}"),
             ("AB", add_markup(rng, one.abstract)), ("DO", f"https://doi.org/{one.doi}" if one.doi else "")])
        for one in records
    )  # fmt: skip


def _sciencedirect_bib(records: list[Record], rng: random.Random) -> str:
    return "".join(
        bib(
            one,
            f"{one.authors[0][1].upper()}{one.year}{one.number}",
            *(f'keywords = "{word}"' for word in one.keywords),
        )
        for one in records
    )


def _web_of_science_tags(records: list[Record], rng: random.Random) -> str:
    def one_record(one: Record) -> str:
        authors = "\n   ".join(f"{family}, {given[0]}" for given, family in one.authors)
        half = len(one.abstract) // 2
        return (
            f"PT J\nAU {authors}\nTI {one.title}\nSO {one.journal.upper()}\nAB {one.abstract[:half].rstrip()}\n"
            f"   {one.abstract[half:].lstrip()}\nPY {one.year}\n{f'DI {one.doi}' + chr(10) if one.doi else ''}"
            f"UT WOS:{one.number:015}\nER\n\n"
        )

    return "FN Clarivate Analytics Web of Science\nVR 1.0\n" + "".join(map(one_record, records)) + "EF\n"


def _web_of_science_bib(records: list[Record], rng: random.Random) -> str:
    return "".join(
        bib(
            one, f" WOS:{one.number:015}", f"Early Access Date = {{{{{MONTHS[one.day.month - 1].upper()} {one.year}}}}}"
        )
        for one in records
    )


def _ebsco_ris(records: list[Record], rng: random.Random) -> str:
    return "".join(
        ris([("TY", "JOUR"), ("ID", f"17640{one.number}"), ("T1", add_markup(rng, one.title)),
             ("A1", last_first(one)), ("Y1", f"{one.year}/{one.day.month:02}//Mar/Apr{one.year}"), ("N2",
             one.abstract),
             ("JF", one.journal), ("L3", one.doi or "NA"), ("UR",
             f"https://search.example.com/login?db=x&AN={one.number}")])
        for one in records
    )  # fmt: skip


def _embase_ris(records: list[Record], rng: random.Random) -> str:
    link = "Link to the Ovid Full Text or citation: https://ovidsp.example.com/ovidweb.cgi?T=JS&AN={}\r\n\r\n"
    return "".join(
        ris([("TY", "JOUR"), ("ID", f"20067{one.number}"), ("T1", one.title),
             *(("A1", f"{family} {given[0]}.") for given, family in one.authors), ("Y1", f"{one.year}//"),
             ("N2", ""), ("KW", "article\r\nhuman\r\n" + "\r\n".join(one.keywords)), ("JF", one.journal),
             ("DO", f"{one.doi}     LK  - https://links.example.org/link?id=doi:{one.doi}" if one.doi else "")],
            end="ER  -\r\n\r\n" + link.format(one.number))
        for one in records
    )  # fmt: skip


def _rayyan_ris(records: list[Record], rng: random.Random) -> str:
    return "".join(
        ris([*ris_fields(one)[:-1], ("AN", f"rayyan-{one.number}"), ("DO",
        f"{one.doi}     U2  - L{one.number}" if one.doi else "NA"),
             ("N1", "RAYYAN-INCLUSION: {\"Ann\"=>\"Included\"}")], end="ER  -\r\n\r\n")
        for one in records
    )  # fmt: skip


def _asreview_ris(records: list[Record], rng: random.Random) -> str:
    def shuffled(one: Record) -> list[tuple[str, str]]:
        fields = ris_fields(one)
        return [("DB", "McK"), *fields[1:3], *fields[:1], *fields[3:], ("N1", "ASReview_relevant")]

    return "".join(ris(shuffled(one)) for one in records)


def _refworks_ris(records: list[Record], rng: random.Random) -> str:
    return "".join(
        ris(ris_fields(one, title="T1", journal="JF", author="A1"), dash=" - ", end="ER - \r\n\r\n").replace(
            "TY  -", "TY -"
        )
        for one in records
    )


def _publish_or_perish_bib(records: list[Record], rng: random.Random) -> str:
    return "".join(
        bib(
            one,
            rng.choice(["", f"author{one.year}study{one.number}"]),
            authors=first_last(one, " and ") + " and others",
        )
        for one in records
    )


def _zotero_bib(records: list[Record], rng: random.Random) -> str:
    return "".join(
        bib(one, f"{one.authors[0][1].lower()}_{one.year}_{one.number}",
        f"month = {MONTHS[one.day.month - 1].lower()}",
            "note = {ISBN: 1 \\& {\\textless}i{\\textgreater}2{\\textless}/i{\\textgreater}}")
        for one in records
    )  # fmt: skip


def _mendeley_ris(records: list[Record], rng: random.Random) -> str:
    return "".join(
        ris(
            [
                *(("TY", "JOUR"), ("T1", one.title)),
                *(("A1", f"{family}, {given}") for given, family in one.authors),
                *(("Y1", f"{one.year}/{one.day.month:02}/{one.day.day:02}/"), ("JF", one.journal)),
                *(("N2", one.abstract), ("L3", one.doi)),
            ]
        )
        for one in records
    )


def _endnote_ris(records: list[Record], rng: random.Random) -> str:
    return "".join(ris([*ris_fields(one, journal="T2"), ("ID", str(one.number))]) for one in records)


def _endnote_tags(records: list[Record], rng: random.Random) -> str:
    return "".join(
        f"%0 Journal Article\n%T {one.title}\n" + "".join(f"%A {family}, {given}\n" for given, family in one.authors)
        + f"%J {one.journal}\n%D {one.year}\n%X {one.abstract}\n" + (f"%R {one.doi}\n" if one.doi else "") + "\n"
        for one in records
    )  # fmt: skip


def _pubmed_nbib(records: list[Record], rng: random.Random) -> str:
    def one_record(one: Record) -> str:
        authors = (f"FAU - {family}, {given}\nAU  - {family} {given[0]}\n" for given, family in one.authors)
        return (
            f"PMID- {one.number + 1}\nTI  - {one.title}\n{''.join(authors)}AB  - {one.abstract}\nJT  - {one.journal}\n"
            f"DP  - {one.year} {MONTHS[one.day.month - 1]} {one.day.day}\n"
            + (f"LID - {one.doi} [doi]\n\n" if one.doi else "\n")
        )

    return "".join(map(one_record, records))


REFERENCES: Producers = {
    "scopus.ris": (_scopus_ris, "utf-8"),
    "scopus.bib": (_scopus_bib, "utf-8"),
    "sciencedirect.ris": (_sciencedirect_ris, "utf-8"),
    "sciencedirect.bib": (_sciencedirect_bib, "utf-8"),
    "web-of-science.ciw": (_web_of_science_tags, "utf-8-sig"),
    "web-of-science.bib": (_web_of_science_bib, "utf-8"),
    "ebsco.ris": (_ebsco_ris, "cp1252"),
    "embase.ris": (_embase_ris, "utf-8"),
    "rayyan.ris": (_rayyan_ris, "utf-8"),
    "asreview.ris": (_asreview_ris, "utf-8"),
    "refworks.txt": (_refworks_ris, "utf-8"),
    "publish-or-perish.bib": (_publish_or_perish_bib, "utf-8"),
    "zotero.bib": (_zotero_bib, "utf-8"),
    "mendeley.ris": (_mendeley_ris, "utf-8"),
    "endnote.ris": (_endnote_ris, "utf-8-sig"),
    "endnote.enw": (_endnote_tags, "utf-8"),
    "pubmed.nbib": (_pubmed_nbib, "utf-8"),
}
