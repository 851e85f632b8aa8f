"""Settings of scheduled backups."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from presort.data.errors import RefusedError
from presort.desk.settings_file import BACKUP, name_of, value_of

LONGEST = 24 * 31  # hours between backups
MOST = 1_000  # days or weeks


@dataclass(frozen=True)
class BackupPlan:
    """When scheduled backups are written, where, and how many of them are kept.

    Attributes
    ----------
    folder : Path
        Folder of the backups.
    every : timedelta
        Time between backups.
    daily, weekly : int
        Numbers of days and of ISO weeks for which one backup each is kept.
    """

    folder: Path
    every: timedelta = timedelta(hours=24)
    daily: int = 7
    weekly: int = 4


def backup_plan() -> BackupPlan | None:
    """Read the settings of scheduled backups. None if no folder is set.

    Raises
    ------
    RefusedError
        If a number is invalid.
    """
    folder = value_of(f"{BACKUP}FOLDER")
    hours = _number("EVERY", int(BackupPlan.every / timedelta(hours=1)), LONGEST)
    daily, weekly = _number("KEEP_DAILY", BackupPlan.daily, MOST), _number("KEEP_WEEKLY", BackupPlan.weekly, MOST)
    return BackupPlan(Path(folder), timedelta(hours=hours), daily, weekly) if folder else None


def _number(part: str, default: int, most: int) -> int:
    name = f"{BACKUP}{part}"
    text = value_of(name) or str(default)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= most:
        raise RefusedError(f"{name_of(name)} is {text!r}. It must be a whole number from 1 to {most:,}.")
    return int(text)
