"""The command line, `presort`: all commands there are, each from the folder of its job."""

import contextlib
import logging
import shlex
import sys
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from data.errors import DataError
from data.store import open_store
from desk import settings
from desk.console.interruption import exit_code, stoppable
from desk.console.options import JOBS, WORKSPACE, Jobs, workspace_first
from desk.console.printing import follow, out
from desk.doctor import commands as doctor_commands
from desk.export import commands as export_commands
from desk.importing import commands as importing_commands
from desk.importing import harvest_commands
from desk.manage import commands as manage_commands
from desk.manage import db_commands, editor_commands, log_commands, member_commands, report_commands
from desk.operation import logs
from desk.rank import commands as rank_commands
from desk.rank import vector_commands
from desk.replay import commands as replay_commands
from desk.replay import experiment_commands
from desk.sending import commands as sending_commands
from desk.service.demo import build_demo
from desk.serving import launch
from desk.summary import commands as summary_commands
from desk.trec import commands as trec_commands
from desk.weekly import commands as weekly_commands
from desk.why import commands as why_commands

LOG = logging.getLogger(__name__)
STOPPED = "stopped; nothing is left half done, and the same command takes it up again"


class Commands(TyperGroup):
    """Commands for which something wrong outside the program is one line on stderr and exit code 1."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what was written; the workspace may be named before or after a command's name."""
        return super().parse_args(ctx, workspace_first(args))

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            with stoppable():
                return super().invoke(ctx)
        except DataError as error:
            _complain(ctx, str(error))
            raise typer.Exit(1) from error
        except KeyboardInterrupt as error:
            _complain(ctx, STOPPED)
            raise typer.Exit(exit_code(error)) from error


def _complain(context: typer.Context, said: str) -> None:
    """Write why a command ends: for a person, or as a line of the log where nobody sits there."""
    if context.invoked_subcommand == "weekly" and logs.is_json():
        LOG.error(said)
    else:
        print(f"presort: {said}", file=sys.stderr)


app = typer.Typer(
    cls=Commands,
    help="Sort each week's new papers for the editors of subject reports, and measure how well.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(report_commands.reports_app, name="reports")
app.add_typer(editor_commands.editors_app, name="editors")
app.add_typer(member_commands.people_app, name="people")
app.add_typer(manage_commands.holidays_app, name="holidays")
app.add_typer(manage_commands.rankers_app, name="rankers")
app.command("imports")(manage_commands.list_imports)
app.add_typer(why_commands.hints_app, name="hints")
app.add_typer(db_commands.db_app, name="db")


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
            *WORKSPACE,
            help=(
                f"Folder of the workspace, before or after the command's name; default ${settings.WORKSPACE}, or "
                "./workspace."
            ),
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
    logs.set_up(settings.log_format())
    context.obj = settings.Settings(workspace) if workspace else settings.from_environment()


@app.command()
def demo(
    context: typer.Context,
    seed: Annotated[int, typer.Option(help="Another seed, another world.")] = 1,
    jobs: Jobs = JOBS,
) -> None:
    """Build a made-up service to try Presort on: 12 economics reports, 35 issues, no network needed."""
    with contextlib.closing(open_store(context.obj.workspace, settings.database())) as store:
        follow("Building the demo", build_demo(store, seed=seed, n_jobs=jobs))
        folder = shlex.quote(str(store.folder))
        out.print(f"The demo is ready. Open it with: presort app --workspace {folder}", soft_wrap=True)


@app.command("app")
def run_app(
    context: typer.Context,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the server.")] = 8501,
    host: Annotated[
        str, typer.Option(help="Address to listen on; others can reach it only if you say so.")
    ] = launch.LOCALHOST,
) -> None:
    """Serve the desk, and print its address: where nobody signs in, with the token that opens it in a browser.

    It listens on this computer alone unless told otherwise, as for a proxy elsewhere: presort app --host 0.0.0.0
    """
    launch.serve(context.obj, host=host, port=port)


app.command("import")(importing_commands.import_files)
app.command("harvest")(harvest_commands.run_harvest)
app.command("rank")(rank_commands.rank)
app.command("learn")(rank_commands.learn)
app.command("weekly")(weekly_commands.weekly)
app.command("doctor")(doctor_commands.doctor)
app.command("vectors")(vector_commands.make_vectors)
app.command("replay")(replay_commands.run_replay)
app.command("log")(log_commands.run_log)
app.command("summary")(summary_commands.summary)
app.command("experiment")(experiment_commands.run_experiment)
app.command("score")(trec_commands.score_run)
sending_commands.add_to(app)
app.command("export")(export_commands.export)
app.command("export-trec")(export_commands.export_trec)
app.command("compare")(trec_commands.compare)
