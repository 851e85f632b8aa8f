"""Mapping of a table's columns to fields. It is guessed, shown above the first rows, and can be changed by the user."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from presort.data.editing.preferences import MAX_VALUE, preference, set_preference
from presort.data.errors import DataError
from presort.data.importers.columns import FIELDS, NEEDED, NoColumnError, guess
from presort.data.importers.preview import ColumnMapping
from presort.data.store import Store
from presort.desk.importing.advice import FIELD_LABELS
from presort.desk.importing.uploads import Upload, copy_to_disk
from presort.desk.jobs import supervisor
from presort.desk.text import count_text, escape
from presort.desk.ui import cache, reranking, visitor
from presort.desk.ui import table as tables

IN_A_ROW = 5  # select boxes per row
MOST_LINES = 8  # maximum number of visible table rows
FIRST_PAPERS = ("First paper", "Second paper", "Third paper")
SEEN = "import-tables"  # session key: previews of the uploaded files
NAME = "import columns"  # name of the preference that stores the column mappings
MOST_KEPT = 20  # maximum number of column mappings to store per user
NO_IDS = "No Id column: papers are matched by title, year and first author."
COLUMNS_REMEMBERED = "Columns are assigned as in your last file with these headings."


def forget_removed(uploads: Sequence[Upload]) -> None:
    """Discard the previews of removed files."""
    seen = st.session_state.get(SEEN, {})
    st.session_state[SEEN] = {upload.id: seen[upload.id] for upload in uploads if upload.id in seen}


def choose(upload: Upload) -> Upload:
    """Draw a table's column mapping, and return the upload with the mapping chosen by the user.

    If the file isn't a table, nothing is drawn, and the upload is returned unchanged.
    """
    table = _table(upload)
    if table is None or not table.columns:
        return upload
    guessed = _first_guess(table.columns)
    kept = stored_mapping(cache.store(), visitor.person(), table.columns)
    first = guessed if kept is None else kept
    is_open = bool(_problem(table.columns, first))
    above = st.container()
    with st.expander(escape(f"Columns of {upload.name}"), expanded=is_open, icon=":material/view_column:"):
        chosen = _draw_boxes(upload.id, list(dict.fromkeys(filter(None, table.columns))), first)
        problem = _problem(table.columns, chosen)
        if problem:
            st.warning(escape(problem))
        _draw_rows(table, chosen, upload.id)
    with above:
        if kept is not None:
            st.caption(COLUMNS_REMEMBERED)
        if not chosen["paper_id"] and not chosen["doi"]:
            st.caption(NO_IDS)
        if not chosen["issue"]:
            _offer_issue(table.like_issues, chosen, upload.id)
    return replace(upload, columns=chosen, problem=problem)


def remember(upload: Upload) -> None:
    """Store the column mapping of an upload for the next table with the same headings, if it differs from the guess."""
    if table := _table(upload):
        answered = {field: column for field, column in upload.columns.items() if column}
        chosen = None if answered == _first_guess(table.columns) else answered
        store_mapping(cache.store(), visitor.person(), table.columns, chosen)


def _table(upload: Upload) -> ColumnMapping | None:
    """Return the preview of a table, or None if the file is not a table or can't be read.

    An unreadable file is not reported here, because the import reports it.
    """
    if not upload.is_table:
        return None
    seen = st.session_state[SEEN]
    if upload.id not in seen:
        seen[upload.id] = None
        with suppress(DataError), st.spinner(escape(f"Reading {upload.name}")), copy_to_disk(upload) as path:
            seen[upload.id] = preview_in_worker(path)
    table: ColumnMapping | None = seen[upload.id]
    return table


def missing_columns_text(missing: Sequence[str]) -> str:
    """Return the error message for missing columns.

    Examples
    --------
    >>> missing_columns_text(["Title"])
    'No column for Title. Choose the column, or upload another file.'
    """
    return f"No column for {' or '.join(missing)}. Choose the column, or upload another file."


def issue_column_text(column: str, n_dates: int) -> str:
    """Describe a column that probably contains the issue dates.

    Examples
    --------
    >>> issue_column_text("date", 13)
    "'date' may contain the issue dates (13 different dates)."
    """
    return f"{column!r} may contain the issue dates ({count_text(n_dates, 'different date')})."


def _first_guess(columns: Sequence[str]) -> dict[str, str]:
    """Guess the columns of as many fields as possible.

    `guess` fails if it finds no column for a required field. In that case, the field's name is added as a stand-in for
    the missing column, and removed from the result.
    """
    for stand_ins in ((), *((name,) for name in NEEDED), NEEDED):
        with suppress(NoColumnError):
            found = guess([*columns, *stand_ins], {})
            return {field: column for field, column in found.items() if field not in stand_ins}
    return {}


def _problem(columns: Sequence[str], chosen: Mapping[str, str]) -> str:
    """Return the reason why papers can't be read from these columns, or an empty string if they can."""
    missing = [field for field in NEEDED if not chosen.get(field)]
    if missing:
        return missing_columns_text([FIELD_LABELS[field] for field in missing])
    try:
        guess(columns, {field: chosen.get(field, "") for field in FIELD_LABELS})
    except NoColumnError as error:
        return f"{error}."
    return ""


