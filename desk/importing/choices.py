"""File upload and import options: the issue, the reports that selected the papers, invalid records and duplicates."""

from datetime import date, timedelta

import streamlit as st

from presort.data import catalogue
from presort.data.errors import UnreadableFileError
from presort.data.records import CODE_RULE, REPORT_CODE, Issue
from presort.data.text.cleaning import clean
from presort.desk.importing import columns
from presort.desk.importing.advice import SKIP
from presort.desk.importing.uploads import ImportRequest, Upload, upload_of
from presort.desk.limits import LARGEST_UPLOAD
from presort.desk.text import count_text, escape, report_option
from presort.desk.ui import cache

WEEK = timedelta(days=7)
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2199, 12, 31)
FORMATS = (
    "CSV, TSV, XLSX, Parquet, ReDIF, AMF, RIS, BibTeX, MEDLINE, Web of Science, EndNote, PubMed XML, CSL-JSON, Atom, "
    "RSS, or a zip or tar.gz archive of these files"
)
ROUND, ISSUE = "import-round", "import-issue"  # keys of the session state


def ask_request() -> ImportRequest | None:
    """Draw the file upload and the options. Returns None if there is no file or an option is invalid."""
    dropped = st.file_uploader(
        "Files",  # accepts any type, because the browser rejects other types without an explanation
        accept_multiple_files=True,
        max_upload_size=LARGEST_UPLOAD,
        help=FORMATS,
        key=f"import-files-{st.session_state.get(ROUND, 0)}",
    )
    uploads = _readable_files([upload_of(file.file_id, file.name, file) for file in dropped])
    columns.forget_removed(uploads)
    if not uploads:
        return None
    # The options appear above the columns but are drawn after them, because no date is needed if a column contains the
    # dates.
    choices = st.container()
    uploads = tuple(columns.choose(upload) for upload in uploads)
    with choices:
        with st.container(horizontal=True, vertical_alignment="top"):
            issue = None if _is_in_all_files("issue", uploads) else _ask_issue()
            selected_by = () if _is_in_all_files("reports", uploads) else _ask_selected_by()
        with st.container(horizontal=True):
            keeps_going = st.toggle(
                SKIP,
                key="import-keep-going",
                help="Import only the valid records. Otherwise, a file with an invalid record isn't imported.",
            )
            is_matched = st.toggle(
                "Skip known papers",
                value=True,
                key="import-match",
                help="Don't list papers that are in an earlier issue, under the same id or a different one.",
            )
    return None if selected_by is None else ImportRequest(uploads, issue, selected_by, keeps_going, is_matched)


def _readable_files(uploads: list[Upload]) -> tuple[Upload, ...]:
    """Return the files whose format is supported. Draw an error for every other file."""
    readable = []
    for upload in uploads:
        try:
            _ = upload.is_table
        except UnreadableFileError as error:
            st.error(escape(f"{error}."))
        else:
            readable.append(upload)
    return tuple(readable)


def clear_uploads() -> None:
    """Clear the file upload."""
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1


def next_issue(issues: list[Issue], today: date) -> date:
    """Return the probable date of the next issue.

    It is in the week after the newest issue or, if that week is over, in this week. It falls on the same weekday as the
    newest issue, or on a Monday if there are no issues.

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


def _is_in_all_files(field: str, uploads: tuple[Upload, ...]) -> bool:
    """Return True if every file has a column for the given field."""
    return all(upload.columns.get(field) for upload in uploads)


def _ask_issue() -> date | None:
    issues = catalogue.issues(cache.store())
    if ISSUE not in st.session_state:
        st.session_state[ISSUE] = next_issue(issues, date.today())
    place = st.container(width=320)
    issue: date | None = place.date_input(
        "Date of the issue",
        min_value=FIRST_DAY,
        max_value=LAST_DAY,
        format="YYYY-MM-DD",
        key=ISSUE,
        help="Used for papers without an issue date in the file.",
    )
    for known in issues:
        if known.date == issue:
            place.caption(
                f"Issue {known.date} has {count_text(known.n_papers, 'paper')}. New papers are added at the end."
            )
    return issue


def _ask_selected_by() -> tuple[str, ...] | None:
    """Draw a field for the reports that selected the papers.

    The field accepts new codes. Returns None if a code is invalid.
    """
    named = {report.code: report_option(report) for report in catalogue.reports(cache.store(), retired=True)}
    chosen = st.container(width=480).multiselect(
        "Selected by",
        list(named),
        format_func=lambda code: named.get(code, code),
        accept_new_options=True,
        placeholder="None: these papers need review",
        key="import-selected-by",
        help="For past issues: reports whose editors selected all of these papers. Unknown codes are added as new "
        "reports.",
    )
    codes = tuple(dict.fromkeys(map(clean, chosen)))
    if all(map(REPORT_CODE.fullmatch, codes)):
        return codes
    st.error(escape(f"Invalid report code. Use {CODE_RULE}."))
    return None
