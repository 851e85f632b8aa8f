"""The command `presort harvest`."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from presort.data.harvest.oai import Progress
from presort.data.harvest.polite import Clock
from presort.data.harvest.stored_harvest import Query, copy_harvests
from presort.data.store import find_store, open_store, refuse_other_tables
from presort.desk import settings
from presort.desk.console.options import DAY, AsJson
from presort.desk.console.printing import err
from presort.desk.importing.harvesting import import_harvest
from presort.desk.importing.printing import import_object, show_import

CLOCK = Clock()


def _check_set(name: str) -> str:
    if name and not settings.OAI_SET.fullmatch(name):
        raise typer.BadParameter(f"{name!r} is not a valid set name, such as physics:hep-th")
    return name


def run_harvest(
    context: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of an OAI-PMH repository.")],
    metadata: Annotated[
        Literal["oai_dc", "arXiv"], typer.Option("--format", help="Metadata format of the records.")
    ] = "oai_dc",
    set_: Annotated[
        str,
        typer.Option(
            "--set", metavar="NAME", callback=_check_set, help="Set to harvest. Defaults to the whole repository."
        ),
    ] = "",
    since: Annotated[
        datetime | None,
        typer.Option(
            formats=DAY,
            metavar="DATE",
            help="Fetch records since this date. Defaults to the end of the last complete harvest.",
        ),
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option(formats=DAY, metavar="DATE", help="Fetch records up to this date. Defaults to no limit."),
    ] = None,
    issue: Annotated[
        datetime | None, typer.Option(formats=DAY, metavar="DATE", help="Issue to add papers to. Defaults to today.")
    ] = None,
    is_trial: Annotated[
        bool,
        typer.Option("--dry-run", help="Fetch the papers, and preview the import without saving anything."),
    ] = False,
    _: Annotated[bool, typer.Option("--keep-going", hidden=True)] = False,  # always on, so it is ignored
    allow_private: Annotated[
        bool, typer.Option("--allow-private", help="Allow a repository in a private network.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Import new papers from an OAI-PMH repository. To resume an interrupted harvest, run the same command again.

    Papers are imported after all records have been fetched. Invalid records are skipped and listed.
    """
    if since and until and since > until:
        raise typer.BadParameter("is before --since", param_hint="--until")
    query = Query(url, metadata, set_, since.date() if since else None, until.date() if until else None)
    day = issue.date() if issue else date.today()
    workspace = context.obj.workspace
    if is_trial:
        refuse_other_tables(workspace, settings.database())  # fail now rather than after hours of fetching
    opened = find_store if is_trial else open_store
    folder = copy_harvests(workspace) if is_trial else nullcontext(workspace)
    with (
        closing(opened(workspace, settings.database())) as store,
        folder as place,
        _show_progress(f"Harvesting {query.name}") as follow,
    ):
        report, findings = import_harvest(
            store,
            place,
            query,
            day,
            clock=CLOCK,
            follow=follow,
            is_trial=is_trial,
            allow_private=allow_private,
        )
    if as_json:
        typer.echo(json.dumps({**import_object(Path(query.name), report, findings, is_trial=is_trial), "path": url}))
    else:
        show_import(Path(query.name), report, findings, is_trial=is_trial)


@contextmanager
def _show_progress(title: str) -> Iterator[Callable[[Progress], None]]:
    """Show a progress bar with the number of fetched records, and print notes."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=None)

        def follow(step: Progress) -> None:
            bar.update(task, completed=step.n_records, total=step.n_total)
            if step.note:
                err.print(step.note, soft_wrap=True)

        yield follow
