"""Editors' email addresses, to which the weekly job sends notices. Readers never see them."""

from sqlalchemy import select, update

from presort.data.catalogue import log_change
from presort.data.errors import RefusedError
from presort.data.mail.addresses import validate_address
from presort.data.mentions import mentions_of, replace_mentions
from presort.data.store import Store
from presort.data.tables import EditorshipRow, PersonRow

FORMER = "a former address"  # replaces an editor's old address in stored messages


def editor_addresses(store: Store) -> dict[str, str]:
    """Return the email addresses of all past and current editors by name. A missing address is an empty string."""
    edits = select(EditorshipRow.editor_id)
    with store.reading() as connection:
        rows = connection.execute(
            select(PersonRow.name, PersonRow.address).where(PersonRow.id.in_(edits)).order_by(PersonRow.name)
        )
        return dict(rows.all())


def set_address(store: Store, name: str, address: str) -> None:
    """Set an editor's email address. An empty string removes the address.

    Raises
    ------
    RefusedError
        If there is no past or current editor with this name, or the address is invalid.
    """
    kept = validate_address(address) if address else ""
    with store.writing() as connection:
        is_editor = PersonRow.id.in_(select(EditorshipRow.editor_id))
        found = connection.execute(select(PersonRow.id, PersonRow.address).where(PersonRow.name == name, is_editor))
        editor = found.one_or_none()
        if editor is None:
            raise RefusedError(f"There is no editor {name!r}. 'presort editors' lists all editors.")
        connection.execute(update(PersonRow).where(PersonRow.id == editor.id).values(address=kept))
        if editor.address not in ("", kept):  # otherwise the old address would remain when the editor is erased
            replace_mentions(connection, mentions_of(editor.address), FORMER)
        log_change(connection, "Changed email address", person=store.author(connection), about=name)
