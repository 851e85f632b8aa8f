"""The commands `presort imports …`: list imported files, and resolve possible duplicates."""

from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from presort.data.duplicates.listings import PossibleDuplicate, decide, possible_duplicates
from presort.data.running import service
from presort.desk.access import person_name
from presort.desk.console.asking import PERSON, apply_change, group, print_rows
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import AsJson, Yes
from presort.desk.console.printing import import_text, out
from presort.desk.manage import tables

imports_app = group("List imported files, or resolve possible duplicates.")


@imports_app.callback()
def list_imports(context: typer.Context, as_json: AsJson = False) -> None:
    """List the imported files, newest first, with the time, the user and the changes."""
    if context.invoked_subcommand is not None:
        return
    with open_workspace(context) as store:
        if as_json:
            print_rows(tables.import_table(store), as_json=True)
            return
        found = service.imports(store)
    for one in found:
        what = import_text(Path(one.file), asdict(one.summary))
        out.print(f"{one.made_at:%Y-%m-%d %H:%M} UTC, {person_name(one.person)}: {what}", soft_wrap=True)
    if not found:
        out.print("No imports yet.")


@imports_app.command("duplicates")
def decide_duplicates(
    context: typer.Context,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Keep both papers of the pair that contains this paper. Can be repeated."),
    ] = None,
    merge: Annotated[
        list[str] | None,
        typer.Option(
            "--merge", metavar="ID", help="Merge this paper into the older paper of its pair. Can be repeated."
        ),
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """List possible duplicates, or resolve pairs by the ID of their newer paper.

    Example: presort imports duplicates --keep q1 --merge q2
    """
    with open_workspace(context) as store:
        if keep or merge:
            ids = {"keep": keep or [], "merge": merge or []}
            says = f"Kept as separate papers: {_join_texts(keep)}. Merged: {_join_texts(merge)}."
            apply_change(says, partial(decide, store, **ids, person=PERSON), yes=yes)
            return
        found = possible_duplicates(store)
    if as_json:
        print_rows(tables.duplicate_table(found), as_json=True)
        return
    for pair in found:
        _show(pair)
    if not found:
        out.print("No possible duplicates.")


def _show(pair: PossibleDuplicate) -> None:
    out.print(f"{tables.SAME_BY[pair.how]}: {pair.paper.paper_id} (new) and {pair.other.paper_id}")
    for paper, issues in ((pair.paper, pair.issues), (pair.other, pair.other_issues)):
        out.print(f"  {paper.title}", soft_wrap=True)
        out.print(f"    {'; '.join(paper.authors)}; issues: {_join_texts(map(str, issues))}", soft_wrap=True)


def _join_texts(texts: Iterable[str] | None) -> str:
    return ", ".join(texts or ()) or "none"
