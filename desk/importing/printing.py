"""Terminal output of an import or a dry run: counts, papers and problems."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from presort.data.importers.formats import place
from presort.data.importers.problems import Findings
from presort.data.records import ImportReport, PaperChange
from presort.desk.console.printing import import_text, out
from presort.desk.importing.importer import unfinished_text

MOST_LINES = 20  # maximum number of papers printed per kind of change; the JSON output contains all papers
HEADS = {
    "new": "New",
    "updated": "Updated",
    "matched": "Duplicates of known papers, not listed again",
    "possible": "Possible duplicates, listed (resolve them with 'presort imports duplicates')",
    "shared": "Different papers that share an id or DOI with a known paper, listed",
    "seen": "In an earlier issue, not listed again",
    "twice": "Twice in the file, last record imported",
}
OTHER = {  # text that refers to the existing paper, added to a paper's line
    "matched": "; duplicate of {0.duplicate_of}, matched by {0.how}",
    "possible": "; possible duplicate of {0.duplicate_of}, matched by {0.how}",
    "shared": "; same {0.how} as {0.duplicate_of}",
}
DRY_RUN = "This was a dry run: nothing was changed."


def show_import(path: Path, report: ImportReport, findings: Findings, *, is_trial: bool) -> None:
    """Print an import's counts, the papers by kind of change, the skipped records and the repairs."""
    out.print(import_text(path, asdict(report.summary)), soft_wrap=True)
    for kind, head in HEADS.items():
        _show_lines(head, [_line(path, change, OTHER.get(kind, "")) for change in getattr(report, kind)])
    for head, found in (("Skipped", findings.skipped), ("Repaired", findings.repairs)):
        _show_lines(f"{head} ({len(found):,})", [_strip_file_name(path, str(one)) for one in found])
    if report.unfinished:
        out.print(unfinished_text(report.unfinished), soft_wrap=True)
    if is_trial:
        out.print(DRY_RUN)


def show_columns(fields: Mapping[str, str]) -> None:
    """Print each table column that is used for a field with a different name."""
    if differing := [f"{field} from {column}" for field, column in fields.items() if column != field]:
        out.print(f"Columns: {', '.join(differing)}.", soft_wrap=True)


def import_object(path: Path, report: ImportReport, findings: Findings, *, is_trial: bool) -> dict[str, Any]:
    """Return the result of an import, with all papers, as an object for JSON."""
    return {
        "path": str(path),
        "is_dry_run": is_trial,
        **asdict(report.summary),
        "unfinished": report.unfinished,
        "papers": {kind: [asdict(change) for change in getattr(report, kind)] for kind in HEADS},
        "left_out": [
            {"file": error.name, "row": error.row or error.line, "column": error.column, "reason": error.reason}
            for error in findings.skipped
        ],
        "repairs": [
            {"file": repair.name, "row": repair.row or repair.line, "column": repair.column, "reason": repair.reason}
            for repair in findings.repairs
        ],
    }


def _show_lines(head: str, lines: Sequence[str]) -> None:
    if not lines:
        return
    out.print(f"{head}:")
    for line in lines[:MOST_LINES]:
        out.print(f"  {line}", soft_wrap=True)
    if len(lines) > MOST_LINES:
        out.print(f"  and {len(lines) - MOST_LINES:,} more")


def _strip_file_name(path: Path, message: str) -> str:
    """Remove the file's name from a message, because the message is printed below that name."""
    return message.removeprefix(path.name).removeprefix(", ").removeprefix(": ")


def _line(path: Path, change: PaperChange, other: str) -> str:
    where = place(change.origin.file, change.origin.row) if change.origin else ""
    where = where.removeprefix(path.name).removeprefix(", ")
    also = other.format(change) if change.duplicate_of else ""
    return f"{where}{': ' if where else ''}{change.title} ({change.paper_id}){also}"
