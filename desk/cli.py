"""The command-line interface, `presort`. Each command is imported only when it is used."""

import gc
import logging
import os
import sys
from collections import UserDict
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path
from pkgutil import resolve_name
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from presort.data.errors import DataError, RefusedError, UnreadableFileError
from presort.desk import process, settings
from presort.desk.process import exit_code, raise_on_termination

COMMANDS = {  # in the order of the help text; each value is the import path of a function or Typer group
    "imports": "presort.desk.manage.import_commands:imports_app",
    "demo": "presort.desk.rank.demo_commands:demo",
    "app": "presort.desk.web.launch:run_app",
    "import": "presort.desk.importing.commands:import_files",
    "harvest": "presort.desk.importing.harvest_commands:run_harvest",
    "rank": "presort.desk.rank.commands:rank",
    "learn": "presort.desk.rank.commands:learn",
    "weekly": "presort.desk.weekly.commands:weekly",
    "notify-failure": "presort.desk.weekly.failure:notify_failure",
    "doctor": "presort.desk.doctor.commands:doctor",
    "vectors": "presort.desk.rank.vector_commands:make_vectors",
    "replay": "presort.desk.replay.commands:run_replay",
    "log": "presort.desk.manage.log_commands:run_log",
    "summary": "presort.desk.summary.commands:summary",
    "experiment": "presort.desk.replay.experiment_commands:run_experiment",
    "score": "presort.desk.trec.commands:score_run",
    "send": "presort.desk.sending.commands:send",
    "site": "presort.desk.sending.commands:site",
    "export": "presort.desk.export.commands:export",
    "export-trec": "presort.desk.export.commands:export_trec",
    "compare": "presort.desk.trec.commands:compare",
    "reports": "presort.desk.manage.report_commands:reports_app",
    "editors": "presort.desk.manage.editor_commands:editors_app",
    "people": "presort.desk.manage.member_commands:people_app",
    "holidays": "presort.desk.manage.commands:holidays_app",
    "rankers": "presort.desk.manage.ranker_commands:rankers_app",
    "hints": "presort.desk.why.commands:hints_app",
    "db": "presort.desk.manage.db_commands:db_app",
    "readers": "presort.desk.sending.reader_commands:readers_app",
    "webhooks": "presort.desk.sending.webhook_commands:webhooks_app",
}
# Commands that the systemd units in the `deploy` folder start, with their arguments. Their errors belong in the
# service's log.
OF_SYSTEMD: Mapping[str, set[str]] = {
    "weekly": set(),
    "notify-failure": set(),
    "send": {"--due"},
    "db": {"backup", "--scheduled"},
}
WORDS = f"{__name__}.words"  # key in the context's `meta` under which the command line's words are stored
WORKSPACE = ("--workspace", "-w")
LOG = logging.getLogger(__name__)
NEEDS_DESK = 'presort {} needs the application: pip install "presort[desk]" ({})'
NEEDS_DESK_HELP = r'Needs the application: pip install "presort\[desk]".'  # Rich parses an unescaped [desk] as markup
OTHER_FOLDER_ADVICE = (
    "Run the command as a user with access, or use a file in a folder that all users can access, for example /tmp."
)
STOPPED = "stopped. Finished work is saved. Run the same command again to continue."


class LazyCommands(UserDict[str, Any]):
    """Commands by name. Each is imported on first use, because importing all of them would take too long."""

    def __getitem__(self, name: str) -> Any:
        found = super().__getitem__(name)
        if isinstance(found, str):
            found = self.data[name] = _load_command(name, found)
        return found


def _load_command(name: str, place: str) -> Any:
    alone = typer.Typer()
    try:
        found = resolve_name(place)
    except ImportError as error:
        return _placeholder(name, _missing_package_error(name, error))
    gc.freeze()  # modules are never garbage; searching them for garbage takes 0.05 s, mostly on exit
    if isinstance(found, typer.Typer):
        alone.add_typer(found, name=name)
    else:
        alone.command(name)(found)
    return get_group(alone).commands[name]


def _missing_package_error(name: str, error: ImportError) -> RefusedError:
    """Return an error that names the missing package. Re-raises the error if the missing module is our own."""
    if (error.name or "").partition(".")[0] == "presort":
        raise error
    return RefusedError(NEEDS_DESK.format(name, error))


def _placeholder(name: str, error: RefusedError) -> Any:
    """Return a placeholder that raises the error whatever its arguments are. It keeps the command in the help text."""
    alone = typer.Typer()

    @alone.command(name, context_settings={"ignore_unknown_options": True}, help=NEEDS_DESK_HELP)
    def refuse(arguments: Annotated[list[str] | None, typer.Argument(hidden=True)] = None) -> None:
        raise error

    return get_group(alone).commands[name]


