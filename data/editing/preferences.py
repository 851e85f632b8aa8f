"""Store each user's preferences for the desk, such as keyboard shortcuts and plain widgets."""

import json

from sqlalchemy import delete, insert, select

from presort.data.catalogue import person_id
from presort.data.errors import RefusedError
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import PersonRow, PreferenceRow

MAX_VALUE = 20_000  # maximum number of characters


def preference(store: Store, person: str, name: str) -> str | None:
    """Return a user's preference as JSON text, or None if it was never set."""
    with store.reading(Right.OWN, person) as connection:
        return connection.execute(
            select(PreferenceRow.value)
            .join(PersonRow, PersonRow.id == PreferenceRow.person_id)
            .where(PersonRow.name == person, PreferenceRow.name == name)
        ).scalar()


def set_preference(store: Store, person: str, name: str, value: str) -> None:
    """Store a user's preference.

    Parameters
    ----------
    value : str
        JSON text.

    Raises
    ------
    ValueError
        If the value is not valid JSON.
    RefusedError
        If the value is too long.
    """
    json.loads(value)
    if len(value) > MAX_VALUE:
        raise RefusedError(f"{name} has {len(value):,} characters; the limit is {MAX_VALUE:,}. Shorten it.")
    with store.writing(Right.OWN, person) as connection:
        who = person_id(connection, person)
        connection.execute(delete(PreferenceRow).filter_by(person_id=who, name=name))
        connection.execute(insert(PreferenceRow).values(person_id=who, name=name, value=value))
