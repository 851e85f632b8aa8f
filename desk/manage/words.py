"""What the page Manage and its commands say."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from presort.data.editing.report_past import ReportPast
from presort.data.records import Editorship, Holiday, RankerChoice, Report
from presort.desk.access import person_name
from presort.desk.sending.words import chosen_by
from presort.desk.text import counted

REPORTS, IMPORTS = "Reports", "Imports"
NO_REPORT = "No report yet. Add one under Reports, or import what was selected before."
NO_REPORT_HERE = "No report yet. Add one here, or import what was selected before."

SAME = "That is so already; nothing changes."

CODE_WRONG = "A code has letters, digits, '.', '-' and '_', at most 64, and begins with a letter or digit."

NO_EDITORS = "No editor is named yet."
EDITOR = "Editor"
AFFILIATION = "Affiliation"
AFFILIATION_HELP = "Stands after the name: chosen by editor, affiliation."
ADDRESS = "Mail address"
ADDRESS_HELP = "What waits is told there once a week, by the weekly job. Readers never see it."

NO_HOLIDAY = "No holiday yet."


NO_IMPORT = "No file came in yet, or none since this is logged."
OF_DEMO = "The papers of this demo are made up: none came in from a file."
NO_DUPLICATE = "No possible duplicates."
KEEP_BOTH, MERGE = "Keep both", "Merge"
HOW = {"id": "Same id", "doi": "Same DOI", "title and authors": "Similar title and authors"}


def ask_to_add(code: str) -> str:
    """Ask whether a report is to be added."""
    return f"Add report {code}?"


def added(code: str, name: str, n_reports: int) -> str:
    """Describe what adding a report changes.

    Examples
    --------
    >>> added("lab", "Labour", 1)
    'lab · Labour is the first report: from now on, issues are sorted for it.'
    >>> added("mac", "Macro", 2)
    'mac · Macro joins: issues are sorted for it too, for 2 reports in all.'
    """
    if n_reports == 1:
        return f"{code} · {name} is the first report: from now on, issues are sorted for it."
    return f"{code} · {name} joins: issues are sorted for it too, for {counted(n_reports, 'report')} in all."


def renamed(code: str, name: str, new: str) -> str:
    """Describe what renaming a report changes."""
    return f"{code} is called {new!r} instead of {name!r}. Its code and all that was decided stay."


def retired(code: str, n_left: int) -> str:
    """Describe what retiring a report changes."""
    left = counted(n_left, "report")
    return (
        f"Nothing is sorted for {code} from now on; {left} stay. What its editors decided stays, its past issues still "
        "count in all figures, and it can come back."
    )


def ask_to_bring_back(code: str) -> str:
    """Ask whether a retired report is to come back."""
    return f"Bring report {code} back?"


def back(old: Report, past: ReportPast, n_reports: int, name: str = "") -> str:
    """Describe the past of a retired report and the effect of bringing it back, perhaps under a new name.

    Examples
    --------
    >>> past = ReportPast(52, 1204, 312, 214, ("Ann Lee",), 5)
    >>> back(Report("lab", "Labour"), past, 2, "Work")
    "lab was retired and comes back with its past: 52 published issues, 1,204 decisions (312 relevant), 214 readers, 1 editor (Ann Lee), 5 hints. Its name becomes 'Work' instead of 'Labour'. Issues are ranked for it again, for 2 reports in all."
    >>> back(Report("lab", "Labour"), ReportPast(0, 0, 0, 0, (), 0), 1)
    'lab was retired and comes back with its past: 0 published issues, 0 decisions (0 relevant), 0 readers, 0 editors, 0 hints. Issues are ranked for it again, for 1 report in all.'
    """  # noqa: E501
    editors = counted(len(past.editors), "editor") + (f" ({', '.join(past.editors)})" if past.editors else "")
    parts = [
        counted(past.n_published, "published issue"),
        f"{counted(past.n_decided, 'decision')} ({past.n_relevant:,} relevant)",
        counted(past.n_readers, "reader"),
        editors,
        counted(past.n_hints, "hint"),
    ]
    renamed = f" Its name becomes {name!r} instead of {old.name!r}." if name not in ("", old.name) else ""
    return (
        f"{old.code} was retired and comes back with its past: {', '.join(parts)}.{renamed} "
        f"Issues are ranked for it again, for {counted(n_reports, 'report')} in all."
    )


def coloured(code: str, colour: str, new: str) -> str:
    """Describe what another colour changes; `new` may be empty.

    Examples
    --------
    >>> coloured("lab", "#d55e00", "#0072b2"), coloured("lab", "#d55e00", "")
    ('Charts draw lab in #0072b2 instead of #d55e00.', 'Charts choose the colour of lab again, instead of #d55e00.')
    """
    if new:
        return f"Charts draw {code} in {new} instead of {colour}."
    return f"Charts choose the colour of {code} again, instead of {colour}."


def new_criteria(code: str, old: str, new: str) -> str:
    """Describe what other criteria change."""
    sizes = f"{counted(len(new), 'character')} instead of {len(old):,}" if new else "nothing"
    return f"What {code} wants is put into {sizes}; its editors read it above their list. The text before stays logged."


def edits(new: Editorship, others_now: Sequence[str]) -> str:
    """Describe what a new editor changes beside those who edit the report on the first day.

    Examples
    --------
    >>> edits(Editorship("lab", "Ann Lee", date(2026, 11, 16)), ["Bo Chen"])
    'Ann Lee edits lab from 2026-11-16 on, beside Bo Chen.'
    """
    others = f", beside {listed(others_now)}" if others_now else ""
    return f"{new.editor} edits {new.report} {span(new)}{others}."


def stands_in(new: Editorship) -> str:
    """Describe what a substitute changes.

    Examples
    --------
    >>> stands_in(Editorship("lab", "Bo", date(2026, 8, 1), date(2026, 8, 21), away="Ann"))
    'Bo edits lab from 2026-08-01 to 2026-08-21, 21 days, instead of Ann.'
    """
    days = f", {counted((new.last - new.first).days + 1, 'day')}" if new.last else ""
    return f"{new.editor} edits {new.report} {span(new)}{days}, instead of {new.away}."


def ends(old: Editorship, last: date, left: Sequence[str]) -> str:
    """Describe what an end changes, and who is left on the day after.

    Examples
    --------
    >>> ends(Editorship("lab", "Ann", date(2026, 1, 5)), date(2026, 12, 31), [])
    'Ann edits lab from 2026-01-05 to 2026-12-31. On the day after nobody edits it.'
    """
    after = f"{listed(left)} {'edits' if len(left) == 1 else 'edit'} it" if left else "nobody edits it"
    return f"{entry(replace(old, last=last))}. On the day after {after}."


def taken_back(old: Editorship) -> str:
    """Describe what taking an entry back changes."""
    return f"'{entry(old)}' is struck out, as if it had never been; what was decided stays."


def entry(one: Editorship) -> str:
    """State who edits or stands in, for one to choose.

    Examples
    --------
    >>> entry(Editorship("lab", "Bo", date(2026, 8, 1), date(2026, 8, 21), away="Ann"))
    'Bo edits lab instead of Ann from 2026-08-01 to 2026-08-21'
    """
    instead = f" instead of {one.away}" if one.away else ""
    return f"{one.editor} edits {one.report}{instead} {span(one)}"


def span(one: Editorship) -> str:
    """State from when, and until when."""
    return f"from {one.first} to {one.last}" if one.last else f"from {one.first} on"


def affiliated(name: str, old: str, new: str) -> str:
    """Describe what another affiliation changes.

    Examples
    --------
    >>> affiliated("Ann", "", "University of X")
    "Issues are 'chosen by Ann, University of X' instead of 'chosen by Ann'."
    """
    now, before = (chosen_by([name], {name: place}) for place in (new, old))
    return f"Issues are '{now}' instead of '{before}'."


def addressed(name: str, address: str) -> str:
    """Describe what another mail address of an editor changes.

    Examples
    --------
    >>> addressed("Ann", "ann@example.org"), addressed("Ann", "")
    ('Ann is told by mail at ann@example.org what waits.', 'Ann is told nothing by mail any more.')
    """
    contact = f"by mail at {address} what waits" if address else "nothing by mail any more"
    return f"{name} is told {contact}."


def renamed_editor(name: str, new: str) -> str:
    """Describe what another name of an editor changes."""
    return f"{name} is called {new} everywhere, also where something was decided before."


def new_holiday(new: Holiday, inside: Sequence[date]) -> str:
    """Describe what a holiday changes, with the days of issues inside that are there.

    Examples
    --------
    >>> new_holiday(Holiday(date(2026, 12, 24), date(2026, 12, 31)), [date(2026, 12, 28)])
    'From 2026-12-24 to 2026-12-31, 8 days, nobody is late. There is an issue of 2026-12-28 all the same.'
    """
    n_days = counted((new.last - new.first).days + 1, "day")
    there = f" There is an issue of {listed(list(map(str, inside)))} all the same." if inside else ""
    return f"From {new.first} to {new.last}, {n_days}, nobody is late.{there}"


def no_holiday(old: Holiday) -> str:
    """Describe what taking a holiday away changes."""
    return f"The days from {old.first} to {old.last} count again when it is said how late an issue is."


def rankers_in_use(active: str, shadows: Sequence[str], n_reports: int) -> str:
    """State which rankers sort now.

    Examples
    --------
    >>> rankers_in_use("presort-1", ["krichel-2007"], 65)
    'presort-1 sorts for all 65 reports; krichel-2007 runs beside it.'
    >>> rankers_in_use("presort-1", [], 1)
    'presort-1 sorts for the 1 report; nothing runs beside it.'
    """
    others = listed(shadows) if shadows else "nothing"
    runs = "run" if len(shadows) > 1 else "runs"
    reports = f"all {n_reports:,} reports" if n_reports > 1 else f"the {counted(n_reports, 'report')}"
    return f"{active} sorts for {reports}; {others} {runs} beside it."


def vectors_say(name: str, n_made: int, n_papers: int) -> str:
    """Describe which papers have a sentence vector, and by what model; without a name, what makes some.

    Examples
    --------
    >>> vectors_say("all-MiniLM-L6-v2", 900, 969)
    'Sentence vectors by all-MiniLM-L6-v2: 900 of 969 papers have one.'
    >>> vectors_say("all-MiniLM-L6-v2", 969, 969)
    'Sentence vectors by all-MiniLM-L6-v2: every paper has one.'
    >>> vectors_say("", 0, 969)
    'One ranker more sorts by what papers are about, once whoever runs Presort has given it a sentence model.'
    """
    if not name:
        return (
            "One ranker more sorts by what papers are about, once whoever runs Presort has given it a sentence model."
        )
    made = "every paper has" if n_made == n_papers else f"{n_made:,} of {counted(n_papers, 'paper')} have"
    return f"Sentence vectors by {name}: {made} one."


def chosen_by_whom(choice: RankerChoice) -> str:
    """State who chose the rankers, when, and from which issue on.

    Examples
    --------
    >>> from datetime import datetime
    >>> chosen_by_whom(RankerChoice("presort-1", (), date(2026, 11, 9), "Ann", datetime(2026, 11, 10, 8, 5)))
    'Chosen by Ann on 2026-11-10 08:05 (UTC), for issues after 2026-11-09.'
    """
    after = f", for issues after {choice.after}" if choice.after else ""
    return f"Chosen by {person_name(choice.person)} on {choice.made_at:%Y-%m-%d %H:%M} (UTC){after}."


def new_rankers(active: str, shadows: Sequence[str], n_reports: int, after: date | None) -> str:
    """Describe what another choice of rankers changes after the newest issue that is sorted by now, if one is.

    Examples
    --------
    >>> new_rankers("presort-1", ["krichel-2007"], 65, date(2026, 11, 16))  # doctest: +NORMALIZE_WHITESPACE
    'From the next issue on, presort-1 sorts for all 65 reports; krichel-2007 runs beside it.
     Up to the issue of 2026-11-16, which is sorted, everything stays. What a new ranker needs, it learns meanwhile.'
    """
    stays = f" Up to the issue of {after}, which is sorted, everything stays." if after else ""
    stays += " What a new ranker needs, it learns meanwhile." if after else ""
    return f"From the next issue on, {rankers_in_use(active, shadows, n_reports)}{stays}"


def listed(names: Sequence[str]) -> str:
    """Return names as they stand in a sentence, at least one: a, b and c."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def decided(keep: Sequence[str], merge: Sequence[str]) -> str:
    """Describe the effect of decisions on possible duplicates, given the ids of the newer papers.

    Examples
    --------
    >>> decided(["q1"], [])
    'q1 is kept as a separate paper.'
    >>> decided([], ["q1", "q2"])
    'q1 and q2 are merged: they stay in their current lists, but later issues will not list them.'
    """
    parts = []
    if keep:
        kept = "is kept as a separate paper" if len(keep) == 1 else "are kept as separate papers"
        parts.append(f"{listed(keep)} {kept}.")
    if merge:
        one = len(merge) == 1
        stay = "it stays in its current lists" if one else "they stay in their current lists"
        rest = f"but later issues will not list {'it' if one else 'them'}"
        parts.append(f"{listed(merge)} {'is' if one else 'are'} merged: {stay}, {rest}.")
    return " ".join(parts)


def in_issues(issues: Sequence[date]) -> str:
    """Name the issues that list a paper.

    Examples
    --------
    >>> in_issues([date(2026, 11, 9)]), in_issues([])
    ('issue 2026-11-09', 'in no issue')
    """
    if not issues:
        return "in no issue"
    return f"{'issue' if len(issues) == 1 else 'issues'} {', '.join(map(str, issues))}"
