"""Triggers for SQLite databases, which enforce rules that column types and keys can't express."""

from collections.abc import Iterator
from typing import NamedTuple


def append_only_triggers(table: str) -> tuple[str, str]:
    """Return SQL statements that make a table append-only, so that bugs elsewhere can't lose decisions.

    A migration that adds a log table must execute these statements.

    Examples
    --------
    >>> print(append_only_triggers("hint")[1])
    CREATE TRIGGER hint_delete BEFORE DELETE ON hint
    BEGIN SELECT RAISE(ABORT, 'hint is a log: rows are only ever added'); END
    """
    update, delete = (
        f"CREATE TRIGGER {table}_{change} BEFORE {change.upper()} ON {table}\n"
        f"BEGIN SELECT RAISE(ABORT, '{table} is a log: rows are only ever added'); END"
        for change in ("update", "delete")
    )
    return update, delete


LOGS = (
    *("listing", "decision", "paper_note", "criteria", "hint", "draft", "reopened_issue", "skipped_issue", "read_mark"),
    *("draw", "reranking", "imported_file", "ranker_choice", "editorship", "holiday", "readership", "role", "change"),
    "alert",
)

# Error message in both SQLite and PostgreSQL
MISPLACED = "{table}.{column} contains a position that is repeated or outside the issue, so the row was rejected"

# An issue's positions must have no gaps, because rankings and drafts refer to papers by position.
DENSE_POSITIONS = """CREATE TRIGGER listing_dense BEFORE INSERT ON listing
WHEN NEW.position IS NOT 1 + (SELECT coalesce(max(position), 0) FROM listing WHERE issue_id = NEW.issue_id)
BEGIN
SELECT RAISE(ABORT, 'listing: the position of a new paper must be the highest position of its issue plus 1'); END"""


class PackedList(NamedTuple):
    """Column that contains packed positions.

    Attributes
    ----------
    table, column : str
    issue : str
        SQL expression for the issue id. It can refer to the new row as NEW.
    highest : str
        SQL expression for the highest valid position.
    """

    table: str
    column: str
    issue: str = "NEW.issue_id"
    highest: str = "(SELECT max(position) FROM listing WHERE issue_id = NEW.issue_id)"


PACKED_LISTS = (
    PackedList("ranking", "positions", highest="length(NEW.positions) / 4"),  # must be a permutation of 1 to n
    PackedList("outcome", "places", "(SELECT issue_id FROM ranking WHERE id = NEW.ranking_id)", "NEW.n_papers"),
    PackedList("report_issue", "published"),
    PackedList("report_issue", "unread"),
    PackedList("first_publication", "unread"),
    PackedList("reopened_issue", "published"),
    PackedList("reopened_issue", "unread"),
    PackedList("draft", "positions"),
    PackedList("draw", "positions"),
    PackedList("reranking", "positions"),
)


def triggers() -> Iterator[str]:
    """Yield the SQL statements that create all triggers in an SQLite database."""
    yield DENSE_POSITIONS
    for log in LOGS:
        yield from append_only_triggers(log)
    for packed in PACKED_LISTS:
        yield from position_triggers(packed)


def misplaced_condition(packed: PackedList) -> str:
    """Return an SQL condition that is true if a list in the NEW row contains invalid or repeated positions.

    A list is valid if its length equals the number of its distinct values between 1 and the highest valid position. The
    query reads one value per position in the issue, so a list longer than the issue is invalid too. SQLite can't decode
    4-byte integers, so their bytes are reversed and compared as hexadecimal strings.
    """
    cell = f"NEW.{packed.column}"
    turned = " || ".join(f"substr({cell}, 4 * position{back}, 1)" for back in ("", " - 1", " - 2", " - 3"))
    return (
        f"length({cell}) / 4.0 IS NOT (SELECT count(*) FROM (SELECT DISTINCT hex({turned}) AS number FROM listing "
        f"WHERE issue_id = {packed.issue} AND position <= length({cell}) / 4.0) "
        f"WHERE number BETWEEN '00000001' AND (SELECT printf('%08X', {packed.highest})))"
    )


def position_triggers(packed: PackedList) -> tuple[str, str]:
    """Return the SQL statements for triggers that reject lists with invalid or repeated positions.

    Examples
    --------
    >>> insert, update = position_triggers(PackedList("draw", "positions"))
    >>> print(update.partition(" IS NOT ")[0])
    CREATE TRIGGER draw_positions_update BEFORE UPDATE OF positions ON draw
    WHEN length(NEW.positions) / 4.0
    """
    table, column = packed.table, packed.column
    message = MISPLACED.format(table=table, column=column)
    insert, update = (
        f"CREATE TRIGGER {table}_{column}_{name} BEFORE {change} ON {table}\n"
        f"WHEN {misplaced_condition(packed)}\nBEGIN SELECT RAISE(ABORT, '{message}'); END"
        for name, change in (("insert", "INSERT"), ("update", f"UPDATE OF {column}"))
    )
    return insert, update
