"""What the director sees and changes on the page Manage, as tables; nothing is drawn here."""

import dataclasses
from datetime import date

import pandas as pd

from data import catalogue, holidays, people, reviews, service
from data.errors import RefusedError
from data.records import Report
from data.store import Store
from desk.charts import COLOURS

WHITE, BLACK = "#ffffff", "#0e1117"  # grounds that a page may have
LEAST_CONTRAST = 2.0  # of a colour against both; from 1, none, to 21


def report_colours(store: Store) -> dict[str, str]:
    """Give the colour of every report on charts, by code: the one chosen, or else the next of those that charts use.

    Retired ones have theirs too; so the others keep theirs when one retires.
    """
    codes = [report.code for report in catalogue.reports(store, retired=True)]
    usual = {code: COLOURS[number % len(COLOURS)].lower() for number, code in enumerate(codes)}
    return usual | service.colours(store)


def set_colour(store: Store, report: str, colour: str) -> None:
    """Choose the colour of a report as `data.service.set_colour` does, if it can be seen on white and on black.

    Raises
    ------
    RefusedError
        If it can't, or is no colour, or the report is not there.
    """
    if service.COLOUR.fullmatch(colour.strip().lower()):
        for ground, name, other in ((WHITE, "white", "darker"), (BLACK, "black", "lighter")):
            if contrast(colour.strip(), ground) < LEAST_CONTRAST:
                raise RefusedError(f"{colour} can hardly be seen on a {name} page; choose a {other} one.")
    service.set_colour(store, report, colour)


def contrast(first: str, second: str) -> float:
    """Give the contrast of two colours as web pages reckon it: from 1, none, to 21, black on white.

    References
    ----------
    Web Content Accessibility Guidelines 2.2, "contrast ratio".

    Examples
    --------
    >>> contrast("#000000", "#ffffff"), round(contrast("#0072b2", "#ffffff"), 1)
    (21.0, 5.2)
    """
    dark, light = sorted(_luminance(colour) for colour in (first, second))
    return (light + 0.05) / (dark + 0.05)


def report_table(store: Store, today: date) -> pd.DataFrame:
    """Give a row a report, retired ones last: code, name, editors of today, papers found relevant, colour, standing."""
    n_relevant, colours, known = reviews.n_relevant(store), report_colours(store), people.editorships(store)
    reports = sorted(catalogue.reports(store, retired=True), key=lambda report: report.is_retired)
    rows = [
        (
            report.code,
            report.name,
            ", ".join(people.editors_on(known, report.code, today)),
            n_relevant[report.code],
            colours[report.code],
            "retired" if report.is_retired else "",
        )
        for report in reports
    ]
    return pd.DataFrame(rows, columns=["code", "name", "editors", "n_relevant", "colour", "standing"])


def without_editor(store: Store, today: date) -> list[Report]:
    """Choose the reports that nobody edits on a day; none where no editor was ever named. Retired ones don't count."""
    known = people.editorships(store)
    return [report for report in catalogue.reports(store) if known and not people.editors_on(known, report.code, today)]


def editor_table(store: Store) -> pd.DataFrame:
    """Give a row for each time that somebody edits a report, or stands in: who, where from, for whom, first, last."""
    where_from = people.affiliations(store)
    rows = [
        (one.report, one.editor, where_from[one.editor], one.away, str(one.first), str(one.last or ""))
        for one in people.editorships(store)
    ]
    columns = ["report", "editor", "affiliation", "stands_in_for", "first", "last"]
    return pd.DataFrame(rows, columns=columns)


def holiday_table(store: Store) -> pd.DataFrame:
    """Give a row a holiday: first and last day, number of days, name."""
    rows = [(one.first, one.last, (one.last - one.first).days + 1, one.name) for one in holidays.holidays(store)]
    return pd.DataFrame(rows, columns=["first", "last", "days", "name"])


def ranker_table(store: Store) -> pd.DataFrame:
    """Give a row for each choice of rankers, newest first: when, who, the active one, its shadows, for which issues."""
    rows = [
        (f"{one.made_at:%Y-%m-%d %H:%M}", one.person, one.active, ", ".join(one.shadows), str(one.after or ""))
        for one in reversed(service.ranker_choices(store))
    ]
    return pd.DataFrame(rows, columns=["made_at", "person", "active", "shadows", "after"])


def import_table(store: Store) -> pd.DataFrame:
    """Give a row a file that came in, newest first: when, who, its name, and what it changed in numbers of each."""
    rows = [
        {"made_at": f"{one.made_at:%Y-%m-%d %H:%M}", "person": one.person, "file": one.file}
        | dataclasses.asdict(one.summary)
        for one in service.imports(store)
    ]
    return pd.DataFrame(rows, columns=["made_at", "person", "file", *service.COUNTS])


def _luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
