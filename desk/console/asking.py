"""Shared code of commands that list and change the service: tables or JSON, and confirmation of changes."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import typer

from presort.data.errors import RefusedError
from presort.data.importers.references import naming
from presort.data.importers.text_file import repaired, text_source
from presort.data.store import Store
from presort.desk.console.opening import opened
from presort.desk.console.printing import out, table_of

PERSON = "manage"  # who the log says it was, as for imports


def group(help: str) -> typer.Typer:
    """Make a group of commands that lists something if no command is given."""
    return typer.Typer(help=help, invoke_without_command=True)


def is_terminal() -> bool:
    """Return whether a user at a terminal can be asked."""
    return sys.stdin.isatty()


def changed(
    says: str, change: Callable[[], object], *, yes: bool, question: str = "Change it?", must_ask: bool = False
) -> None:
    """Make a change and print its description. At a terminal, print it first and ask.

    Parameters
    ----------
    must_ask : bool
        Refuse the change if there is neither a terminal nor ``--yes``. By default, a script makes it without asking.

    Raises
    ------
    RefusedError
        If an answer is required and nobody can be asked.
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


def show(context: typer.Context, table: Callable[[Store], pd.DataFrame], nothing: str, *, as_json: bool) -> None:
    """Print a table, or that there is nothing."""
    with opened(context) as store:
        rows = table(store)
    if len(rows) or as_json:
        print_rows(rows, as_json=as_json)
    else:
        out.print(nothing)


def print_rows(rows: pd.DataFrame, *, as_json: bool) -> None:
    """Print a table, or a list of objects for a script."""
    if as_json:
        typer.echo(json.dumps(rows.to_dict(orient="records"), default=str))
    else:
        out.print(table_of(rows.where(rows.notna(), "")))


def read_text(path: Path) -> str:
    """Read a text file of a person's."""
    with naming(path), text_source(path).open() as file:
        return repaired(file.read())[0]
