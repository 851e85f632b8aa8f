"""Export everything that the database stores about a person or a reader, as JSON-compatible data.

Tables are found by their foreign keys to people and readers, so rows of a new table are exported without any change to
this module.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
from sqlalchemy import Column, ColumnElement, Connection, Table, func, inspect, or_, select

from presort.data.catalogue import log_change
from presort.data.errors import RefusedError
from presort.data.mentions import mentions_of
from presort.data.running.accounts import find_person
from presort.data.store import Store
from presort.data.tables import Base, IssueRow, PaperRow, PersonRow, ReaderRow, ReportRow, WeeklyStepRow
from presort.data.tables.positions import POSITION

FORMAT = "presort-personal-data-1"
SOMEBODY = "another person"  # replaces other people's names, which are their personal data
HASHED = "digest"  # suffix of columns that contain hashes of secret codes
# Columns to export instead of database ids, which are meaningless outside the database.
KNOWN_BY = {"report": ReportRow.code, "issue": IssueRow.date, "paper": PaperRow.paper_id}


def person_data(store: Store, name: str, *, person: str) -> dict[str, Any]:
    """Return all data about a person as JSON-compatible values, and log this export.

    The export includes the subscriptions of a reader with the same email address, and the weekly job's messages that
    contain the name or the address. Other people's names are left out.

    Parameters
    ----------
    name : str
        Name of the person.
    person : str
        Author of the log entry.

    Raises
    ------
    RefusedError
        If the person does not exist.
    """
    with store.writing() as connection:
        found, name = find_person(connection, name)
        log_change(connection, "Exported personal data", person=person, about=name)
        address = connection.execute(select(PersonRow.address).where(PersonRow.id == found)).scalar_one()
        reader = _reader(connection, address)
        tables = dict(_tables(connection, {"person": found} | ({} if reader is None else {"reader": reader}), name))
        mentions = mentions_of(name, address)
        steps = _rows(connection, WeeklyStepRow.__table__, WeeklyStepRow.message != "", {}, name)
        tables["weekly_step"] = _entry("weekly_step", [row for row in steps if mentions.search(row["message"])])
        return _document(name, tables)


def reader_data(store: Store, address: str, *, person: str) -> dict[str, Any]:
    """Return all data about a reader as JSON-compatible values, and log this export.

    Parameters
    ----------
    address : str
        Reader's address in the form in which it is stored, see `presort.data.mail.addresses`. Case is ignored.
    person : str
        Author of the log entry.

    Raises
    ------
    RefusedError
        If there is no reader with this address.
    """
    with store.writing() as connection:
        reader = _reader(connection, address)
        if reader is None:
            raise RefusedError(f"There is no reader {address}. Nothing is stored about that address.")
        log_change(connection, "Exported a reader's data", person=person)
        return _document(address, dict(_tables(connection, {"reader": reader}, "")))


def as_json(data: Mapping[str, Any]) -> str:
    """Return exported data as indented JSON text."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def owners(table: Table, kind: str) -> list[Column[Any]]:
    """Return the columns that refer to people if `kind` is "person", or to readers if it is "reader"."""
    return [column for column in table.columns if _target(column) == f"{kind}.id"]


def _reader(connection: Connection, address: str) -> int | None:
    """Return the id of the reader with this address, or None if there is no such reader or the address is empty."""
    is_same = func.lower(ReaderRow.address) == address.strip().lower()
    return connection.execute(select(ReaderRow.id).where(is_same)).scalar() if address else None


def _document(name: str, tables: Mapping[str, Any]) -> dict[str, Any]:
    return {"format": FORMAT, "name": name, "exported_at": datetime.now(UTC).isoformat(), "tables": tables}


def _tables(connection: Connection, ids: Mapping[str, int], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name of each table that refers to people or readers, and its rows about this person or reader."""
    for table in Base.metadata.sorted_tables:
        own = [column == ids[kind] for kind in ids for column in owners(table, kind)]
        if own:
            yield table.name, _entry(table.name, _rows(connection, table, or_(*own), ids, name))


def _entry(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"description": _description(name), "rows": rows}


def _rows(
    connection: Connection, table: Any, wanted: ColumnElement[bool], ids: Mapping[str, int], name: str
) -> list[dict[str, Any]]:
    """Return rows of a table as dictionaries by column name, with codes, dates and names instead of foreign keys."""
    columns = [column for column in table.columns if not column.name.endswith(HASHED)]
    names = {column: _names(connection, column, wanted, ids, name) for column in columns}
    found = connection.execute(select(*columns).where(wanted).order_by(*table.primary_key))
    return [
        {
            column.name.removesuffix("_id"): _plain(value) if known is None else known.get(value, value and SOMEBODY)
            for (column, known), value in zip(names.items(), row, strict=True)
        }
        for row in found
    ]


def _names(
    connection: Connection, column: Column[Any], wanted: ColumnElement[bool], ids: Mapping[str, int], name: str
) -> dict[Any, Any] | None:
    """Map the ids in a column to the codes, dates or names that they refer to.

    Returns None if the column's values are exported unchanged.
    """
    table, _, _ = _target(column).partition(".")
    if table == "person" and column.foreign_keys:
        return {ids["person"]: name} if "person" in ids else {}
    if table not in KNOWN_BY:
        return None
    known = KNOWN_BY[table]
    key = inspect(known.class_).primary_key[0]
    query = select(key, known).where(key.in_(select(column).where(wanted)))
    return {number: _plain(value) for number, value in connection.execute(query)}


def _target(column: Column[Any]) -> str:
    """Follow a column's foreign keys and return the table and name of the last column, as in ``person.id``.

    For a column without a foreign key, this is the column itself.
    """
    for key in column.foreign_keys:
        return _target(key.column)
    return f"{column.table.name}.{column.name}"


def _plain(value: Any) -> Any:
    """Convert a cell value to a JSON-compatible value. Bytes are packed list positions and become a list."""
    match value:
        case datetime() | date():
            return value.isoformat()
        case bytes():
            return np.frombuffer(value, POSITION).tolist()
        case tuple():
            return list(value)
    return value


def _description(name: str) -> str:
    """Return the first sentence of a table's docstring."""
    rows = {mapper.class_.__tablename__: mapper.class_ for mapper in Base.registry.mappers}
    return " ".join((rows[name].__doc__ or "").split()).partition(". ")[0].removesuffix(".") + "."
