"""The command `presort doctor`."""

import json

import typer

from presort.desk.console.options import AsJson
from presort.desk.console.printing import out
from presort.desk.doctor.checks import findings


def doctor(context: typer.Context, as_json: AsJson = False) -> None:
    """Check that the settings, the workspace, mail, sign-in and the weekly job work.

    Exits with code 1 if a check finds a problem. Parts reported as "missing" are optional and have not been set up.
    The command changes nothing and sends no mail.
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
