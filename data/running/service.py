"""Settings for the service: active and shadow rankers, report colours, and the log of imported files."""

import dataclasses
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime

from sqlalchemy import Connection, exists, insert, select, update

from presort.data.catalogue import late_after, log_change, person_id, report_id, setting
from presort.data.errors import RefusedError
from presort.data.records import ImportedFile, ImportSummary, RankerChoice
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import ImportedFileRow, IssueRow, PersonRow, RankerChoiceRow, RankingRow, ReportRow
from presort.data.text.cleaning import clean

DEMO = "demo"  # name of the setting that marks a demo workspace
COLOUR = re.compile(r"#[0-9a-f]{6}")
COUNTS = [field.name for field in dataclasses.fields(ImportSummary)]


def is_demo(store: Store) -> bool:
    """Return True if the workspace is a demo with invented papers."""
    return store.read_once("is-demo", lambda store: setting(store, DEMO) is not None)


def active_ranker(store: Store, issue: date | None = None) -> str | None:
    """Return an issue's active ranker, or None if no ranker was chosen. `issue` defaults to the next issue."""
    choice = _choice(store, issue)
    return None if choice is None else choice.active


def shadows(store: Store, issue: date | None = None) -> tuple[str, ...]:
    """Return an issue's shadow rankers. `issue` defaults to the next issue."""
    choice = _choice(store, issue)
    return () if choice is None else choice.shadows


def set_rankers(store: Store, active: str, shadows: Iterable[str], *, person: str) -> None:
    """Choose the active ranker and the shadow rankers for all issues after the newest ranked issue.

    Nothing is logged if both choices are unchanged.

    Parameters
    ----------
    active : str
        Name of the active ranker.
    shadows : iterable of str
        Names of the shadow rankers. The active ranker is removed from them.
    """
    with store.writing() as connection:
        _set_rankers(connection, active, shadows, person)


def set_active_ranker(store: Store, name: str, *, person: str) -> None:
    """Choose the active ranker, see `set_rankers`. If it was a shadow ranker, it is removed from the shadow rankers."""
    with store.writing() as connection:
        known = _choices(connection)
        _set_rankers(connection, name, known[-1].shadows if known else (), person)


def ranker_choices(store: Store) -> list[RankerChoice]:
    """Return the log of ranker choices, oldest first."""
    with store.reading(Right.SEE) as connection:
        return _choices(connection)


def choice_of(choices: Sequence[RankerChoice], issue: date) -> RankerChoice | None:
    """Return the choice that applies to an issue, or None if there is none. `choices` must be sorted, oldest first."""
    holding = [one for one in choices if one.after is None or one.after < issue]
    return holding[-1] if holding else None


def newest_ranked_issue(store: Store) -> date | None:
    """Return the newest issue that was ranked for an editor. A new choice of rankers applies to later issues.

    Returns None if no issue was ranked yet.
    """
    with store.reading(Right.SEE) as connection:
        return _read_newest_ranked_issue(connection)


def colours(store: Store) -> dict[str, str]:
    """Return the chosen colours, such as ``#0072b2``, by report code. Reports without a choice are missing."""
    with store.reading(Right.SEE) as connection:
        rows = connection.execute(
            select(ReportRow.code, ReportRow.colour).where(ReportRow.colour != "").order_by(ReportRow.code)
        )
        return dict(rows.all())


def report_codes_by_age(store: Store) -> list[str]:
    """Return the codes of all reports, including retired reports, in the order in which they were added."""
    with store.reading() as connection:
        return list(connection.execute(select(ReportRow.code).order_by(ReportRow.id)).scalars())


