"""What the director sees and changes on the page Manage, as tables; nothing is drawn here."""

import dataclasses
from collections.abc import Sequence
from datetime import date

import pandas as pd

from presort.data import catalogue
from presort.data.duplicates.listings import PossibleDuplicate
from presort.data.editing import decisions
from presort.data.errors import RefusedError
from presort.data.records import AuditEntry, Paper, Report
from presort.data.running import holidays, people, roles, service
from presort.data.store import Store
from presort.desk.access import person_name
from presort.desk.manage import member_words
from presort.desk.ui.colours import BLACK, COLOURS, WHITE, contrast

LEAST_CONTRAST = 2.0  # of a colour against both; from 1, none, to 21


def report_colours(store: Store) -> dict[str, str]:
    """Return the colour of every report on charts, by code: the one chosen, or else the next of those that charts use.

    They are dealt out in the order in which reports were added, to retired ones too: whoever comes or goes, all others
    keep theirs.
    """
    usual = {code: COLOURS[number % len(COLOURS)].lower() for number, code in enumerate(service.as_added(store))}
    return usual | service.colours(store)


def set_colour(store: Store, report: str, colour: str) -> None:
    """Choose the colour of a report as `data.running.service.set_colour` does, if it can be seen on white and on black.

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


def report_table(store: Store, today: date) -> pd.DataFrame:
    """Return a row a report, retired last: code, name, today's editors, papers found relevant, colour, standing."""
    n_relevant, colours, known = decisions.n_relevant(store), report_colours(store), people.editorships(store)
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
    """Return a row for each time that somebody edits a report, or stands in: who, where from, for whom, first, last."""
    where_from = people.affiliations(store)
    rows = [
        (one.report, one.editor, where_from[one.editor], one.away, str(one.first), str(one.last or ""))
        for one in people.editorships(store)
    ]
    columns = ["report", "editor", "affiliation", "stands_in_for", "first", "last"]
    return pd.DataFrame(rows, columns=columns)


def member_table(store: Store) -> pd.DataFrame:
    """Return a row a person at the desk: name, what they may, whether they can sign in."""
    rows = [(one.name, member_words.may(one), member_words.signs_in(one)) for one in roles.members(store)]
    return pd.DataFrame(rows, columns=["name", "may", "signs_in"])


def audit_table(entries: Sequence[AuditEntry]) -> pd.DataFrame:
    """Return a row a change: when, who, from where, what, report, issue, title of the paper."""
    rows = [
        (
            f"{one.made_at:%Y-%m-%d %H:%M:%S}",
            person_name(one.person),
            one.place,
            one.description,
            one.report,
            str(one.issue or ""),
            one.title,
        )
        for one in entries
    ]
    return pd.DataFrame(rows, columns=["made_at", "person", "place", "what", "report", "issue", "title"])


def holiday_table(store: Store) -> pd.DataFrame:
    """Return a row a holiday: first and last day, number of days, name."""
    rows = [(one.first, one.last, (one.last - one.first).days + 1, one.name) for one in holidays.holidays(store)]
    return pd.DataFrame(rows, columns=["first", "last", "days", "name"])


def ranker_table(store: Store) -> pd.DataFrame:
    """Return a row for each choice of rankers, newest first: when, who, active, shadows, for which issues."""
    rows = [
        (
            f"{one.made_at:%Y-%m-%d %H:%M}",
            person_name(one.person),
            one.active,
            ", ".join(one.shadows),
            str(one.after or ""),
        )
        for one in reversed(service.ranker_choices(store))
    ]
    return pd.DataFrame(rows, columns=["made_at", "person", "active", "shadows", "after"])


def import_table(store: Store) -> pd.DataFrame:
    """Return a row a file that came in, newest first: when, who, its name, and what it changed in numbers of each."""
    rows = [
        {"made_at": f"{one.made_at:%Y-%m-%d %H:%M}", "person": person_name(one.person), "file": one.file}
        | dataclasses.asdict(one.summary)
        for one in service.imports(store)
    ]
    return pd.DataFrame(rows, columns=["made_at", "person", "file", *service.COUNTS])


def duplicate_table(pairs: Sequence[PossibleDuplicate]) -> pd.DataFrame:
    """Return one row per possible duplicate: id, title, authors, abstract and issues of both papers."""
    rows = [
        {
            "how": pair.how,
            "score": pair.score,
            **_described("", pair.paper, pair.issues),
            **_described("other_", pair.other, pair.other_issues),
        }
        for pair in pairs
    ]
    return pd.DataFrame(rows)


def _described(prefix: str, paper: Paper, issues: Sequence[date]) -> dict[str, object]:
    texts = {"id": paper.paper_id, "title": paper.title, "authors": paper.authors, "abstract": paper.abstract}
    return {f"{prefix}{name}": text for name, text in {**texts, "issues": list(map(str, issues))}.items()}
