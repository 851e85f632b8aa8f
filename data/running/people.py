"""Editors of reports and their substitutes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import Connection, Select, func, insert, select, update
from sqlalchemy.orm import aliased

from presort.data.catalogue import log_change, person_id, report_id
from presort.data.errors import RefusedError
from presort.data.mentions import mentions_of, replace_mentions
from presort.data.records import Editorship, ReportIssue
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import EditorshipRow, PersonRow, ReportRow
from presort.data.text.cleaning import clean

ONE_DAY = timedelta(days=1)
MAX_NAME = 200  # maximum number of characters in the name of a person or an affiliation
# Names that logs give as the author of changes made without a signed-in user.
IN_LOGS = ("editor", "harvest", "hints", "import", "manage", "presort", "reader")


def editorships(store: Store) -> list[Editorship]:
    """Return past, current and future editorships, sorted by report and first day."""
    with store.reading(Right.SEE) as connection:
        return read_editorships(connection)


def editors_on(known: Sequence[Editorship], report: str, day: date) -> list[str]:
    """Return the names of a report's editors on `day`, replacing editors who are away with their substitutes.

    Parameters
    ----------
    known : sequence of Editorship
        Result of `editorships`.

    Examples
    --------
    >>> monday = date(2026, 11, 16)
    >>> ann, bo = Editorship("lab", "Ann", date(2026, 1, 5)), Editorship("lab", "Bo", monday, monday, away="Ann")
    >>> editors_on([ann, bo], "lab", monday), editors_on([ann, bo], "lab", date(2026, 11, 23))
    (['Bo'], ['Ann'])
    """
    on_day = [one for one in known if one.report == report and one.holds_on(day)]
    stand_in = {one.away: one.editor for one in on_day if one.away}
    return list(dict.fromkeys(stand_in.get(one.editor, one.editor) for one in on_day if not one.away))


def editors_for_readers(known: Sequence[Editorship], report_issue: ReportIssue) -> list[str]:
    """Return the names of the editors to show to a report issue's readers. Empty if none is known.

    If the report had no editors on the issue date, the function returns the user who published it at the desk.

    Examples
    --------
    >>> monday = date(2026, 11, 16)
    >>> published = ReportIssue("lab", monday, (1, 2), "Bo")
    >>> editors_for_readers([Editorship("lab", "Ann", monday)], published), editors_for_readers([], published)
    (['Ann'], ['Bo'])
    """
    is_signed = report_issue.source == "desk" and report_issue.person not in IN_LOGS
    return editors_on(known, report_issue.report, report_issue.issue) or [report_issue.person] * is_signed


def editor_since(known: Sequence[Editorship], report: str, editor: str, day: date) -> date:
    """Return the first day of the uninterrupted period, including `day`, in which a person edits a report.

    Terms as a substitute are part of the period. The person can't be late with issues from before the period. Returns
    `day` if the person doesn't edit the report on that day.

    Examples
    --------
    >>> monday = date(2026, 11, 16)
    >>> ann = Editorship("lab", "Ann", date(2026, 1, 5))
    >>> editor_since([ann], "lab", "Ann", monday), editor_since([ann], "lab", "Bo", monday)
    (datetime.date(2026, 1, 5), datetime.date(2026, 11, 16))
    """
    own = [one for one in known if (one.report, one.editor) == (report, editor)]
    if not (current := [one.first for one in own if one.holds_on(day)]):
        return day
    since = min(current)
    # Consecutive editorships of the same person form one uninterrupted period.
    while earlier := [one.first for one in own if one.first < since and one.last and one.last >= since - ONE_DAY]:
        since = min(earlier)
    return since


def editors_with_start(known: Sequence[Editorship], report: str, issue: date, day: date) -> list[str]:
    """Return the names of a report's editors on `day`, adding the start date if an editor joined after `issue`.

    Examples
    --------
    >>> bo = Editorship("lab", "Bo", date(2026, 11, 16))
    >>> editors_with_start([bo], "lab", date(2026, 11, 2), date(2026, 11, 23))
    ['Bo since 2026-11-16']
    """
    since = {name: editor_since(known, report, name, day) for name in editors_on(known, report, day)}
    return [f"{name} since {first}" if first > issue else name for name, first in since.items()]


def add_editorship(store: Store, new: Editorship, *, person: str, affiliation: str = "") -> None:
    """Add an editor or substitute to a report. If the person is not stored yet, add them too.

    A non-empty affiliation replaces the person's affiliation for all reports.

    Raises
    ------
    RefusedError
        If the report does not exist, a value is invalid, the person already edits the report in this period, or there
        is no editor to replace.
    """
    new = replace(new, editor=validate_name(new.editor), away=clean(new.away))
    _check_days(new)
    works_at = _validate_affiliation(affiliation)
    with store.writing() as connection:
        report_id(connection, new.report)  # raises RefusedError if the report does not exist
        known = [one for one in read_editorships(connection) if one.report == new.report]
        _check_against(new, known)
        _log(connection, new, person)
        if works_at:
            connection.execute(update(PersonRow).where(PersonRow.name == new.editor).values(affiliation=works_at))


def end_editorship(store: Store, old: Editorship, last: date | None, *, person: str) -> None:
    """Set the last day of an editor's or substitute's term. If `last` is None, an editor's term is open-ended.

    Raises
    ------
    RefusedError
        If `old` was changed in the meantime, if the last day is before the first day or missing for a substitute, or if
        the term overlaps with another editorship of the same person or another substitution for the same editor.
    """
    new = replace(old, last=last)
    _check_days(new)
    with store.writing() as connection:
        known = read_editorships(connection)
        _check_known(old, known)
        _check_against(new, [one for one in known if one.report == old.report and one != old])
        _log(connection, new, person)


def set_editors(store: Store, report: str, names: Sequence[str], *, person: str, today: date) -> None:
    """Replace a report's editors, starting on `today`. Substitutes are not changed.

    Terms of other editors end on the day before `today`, or are removed if they begin on `today`. If the last term of a
    new editor ended on the day before `today`, this term is extended, so that a change of editors can be undone.

    Raises
    ------
    RefusedError
        If the report does not exist, or a name is invalid.
    """
    wanted = [validate_name(name) for name in names]
    yesterday = today - ONE_DAY
    with store.transaction() as one:
        own = [known for known in editorships(one) if known.report == report and not known.away]
        now = [known for known in own if known.holds_on(today)]
        for old in now:
            if old.editor not in wanted:
                if old.first >= today:
                    take_back_editorship(one, old, person=person)
                else:
                    end_editorship(one, old, yesterday, person=person)
        for name in wanted:
            if name not in {known.editor for known in now}:
                ended = next((known for known in own if (known.editor, known.last) == (name, yesterday)), None)
                if ended is not None:
                    end_editorship(one, ended, None, person=person)
                else:
                    add_editorship(one, Editorship(report, name, today), person=person)


def take_back_editorship(store: Store, old: Editorship, *, person: str) -> None:
    """Remove an editorship or substitution completely, as if it had never been entered.

    Raises
    ------
    RefusedError
        If `old` was changed in the meantime.
    """
    with store.writing() as connection:
        _check_known(old, read_editorships(connection))
        _log(connection, old, person, is_taken_back=True)


def affiliations(store: Store) -> dict[str, str]:
    """Return the affiliations of all past and current editors by name. A missing affiliation is an empty string."""
    with store.reading(Right.SEE) as connection:
        return _affiliations(connection)


def set_affiliation(store: Store, name: str, affiliation: str) -> None:
    """Set an editor's affiliation, which is shown to readers. An empty string removes it."""
    kept = _validate_affiliation(affiliation)
    with store.writing() as connection:
        _check_editor(connection, name)
        connection.execute(update(PersonRow).where(PersonRow.name == name).values(affiliation=kept))
        log_change(connection, "Changed affiliation", person=store.author(connection), about=name)


