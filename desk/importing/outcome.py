"""What an import of one file changed, or would: numbers, and the papers behind each."""

import pandas as pd
import streamlit as st

from presort.data.errors import UnreadableFileError
from presort.data.importers.formats import place
from presort.data.importers.problems import Repair
from presort.data.records import PaperChange
from presort.desk.importing import words
from presort.desk.importing.uploads import Outcome
from presort.desk.text import plain
from presort.desk.ui import table as tables

COLUMNS = {
    "new": words.PAPER_COLUMNS,
    "updated": words.PAPER_COLUMNS,
    "matched": words.COPY_COLUMNS,
    "possible": words.POSSIBLE_COLUMNS,
    "shared": words.SHARED_COLUMNS,
    "seen": words.PAPER_COLUMNS,
    "twice": words.PAPER_COLUMNS,
    "left_out": words.LEFT_OUT_COLUMNS,
    "repairs": words.REPAIR_COLUMNS,
}

PROBLEMS = ("left_out", "repairs")  # of reading the file, not of a paper


def draw(outcome: Outcome, name: str) -> None:
    """Draw what became of a file, or would; widgets and files of tables get the name."""
    with st.container(gap="xsmall"):
        st.markdown(f"**{plain(outcome.name)}**")
        if outcome.report is None:
            st.error(plain(outcome.problem))
            if len(outcome.left_out) > 1:
                st.markdown(words.all_wrong(len(outcome.left_out)))
                _draw_table(outcome, "left_out", name)
            return
        st.markdown(plain(words.import_summary(outcome.report.summary, len(outcome.left_out))))
        if named := words.new_reports(outcome.report.new_reports):
            st.caption(plain(named))
        if crowded := words.crowded(outcome.report.summary):
            st.warning(plain(crowded))
        if outcome.report.possible:
            st.caption(words.TO_DECIDE)
        if outcome.report.unfinished:
            st.warning(plain(words.unfinished(outcome.report.unfinished)))
        counts = {kind: n for kind in COLUMNS if (n := _count(outcome, kind))}
        kind = st.segmented_control(
            "Show the papers that are",
            list(counts),
            format_func=lambda kind: f"{words.KIND_NAMES[kind]} {counts[kind]:,}",
            key=f"kind-{name}",
            label_visibility="collapsed",
        )
        if kind:  # one at a time: there may be many thousands of papers
            _draw_table(outcome, kind, name)


def _draw_table(outcome: Outcome, kind: str, name: str) -> None:
    tables.draw(table(outcome, kind), COLUMNS[kind], f"{name}-{kind.replace('_', '-')}")


def table(outcome: Outcome, kind: str) -> pd.DataFrame:
    """Return the papers of one kind as a table, in file order."""
    columns = list(COLUMNS[kind])
    if kind in PROBLEMS:
        return pd.DataFrame([_problem(outcome.name, one) for one in getattr(outcome, kind)], columns=columns)
    changes: tuple[PaperChange, ...] = getattr(outcome.report, kind)
    rows = [
        (_where(outcome.name, change), change.title, change.paper_id, change.duplicate_of, change.how)
        for change in changes
    ]
    return pd.DataFrame(rows, columns=list(words.COPY_COLUMNS))[columns]


def _count(outcome: Outcome, kind: str) -> int:
    return len(getattr(outcome if kind in PROBLEMS else outcome.report, kind))


def _where(name: str, change: PaperChange) -> str:
    return _within(name, place(change.origin.file, change.origin.row)) if change.origin else ""


def _problem(name: str, found: UnreadableFileError | Repair) -> tuple[str, str]:
    reason = f"{found.column}: {found.reason}" if found.column else found.reason
    return _within(name, place(found.name, found.row or found.line)), reason


def _within(name: str, where: str) -> str:
    """Leave out the name of the file that all of it came from."""
    return where.removeprefix(name).removeprefix(", ")