def set_colour(store: Store, report: str, colour: str) -> None:
    """Choose a report's colour in charts. An empty string removes the chosen colour.

    Raises
    ------
    RefusedError
        If the report does not exist, or the colour is not # and six hexadecimal digits.
    """
    written = colour.strip().lower()
    if written and not COLOUR.fullmatch(written):
        raise RefusedError(f"{colour!r} is not a colour. Use # and six hexadecimal digits, such as #0072b2.")
    with store.writing() as connection:
        of_report = ReportRow.id == report_id(connection, report)
        before = connection.execute(select(ReportRow.colour).where(of_report)).scalar_one()
        connection.execute(update(ReportRow).where(of_report).values(colour=written))
        who = store.author(connection)
        log_change(connection, "Colour", person=who, report=report, before=before, after=written)


def restore_report(store: Store, code: str, *, undoes: bool = False) -> None:
    """Restore a retired report under its old name. A report that is not retired is left unchanged.

    Parameters
    ----------
    undoes : bool
        Undo the retirement, so that issues that were late before are late again. By default, only issues that appear
        after the current newest issue can be late.
    """
    with store.writing() as connection:
        is_back = update(ReportRow).where(
            ReportRow.id == report_id(connection, code), ReportRow.retired_at.is_not(None)
        )
        begins = {} if undoes else {"late_after": late_after(connection)}
        if connection.execute(is_back.values(retired_at=None, **begins)).rowcount:
            log_change(connection, "Restored the report", person=store.author(connection), report=code)


def log_import(connection: Connection, file: str, summary: ImportSummary, *, person: str) -> None:
    """Log an imported file by name, without its folder. This must be called in the transaction of the import."""
    who = person_id(connection, person)
    values = {"file": clean(file), "person_id": who, "made_at": datetime.now(UTC), **dataclasses.asdict(summary)}
    connection.execute(insert(ImportedFileRow).values(**values))


def imports(store: Store) -> list[ImportedFile]:
    """Return the log of imports, newest first."""
    counts = [getattr(ImportedFileRow, name) for name in COUNTS]
    with store.reading() as connection:
        rows = connection.execute(
            select(ImportedFileRow.file, PersonRow.name, ImportedFileRow.made_at, *counts)
            .join(PersonRow, PersonRow.id == ImportedFileRow.person_id)
            .order_by(ImportedFileRow.id.desc())
        )
        return [ImportedFile(file, ImportSummary(*numbers), who, made_at) for file, who, made_at, *numbers in rows]


def _choice(store: Store, issue: date | None) -> RankerChoice | None:
    choices = ranker_choices(store)
    if issue is not None:
        return choice_of(choices, issue)
    return choices[-1] if choices else None


def _choices(connection: Connection) -> list[RankerChoice]:
    rows = connection.execute(
        select(
            RankerChoiceRow.active,
            RankerChoiceRow.shadows,
            RankerChoiceRow.after,
            PersonRow.name,
            RankerChoiceRow.made_at,
        )
        .join(PersonRow, PersonRow.id == RankerChoiceRow.person_id)
        .order_by(RankerChoiceRow.id)
    )
    return [RankerChoice(*row) for row in rows]


def _set_rankers(connection: Connection, active: str, shadows: Iterable[str], person: str) -> None:
    others = tuple(name for name in dict.fromkeys(shadows) if name != active)
    known = _choices(connection)
    if known and (known[-1].active, known[-1].shadows) == (active, others):
        return
    values = {
        "active": active,
        "shadows": others,
        "after": _read_newest_ranked_issue(connection),
        "person_id": person_id(connection, person),
        "made_at": datetime.now(UTC),
    }
    connection.execute(insert(RankerChoiceRow).values(**values))


def _read_newest_ranked_issue(connection: Connection) -> date | None:
    # The subqueries are correlated by report and issue, so that they can use an index. The newest issues come first.
    of_report = exists().where(
        RankingRow.report_id == ReportRow.id, RankingRow.issue_id == IssueRow.id, RankingRow.replay_id.is_(None)
    )
    is_sorted = select(ReportRow.id).where(of_report.correlate(ReportRow, IssueRow)).exists()
    newest = select(IssueRow.date).where(is_sorted).order_by(IssueRow.date.desc()).limit(1)
    return connection.execute(newest).scalar()
