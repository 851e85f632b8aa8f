"""The commands `presort editors …`: editors of reports, and their substitutes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import Annotated

import typer

from presort.data.errors import RefusedError
from presort.data.mail import editors
from presort.data.records import Editorship
from presort.data.running import people
from presort.desk.console.asking import PERSON, apply_change, group, show_table
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import DAY, AsJson, Code, Yes
from presort.desk.jobs import background
from presort.desk.manage import tables
from presort.desk.sending.texts import editors_phrase

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the editor. Readers see it.")]
Away = Annotated[str, typer.Option("--for", metavar="NAME", help="Absent editor.")]

editors_app = group("List the editors of reports; add, end or substitute an editor.")


@editors_app.callback()
def list_editors(context: typer.Context, as_json: AsJson = False) -> None:
    """List past, current and future editors of reports, and their substitutes."""
    if context.invoked_subcommand is None:
        show_table(context, tables.editor_table, "No editors yet.", as_json=as_json)


@editors_app.command("add")
def add_editor(
    context: typer.Context,
    code: Code,
    name: Name,
    first: Annotated[
        datetime | None, typer.Option("--from", formats=DAY, metavar="DATE", help="First day. Defaults to today.")
    ] = None,
    affiliation: Annotated[str, typer.Option(help="Affiliation of the editor. Readers see it.")] = "",
    yes: Yes = False,
) -> None:
    """Add an editor of a report."""
    new = Editorship(code, name, first.date() if first else date.today())
    with open_workspace(context) as store:
        others = people.editors_on(people.editorships(store), code, new.first)
        change = partial(people.add_editorship, store, new, person=PERSON, affiliation=affiliation)
        apply_change(_entry(new) + (f" Other editors: {', '.join(others)}." if others else ""), change, yes=yes)


@editors_app.command("substitute")
def add_substitute(
    context: typer.Context,
    code: Code,
    name: Name,
    away: Away,
    first: Annotated[datetime, typer.Option("--from", formats=DAY, metavar="DATE", help="First day.")],
    last: Annotated[datetime, typer.Option("--to", formats=DAY, metavar="DATE", help="Last day.")],
    yes: Yes = False,
) -> None:
    """Add a substitute for an absent editor."""
    new = Editorship(code, name, first.date(), last.date(), away)
    with open_workspace(context) as store:
        apply_change(_entry(new), partial(people.add_editorship, store, new, person=PERSON), yes=yes)


@editors_app.command("end")
def end_editor(
    context: typer.Context,
    code: Code,
    name: Name,
    last: Annotated[
        datetime | None,
        typer.Option("--last", formats=DAY, metavar="DATE", help="Last day as editor. Defaults to today."),
    ] = None,
    yes: Yes = False,
) -> None:
    """Set the last day of an editor or a substitute."""
    day = last.date() if last else date.today()
    with open_workspace(context) as store:
        known = people.editorships(store)
        old = _newest_editorship(known, code, name, day)
        left = people.editors_on([one for one in known if one != old], code, day + timedelta(days=1))
        says = f"{_entry(replace(old, last=day))} After that: {', '.join(left) or 'no editor'}."
        apply_change(says, partial(people.end_editorship, store, old, day, person=PERSON), yes=yes)


@editors_app.command("forget")
def forget_editor(
    context: typer.Context,
    code: Code,
    name: Name,
    first: Annotated[
        datetime,
        typer.Option("--from", formats=DAY, metavar="DATE", help="First day, from the list of 'presort editors'."),
    ],
    yes: Yes = False,
) -> None:
    """Delete an entry for an editor or a substitute that was added by mistake."""
    with open_workspace(context) as store:
        known = [one for one in people.editorships(store) if one.first == first.date()]
        old = _newest_editorship(known, code, name, first.date())
        apply_change(
            f"Deleted: {_entry(old)}", partial(people.take_back_editorship, store, old, person=PERSON), yes=yes
        )


@editors_app.command("affiliation")
def set_affiliation(
    context: typer.Context,
    name: Name,
    affiliation: Annotated[str, typer.Argument(metavar="TEXT", help="Use '' to remove it.")],
    yes: Yes = False,
) -> None:
    """Set the affiliation of an editor. Readers see it."""
    with open_workspace(context) as store:
        says = f"Readers see: {editors_phrase([name], {name: affiliation})}."
        apply_change(says, partial(people.set_affiliation, store, name, affiliation), yes=yes)


@editors_app.command("address")
def set_address(
    context: typer.Context,
    name: Name,
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="Use '' to remove it.")],
    yes: Yes = False,
) -> None:
    """Set an editor's email address for weekly notices of pending issues. Readers never see it."""
    with open_workspace(context) as store:
        apply_change(
            f"Email address of {name}: {address or 'none'}.",
            partial(editors.set_address, store, name, address),
            yes=yes,
        )


@editors_app.command("rename")
def rename_editor(
    context: typer.Context, name: Name, new: Annotated[str, typer.Argument(metavar="NEW")], yes: Yes = False
) -> None:
    """Rename an editor, including in the logs."""
    with open_workspace(context) as store:
        apply_change(
            f"{name} renamed to {new}, including in the log.",
            partial(background.rename_editor, store, name, new),
            yes=yes,
        )


def _newest_editorship(known: Sequence[Editorship], code: str, name: str, day: date) -> Editorship:
    """Return an editor's newest editorship for a report among those that began on or before `day`."""
    found = [one for one in known if (one.report, one.editor) == (code, name) and one.first <= day]
    if not found:
        raise RefusedError(f"{name} did not edit {code} on or before {day}. 'presort editors' lists editors and dates.")
    return found[-1]


def _entry(one: Editorship) -> str:
    """Describe an editorship: the editor, the report, the period and the absent editor, if any.

    Examples
    --------
    >>> _entry(Editorship("lab", "Bo", date(2026, 8, 1), date(2026, 8, 21), away="Ann"))
    'Bo edits lab from 2026-08-01 to 2026-08-21 for Ann.'
    """
    until = f" to {one.last}" if one.last else ""
    return f"{one.editor} edits {one.report} from {one.first}{until}{f' for {one.away}' if one.away else ''}."