def _draw_boxes(id: str, columns: list[str], first: Mapping[str, str]) -> dict[str, str]:
    """Draw a select box for each field. Return the column chosen for each field, or "" if none is chosen."""
    options, fields = ["", *columns], list(FIELD_LABELS)
    n_set, first = st.session_state.get(_set_key(id), (0, first))
    keys = {field: f"column-{field}-{id}-{n_set}" for field in fields}
    chosen = {}
    for start in range(0, len(fields), IN_A_ROW):
        for place, field in zip(st.columns(IN_A_ROW), fields[start : start + IN_A_ROW], strict=False):
            chosen[field] = place.selectbox(
                FIELD_LABELS[field],
                options,
                options.index(first.get(field, "")),
                format_func=lambda column: column or "not in the file",
                key=keys[field],
                on_change=_clear_other_box,
                args=(id, field, keys),
            )
    return chosen


def _offer_issue(like_issues: Mapping[str, int], chosen: Mapping[str, str], id: str) -> None:
    """Draw a button for each column that may contain the issue dates."""
    for column, n_dates in like_issues.items():
        with st.container(horizontal=True, vertical_alignment="center", key=f"like-issue-{column}-{id}"):
            st.markdown(escape(issue_column_text(column, n_dates)), width="content")
            key = f"take-issue-{column}-{id}"
            st.button("Use as Issue", key=key, on_click=_set, args=(id, chosen, "issue", column))


def _clear_other_box(id: str, field: str, keys: Mapping[str, str]) -> None:
    """If the chosen column is already selected in another box, clear that box."""
    chosen = {one: st.session_state[key] for one, key in keys.items()}
    if chosen[field] and list(chosen.values()).count(chosen[field]) > 1:
        _set(id, chosen, field, chosen[field])


def _set(id: str, chosen: Mapping[str, str], field: str, column: str) -> None:
    """Set a field's column, and replace all select boxes with new boxes.

    Setting the values of the old boxes would be unreliable, because the browser may resend their earlier values while
    the page is polling for a preview.
    """
    n_set, _ = st.session_state.get(_set_key(id), (0, {}))
    freed = {one: "" if other == column else other for one, other in chosen.items()}
    st.session_state[_set_key(id)] = (n_set + 1, {**freed, field: column})


def _set_key(id: str) -> str:
    return f"import-columns-{id}"


def _draw_rows(table: ColumnMapping, chosen: Mapping[str, str], id: str) -> None:
    """Draw the first rows of a table, transposed so that each column becomes a row."""
    taken_as = {column: FIELD_LABELS[field] for field, column in chosen.items() if column}
    lines = [
        (column, taken_as.get(column, ""), *(row[place] for row in table.rows))
        for place, column in enumerate(table.columns)
    ]
    heads = ["Column", "Used as", *FIRST_PAPERS[: len(table.rows)]]
    height = tables.height(len(lines), MOST_LINES)
    st.dataframe(pd.DataFrame(lines, columns=heads), hide_index=True, height=height, key=f"rows-{id}")


def preview_in_worker(path: Path) -> ColumnMapping | None:
    """Preview a table in a worker process with limited memory and time. Returns None if the table can't be read."""
    found = supervisor.preview(reranking.queue().queue, path)
    return ColumnMapping.from_json(found) if found else None


def stored_mapping(store: Store, person: str, headings: Sequence[str]) -> dict[str, str] | None:
    """Return a user's stored column mapping for tables with these headings, or None if there is none."""
    return _stored_mappings(store, person).get(_headings_digest(headings))


def store_mapping(store: Store, person: str, headings: Sequence[str], chosen: Mapping[str, str] | None) -> None:
    """Store a user's column mapping for tables with these headings. If `chosen` is None, delete it."""
    before = _stored_mappings(store, person)
    kept = {sign: columns for sign, columns in before.items() if sign != _headings_digest(headings)}
    if chosen is not None:
        kept = dict([*kept.items(), (_headings_digest(headings), dict(chosen))][-MOST_KEPT:])
    while len(value := json.dumps(kept)) > MAX_VALUE:  # delete the oldest mappings until the value fits
        del kept[next(iter(kept))]
    if kept != before:
        set_preference(store, person, NAME, value)


def _headings_digest(headings: Sequence[str]) -> str:
    """Return a digest of the headings that doesn't depend on their order."""
    return sha256(json.dumps(sorted(headings)).encode()).hexdigest()[:32]


def _stored_mappings(store: Store, person: str) -> dict[str, dict[str, str]]:
    kept = json.loads(preference(store, person, NAME) or "{}")
    return {sign: columns for sign, columns in kept.items() if _is_mapping(columns)} if isinstance(kept, dict) else {}


def _is_mapping(columns: Any) -> bool:
    """Return True if a stored mapping is valid. A mapping from another version of Presort may have other fields."""
    return isinstance(columns, dict) and all(
        field in FIELDS and isinstance(column, str) for field, column in columns.items()
    )
