"""Settings for the weekly job, except for ranking."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path

from presort.data.errors import RefusedError
from presort.data.mail.addresses import validate_address
from presort.desk.settings.mail import Delivery, delivery
from presort.desk.settings.server import WEB_ADDRESS, desk_url
from presort.desk.settings.sources import DIRECTOR, HARVEST, IMPORT, name_of, refuse_unknown, tables_of, value_of

OAI_SET = re.compile(r"[A-Za-z0-9\-_.!~*'():]+")  # characters allowed in an OAI-PMH setSpec
OAI_FORMATS = ("oai_dc", "arXiv")  # repeated here, because importing the registry of formats is slow
OF_HARVEST = ("url", "set", "format", "from", "private")


@dataclass(frozen=True)
class Harvest:
    """OAI-PMH repository from which new papers are harvested.

    Attributes
    ----------
    url : str
    set_ : str
        OAI-PMH set to harvest. Defaults to the whole repository.
    format : str
        Metadata prefix, one of `OAI_FORMATS`.
    begin : date or None
        Start date of the first harvest. Later harvests request only new records. By default, the first harvest starts
        with the oldest record.
    is_private : bool
        True if the repository may be in a private network.
    """

    url: str
    set_: str = ""
    format: str = "oai_dc"
    begin: date | None = None
    is_private: bool = False


@dataclass(frozen=True)
class Week:
    """Settings for the weekly job, except for ranking.

    Attributes
    ----------
    harvest : tuple of Harvest
    folder : Path or None
        Folder from which files are imported.
    director : str
        Email address of the director. It may be empty.
    desk_url : str
        Address of the desk, used for links in emails to editors. It may be empty.
    delivery : Delivery
        Settings for mail to readers and for public pages.
    """

    harvest: tuple[Harvest, ...] = ()
    folder: Path | None = None
    director: str = ""
    desk_url: str = ""
    delivery: Delivery = field(default_factory=Delivery)


def week() -> Week:
    """Read the settings for the weekly job, except for ranking.

    Raises
    ------
    RefusedError
        If an address or a harvest table is invalid.
    """
    harvest, director = tuple(map(_harvest, tables_of(HARVEST))), value_of(DIRECTOR)
    folder, desk = value_of(IMPORT), desk_url()
    return Week(
        harvest,
        Path(folder) if folder else None,
        validate_address(director) if director else "",
        "" if desk is None else str(desk),
        delivery(),
    )


def _harvest(table: Mapping[str, object]) -> Harvest:
    where = name_of(HARVEST)
    refuse_unknown(where, table, OF_HARVEST)
    url, set_ = str(table.get("url", "")), str(table.get("set", ""))
    if not WEB_ADDRESS.fullmatch(url):
        raise RefusedError(f"{where}: {url!r} is not a web address. It must begin with https:// or http://.")
    if set_ and not OAI_SET.fullmatch(set_):
        raise RefusedError(f"{where}: {set_!r} is not a valid set name for {url}. Example: physics:hep-th.")
    format_ = str(table.get("format", Harvest.format))
    if format_ not in OAI_FORMATS:
        raise RefusedError(f"{where}: unknown format {format_!r} for {url}. Valid formats: {', '.join(OAI_FORMATS)}.")
    is_private = table.get("private", False)
    if not isinstance(is_private, bool):
        raise RefusedError(f"{where}: 'private' must be true or false for {url}.")
    return Harvest(url, set_, format_, _day(where, url, table.get("from")), is_private)


def _day(where: str, url: str, value: object) -> date | None:
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError as error:
        raise RefusedError(f"{where}: 'from' must be a date such as 2026-11-02 for {url}, not {value}.") from error
