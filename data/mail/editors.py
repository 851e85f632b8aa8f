"""Mail addresses of editors for notices of the weekly job. Readers never see them."""

from sqlalchemy import select, update

from presort.data.catalogue import log_change
from presort.data.errors import RefusedError
from presort.data.mail.addresses import checked_address
from presort.data.store import Store
from presort.data.tables import EditorshipRow, PersonRow


def addresses(store: Store) -> dict[str, str]:
    """Return the mail address of every past and current editor, by name. Empty if unknown."""
    edits = select(EditorshipRow.editor_id)
    with store.reading() as connection:
        rows = connection.execute(
            select(PersonRow.name, PersonRow.address).where(PersonRow.id.in_(edits)).order_by(PersonRow.name)
        )
        return dict(rows.all())


def set_address(store: Store, name: str, address: str) -> None:
    """Record the mail address of an editor; an empty text takes it back.

    Raises
    ------
    RefusedError
        If nobody of that name ever edited, or it is no address.
    """
    kept = checked_address(address) if address else ""
    with store.writing() as connection:
        is_editor = PersonRow.id.in_(select(EditorshipRow.editor_id))
        changed = connection.execute(update(PersonRow).where(PersonRow.name == name, is_editor).values(address=kept))
        if changed.rowcount != 1:
            raise RefusedError(f"Nobody called {name!r} edits a report; 'presort editors' lists who does.")
        log_change(connection, "Another mail address", person=store.author(connection), about=name)
