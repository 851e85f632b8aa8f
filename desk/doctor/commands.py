"""The command `presort doctor`."""

import json

import typer

from presort.desk.console.options import AsJson
from presort.desk.console.printing import out
from presort.desk.doctor.checks import findings


def doctor(context: typer.Context, as_json: AsJson = False) -> None:
    """Check settings, workspace, mail and the weekly job, and report missing or wrong parts.

    Exit code 1 if anything is wrong; what is missing, one can do without. Nothing is changed, and no mail is sent.
    """
    found = []
    for one in findings(context.obj.workspace):
        found.append(one)
        if not as_json:
            out.print(f"{one.state:<8}{one.about}: {one.says}", soft_wrap=True)
    if as_json:
        typer.echo(json.dumps([one._asdict() for one in found]))
    if any(one.state == "wrong" for one in found):
        raise typer.Exit(1)
