"""The command line, `presort`: thin commands over `desk.workflow` and its like."""

import contextlib
import sys
from collections.abc import Iterator
from datetime import datetime
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
from typer.core import TyperGroup

from data import rankings
from data.errors import DataError, RefusedError
from data.store import Store, open_store
from desk import (
    cli_editors,
    cli_experiment,
    cli_export,
    cli_files,
    cli_harvest,
    cli_hints,
    cli_import,
    cli_manage,
    cli_replay,
    cli_reports,
    cli_send,
    evaluation,
    launch,
    settings,
    summary_html,
    workflow,
)
from desk.backlog import rank_pending
from desk.cli_files import AsJson
from desk.cli_replay import DAY, JOBS, Jobs, MinPapers, Rankers, Reports, recipes_named
from desk.demo import build_demo
from desk.printing import follow, out, say_made, show_summary
from ranker.versions import RECIPES


class Commands(TyperGroup):
    """Commands for which something wrong outside the program is one line on stderr and exit code 1."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except DataError as error:
            print(f"presort: {error}", file=sys.stderr)
            raise typer.Exit(1) from error
        except KeyboardInterrupt as error:
            print(
                "presort: stopped; nothing is left half done, and the same command takes it up again", file=sys.stderr
            )
            raise typer.Exit(130) from error


app = typer.Typer(
    cls=Commands,
    help="Sort each week's new papers for the editors of subject reports, and measure how well.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(cli_reports.reports_app, name="reports")
app.add_typer(cli_editors.editors_app, name="editors")
app.add_typer(cli_manage.holidays_app, name="holidays")
app.add_typer(cli_manage.rankers_app, name="rankers")
app.command("imports")(cli_manage.list_imports)
app.add_typer(cli_hints.hints_app, name="hints")


def _print_version(is_asked: bool) -> None:
    if is_asked:
        print(f"presort {version('presort')}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace", "-w", help=f"Folder of the workspace; default ${settings.WORKSPACE}, or ./workspace."
        ),
    ] = None,
    show_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Read what all commands share."""
    for stream in (sys.stdout, sys.stderr):  # a terminal that can't show a letter shows its number
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    context.obj = settings.Settings(workspace) if workspace else settings.from_environment()


@app.command()
def demo(
    context: typer.Context,
    seed: Annotated[int, typer.Option(help="Another seed, another world.")] = 1,
    jobs: Jobs = JOBS,
) -> None:
    """Build a made-up service to try Presort on: 12 economics reports, 30 issues, no network needed."""
    with _store(context) as store:
        follow("Building the demo", build_demo(store, seed=seed, n_jobs=jobs))
        out.print(f"The demo workspace is ready in {store.path.parent}. Start it with 'presort app'.", soft_wrap=True)


@app.command("app")
def run_app(
    context: typer.Context,
    port: Annotated[int, typer.Option(help="Port of the server.")] = 8501,
    host: Annotated[
        str, typer.Option(help="Address to listen on; others can reach it only if you say so.")
    ] = launch.LOCALHOST,
) -> None:
    """Open the desk in a browser; listens on this computer alone unless told otherwise."""
    launch.serve(context.obj, host=host, port=port)


app.command("import")(cli_import.import_files)
app.command("harvest")(cli_harvest.run_harvest)


@app.command()
def rank(
    context: typer.Context,
    rankers: Rankers = None,
    reports: Reports = None,
    issue: Annotated[
        datetime | None, typer.Option(formats=DAY, metavar="DATE", help="Issue to rank; default the newest.")
    ] = None,
    is_pending: Annotated[
        bool, typer.Option("--pending", help="All issues that have yet to go out, by what was decided since.")
    ] = False,
    jobs: Jobs = JOBS,
    as_json: AsJson = False,
) -> None:
    """Rank the newest issue for every report, or those named; by the rankers in use unless told.

    With --pending, unless told, each issue by the rankers that ranked it before.
    """
    if is_pending and issue:
        raise typer.BadParameter("choose one of --issue and --pending", param_hint="--pending")
    recipes = recipes_named(rankers or ())
    with _store(context) as store:
        if is_pending:
            work = rank_pending(store, recipes, reports=reports or (), n_jobs=jobs)
        else:
            day = issue.date() if issue else None
            work = workflow.rank(store, recipes, issue=day, reports=reports or (), n_jobs=jobs)
        say_made(follow("Ranking", work), as_json=as_json)


app.command("replay")(cli_replay.run_replay)


def _check_page(path: Path | None) -> Path | None:
    try:
        if path is not None:
            summary_html.check_path(path)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    return path


@app.command()
def summary(
    context: typer.Context,
    by: Annotated[
        list[str] | None, typer.Option("--by", help="'ranker' (default) or 'report'; may be repeated.")
    ] = None,
    rankers: Rankers = None,
    replay: Annotated[
        int | None, typer.Option(help="Only the rankings of this replay; see the list below the table.")
    ] = None,
    first: Annotated[datetime | None, typer.Option("--from", formats=DAY, metavar="DATE", help="First issue.")] = None,
    last: Annotated[datetime | None, typer.Option("--to", formats=DAY, metavar="DATE", help="Last issue.")] = None,
    min_papers: MinPapers = 0,
    page: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            callback=_check_page,
            help="Write a page to mail or print, too: .html. It is about the first ranker named, or the active one.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show how good the rankings were: relative last position (lower is better) and the other headlines."""
    groups = list(dict.fromkeys(by or ["ranker"]))
    if unknown := set(groups) - {"ranker", "report"}:
        raise typer.BadParameter(f"{unknown.pop()!r} is neither 'ranker' nor 'report'", param_hint="--by")
    recipes = {recipe.name for recipe in recipes_named(rankers or RECIPES)}
    with _store(context) as store:
        replays = {old.id: old for old in rankings.replays(store)}
        if replay is not None and replay not in replays:
            raise RefusedError(
                f"There is no replay {replay}; the replays are: {', '.join(map(str, replays)) or 'none'}."
            )
        scored = evaluation.scores(store, replay=replay)
        large = evaluation.large_reports(store, min_papers)
        is_asked = scored["report"].isin(large) & scored["ranker"].isin(recipes)
        is_asked &= scored["issue"].between(pd.Timestamp(first or datetime.min), pd.Timestamp(last or datetime.max))
        asked = scored[is_asked]
        if page is not None:
            about = rankers[0] if rankers else None
            summary_html.save(summary_html.summary_html(store, asked, ranker=about, replay=replay), page)
    table = evaluation.on_common_issues(asked) if "ranker" in groups else asked
    summarised = evaluation.summarise(table, by=groups)
    if as_json:
        print(summarised.to_json(orient="records"))
    elif scored.empty:
        out.print("Nothing is scored yet. Issue a report, or run 'presort replay'.")
    elif asked.empty:
        out.print("Nothing of what is scored fits these options.")
    else:
        summarised["mean_copnori"] = evaluation.mean_copnori(table, groups)
        show_summary(summarised, n_left_out=len(asked) - len(table), replays=replays.values())
    if page is not None and not as_json:
        out.print(f"The page is in {page}.", soft_wrap=True)


app.command("experiment")(cli_experiment.run_experiment)
app.command("score")(cli_files.score_run)
cli_send.add_to(app)
app.command("export")(cli_export.export)
app.command("export-trec")(cli_export.export_trec)
app.command("compare")(cli_files.compare)


@contextlib.contextmanager
def _store(context: typer.Context) -> Iterator[Store]:
    store = open_store(context.obj.workspace)
    try:
        yield store
    finally:
        store.close()
