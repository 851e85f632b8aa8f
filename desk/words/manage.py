"""What the page Manage and its commands say."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from data.records import Editorship, Holiday, Report
from desk.words.text import counted

TITLE = "Manage"
PART = "What to manage"
REPORTS, EDITORS, HOLIDAYS, RANKERS, IMPORTS = "Reports", "Editors", "Holidays", "Rankers", "Imports"
DOWNLOAD = "Download the table as CSV"
NO_REPORT = "No report yet. Add one here, or import past selections with 'presort import'."

ASK = "What will change"
DO = "Change it"
LEAVE = "Leave it"
SAME = "That is so already; nothing changes."

REPORT = "Report"
NAME = "Name"
CODE = "Code"
CODE_HELP = "Short, and for good: letters, digits, '.', '-' and '_', at most 64."
NEW_REPORT = "Add a report"
ADD = "Add"
RENAME = "Rename"
RETIRE = "Retire"
BRING_BACK = "Bring back"
COLOUR = "Colour on charts"
TAKE_COLOUR = "Use this colour"
CRITERIA = "What this report wants"
SAVE = "Save"
CODE_WRONG = "A code has letters, digits, '.', '-' and '_', at most 64, and begins with a letter or digit."
REPORT_COLUMNS = {
    "code": "Code",
    "name": "Name",
    "editors": "Editors today",
    "n_relevant": "Relevant",
    "colour": "Colour",
    "standing": "Standing",
}

TODAY, NO_EDITOR = "Today: ", "Nobody edits this report today."
NO_EDITORS = "No editor is named yet."
NEW_EDITOR = "A new editor"
ABSENCE = "A substitute during an absence"
END = "An end, or a mistake"
PERSON = "Name and affiliation"
EDITOR = "Editor"
SUBSTITUTE = "Substitute"
AWAY = "Who is away"
AFFILIATION = "Affiliation"
AFFILIATION_HELP = "Stands after the name: chosen by editor, affiliation."
FROM, TO, LAST_DAY = "From", "To", "Last day"
WHICH = "Which"
ENDS = "Let it end then"
TAKE_BACK = "Take it back: it never was"
EDITOR_COLUMNS = {
    "report": "Report",
    "editor": "Editor",
    "affiliation": "Affiliation",
    "stands_in_for": "Stands in for",
    "first": "From",
    "last": "To",
}

HOLIDAYS_HINT = (
    "On these days no issue is expected. They don't count when it is said how late an issue is, or how long a report "
    "has been without decisions."
)
NO_HOLIDAY = "No holiday yet."
NEW_HOLIDAY = "Add a holiday"
OCCASION = "Occasion"
TAKE_AWAY = "Take away"
HOLIDAY_COLUMNS = {"first": "From", "last": "To", "days": "Days", "name": "Occasion"}

ACTIVE = "Sorts for the editors"
SHADOWS = "Run beside it, and are only watched"
USE = "Use from the next issue on"
RANKERS_HINT = "Compare shows which ranker is the better one."
CHOICES = "What was chosen before"
RANKER_COLUMNS = {
    "made_at": "When (UTC)",
    "person": "Who",
    "active": "Sorts",
    "shadows": "Run beside it",
    "after": "For issues after",
}

NO_IMPORT = "No file came in yet, or none since this is logged. Bring one in with 'presort import FILE'."
IMPORT_COLUMNS = {
    "made_at": "When (UTC)",
    "person": "Who",
    "file": "File",
    "listings": "Rows",
    "new_issues": "New issues",
    "new_papers": "New papers",
    "updated_papers": "Changed papers",
    "new_listings": "New in issues",
    "new_reports": "New reports",
    "new_selections": "New selections",
    "selections_left": "Left to editors",
    "matched": "Seen before",
}


def report_named(report: Report) -> str:
    """Name a report, for one to choose.

    Examples
    --------
    >>> report_named(Report("lab", "Labour")), report_named(Report("his", "his", is_retired=True))
    ('lab · Labour', 'his (retired)')
    """
    name = report.code if report.name == report.code else f"{report.code} · {report.name}"
    return f"{name} (retired)" if report.is_retired else name


def added(code: str, name: str, n_reports: int) -> str:
    """Say what adding a report changes.

    Examples
    --------
    >>> added("lab", "Labour", 1)
    'lab · Labour joins: issues are sorted for it too, for 1 report in all.'
    """
    return f"{code} · {name} joins: issues are sorted for it too, for {counted(n_reports, 'report')} in all."


def renamed(code: str, name: str, new: str) -> str:
    """Say what renaming a report changes."""
    return f"{code} is called {new!r} instead of {name!r}. Its code and all that was decided stay."


def retired(code: str, n_left: int) -> str:
    """Say what retiring a report changes."""
    left = counted(n_left, "report")
    return (
        f"Nothing is sorted for {code} from now on; {left} stay. What its editors decided stays, and it can come back."
    )


def back(code: str, n_reports: int) -> str:
    """Say what bringing a report back changes."""
    return f"{code} comes back as it was: issues are sorted for it again, for {counted(n_reports, 'report')} in all."


def coloured(code: str, colour: str, new: str) -> str:
    """Say what another colour changes; `new` may be empty.

    Examples
    --------
    >>> coloured("lab", "#d55e00", "#0072b2"), coloured("lab", "#d55e00", "")
    ('Charts draw lab in #0072b2 instead of #d55e00.', 'Charts choose the colour of lab again, instead of #d55e00.')
    """
    if new:
        return f"Charts draw {code} in {new} instead of {colour}."
    return f"Charts choose the colour of {code} again, instead of {colour}."


def new_criteria(code: str, old: str, new: str) -> str:
    """Say what other criteria change."""
    sizes = f"{counted(len(new), 'character')} instead of {len(old):,}" if new else "nothing"
    return f"What {code} wants is put into {sizes}; its editors read it above their list. The text before stays logged."


def edits(new: Editorship, beside: Sequence[str]) -> str:
    """Say what a new editor changes.

    Parameters
    ----------
    beside : sequence of str
        Who edits the report on the first day.

    Examples
    --------
    >>> edits(Editorship("lab", "Ann Lee", date(2026, 11, 16)), ["Bo Chen"])
    'Ann Lee edits lab from 2026-11-16 on, beside Bo Chen.'
    """
    others = f", beside {_listed(beside)}" if beside else ""
    return f"{new.editor} edits {new.report} {span(new)}{others}."


def stands_in(new: Editorship) -> str:
    """Say what a substitute changes.

    Examples
    --------
    >>> stands_in(Editorship("lab", "Bo", date(2026, 8, 1), date(2026, 8, 21), away="Ann"))
    'Bo edits lab from 2026-08-01 to 2026-08-21, 21 days, instead of Ann.'
    """
    days = f", {counted((new.last - new.first).days + 1, 'day')}" if new.last else ""
    return f"{new.editor} edits {new.report} {span(new)}{days}, instead of {new.away}."


def ends(old: Editorship, last: date, left: Sequence[str]) -> str:
    """Say what an end changes.

    Parameters
    ----------
    left : sequence of str
        Who edits the report on the day after.

    Examples
    --------
    >>> ends(Editorship("lab", "Ann", date(2026, 1, 5)), date(2026, 12, 31), [])
    'Ann edits lab from 2026-01-05 to 2026-12-31. On the day after nobody edits it.'
    """
    after = f"{_listed(left)} {'edits' if len(left) == 1 else 'edit'} it" if left else "nobody edits it"
    return f"{entry(replace(old, last=last))}. On the day after {after}."


def taken_back(old: Editorship) -> str:
    """Say what taking an entry back changes."""
    return f"'{entry(old)}' is struck out, as if it had never been; what was decided stays."


def entry(one: Editorship) -> str:
    """Say who edits or stands in, for one to choose.

    Examples
    --------
    >>> entry(Editorship("lab", "Bo", date(2026, 8, 1), date(2026, 8, 21), away="Ann"))
    'Bo edits lab instead of Ann from 2026-08-01 to 2026-08-21'
    """
    instead = f" instead of {one.away}" if one.away else ""
    return f"{one.editor} edits {one.report}{instead} {span(one)}"


def span(one: Editorship) -> str:
    """Say from when, and until when."""
    return f"from {one.first} to {one.last}" if one.last else f"from {one.first} on"


def affiliated(name: str, old: str, new: str) -> str:
    """Say what another affiliation changes.

    Examples
    --------
    >>> affiliated("Ann", "", "University of X")
    "Issues are 'chosen by Ann, University of X' instead of 'chosen by Ann'."
    """
    now, before = (chosen_by([name], {name: place}) for place in (new, old))
    return f"Issues are '{now}' instead of '{before}'."


def renamed_editor(name: str, new: str) -> str:
    """Say what another name of an editor changes."""
    return f"{name} is called {new} everywhere, also where something was decided before."


def chosen_by(editors: Sequence[str], affiliations: Mapping[str, str]) -> str:
    """Say by whom a report issue is made, as readers are told.

    Examples
    --------
    >>> chosen_by(["Ann Lee", "Bo Chen"], {"Ann Lee": "University of X", "Bo Chen": ""})
    'chosen by Ann Lee, University of X, and Bo Chen'
    """
    named = [", ".join(filter(None, (name, affiliations.get(name, "")))) for name in editors]
    has_places = any(affiliations.get(name) for name in editors[:-1])
    return f"chosen by {(', and ' if has_places else ' and ').join(named)}"


def unedited(codes: Sequence[str]) -> str:
    """Say which reports nobody edits.

    Examples
    --------
    >>> unedited(["lab"]), unedited(["lab", "mac"])
    ('Nobody edits 1 report today: lab.', 'Nobody edits 2 reports today: lab and mac.')
    """
    return f"Nobody edits {counted(len(codes), 'report')} today: {_listed(codes)}."


def new_holiday(new: Holiday, inside: Sequence[date]) -> str:
    """Say what a holiday changes.

    Parameters
    ----------
    inside : sequence of date
        Issues of these days that are there.

    Examples
    --------
    >>> new_holiday(Holiday(date(2026, 12, 24), date(2026, 12, 31)), [date(2026, 12, 28)])
    'From 2026-12-24 to 2026-12-31, 8 days, nobody is late. There is an issue of 2026-12-28 all the same.'
    """
    n_days = counted((new.last - new.first).days + 1, "day")
    there = f" There is an issue of {_listed(list(map(str, inside)))} all the same." if inside else ""
    return f"From {new.first} to {new.last}, {n_days}, nobody is late.{there}"


def holiday_named(one: Holiday) -> str:
    """Name a holiday, for one to choose.

    Examples
    --------
    >>> holiday_named(Holiday(date(2026, 12, 24), date(2026, 12, 31), "Christmas"))
    '2026-12-24 to 2026-12-31, Christmas'
    """
    return f"{one.first} to {one.last}{f', {one.name}' if one.name else ''}"


def no_holiday(old: Holiday) -> str:
    """Say what taking a holiday away changes."""
    return f"The days from {old.first} to {old.last} count again when it is said how late an issue is."


def rankers_in_use(active: str, shadows: Sequence[str], n_reports: int) -> str:
    """Say which rankers sort now.

    Examples
    --------
    >>> rankers_in_use("presort-1", ["krichel-2007"], 65)
    'presort-1 sorts for all 65 reports; krichel-2007 runs beside it.'
    >>> rankers_in_use("presort-1", [], 1)
    'presort-1 sorts for the 1 report; nothing runs beside it.'
    """
    beside = _listed(shadows) if shadows else "nothing"
    runs = "run" if len(shadows) > 1 else "runs"
    reports = f"all {n_reports:,} reports" if n_reports > 1 else f"the {counted(n_reports, 'report')}"
    return f"{active} sorts for {reports}; {beside} {runs} beside it."


def new_rankers(active: str, shadows: Sequence[str], n_reports: int, after: date | None) -> str:
    """Say what another choice of rankers changes.

    Parameters
    ----------
    after : date or None
        The newest issue that is sorted by now, if one is.

    Examples
    --------
    >>> new_rankers("presort-1", ["krichel-2007"], 65, date(2026, 11, 16))  # doctest: +NORMALIZE_WHITESPACE
    'From the next issue on, presort-1 sorts for all 65 reports; krichel-2007 runs beside it.
     Up to the issue of 2026-11-16, which is sorted, everything stays.'
    """
    stays = f" Up to the issue of {after}, which is sorted, everything stays." if after else ""
    return f"From the next issue on, {rankers_in_use(active, shadows, n_reports)}{stays}"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
