"""Code shared by commands that list or change settings: tables, JSON output and confirmation prompts."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import typer

from presort.data.errors import RefusedError
from presort.data.importers.references import naming
from presort.data.importers.text_file import repair_text, text_source
from presort.data.store import Store
from presort.desk.console.opening import open_workspace
from presort.desk.console.printing import out, print_table, table_of

PERSON = "manage"  # user name in the log for changes by a command


def group(help: str) -> typer.Typer:
    """Create a command group. Its callback also runs if no subcommand is given, and then lists the group's objects."""
    return typer.Typer(help=help, invoke_without_command=True)


def is_terminal() -> bool:
    """Return True if stdin is a terminal, which means that the user can be asked for confirmation."""
    return sys.stdin.isatty()


def apply_change(
    says: str, change: Callable[[], object], *, yes: bool, question: str = "Change it?", must_ask: bool = False
) -> None:
    """Apply a change and print its description. At a terminal, print the description first and ask for confirmation.

    Parameters
    ----------
    says : str
        Description of the change.
    change : callable
        Function that applies the change.
    yes : bool
        Don't ask for confirmation (``--yes``).
    question : str
        Question to which the user must answer yes.
    must_ask : bool
        Without a terminal, require ``--yes``. By default, changes by scripts need no confirmation.

    Raises
    ------
    RefusedError
        If confirmation is required, but there is neither a terminal nor ``--yes``.
    """
    if must_ask and not yes and not is_terminal():
        raise RefusedError(f"{says} Nothing was changed. Pass --yes to confirm.")
    if is_terminal() and not yes:
        out.print(says, soft_wrap=True)
        typer.confirm(question, abort=True)
        change()
    else:
        change()
        out.print(says, soft_wrap=True)


def show_table(context: typer.Context, table: Callable[[Store], pd.DataFrame], nothing: str, *, as_json: bool) -> None:
    """Print the result of `table` as a table or as JSON. Instead of an empty table, print the message `nothing`."""
    with open_workspace(context) as store:
        rows = table(store)
    if len(rows) or as_json:
        print_rows(rows, as_json=as_json)
    else:
        out.print(nothing)


def print_rows(rows: pd.DataFrame, *, as_json: bool) -> None:
    """Print rows as a table, or as a JSON list with one object per row."""
    if as_json:
        typer.echo(json.dumps(rows.to_dict(orient="records"), default=str))
    else:
        print_table(table_of(rows.where(rows.notna(), "")))


def read_text(path: Path) -> str:
    """Read a text file supplied by the user, in any common encoding."""
    with naming(path), text_source(path).open() as file:
        return repair_text(file.read())[0]
