"""The commands `presort reports …`: list, add and change reports."""

import json
from dataclasses import asdict
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.criteria import criteria, set_criteria
from presort.data.editing.new_reports import NewReport, add_report
from presort.data.editing.report_past import report_past
from presort.data.errors import RefusedError
from presort.data.records import CODE_RULE, REPORT_CODE, Report
from presort.data.running import service
from presort.data.store import Store
from presort.data.text.cleaning import clean
from presort.desk.console.asking import PERSON, apply_change, read_text
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import DAY, AsJson, Code, Yes
from presort.desk.console.printing import out, print_table, table_of
from presort.desk.manage import tables

reports_app = typer.Typer(
    help="List the reports, or add, rename, retire, restore or colour a report, or set its description.",
    invoke_without_command=True,
)


@reports_app.callback()
def list_reports(context: typer.Context, as_json: AsJson = False) -> None:
    """List the reports with their numbers of relevant papers."""
    if context.invoked_subcommand:
        return
    with open_workspace(context) as store:
        found = catalogue.reports(store, retired=True)
        n_relevant = decisions.n_relevant(store)
    rows = [asdict(report) | {"n_relevant": n_relevant[report.code]} for report in found]
    if as_json:
        typer.echo(json.dumps(rows))
    elif rows:
        print_table(table_of(pd.DataFrame(rows)))
    else:
        out.print("No reports yet. Import past selections, or add a report with 'presort reports add CODE NAME'.")


@reports_app.command("add")
def new_report(
    context: typer.Context,
    code: str,
    name: Annotated[str, typer.Argument(help="Defaults to the code.")] = "",
    about: Annotated[
        str,
        typer.Option(help="Criteria: which papers are relevant. They are also the ranker's first training example."),
    ] = "",
    editor: Annotated[str, typer.Option(metavar="NAME", help="Editor, starting today.")] = "",
    mail: Annotated[str, typer.Option(metavar="ADDRESS", help="Email address of the editor.")] = "",
    first_issue: Annotated[
        datetime | None, typer.Option(formats=DAY, metavar="DATE", help="First issue. Defaults to the newest.")
    ] = None,
    yes: Yes = False,
) -> None:
    """Add a report. If a retired report has this code, it is restored after confirmation or with --yes."""
    new = NewReport(code, name, about, editor, mail, first_issue.date() if first_issue else None)
    if not REPORT_CODE.fullmatch(code):
        raise typer.BadParameter(CODE_RULE, param_hint="CODE")
    with open_workspace(context) as store:
        is_back = any(one.code == code and one.is_retired for one in catalogue.reports(store, retired=True))
        change = partial(add_report, store, new, person=PERSON, returning=[code] if is_back else [])
        if is_back:
            apply_change(
                _restoration_text(store, code), change, yes=yes, question=f"Restore report {code}?", must_ask=True
            )
        else:
            apply_change(f"New report: {code}.", change, yes=yes, question=f"Add report {code}?")


@reports_app.command("rename")
def rename_report(context: typer.Context, code: Code, name: str, yes: Yes = False) -> None:
    """Rename a report. Its code stays the same."""
    new = clean(name) or code
    with open_workspace(context) as store:
        says = f"{code}: new name {new!r}, previously {_report(store, code).name!r}."
        apply_change(says, partial(catalogue.rename_report, store, code, new), yes=yes)


@reports_app.command("retire")
def retire_report(context: typer.Context, code: Code, yes: Yes = False) -> None:
    """Retire a report. Issues are no longer ranked for it. Its decisions are kept."""
    with open_workspace(context) as store:
        _report(store, code)
        apply_change(
            f"Report {code} retired: issues are no longer ranked for this report. Its decisions are kept.",
            partial(catalogue.retire_report, store, code),
            yes=yes,
        )


@reports_app.command("back")
def bring_back_report(context: typer.Context, code: Code, yes: Yes = False) -> None:
    """Restore a retired report. Issues are ranked for it again."""
    with open_workspace(context) as store:
        if not _report(store, code).is_retired:
            out.print("No change.")
            return
        apply_change(_restoration_text(store, code), partial(service.restore_report, store, code), yes=yes)


@reports_app.command("colour")
def colour_report(
    context: typer.Context,
    code: Code,
    colour: Annotated[
        str | None, typer.Argument(metavar="[COLOUR]", help="Colour such as '#0072b2'; '' restores the default.")
    ] = None,
    yes: Yes = False,
) -> None:
    """Show or change a report's colour on charts."""
    with open_workspace(context) as store:
        now = tables.report_colours(store)[_report(store, code).code]
        if colour is None:
            out.print(now)
        else:
            apply_change(
                f"{code}: new colour {colour or '(default)'}, previously {now}.",
                partial(tables.set_colour, store, code, colour),
                yes=yes,
            )


@reports_app.command("criteria")
def criteria_of_report(
    context: typer.Context,
    code: Code,
    text: Annotated[
        str | None, typer.Option("--text", help="Criteria: which papers are relevant, and which aren't.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", help="Read the criteria from this text file.")] = None,
    yes: Yes = False,
) -> None:
    """Show or replace the criteria of a report."""
    if text is not None and file is not None:
        raise typer.BadParameter("choose one of --text and --file")
    new = text if file is None else read_text(file)
    with open_workspace(context) as store:
        known = criteria(store, code)
        now = known.text if known else ""
        if new is None:
            out.print(now, soft_wrap=True)
        else:
            change = partial(set_criteria, store, code, new, person=PERSON)
            apply_change(f"{code}: new criteria of {len(new):,} characters, previously {len(now):,}.", change, yes=yes)


def _restoration_text(store: Store, code: str) -> str:
    figures = report_past(store, code, date.today()).figures()
    return f"{code} is retired. Restoring it brings back: {'; '.join(f'{name}: {n}' for name, n in figures.items())}."


def _report(store: Store, code: str) -> Report:
    found = {report.code: report for report in catalogue.reports(store, retired=True)}
    if code not in found:
        raise RefusedError(f"There is no report {code!r}. Known reports: {', '.join(found) or 'none yet'}.")
    return found[code]