def rename_editor(store: Store, name: str, new: str) -> str:
    """Rename an editor and return the cleaned new name. It also replaces the old name in logs and stored messages.

    Raises
    ------
    RefusedError
        If there is no editor with the old name, or the new name is invalid or taken.
    """
    kept = validate_name(new)
    with store.writing() as connection:
        _check_editor(connection, name)
        if kept != name and connection.execute(select(PersonRow.id).where(PersonRow.name == kept)).first():
            raise RefusedError(f"The name {kept!r} is already taken. Choose another name.")
        connection.execute(update(PersonRow).where(PersonRow.name == name).values(name=kept))
        replace_mentions(connection, mentions_of(name), kept)
        log_change(connection, "Renamed", person=store.author(connection), about=kept)
    return kept


def validate_name(text: str) -> str:
    """Clean and validate a person's name, and return the cleaned name.

    Raises RefusedError if the name is empty, too long, or one of `IN_LOGS`.
    """
    name = clean(text)
    if not name:
        raise RefusedError("The name is empty. Enter the name as readers should see it.")
    if len(name) > MAX_NAME:
        raise RefusedError(f"The name has {len(name):,} characters; the limit is {MAX_NAME}. Shorten it.")
    if name.lower() in IN_LOGS:
        raise RefusedError(f"{name!r} is reserved for log entries without an author. Choose another name.")
    return name


