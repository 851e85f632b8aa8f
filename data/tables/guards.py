"""What the database refuses whatever the code does, beyond what a column or a key can say: triggers."""


def append_only(table: str) -> tuple[str, str]:
    """Return the statements after which rows of a table can only be added.

    A migration runs them for each log that it makes: whatever is wrong elsewhere, nothing that was said is lost.

    Examples
    --------
    >>> print(append_only("hint")[1])
    CREATE TRIGGER hint_delete BEFORE DELETE ON hint
    BEGIN SELECT RAISE(ABORT, 'hint is a log: rows are only ever added'); END
    """
    update, delete = (
        f"CREATE TRIGGER {table}_{change} BEFORE {change.upper()} ON {table}\n"
        f"BEGIN SELECT RAISE(ABORT, '{table} is a log: rows are only ever added'); END"
        for change in ("update", "delete")
    )
    return update, delete


# Whatever points to a paper by its position, as rankings do, would point to another one after a gap.
DENSE_POSITIONS = """CREATE TRIGGER listing_dense BEFORE INSERT ON listing
WHEN NEW.position IS NOT 1 + (SELECT coalesce(max(position), 0) FROM listing WHERE issue_id = NEW.issue_id)
BEGIN SELECT RAISE(ABORT, 'listing: a paper comes right after the last one of its issue'); END"""
