"""The commands `presort hints …`, which list and change reports' muted terms, boosted terms and examples."""

import json
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from presort.data import catalogue
from presort.data.editing.hints import add_hint, hints
from presort.data.errors import RefusedError
from presort.data.records import HintKind, Hints
from presort.data.store import Store
from presort.data.text.cleaning import clean
from presort.desk.console.asking import read_text
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import AsJson, Code
from presort.desk.console.printing import out, print_table, table_of
from presort.desk.text import shorten
from presort.desk.why.labels import example_of, hint_changes_text, title_of

PERSON = "hints"  # author of the changes in the log, named after the command
LONGEST_TEXT = 60  # maximum number of characters shown in the list

Term = Annotated[str, typer.Argument(metavar="TERM", help="One or several words, an author, or a code.")]

hints_app = typer.Typer(
    help="List hints to rankers, mute or boost a term, add an example, or remove a hint.",
    invoke_without_command=True,
)


@hints_app.callback()
def list_hints(context: typer.Context, as_json: AsJson = False) -> None:
    """List muted terms, boosted terms and examples of all reports."""
    if context.invoked_subcommand:
        return
    with open_workspace(context) as store:
        hints_of = hints(store)
    rows = [
        {"report": code, "kind": kind, "text": text}
        for code, given in hints_of.items()
        for kind, texts in (("muted", given.muted), ("boosted", given.boosted), ("example", given.seeds))
        for text in texts
    ]
    if as_json:
        typer.echo(json.dumps(rows))
    elif rows:
        print_table(
            table_of(pd.DataFrame([row | {"text": shorten(title_of(row["text"]), LONGEST_TEXT)} for row in rows]))
        )
    else:
        out.print("No hints: no report has muted terms, boosted terms or examples.")


@hints_app.command("mute")
def mute(context: typer.Context, code: Code, term: Term) -> None:
    """Ignore a term in a report's rankings, starting with the next ranking."""
    _save_hint(context, code, "mute", term)


@hints_app.command("boost")
def boost(context: typer.Context, code: Code, term: Term) -> None:
    """Rank papers with a term higher, starting with the next ranking."""
    _save_hint(context, code, "boost", term)


@hints_app.command("forget")
def forget(
    context: typer.Context,
    code: Code,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A term, or the first line of an example.")],
) -> None:
    """Remove a hint: a muted or boosted term, or an example."""
    with open_workspace(context) as store:
        for given in _find_hints(store, code, text):
            _add(store, code, "none", given)


@hints_app.command("example")
def example(
    context: typer.Context,
    code: Code,
    text: Annotated[str | None, typer.Option("--text", help="Title in the first line, abstract below.")] = None,
    file: Annotated[Path | None, typer.Option("--file", help="Text file with title and abstract.")] = None,
    paper: Annotated[str | None, typer.Option("--paper", metavar="ID", help="ID of a paper in the workspace.")] = None,
) -> None:
    """Add an example paper or text to train on, for a report with few decisions."""
    if sum(given is not None for given in (text, file, paper)) != 1:
        raise typer.BadParameter("use exactly one of --text, --file and --paper")
    with open_workspace(context) as store:
        if file is not None:
            text = read_text(file)
        elif paper is not None:
            text = example_of(catalogue.paper(store, paper))
        _add(store, code, "seed", text or "")


def _save_hint(context: typer.Context, code: str, kind: HintKind, text: str) -> None:
    with open_workspace(context) as store:
        _add(store, code, kind, text)


def _add(store: Store, code: str, kind: HintKind, text: str) -> None:
    before = hints(store).get(code, Hints())
    add_hint(store, code, kind, text, person=PERSON)
    change = hint_changes_text(before, hints(store)[code])
    out.print(f"{code}: {change or 'No change: this hint already exists.'}", soft_wrap=True)


def _find_hints(store: Store, code: str, text: str) -> list[str]:
    """Find a report's hints that match a text.

    The text is compared with the terms, ignoring case, and if no term matches, with the first line of each example.
    Raises RefusedError if no hint matches.
    """
    current = hints(store).get(code, Hints())
    terms = [term for term in (*current.muted, *current.boosted) if term == clean(text.lower())]
    found = terms or [seed for seed in current.seeds if title_of(seed) == clean(title_of(text))]
    if not found:
        raise RefusedError(f"{code} has no hint {text!r}. 'presort hints' lists all hints.")
    return found
