"""Data frames for the tables on the *Manage* page and in the commands' output."""

import dataclasses
from collections import Counter
from collections.abc import Collection, Sequence
from datetime import date

import pandas as pd

from presort.data import catalogue
from presort.data.duplicates.listings import PossibleDuplicate
from presort.data.editing import decisions
from presort.data.editing.log import last_published
from presort.data.editing.pending import LATE, pending
from presort.data.errors import RefusedError
from presort.data.mail import readers
from presort.data.mail.editors import editor_addresses
from presort.data.records import AuditEntry, GivenName, GivenRole, Member, Paper, PendingIssue, Role
from presort.data.running import holidays, people, roles, service
from presort.data.running.accounts import VALID
from presort.data.store import Store
from presort.desk.access import person_name
from presort.desk.ui.colours import BLACK, COLOURS, WHITE, contrast
from presort.desk.ui.mail_link import mail_link

REPORT_COLUMNS = ["code", "name", "editors", "mail", "n_readers", "n_relevant", "last_issue", "n_late", "is_retired"]
SAME_BY = {"id": "Same id", "doi": "Same DOI", "title and authors": "Similar title and authors"}  # why two papers match
LEAST_CONTRAST = 2.0  # minimum WCAG contrast ratio (1 to 21) between a chart colour and both white and black


def report_colours(store: Store) -> dict[str, str]:
    """Return the chart colours by report code. A report without a chosen colour gets a default colour.

    Default colours are assigned in the order in which reports were added, and retired reports keep their colours.
    Adding or retiring a report therefore doesn't change the colours of other reports.
    """
    usual = {
        code: COLOURS[number % len(COLOURS)].lower() for number, code in enumerate(service.report_codes_by_age(store))
    }
    return usual | service.colours(store)


def set_colour(store: Store, report: str, colour: str) -> None:
    """Store a report's chart colour. Unlike `data.running.service.set_colour`, this function also checks the contrast.

    Raises
    ------
    RefusedError
        If the contrast with white or black is too low, the colour is invalid, or the report doesn't exist.
    """
    if service.COLOUR.fullmatch(colour.strip().lower()):
        for ground, name, other in ((WHITE, "white", "darker"), (BLACK, "black", "lighter")):
            if contrast(colour.strip(), ground) < LEAST_CONTRAST:
                raise RefusedError(f"{colour} has too little contrast on a {name} page. Choose a {other} colour.")
    service.set_colour(store, report, colour)


def report_table(store: Store, today: date) -> pd.DataFrame:
    """Return a table with one row per report.

    The columns are the code, the name, today's editors, a mail link, the numbers of readers and relevant papers, the
    last published issue, the number of late issues, and whether the report is retired. The rows are sorted by the
    number of late issues, highest first, with retired reports last.

    `mail` is a ``mailto:`` link with the report and its pending issues in the subject. It is empty if no editor has an
    address. `n_late` is 0 for retired reports.
    """
    n_relevant, known, at = decisions.n_relevant(store), people.editorships(store), editor_addresses(store)
    n_readers, last = Counter(one.report for one in readers.readers(store)), last_published(store)
    reports = catalogue.reports(store, retired=True)
    active = [report.code for report in reports if not report.is_retired]
    issues: dict[str, list[PendingIssue]] = {report.code: [] for report in reports}
    for one in pending(store, active, today=today):
        issues[one.report].append(one)
    rows = []
    for report in reports:
        editors = people.editors_on(known, report.code, today)
        mail = [at[name] for name in editors if at.get(name)]
        rows.append(
            {
                "code": report.code,
                "name": report.name,
                "editors": ", ".join(editors),
                "mail": mail_link(report.code, mail, issues[report.code]) or "",
                "n_readers": n_readers[report.code],
                "n_relevant": n_relevant[report.code],
                "last_issue": str(last.get(report.code, "")),
                "n_late": sum(one.days_counted >= LATE for one in issues[report.code]),
                "is_retired": report.is_retired,
            }
        )
    table = pd.DataFrame(rows, columns=REPORT_COLUMNS)
    return table.sort_values(["is_retired", "n_late", "code"], ascending=[True, False, True], ignore_index=True)


def editor_table(store: Store) -> pd.DataFrame:
    """Return a table with one row per editorship: report, editor, affiliation, absent editor, first and last day."""
    where_from = people.affiliations(store)
    rows = [
        (one.report, one.editor, where_from[one.editor], one.away, str(one.first), str(one.last or ""))
        for one in people.editorships(store)
    ]
    columns = ["report", "editor", "affiliation", "stands_in_for", "first", "last"]
    return pd.DataFrame(rows, columns=columns)


