"""The commands `presort reports …`."""

import json
from dataclasses import asdict
from datetime import date
from functools import partial
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.criteria import criteria, set_criteria
from presort.data.editing.report_past import report_past
from presort.data.errors import RefusedError
from presort.data.importers.rows import REPORT_CODE
from presort.data.records import Report
from presort.data.running import service
from presort.data.store import Store
from presort.data.text.cleaning import clean
from presort.desk.console.asking import PERSON, changed, read_text
from presort.desk.console.options import AsJson, Code, Yes, opened
from presort.desk.console.printing import out, table_of
from presort.desk.manage import tables, words

reports_app = typer.Typer(
    help="List the reports; add, rename, retire or colour one, or say what it wants.", invoke_without_command=True
)


@reports_app.callback()
def list_reports(context: typer.Context, as_json: AsJson = False) -> None:
    """List the reports with the number of papers their editors found relevant."""
    if context.invoked_subcommand:
        return
    with opened(context) as store:
        found = catalogue.reports(store, retired=True)
        n_relevant = decisions.n_relevant(store)
    rows = [asdict(report) | {"n_relevant": n_relevant[report.code]} for report in found]
    if as_json:
        typer.echo(json.dumps(rows))
    elif rows:
        out.print(table_of(pd.DataFrame(rows)))
    else:
        out.print("There is no report yet. Import past selections, or add one with 'presort reports add CODE NAME'.")


@reports_app.command("add")
def add_report(context: typer.Context, code: str, name: str, yes: Yes = False) -> None:
    """Add a report. A retired code comes back with its past, which has to be confirmed, or needs --yes."""
    if not REPORT_CODE.fullmatch(code):
        raise typer.BadParameter("letters, digits, '.', '-' and '_', at most 64", param_hint="CODE")
    new = Report(code, clean(name) or code)
    with opened(context) as store:
        n_reports = len(catalogue.reports(store)) + 1
        if old := _retired(store, code):
            says, question = _comes_back(store, old, n_reports, new.name), words.ask_to_bring_back(code)
        else:
            says, question = words.added(code, new.name, n_reports), words.ask_to_add(code)
        change = partial(catalogue.add_reports, store, [new], returning=[code] if old else [])
        changed(says, change, yes=yes, question=question, must_ask=old is not None)


@reports_app.command("rename")
def rename_report(context: typer.Context, code: Code, name: str, yes: Yes = False) -> None:
    """Rename a report; its code stays."""
    new = clean(name) or code
    with opened(context) as store:
        says = words.renamed(code, _report(store, code).name, new)
        changed(says, partial(catalogue.rename_report, store, code, new), yes=yes)


@reports_app.command("retire")
def retire_report(context: typer.Context, code: Code, yes: Yes = False) -> None:
    """Rank no more for a report; what its editor decided stays."""
    with opened(context) as store:
        left = [report for report in catalogue.reports(store) if report != _report(store, code)]
        changed(words.retired(code, len(left)), partial(catalogue.retire_report, store, code), yes=yes)


@reports_app.command("back")
def bring_back_report(context: typer.Context, code: Code, yes: Yes = False) -> None:
    """Rank again for a report that was retired."""
    with opened(context) as store:
        report = _report(store, code)
        if not report.is_retired:
            out.print(words.SAME)
            return
        says = _comes_back(store, report, len(catalogue.reports(store)) + 1)
        changed(says, partial(service.bring_back_report, store, code), yes=yes)


@reports_app.command("colour")
def colour_report(
    context: typer.Context,
    code: Code,
    colour: Annotated[
        str | None, typer.Argument(metavar="[COLOUR]", help="Such as '#0072b2'; '' lets the charts choose again.")
    ] = None,
    yes: Yes = False,
) -> None:
    """Show the colour of a report on charts, or choose another."""
    with opened(context) as store:
        now = tables.report_colours(store)[_report(store, code).code]
        if colour is None:
            out.print(now)
        else:
            changed(words.coloured(code, now, colour), partial(tables.set_colour, store, code, colour), yes=yes)


@reports_app.command("criteria")
def criteria_of_report(
    context: typer.Context,
    code: Code,
    text: Annotated[str | None, typer.Option("--text", help="What belongs to it, and what doesn't.")] = None,
    file: Annotated[Path | None, typer.Option("--file", help="A text file of that.")] = None,
    yes: Yes = False,
) -> None:
    """Show what a report wants in its editors' words, or write it anew."""
    if text is not None and file is not None:
        raise typer.BadParameter("give one of --text and --file")
    new = text if file is None else read_text(file)
    with opened(context) as store:
        known = criteria(store, code)
        now = known.text if known else ""
        if new is None:
            out.print(now, soft_wrap=True)
        else:
            change = partial(set_criteria, store, code, new, person=PERSON)
            changed(words.new_criteria(code, now, new), change, yes=yes)


def _comes_back(store: Store, old: Report, n_reports: int, name: str = "") -> str:
    return words.back(old, report_past(store, old.code, date.today()), n_reports, name)


def _retired(store: Store, code: str) -> Report | None:
    known = catalogue.reports(store, retired=True)
    return next((report for report in known if report.code == code and report.is_retired), None)


def _report(store: Store, code: str) -> Report:
    found = {report.code: report for report in catalogue.reports(store, retired=True)}
    if code not in found:
        raise RefusedError(f"There is no report {code!r}; the reports are: {', '.join(found) or 'none yet'}.")
    return found[code]