def newest_editorships() -> Select[int]:
    """Return a query for the id of each editorship's latest log entry."""
    log = EditorshipRow
    return select(func.max(log.id)).group_by(log.report_id, log.editor_id, log.away_id, log.first)


def read_editorships(connection: Connection) -> list[Editorship]:
    """Read past, current and future editorships, using an open connection."""
    log, editor, away = EditorshipRow, aliased(PersonRow), aliased(PersonRow)
    rows = connection.execute(
        select(ReportRow.code, editor.name, log.first, log.last, func.coalesce(away.name, ""))
        .join(ReportRow, ReportRow.id == log.report_id)
        .join(editor, editor.id == log.editor_id)
        .outerjoin(away, away.id == log.away_id)
        .where(log.id.in_(newest_editorships()), ~log.is_taken_back)
        .order_by(ReportRow.code, log.first, editor.name, log.id)
    )
    return [Editorship(*row) for row in rows]


def _log(connection: Connection, entry: Editorship, person: str, *, is_taken_back: bool = False) -> None:
    values = {
        "report_id": report_id(connection, entry.report),
        "editor_id": person_id(connection, entry.editor),
        "away_id": person_id(connection, entry.away) if entry.away else None,
        "first": entry.first,
        "last": entry.last,
        "is_taken_back": is_taken_back,
        "person_id": person_id(connection, person),
        "made_at": datetime.now(UTC),
    }
    connection.execute(insert(EditorshipRow).values(**values))


def _validate_affiliation(text: str) -> str:
    affiliation = clean(text)
    if len(affiliation) > MAX_NAME:
        raise RefusedError(f"The affiliation has {len(affiliation):,} characters; the limit is {MAX_NAME}. Shorten it.")
    return affiliation


def _check_days(new: Editorship) -> None:
    if new.last is not None and new.last < new.first:
        raise RefusedError(f"The last day, {new.last}, is before the first day, {new.first}. Change one of them.")
    if new.away and new.last is None:
        raise RefusedError(f"Enter the last day on which {new.editor} substitutes for {new.away}.")


def _check_against(new: Editorship, known: Sequence[Editorship]) -> None:
    """Raise RefusedError if an editorship conflicts with the report's existing editorships."""
    for one in known:
        is_same = one.away == new.away if new.away else (one.editor, one.away) == (new.editor, "")
        if is_same and one.first <= (new.last or date.max) and new.first <= (one.last or date.max):
            does = f"substitutes for {one.away} at" if one.away else "edits"
            until = f" to {one.last}" if one.last else ""
            raise RefusedError(
                f"{one.editor} already {does} {one.report} from {one.first}{until}. Change that term first."
            )
    if new.away and not any(one.editor == new.away and not one.away and one.holds_on(new.first) for one in known):
        raise RefusedError(f"{new.away} doesn't edit {new.report} on {new.first}, so nobody can substitute.")
    if new.away == new.editor:
        raise RefusedError(f"{new.editor} can't substitute for {new.away}. Choose somebody else.")


def _check_known(old: Editorship, known: Sequence[Editorship]) -> None:
    if old not in known:
        raise RefusedError(
            f"The editorship of {old.editor} for {old.report} from {old.first} has been changed in the meantime."
        )


def _check_editor(connection: Connection, name: str) -> None:
    known = _affiliations(connection)
    if name not in known:
        raise RefusedError(f"There is no editor {name!r}. Editors: {', '.join(known) or 'none yet'}.")


def _affiliations(connection: Connection) -> dict[str, str]:
    rows = connection.execute(
        select(PersonRow.name, PersonRow.affiliation)
        .where(PersonRow.id.in_(select(EditorshipRow.editor_id)))
        .order_by(PersonRow.name)
    )
    return dict(rows.all())