class Commands(TyperGroup):
    """Command group that reports user and environment errors in one line on stderr and exits with code 1."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = LazyCommands(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command, or None if the name is unknown. Raises if the command can't be imported."""
        if cmd_name not in self.commands:
            return None
        return self.commands[cmd_name]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Accepts ``--workspace`` before or after the command's name."""
        ctx.meta[WORDS] = tuple(args)
        return super().parse_args(ctx, move_workspace_first(args))

    def invoke(self, ctx: Any) -> Any:
        """Run a command and report its error, if any."""
        try:
            with raise_on_termination():
                return super().invoke(ctx)
        except DataError as error:
            _report_error(ctx, _message_with_advice(error, ctx.meta[WORDS]), error)
            raise typer.Exit(1) from error
        except PermissionError as error:
            if error.filename is None:  # the error comes from a socket or a process, not a file
                raise
            _report_error(
                ctx, str(DataError(f"No permission for {os.fsdecode(error.filename)}. {OTHER_FOLDER_ADVICE}")), error
            )
            raise typer.Exit(1) from error
        except ImportError as error:  # a package that the command imports only when it runs is missing
            _report_error(ctx, str(_missing_package_error(str(ctx.invoked_subcommand), error)), error)
            raise typer.Exit(1) from error
        except KeyboardInterrupt as error:
            _report_error(ctx, STOPPED, error)
            raise typer.Exit(exit_code(error)) from error


def move_workspace_first(words: Sequence[str]) -> list[str]:
    """Move the workspace option before the command's name, because only the main command parses it.

    Examples
    --------
    >>> move_workspace_first(["rank", "-w", "here", "--pending"]), move_workspace_first(["demo", "--workspace=there"])
    (['-w', 'here', 'rank', '--pending'], ['--workspace=there', 'demo'])
    >>> move_workspace_first(["import", "--", "-w", "week.csv"]), move_workspace_first(["demo", "-w"])
    (['import', '--', '-w', 'week.csv'], ['demo', '-w'])
    """
    first, others, left = list[str](), list[str](), list(words)
    while left:
        word = left.pop(0)
        if word == "--":
            return [*first, *others, word, *left]
        if word in WORKSPACE and left:
            first += [word, left.pop(0)]
        else:
            (first if word.startswith(f"{WORKSPACE[0]}=") else others).append(word)
    return first + others


def _message_with_advice(error: DataError, words: Sequence[str]) -> str:
    """Return an error's message. Adds advice if this user can't open a file named in the command's arguments.

    Parameters
    ----------
    words : sequence of str
        Words of the command line.
    """
    if type(error) not in (DataError, UnreadableFileError):  # errors of other types are about the workspace
        return str(error)
    # Also check each error's context, because an error that is collected and raised later loses its cause.
    known = [cause for one in process.causes(error) for cause in (one, one.__context__)]
    refused = {
        Path(os.fsdecode(one.filename)).absolute() for one in known if isinstance(one, PermissionError) and one.filename
    }
    named = (word.partition("=")[2] if word.startswith("--") else word for word in _arguments(words))
    arguments = {Path(word).absolute() for word in named}
    is_argument = any(not arguments.isdisjoint([path, *path.parents]) for path in refused)
    return f"{str(error).removesuffix('.')}. {OTHER_FOLDER_ADVICE}" if is_argument else str(error)


def _arguments(words: Sequence[str]) -> list[str]:
    """Return the words after the command's name, without the workspace option."""
    ordered = move_workspace_first(words)
    n_of_workspace = 0
    while ordered[n_of_workspace:] and ordered[n_of_workspace].startswith("-") and ordered[n_of_workspace] != "--":
        n_of_workspace += 2 if ordered[n_of_workspace] in WORKSPACE else 1
    return ordered[n_of_workspace + 1 :]


def _report_error(context: typer.Context, message: str, error: BaseException) -> None:
    """Write a command's error to stderr, or to the JSON log of a command that systemd starts."""
    words = OF_SYSTEMD.get(str(context.invoked_subcommand))
    if words is not None and words <= set(context.meta[WORDS]) and process.is_json():
        LOG.error("%s", message, extra={"reason": process.reason_of(error)})
    else:
        print(f"presort: {message}", file=sys.stderr)


app = typer.Typer(
    cls=Commands,
    help="Rank each week's new papers for the editors of subject reports, and evaluate the rankings.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
                "Workspace folder. Can be given before or after the command's name. Defaults to "
                f"${settings.WORKSPACE}, then ./workspace."
            ),
        ),
    ] = None,
    show_version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Apply the options shared by all commands."""
    # Escape characters that the terminal can't encode. By default, printing them would raise an error.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    process.configure_log(settings.log_format())
    process.hide_details()
    context.obj = settings.Settings(workspace) if workspace else settings.from_environment()
