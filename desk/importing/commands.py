"""The command `presort import`."""

import json
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from presort.data.errors import UnreadableFileError
from presort.data.importers.choices import Choices
from presort.data.importers.columns import FIELDS
from presort.data.importers.listings import fields_in
from presort.data.records import CODE_RULE, REPORT_CODE
from presort.data.store import FILE_NAME, Store, find_store, open_store
from presort.data.text.cleaning import clean
from presort.data.workspace.scratch import scratch_folder
from presort.desk import settings
from presort.desk.console.options import DAY, AsJson
from presort.desk.console.printing import err
from presort.desk.importing import advice
from presort.desk.importing.importer import import_path
from presort.desk.importing.printing import import_object, show_columns, show_import

PERSON = "import"  # name of the user in the log


def _check_codes(codes: list[str] | None) -> list[str]:
    for code in codes or ():
        if not REPORT_CODE.fullmatch(code):
            raise typer.BadParameter(f"{code!r} is not a valid report code. Use {CODE_RULE}.")
    return codes or []


def _check_columns(chosen: list[str] | None) -> list[str]:
    for one in chosen or ():
        field, equals, _ = one.partition("=")
        if not equals or field not in FIELDS:
            raise typer.BadParameter(f"{one!r} is not FIELD=COLUMN, where FIELD is one of {', '.join(FIELDS)}")
    return chosen or []


def import_files(
    context: typer.Context,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help=(
                "Tables, ReDIF, AMF, RIS, BibTeX, MEDLINE, Web of Science, EndNote, PubMed XML, CSL-JSON, Atom or RSS: "
                "a file, or a folder or archive of these files."
            ),
        ),
    ],
    issue: Annotated[
        datetime | None,
        typer.Option(formats=DAY, metavar="DATE", help="Issue for papers without an issue date in the file."),
    ] = None,
    selected_by: Annotated[
        list[str] | None,
        typer.Option(
            "--selected-by",
            metavar="CODE",
            callback=_check_codes,
            help="Report whose editor selected all of these papers. Can be repeated.",
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--column",
            metavar="FIELD=COLUMN",
            callback=_check_columns,
            help="Table column to use for a field, if the automatic choice is wrong. Can be repeated.",
        ),
    ] = None,
    is_trial: Annotated[bool, typer.Option("--dry-run", help="Preview the changes without saving anything.")] = False,
    keeps_going: Annotated[
        bool,
        typer.Option("--keep-going", help="Skip invalid records and list them. Otherwise they prevent the import."),
    ] = False,
    is_matched: Annotated[
        bool,
        typer.Option(
            "--matching/--no-matching",
            help="Don't list papers that are in an earlier issue, under the same id or a different one.",
        ),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Import issues, papers, reports and past selections. Each file or folder is imported completely or not at all."""
    choices = Choices(
        issue=issue.date() if issue else None,
        selected_by=tuple(map(clean, selected_by or ())),
        columns=dict(_split_columns(columns or ())),
    )
    with _open_workspace(context.obj.workspace, is_trial=is_trial) as store:
        for path in paths:
            fields = fields_in(path, choices.columns)
            try:
                with err.status(Text(f"Importing {path.name}")):
                    report, findings = import_path(
                        store,
                        path,
                        choices,
                        person=PERSON,
                        is_trial=is_trial,
                        keeps_going=keeps_going,
                        is_matched=is_matched,
                    )
            except UnreadableFileError as error:
                raise advice.add_command_advice(error, path, keeps_going=keeps_going) from error
            if as_json:  # print a line after each file, so that if a file is invalid, the earlier ones are reported
                summary = import_object(path, report, findings, is_trial=is_trial)
                typer.echo(json.dumps({**summary, "columns": fields}))
            else:
                show_import(path, report, findings, is_trial=is_trial)
                show_columns(fields)


@contextmanager
def _open_workspace(workspace: Path, *, is_trial: bool) -> Iterator[Store]:
    """Yield a workspace's store. For a dry run without a workspace, yield the store of a temporary, empty workspace."""
    if not is_trial or settings.database() or (workspace / FILE_NAME).exists():
        with (
            closing((find_store if is_trial else open_store)(workspace, settings.database())) as store,
            store.snapshot() as reading,
        ):
            yield reading
        return
    err.print(f"No workspace at {workspace} yet. This dry run uses an empty workspace.", soft_wrap=True)
    with scratch_folder() as folder, closing(open_store(folder / "workspace")) as store:
        yield store


def _split_columns(chosen: Iterable[str]) -> Iterable[tuple[str, str]]:
    for one in chosen:
        field, _, column = one.partition("=")
        yield field, column