def member_table(store: Store) -> pd.DataFrame:
    """Return a table with one row per user: name, roles and sign-in status."""
    rows = [(one.name, _roles_label(one), _sign_in_label(one)) for one in roles.members(store)]
    return pd.DataFrame(rows, columns=["name", "may", "signs_in"])


def role_label(one: Role | GivenRole) -> str:
    """Format a role.

    Examples
    --------
    >>> role_label(Role("Dora", "director")), role_label(Role("Vic", "viewer", "lab"))
    ('director', 'viewer of lab')
    """
    return "director" if one.role == "director" else f"{one.role} of {one.report}"


def _roles_label(member: Member) -> str:
    """Format all roles of a user. Roles that come from groups at the sign-in provider are marked.

    Examples
    --------
    >>> _roles_label(Member("Ann", edits=frozenset({"mac", "lab"}), views=frozenset({"his"})))
    'editor of lab, mac; viewer of his'
    >>> _roles_label(Member("Bo", is_director=True, given=frozenset({GivenRole("director")})))
    'director (by group)'
    """
    parts = [f"director{_mark(member, GivenRole('director'))}"] if member.is_director else []
    given = {name: {one.report for one in member.given if one.role == name} for name in ("editor", "viewer")}
    if edits := member.edits | given["editor"]:
        parts.append(f"editor of {_marked_codes(member, 'editor', edits)}")
    if views := member.views - member.edits | given["viewer"]:
        parts.append(f"viewer of {_marked_codes(member, 'viewer', views)}")
    return "; ".join(parts) or "none"


def _marked_codes(member: Member, role: GivenName, codes: Collection[str]) -> str:
    return ", ".join(f"{code}{_mark(member, GivenRole(role, code))}" for code in sorted(codes))


def _mark(member: Member, role: GivenRole) -> str:
    """Return the label for a role that comes from a group, or an empty string for other roles."""
    if role not in member.given:
        return ""
    return " (also by group)" if role in member.given_and_granted else " (by group)"


def _sign_in_label(member: Member) -> str:
    if member.n_identities:
        return "yes"
    if member.invited_at is None:
        return "not invited"
    return f"invited until {(member.invited_at + VALID).date()}"


def audit_table(entries: Sequence[AuditEntry]) -> pd.DataFrame:
    """Return a table with one row per change.

    The columns are the time, the user, the origin (desk, file, command or rule), the action, the object of the change
    (report, issue and subject), the old value and the new value.
    """
    rows = [
        (
            f"{one.made_at:%Y-%m-%d %H:%M:%S}",
            person_name(one.person),
            one.place,
            one.action,
            one.report,
            str(one.issue or ""),
            one.subject,
            one.before,
            one.after,
        )
        for one in entries
    ]
    columns = ["made_at", "person", "place", "action", "report", "issue", "subject", "before", "after"]
    return pd.DataFrame(rows, columns=columns)


def holiday_table(store: Store) -> pd.DataFrame:
    """Return a table with one row per holiday: first and last day, number of days, and name."""
    rows = [(one.first, one.last, (one.last - one.first).days + 1, one.name) for one in holidays.holidays(store)]
    return pd.DataFrame(rows, columns=["first", "last", "days", "name"])


def ranker_table(store: Store) -> pd.DataFrame:
    """Return a table with one row per choice of rankers, newest choice first.

    The columns are the time, the user, the active ranker, the shadows, and the last issue before the choice.
    """
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
    """Return a table with one row per imported file, newest first: time, user, file name and counts of changes."""
    rows = [
        {"made_at": f"{one.made_at:%Y-%m-%d %H:%M}", "person": person_name(one.person), "file": one.file}
        | dataclasses.asdict(one.summary)
        for one in service.imports(store)
    ]
    return pd.DataFrame(rows, columns=["made_at", "person", "file", *service.COUNTS])


def duplicate_table(pairs: Sequence[PossibleDuplicate]) -> pd.DataFrame:
    """Return a table with one row per possible duplicate.

    The columns are the kind of match, its score, and the ids, titles, authors, abstracts and issues of both papers.
    """
    rows = [
        {
            "how": pair.how,
            "score": pair.score,
            **_paper_columns("", pair.paper, pair.issues),
            **_paper_columns("other_", pair.other, pair.other_issues),
        }
        for pair in pairs
    ]
    return pd.DataFrame(rows)


def _paper_columns(prefix: str, paper: Paper, issues: Sequence[date]) -> dict[str, object]:
    texts = {"id": paper.paper_id, "title": paper.title, "authors": paper.authors, "abstract": paper.abstract}
    return {f"{prefix}{name}": text for name, text in {**texts, "issues": list(map(str, issues))}.items()}
