"""Settings for the workspace: its folder, its database and its scheduled backups."""

import os
import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from presort.data.errors import RefusedError
from presort.desk.settings.sources import BACKUP, DATABASE, FILE, WORKSPACE, name_of, settings_file, value_of

POSTGRESQL = re.compile(r"postgres(ql)?://")
LONGEST_INTERVAL = 24 * 31  # hours between backups
MOST_KEPT = 1_000  # maximum number of days or weeks for which backups are kept


@dataclass(frozen=True)
class Settings:
    """Settings of a process: the path of its workspace."""

    workspace: Path = Path("workspace")


@dataclass(frozen=True)
class BackupPlan:
    """Settings for scheduled backups: their folder, the time between them, and the number of backups to keep.

    Attributes
    ----------
    folder : Path
        Folder for the backups.
    every : timedelta
        Time between backups.
    daily, weekly : int
        Number of days and number of ISO weeks for which the newest backup is kept. Days and weeks without a backup
        aren't counted.
    """

    folder: Path
    every: timedelta = timedelta(hours=24)
    daily: int = 7
    weekly: int = 4


def from_environment() -> Settings:
    """Read the settings of this process.

    Raises
    ------
    RefusedError
        If the settings file can't be read, or contains an unknown setting.
    """
    return Settings(workspace=Path(value_of(WORKSPACE) or Settings.workspace))


def to_environment(settings: Settings) -> dict[str, str]:
    """Return environment variables that pass the same settings on to a child process."""
    path = settings_file()
    of_file = {} if path is None else {FILE: str(path.resolve())}
    return {**os.environ, **of_file, WORKSPACE: str(settings.workspace.resolve())}


def database() -> str:
    """Read the workspace's PostgreSQL URL. Empty if the workspace uses a SQLite file in its folder.

    Raises
    ------
    RefusedError
        If it is not a PostgreSQL URL. The message doesn't quote the URL, because it may contain a password.
    """
    url = value_of(DATABASE)
    if url and not POSTGRESQL.match(url):
        raise RefusedError(
            f"{name_of(DATABASE)} is not a PostgreSQL URL. Example: postgresql://presort@localhost/presort."
        )
    return url


def backup_plan() -> BackupPlan | None:
    """Read the settings for scheduled backups. None if no folder is configured.

    Raises
    ------
    RefusedError
        If a number is invalid.
    """
    folder = value_of(f"{BACKUP}FOLDER")
    hours = _number("EVERY", int(BackupPlan.every / timedelta(hours=1)), LONGEST_INTERVAL)
    daily = _number("KEEP_DAILY", BackupPlan.daily, MOST_KEPT)
    weekly = _number("KEEP_WEEKLY", BackupPlan.weekly, MOST_KEPT)
    return BackupPlan(Path(folder), timedelta(hours=hours), daily, weekly) if folder else None


def _number(part: str, default: int, most: int) -> int:
    name = f"{BACKUP}{part}"
    text = value_of(name) or str(default)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= most:
        raise RefusedError(f"{name_of(name)} is {text!r}. It must be a whole number from 1 to {most:,}.")
    return int(text)
