"""The commands `presort readers …`: list, add, remove, export or erase mail readers of reports."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from presort.data.importers.addresses import read_addresses
from presort.data.mail import readers
from presort.data.mail.addresses import validate_address
from presort.data.running import personal_data
from presort.data.store import Store
from presort.data.workspace.file_copy import write_private
from presort.desk.console.asking import PERSON, apply_change
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import AsJson, Code, Yes
from presort.desk.console.printing import out, print_table, table_of
from presort.desk.sending import texts
from presort.desk.text import count_text

Address = Annotated[str, typer.Argument(metavar="ADDRESS", help="Email address of the reader.")]

readers_app = typer.Typer(help="List the readers of reports; add or remove readers.", no_args_is_help=True)


@readers_app.command("list")
def list_readers(
    context: typer.Context,
    code: Annotated[str | None, typer.Argument(metavar="[CODE]", help="Only readers of this report.")] = None,
    left: Annotated[bool, typer.Option("--left", help="Include former readers.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the readers of a report, or of all reports."""
    with open_workspace(context) as store:
        found = [asdict(reader) for reader in readers.readers(store, code, left=left)]
    if as_json:
        typer.echo(json.dumps(found, default=str))
    elif not found:
        out.print("No readers yet. Add readers with 'presort readers add'.")
    else:
        days = [{**one, **{name: _day(one[name]) for name in ("joined", "left")}} for one in found]
        print_table(table_of(pd.DataFrame(days) if left else pd.DataFrame(days).drop(columns="left")))


@readers_app.command("add")
def add_reader(
    context: typer.Context,
    code: Code,
    address: Address,
    name: Annotated[str, typer.Option(help="Name shown in the mail.")] = "",
    yes: Yes = False,
) -> None:
    """Subscribe a reader to a report, starting with the next report issue that is sent."""
    with open_workspace(context) as store:
        kept = validate_address(address)
        change = partial(_add, store, code, [(kept, name)])
        apply_change(texts.describe_new_reader(code, kept), change, yes=yes)


@readers_app.command("import-file")
def import_readers(
    context: typer.Context,
    code: Code,
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="One address per line, or CSV with columns 'address' and 'name'.")
    ],
    yes: Yes = False,
) -> None:
    """Subscribe all addresses in a file to a report. If a line is invalid, nobody is added."""
    found = read_addresses(path)
    with open_workspace(context) as store:
        known = {reader.address.lower() for reader in readers.readers(store, code)}
        n_new = len({address.lower() for address, _ in found} - known)
        apply_change(
            f"{code}: {count_text(n_new, 'new reader')} out of {len(found):,} in the file.",
            partial(_add, store, code, found),
            yes=yes,
        )


@readers_app.command("remove")
def remove_reader(context: typer.Context, code: Code, address: Address, yes: Yes = False) -> None:
    """Remove a reader from a report."""
    with open_workspace(context) as store:
        change = partial(readers.remove_reader, store, code, address, person=PERSON)
        apply_change(texts.describe_removed_reader(code, address), change, yes=yes)


@readers_app.command("erase")
def erase_reader(context: typer.Context, address: Address, yes: Yes = False) -> None:
    """Remove a reader from all reports, and delete their address and name. This can't be undone."""
    with open_workspace(context) as store:
        apply_change(
            f"Unsubscribes {address} from all reports, and deletes the address and the name. This can't be undone.",
            partial(readers.erase_reader, store, address, person=PERSON),
            yes=yes,
        )


@readers_app.command("export")
def export_reader(
    context: typer.Context,
    address: Address,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="New JSON file. Only its owner can read it.")],
) -> None:
    """Write all data about a reader to a file: address, name, subscriptions and emails."""
    stored = validate_address(address)  # the domain is stored in Unicode
    with open_workspace(context) as store:
        write_private(path, lambda: personal_data.as_json(personal_data.reader_data(store, stored, person=PERSON)))
    out.print(f"Exported the data about {address} to {path}.", soft_wrap=True)


def _add(store: Store, code: str, new: Sequence[tuple[str, str]]) -> None:
    readers.add_readers(store, code, new, person=PERSON)


def _day(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d}"
