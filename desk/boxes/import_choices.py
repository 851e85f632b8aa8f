"""Which files are to be imported, and what they don't say: the issue, who selected the papers; how strict to be."""

from datetime import date, timedelta

import streamlit as st

from data import catalogue
from data.importers.formats import KNOWN
from data.importers.rows import REPORT_CODE, clean
from data.records import Issue
from desk import cache
from desk.boxes import import_columns
from desk.boxes.import_uploads import Wish, upload_of
from desk.words import importing as words
from desk.words import manage as manage_words
from desk.words.text import plain

LARGEST_FILE = 200  # megabytes; uploads are held in memory
WEEK = timedelta(days=7)
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2199, 12, 31)
ROUND, ISSUE = "import-round", "import-issue"  # in the session


def ask() -> Wish | None:
    """Draw what there is to choose; nothing comes back while there is no file, or a choice is wrong."""
    dropped = st.file_uploader(
        words.FILES,
        type=list(KNOWN),
        accept_multiple_files=True,
        max_upload_size=LARGEST_FILE,
        key=f"import-files-{st.session_state.get(ROUND, 0)}",
    )
    st.caption(words.KINDS)
    uploads = tuple(upload_of(file.file_id, file.name, file) for file in dropped)
    import_columns.forget_others(uploads)
    if not uploads:
        return None
    choices = st.container()  # above the columns, which say whether a date is needed
    uploads = tuple(import_columns.choose(upload) for upload in uploads)
    with choices:
        left, right = st.columns([1, 3])
        with left:
            issue = None if all(upload.columns.get("issue") for upload in uploads) else _ask_issue()
        with right:
            selected_by = _ask_selected_by()
        with st.container(horizontal=True):
            keeps_going = st.toggle(words.KEEP_GOING, key="import-keep-going", help=words.KEEP_GOING_HELP)
            is_matched = st.toggle(words.MATCH, value=True, key="import-match", help=words.MATCH_HELP)
    return None if selected_by is None else Wish(uploads, issue, selected_by, keeps_going, is_matched)


def make_room() -> None:
    """Let go of the files, for the next ones."""
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1


def next_issue(issues: list[Issue], today: date) -> date:
    """Give the date of the issue that probably comes in next: a day of this week or later that has none yet.

    It is the newest issue's day of the week, or else a Monday.

    Examples
    --------
    >>> sunday = date(2026, 11, 22)
    >>> str(next_issue([], sunday)), str(next_issue([Issue(date(2026, 11, 16), 9)], sunday))
    ('2026-11-16', '2026-11-23')
    >>> str(next_issue([Issue(date(2026, 9, 3), 9)], sunday))
    '2026-11-19'
    """
    newest = issues[-1].date if issues else None
    day = today - timedelta(days=today.weekday() - (newest.weekday() if newest else 0))
    return newest + WEEK if newest and newest >= day else day


def _ask_issue() -> date | None:
    issues = catalogue.issues(cache.store())
    if ISSUE not in st.session_state:
        st.session_state[ISSUE] = next_issue(issues, date.today())
    issue: date | None = st.date_input(
        words.ISSUE,
        min_value=FIRST_DAY,
        max_value=LAST_DAY,
        format="YYYY-MM-DD",
        key=ISSUE,
        help=words.ISSUE_HELP,
    )
    for known in issues:
        if known.date == issue:
            st.caption(words.is_there(known.date, known.n_papers))
    return issue


def _ask_selected_by() -> tuple[str, ...] | None:
    """Ask for reports, new ones too; nothing comes back if a code is none."""
    named = {
        report.code: manage_words.report_named(report) for report in catalogue.reports(cache.store(), retired=True)
    }
    chosen = st.multiselect(
        words.SELECTED_BY,
        list(named),
        format_func=lambda code: named.get(code, code),
        accept_new_options=True,
        placeholder=words.NO_REPORT,
        key="import-selected-by",
        help=words.SELECTED_BY_HELP,
    )
    codes = tuple(dict.fromkeys(map(clean, chosen)))
    if all(map(REPORT_CODE.fullmatch, codes)):
        return codes
    st.error(plain(manage_words.CODE_WRONG))
    return None
