"""Mentions of a person in the stored messages of the weekly job."""

import re

from sqlalchemy import Connection, select, update

from presort.data.tables import WeeklyStepRow


def mentions_of(*names: str) -> re.Pattern[str]:
    """Return a pattern that matches any of a person's names and addresses as whole words.

    Empty strings are ignored, but at least one string must not be empty.
    """
    found = "|".join(rf"(?<!\w){re.escape(each)}(?!\w)" for each in names if each)
    return re.compile(found, re.IGNORECASE)


def replace_mentions(connection: Connection, mentions: re.Pattern[str], new: str) -> None:
    """Replace all matches of a pattern in the messages."""
    row = WeeklyStepRow
    for week, step, message in connection.execute(select(row.week, row.step, row.message)).all():
        if mentions.search(message):
            replaced = mentions.sub(lambda _: new, message)
            connection.execute(update(row).where(row.week == week, row.step == step).values(message=replaced))
