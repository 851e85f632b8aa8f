"""What the workspace keeps of a review beside its logs: the level, which is one for all editors of a report."""

from data import catalogue
from data.editing.work import settings_from
from data.store import Store
from desk.sheet.progress import LEVEL, LEVELS

LEVEL_OF = "level:"  # with which the names of settings start


def level(store: Store, report: str) -> int:
    """Return the chance, in percent, that suffices the editors of a report."""
    kept = catalogue.setting(store, f"{LEVEL_OF}{report}")
    return int(kept) if kept else LEVEL


def set_level(store: Store, report: str, percent: int) -> None:
    """Keep another level, one of `LEVELS`."""
    if percent not in LEVELS:
        raise ValueError(f"percent must be one of {LEVELS}, got {percent}")
    catalogue.set_setting(store, f"{LEVEL_OF}{report}", str(percent))


def all_levels(store: Store) -> dict[str, int]:
    """Return what `level` does, by report, where its editors chose one."""
    return {report: int(kept) for report, kept in settings_from(store, LEVEL_OF).items()}
