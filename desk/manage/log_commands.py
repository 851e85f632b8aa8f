"""The command `presort log`, which lists the changes in the audit log."""

from datetime import date, datetime
from typing import Annotated

import pandas as pd
import typer

from presort.data.running.audit import audit
from presort.data.running.audit_logs import LOGS
from presort.data.store import Store
from presort.desk.access import AT_DESK, PERSON
from presort.desk.console.asking import show_table
from presort.desk.console.options import DAY, AsJson
from presort.desk.manage.tables import audit_table


def run_log(
    context: typer.Context,
    person: Annotated[str, typer.Option(metavar="NAME", help="Only changes by this person.")] = "",
    report: Annotated[str, typer.Option(metavar="CODE", help="Only changes to this report.")] = "",
    kind: Annotated[str, typer.Option(help=f"Only this kind: {', '.join(LOGS)}.")] = "",
    since: Annotated[
        datetime | None, typer.Option(formats=DAY, metavar="DATE", help="Only changes on or after this day.")
    ] = None,
    words: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="Only changes that contain this text. Also searches paper titles and report codes."
        ),
    ] = "",
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of changes, newest first.")] = 100,
    as_json: AsJson = False,
) -> None:
    """List changes, newest first: decisions, hints, criteria, rankers, readers, roles, imports and mailings.

    Example: presort log --person "Ann Lee" --since 2026-11-02
    """
    if kind and kind not in LOGS:
        raise typer.BadParameter(f"choose one of {', '.join(LOGS)}", param_hint="--kind")
    day, kinds = since.date() if since else date.min, [kind] if kind else []

    def table(store: Store) -> pd.DataFrame:
        found = audit(
            store,
            limit,
            kinds=kinds,
            person=PERSON if person == AT_DESK else person,
            report=report,
            since=day,
            words=words,
        )
        return audit_table(found)

    show_table(context, table, "No entries.", as_json=as_json)
