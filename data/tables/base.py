"""What all tables have in common: their base, and the kinds of their columns."""

import datetime

from sqlalchemy import Date, Dialect, MetaData, String
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeDecorator


class Lines(TypeDecorator[tuple[str, ...]]):
    """Several short texts in one column, a line each; cleaned texts hold no line break."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: tuple[str, ...] | None, dialect: Dialect) -> str:
        """Join the texts."""
        return self.joined(value or ())

    @staticmethod
    def joined(texts: tuple[str, ...]) -> str:
        """Give what stands in the database for `texts`."""
        return "\n".join(texts)

    def process_result_value(self, value: str | None, dialect: Dialect) -> tuple[str, ...]:
        """Split them again; nothing is no text."""
        return self.parted(value or "")

    @staticmethod
    def parted(value: str) -> tuple[str, ...]:
        """Give the texts for what stands in the database."""
        return tuple(value.split("\n")) if value else ()


class Moment(TypeDecorator[datetime.datetime]):
    """A time with its zone, kept as ISO text in UTC so that every database orders it alike."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: datetime.datetime | None, dialect: Dialect) -> str | None:
        """Write the time in UTC."""
        return None if value is None else self.written(value)

    @staticmethod
    def written(time: datetime.datetime) -> str:
        """Give what stands in the database for `time`."""
        return time.astimezone(datetime.UTC).isoformat(timespec="milliseconds")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime.datetime | None:
        """Read it back with its zone."""
        return None if value is None else datetime.datetime.fromisoformat(value)


class Base(DeclarativeBase):
    """All tables; names of constraints are fixed so that migrations can change them."""

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
        datetime.datetime: Moment,
        datetime.date: Date,
        tuple[str, ...]: Lines,
    }
