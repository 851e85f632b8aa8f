"""The commands `presort db …`: back up, restore and check the workspace, and move it between SQLite and PostgreSQL."""

import json
import logging
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from presort.data.errors import RefusedError, WorkspaceError
from presort.data.harvest.stored_harvest import FOLDER as HARVESTS
from presort.data.running.backups import back_up, restore
from presort.data.running.health import examine
from presort.data.running.moves import move_to_file, move_to_server
from presort.data.running.scheduled_backups import run_schedule
from presort.desk import process, settings
from presort.desk.console.options import AsJson
from presort.desk.console.printing import out
from presort.desk.text import count_text

LOG = logging.getLogger(__name__)

db_app = typer.Typer(help="Back up, restore, check or move the database.", no_args_is_help=True)


@db_app.command("backup")
def make_backup(
    context: typer.Context,
    target: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]", help="File to create. Defaults to a new file in the folder 'backups' of the workspace."
        ),
    ] = None,
    is_scheduled: Annotated[
        bool,
        typer.Option(
            "--scheduled",
            help="If a backup is due, write it to backup.folder, check it, and delete expired backups. Intended for "
            "timers.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Back up the workspace to one file: database, templates, models and harvest state. The desk may keep running.

    Example: presort db backup /mnt/other-disk/monday.db
    """
    if is_scheduled:
        if target is not None:
            raise typer.BadParameter("not allowed with --scheduled, which chooses the file's name", param_hint="FILE")
        _back_up_on_schedule(context.obj.workspace, as_json=as_json)
        return
    path = back_up(context.obj.workspace, target, url=settings.database())
    if as_json:
        typer.echo(json.dumps({"backup": str(path), "bytes": path.stat().st_size}))
    else:
        out.print(f"Backed up to {path}, {_size(path.stat().st_size)}.", soft_wrap=True)


@db_app.command("restore")
def restore_backup(
    context: typer.Context,
    backup: Annotated[Path, typer.Argument(metavar="FILE", help="File written by 'presort db backup'.")],
    as_json: AsJson = False,
) -> None:
    """Replace the workspace with a backup. Stop the desk first. The old content is saved, except for models.

    Example: presort db restore /mnt/other-disk/monday.db
    """
    marks = context.obj.workspace / HARVESTS
    had_marks = marks.exists()
    kept = restore(context.obj.workspace, backup, url=settings.database())
    if as_json:
        typer.echo(json.dumps({"restored": str(backup), "kept": str(kept) if kept else None}))
        return
    out.print(f"Restored from {backup}.", soft_wrap=True)
    if kept:
        out.print(f"The previous content is saved in {kept}.", soft_wrap=True)
    if had_marks and not marks.exists():
        out.print(
            "The backup has no harvest state, so the next harvest fetches all records. To avoid this, first run "
            "'presort harvest URL --since DATE' with the date of the backup.",
            soft_wrap=True,
        )


@db_app.command("check")
def check(context: typer.Context, as_json: AsJson = False) -> None:
    """Check the integrity of the database. Exits with code 1 if it is damaged. The desk may keep running.

    Example: presort db check
    """
    health = examine(context.obj.workspace, settings.database())
    if as_json:
        found = asdict(health)
        typer.echo(json.dumps({"path": found.pop("name"), **found}))
    if health.problems:
        raise WorkspaceError(_damage_text(health.name, health.problems))
    if not as_json:
        size = _size(health.n_bytes)
        out.print(f"{health.name} is not damaged: {size}, schema version {health.schema}.", soft_wrap=True)


@db_app.command("move")
def move(
    context: typer.Context,
    to_file: Annotated[
        bool, typer.Option("--to-file", help="Move from PostgreSQL back to a file in the workspace folder.")
    ] = False,
) -> None:
    """Move the workspace to the PostgreSQL database in the settings, or back. Stop the desk first.

    The target database must be empty. The old SQLite file is renamed after the move. An old PostgreSQL database is
    left unchanged.

    Example: PRESORT_DATABASE_URL=postgresql://presort@localhost/presort presort db move
    """
    url = settings.database()
    if not url:
        raise RefusedError(
            f"No PostgreSQL database is configured. Set {settings.DATABASE}, or database.url in {settings.FILE_NAME}."
        )
    if to_file:
        path = move_to_file(context.obj.workspace, url)
        out.print(f"Moved to {path}. Now remove the database URL from the settings.", soft_wrap=True)
        return
    aside = move_to_server(context.obj.workspace, url)
    out.print(f"Moved to PostgreSQL. The old database file was renamed to {aside}.", soft_wrap=True)


def _back_up_on_schedule(workspace: Path, *, as_json: bool) -> None:
    plan = settings.backup_plan()
    if plan is None:
        raise RefusedError(f"No folder for scheduled backups is configured. Set backup.folder in {settings.FILE_NAME}.")
    run = run_schedule(
        workspace,
        plan.folder,
        every=plan.every,
        daily=plan.daily,
        weekly=plan.weekly,
        url=settings.database(),
    )
    path = run.newest.path
    n_bytes = path.stat().st_size
    if as_json:
        deleted = [str(one) for one in run.deleted]
        typer.echo(json.dumps({"backup": str(path), "bytes": n_bytes, "is_new": run.is_new, "deleted": deleted}))
    elif process.is_json():
        process.log_result(LOG, "Scheduled backup", "done" if run.is_new else "passed over", step="backup")
    elif run.is_new:
        says = f"Backed up to {path}, {_size(n_bytes)}, and checked: {count_text(run.n_decisions, 'decision')}."
        out.print(f"{says} Older backups deleted: {len(run.deleted)}.", soft_wrap=True)
    else:
        out.print(f"No backup is due. The newest backup is {path}.", soft_wrap=True)


def _damage_text(path: str, problems: tuple[str, ...]) -> str:
    found = "; ".join(problems)
    n_problems = count_text(len(problems), "problem")
    return f"{path} is damaged ({n_problems}): {found}. Restore a backup with 'presort db restore FILE'."


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f} MB"
