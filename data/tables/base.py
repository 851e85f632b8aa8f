"""Base class and column types of all tables."""

import datetime
from collections.abc import Callable
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Date, Dialect, Integer, MetaData, String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeDecorator

from presort.data.errors import DamagedCellError

# PostgreSQL sorts these columns by code point, like SQLite, whatever the locale of the database is.
PLAIN = String().with_variant(String(collation="C"), "postgresql")
NUMBER = BigInteger().with_variant(Integer(), "sqlite")  # 64 bits as in SQLite, because browsers may send large numbers


class NoBytes(ColumnElement[bytes]):
    """Server default for a bytes column: an empty value."""

    inherit_cache = True


@compiles(NoBytes)
def _compile_no_bytes(_element: NoBytes, _compiler: SQLCompiler, **_options: object) -> str:
    return "x''"


@compiles(NoBytes, "postgresql")
def _compile_no_bytes_for_postgresql(_element: NoBytes, _compiler: SQLCompiler, **_options: object) -> str:
    return "''::bytea"


class Lines(TypeDecorator[tuple[str, ...]]):
    """Column with several short strings, one per line. Clean the strings first, to remove line breaks within them."""

    impl = PLAIN
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Dialect) -> str:
        """Join the strings."""
        return self.join(value or ())

    @staticmethod
    def join(texts: tuple[str, ...]) -> str:
        """Join strings into the value to store."""
        return "\n".join(texts)

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[str, ...]:
        """Split the stored value into strings. NULL and the empty value contain no strings."""
        return self.split(value or "")

    @staticmethod
    def split(value: str) -> tuple[str, ...]:
        """Split a stored value into its strings."""
        return tuple(value.split("\n")) if value else ()


class Day(TypeDecorator[datetime.date]):
    """Date column. An invalid stored value raises DamagedCellError."""

    impl = Date
    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime.date | None] | None:
        """Return a function that reads stored dates."""
        read = super().result_processor(dialect, coltype)
        return read and _wrap_reader(read, "date")


class Moment(TypeDecorator[datetime.datetime]):
    """Time with a time zone, stored in ISO format in UTC so that all databases sort times in the same way."""

    impl = PLAIN
    cache_ok = True

    def process_bind_param(self, value: datetime.datetime | None, dialect: Dialect) -> str | None:
        """Convert the time to its stored form in UTC."""
        return None if value is None else self.to_text(value)

    @staticmethod
    def to_text(time: datetime.datetime) -> str:
        """Convert a time to the string to store."""
        return time.astimezone(datetime.UTC).isoformat(timespec="milliseconds")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime.datetime | None:
        """Convert the stored text to a time with a time zone."""
        return None if value is None else _read_moment(value)


def _wrap_reader(read: Callable[[Any], Any], kind: str) -> Callable[[Any], Any]:
    """Wrap a function that reads cells, so that invalid values raise DamagedCellError."""

    def read_cell(value: Any) -> Any:
        try:
            return read(value)
        except (ValueError, TypeError) as error:
            raise DamagedCellError(f"{value!r} is not a {kind}") from error

    return read_cell


_read_moment = _wrap_reader(datetime.datetime.fromisoformat, "time")


class Base(DeclarativeBase):
    """Base class for all tables. Constraints have predictable names, so that migrations can change them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012  (SQLAlchemy reads it as a class attribute)
        str: PLAIN,
        int: NUMBER,
        datetime.datetime: Moment,
        datetime.date: Day,
        tuple[str, ...]: Lines,
    }
