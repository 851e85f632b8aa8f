"""The commands `presort db backup | restore | check | move`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from presort.data.errors import RefusedError, WorkspaceError
from presort.data.harvest.kept import FOLDER as HARVESTS
from presort.data.running.backups import back_up, restore
from presort.data.running.moves import move_to_file, move_to_server
from presort.data.workspace.health import examine
from presort.desk import settings, settings_file
from presort.desk.console.options import AsJson
from presort.desk.console.printing import out
from presort.desk.text import counted

db_app = typer.Typer(help="Back up, restore, check or move the database.", no_args_is_help=True)


@db_app.command("backup")
def make_backup(
    context: typer.Context,
    target: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A new file; default one in the workspace's folder backups.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Copy the workspace into one file, also while the desk runs: database, templates, models, marks of harvests.

    Example: presort db backup /mnt/other-disk/monday.db
    """
    path = back_up(context.obj.workspace, target, url=settings.database())
    if as_json:
        typer.echo(json.dumps({"backup": str(path), "bytes": path.stat().st_size}))
    else:
        out.print(f"Backed up to {path}, {_size(path.stat().st_size)}.", soft_wrap=True)


@db_app.command("restore")
def put_back(
    context: typer.Context,
    backup: Annotated[Path, typer.Argument(metavar="FILE", help="Backup file of 'presort db backup'.")],
    as_json: AsJson = False,
) -> None:
    """Replace the workspace by a backup. Stop the desk first. The old content is stored, except for models.

    Example: presort db restore /mnt/other-disk/monday.db
    """
    marks = context.obj.workspace / HARVESTS
    had_marks = marks.exists()
    kept = restore(context.obj.workspace, backup, url=settings.database())
    if as_json:
        typer.echo(json.dumps({"restored": str(backup), "kept": str(kept) if kept else None}))
        return
    out.print(f"Put back {backup}.", soft_wrap=True)
    if kept:
        out.print(f"What was there before is kept in {kept}.", soft_wrap=True)
    if had_marks and not marks.exists():
        out.print(
            "The backup has no marks of harvests: the next one asks for everything. To ask for less, call "
            "'presort harvest URL --since DATE' first, with the day of the backup.",
            soft_wrap=True,
        )


@db_app.command("check")
def check(context: typer.Context, as_json: AsJson = False) -> None:
    """Read the whole database and say whether it is damaged; exit code 1 if it is. The desk may run meanwhile.

    Example: presort db check
    """
    health = examine(context.obj.workspace, settings.database())
    if as_json:
        found = asdict(health)
        typer.echo(json.dumps({"path": found.pop("name"), **found}))
    if health.problems:
        raise WorkspaceError(_damaged(health.name, health.problems))
    if not as_json:
        out.print(f"{health.name} is whole: {_size(health.n_bytes)}, tables at {health.schema}.", soft_wrap=True)


@db_app.command("move")
def move(
    context: typer.Context,
    to_file: Annotated[
        bool, typer.Option("--to-file", help="Move from PostgreSQL back into a file in the workspace's folder.")
    ] = False,
) -> None:
    """Move the workspace into the PostgreSQL database that the settings name, or back; stop the desk first.

    The database must be empty. The file is put aside; a database that was moved back stays as it is.

    Example: PRESORT_DATABASE_URL=postgresql://presort@localhost/presort presort db move
    """
    url = settings.database()
    if not url:
        raise RefusedError(f"No PostgreSQL database is set; set {settings_file.DATABASE}, or database.url in the file.")
    if to_file:
        path = move_to_file(context.obj.workspace, url)
        out.print(f"Moved into {path}. Take the address of the database out of the settings now.", soft_wrap=True)
        return
    aside = move_to_server(context.obj.workspace, url)
    out.print(f"Moved. The file that was the database is kept as {aside}.", soft_wrap=True)


def _damaged(path: str, problems: tuple[str, ...]) -> str:
    found = "; ".join(problems)
    return (
        f"{path} is damaged, {counted(len(problems), 'problem')}: {found}. Put back a backup: presort db restore FILE"
    )


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f} MB"
