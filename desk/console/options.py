"""Options shared by several commands."""

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script.")]
Code = Annotated[str, typer.Argument(metavar="CODE", help="Code of the report.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask for confirmation.")]
MinPapers = Annotated[int, typer.Option(help="Only reports with at least this many relevant papers, over all issues.")]
Reports = Annotated[
    list[str] | None, typer.Option("--report", metavar="CODE", help="Only this report. Can be repeated.")
]
DAY = ["%Y-%m-%d"]
