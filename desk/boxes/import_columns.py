"""Which column of a dropped table holds what: guessed, shown with the first rows, and to be chosen otherwise."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pandas as pd
import streamlit as st

from data.errors import UnreadableFileError
from data.importers.columns import NEEDED, NoColumnError, guess
from data.importers.preview import TABLES, ColumnMapping, preview
from desk.boxes.import_uploads import Upload, on_disk
from desk.managing import tables
from desk.words import importing as words
from desk.words.text import plain

IN_A_ROW = 5  # boxes
MOST_LINES = 8  # of the table, seen at once
SEEN = "import-tables"  # the previews of the files that lie there


def forget_others(uploads: Sequence[Upload]) -> None:
    """Keep no preview of a file that is gone."""
    seen = st.session_state.get(SEEN, {})
    st.session_state[SEEN] = {upload.id: seen[upload.id] for upload in uploads if upload.id in seen}


def choose(upload: Upload) -> Upload:
    """Draw the columns of a file that is a table, and give it with those chosen; of another nothing is drawn."""
    table = _table(upload)
    if table is None or not table.columns:
        return upload
    first = _first_guess(table.columns)
    is_open = bool(_problem(table.columns, first))
    with st.expander(plain(words.columns_of(upload.name)), expanded=is_open, icon=":material/view_column:"):
        chosen = _draw_boxes(upload.id, list(dict.fromkeys(filter(None, table.columns))), first)
        if problem := _problem(table.columns, chosen):
            st.warning(plain(problem))
        _draw_rows(table, chosen, upload.id)
    return replace(upload, columns=chosen)


def _table(upload: Upload) -> ColumnMapping | None:
    """Give what a table looks like; None if it is none, or can't be read, which is said when it is looked at."""
    if Path(upload.name).suffix.lower() not in TABLES:
        return None
    seen = st.session_state[SEEN]
    if upload.id not in seen:
        seen[upload.id] = None
        with suppress(UnreadableFileError), on_disk(upload) as path:
            seen[upload.id] = preview(path)
    table: ColumnMapping | None = seen[upload.id]
    return table


def _first_guess(columns: Sequence[str]) -> dict[str, str]:
    """Guess what can be, also where the column of a needed field can't."""
    for stand_ins in ((), *((name,) for name in NEEDED), NEEDED):
        with suppress(NoColumnError):
            found = guess([*columns, *stand_ins], {})
            return {field: column for field, column in found.items() if field not in stand_ins}
    return {}


def _problem(columns: Sequence[str], chosen: Mapping[str, str]) -> str:
    """Say why no paper can be read from these columns; empty if it can."""
    missing = [field for field in NEEDED if not chosen.get(field) and not (field == "paper_id" and chosen.get("doi"))]
    if missing:
        return words.needs(missing)
    try:
        guess(columns, {field: chosen.get(field, "") for field in words.FIELDS})
    except NoColumnError as error:
        return f"{error}."
    return ""


def _draw_boxes(id: str, columns: list[str], first: Mapping[str, str]) -> dict[str, str]:
    """Draw a box for each field; give the column chosen in each, empty where there is none."""
    options, fields = ["", *columns], list(words.FIELDS)
    chosen = {}
    for start in range(0, len(fields), IN_A_ROW):
        for place, field in zip(st.columns(IN_A_ROW), fields[start : start + IN_A_ROW], strict=False):
            chosen[field] = place.selectbox(
                words.FIELDS[field],
                options,
                options.index(first.get(field, "")),
                format_func=lambda column: column or words.NOT_THERE,
                key=f"column-{field}-{id}",
            )
    return chosen


def _draw_rows(table: ColumnMapping, chosen: Mapping[str, str], id: str) -> None:
    """Draw the first rows of a table on their side, a line a column."""
    taken_as = {column: words.FIELDS[field] for field, column in chosen.items() if column}
    lines = [
        (column, taken_as.get(column, ""), *(row[place] for row in table.rows))
        for place, column in enumerate(table.columns)
    ]
    heads = [words.COLUMN, words.TAKEN_AS, *(words.row(number + 1) for number in range(len(table.rows)))]
    with st.container(key=f"table-columns-{id}"):
        st.html(tables.STYLE)
        height = tables.HEAD + tables.ROW * min(len(lines), MOST_LINES)
        st.dataframe(pd.DataFrame(lines, columns=heads), hide_index=True, height=height, key=f"rows-{id}")
