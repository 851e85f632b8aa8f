"""The commands `presort send` (mail to readers) and `presort site` (public pages and feeds)."""

import contextlib
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from presort.data.errors import DataError
from presort.data.mail import mailings
from presort.data.records import Mailing
from presort.data.running.trials import temporary_copy
from presort.data.store import Store, find_store
from presort.desk import process, settings
from presort.desk.console.asking import PERSON, is_terminal
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import DAY, AsJson, Yes
from presort.desk.console.printing import err, out
from presort.desk.process import exit_code
from presort.desk.sending import delivery, sender, texts
from presort.desk.sending.site import write_site
from presort.desk.service.delivery import due_mail
from presort.desk.service.weekly_job import TITLES
from presort.desk.settings import Delivery, MailServer
from presort.desk.text import count_text

LOG = logging.getLogger(__name__)
Addresses = list[str] | None
NOTHING_DUE = "No mail is due."  # message for a dry run that finds no mail to send
PRESORT = "presort"  # name logged as the sender if the service sends the mail
BUSY_CODE = 75  # exit code if another process is sending; systemd treats it as success


def send(
    context: typer.Context,
    report: Annotated[str | None, typer.Argument(metavar="[REPORT]", help="Code of the report.")] = None,
    issue: Annotated[datetime | None, typer.Argument(formats=DAY, metavar="[ISSUE]", help="Date of the issue.")] = None,
    is_due: Annotated[
        bool,
        typer.Option("--due", help="Send all mail that is due, and update the public pages. Meant for a timer."),
    ] = False,
    is_dry: Annotated[
        bool, typer.Option("--dry-run", help="Print the number of recipients without sending anything.")
    ] = False,
    draft_to: Annotated[
        str | None,
        typer.Option("--draft-to", metavar="ADDRESS", help="Send only to this address, marked as a draft."),
    ] = None,
    is_unsure: Annotated[
        bool, typer.Option("--unsure", help="List emails that may not have arrived because sending was interrupted.")
    ] = False,
    again: Annotated[
        Addresses,
        typer.Option(
            "--again",
            metavar="ADDRESS",
            help="Resend an email that may not have reached this reader. Can be repeated.",
        ),
    ] = None,
    given_up: Annotated[
        Addresses,
        typer.Option("--give-up", metavar="ADDRESS", help="Don't resend the email to this reader. Can be repeated."),
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Mail a report issue to all readers who haven't received it yet. No reader receives it twice.

    Mail settings: PRESORT_SMTP_HOST, _PORT, _USER, _PASSWORD, _FROM and _STARTTLS (yes or no), and PRESORT_UNSUBSCRIBE
    (address for unsubscribing). They can also be set in presort.toml.
    """
    if is_due:
        _send_due(context, is_dry=is_dry, as_json=as_json)
        return
    if is_unsure:
        with open_workspace(context) as store:
            _show_unsure(mailings.unsure_mailings(store), as_json=as_json)
        return
    if report is None or issue is None:
        raise typer.BadParameter("give the report and the date of the issue", param_hint="REPORT ISSUE")
    of_issue = (report, issue.date())
    if is_dry:
        with (
            contextlib.closing(find_store(context.obj.workspace, settings.database())) as workspace,
            temporary_copy(workspace) as copy,  # a dry run must not change files, so only a copy is migrated
        ):
            _show_pending(copy, *of_issue, as_json=as_json)
        return
    with open_workspace(context) as store:
        if draft_to is not None:
            sender.send_draft(store, *of_issue, draft_to, settings.mail_server(), person=PERSON)
            out.print(texts.describe_sent_draft(draft_to), soft_wrap=True)
        elif given_up:
            for address in given_up:
                mailings.give_up(store, *of_issue, address)
                out.print(texts.describe_cancellation(*of_issue, address), soft_wrap=True)
        else:
            _send(store, *of_issue, again or (), yes=yes, as_json=as_json)


def site(
    context: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR]", help="Folder for the pages. Created if it doesn't exist. Defaults to site.folder."
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(help=f"Public address of the pages, for links in feeds. Defaults to ${settings.SITE_URL}."),
    ] = None,
) -> None:
    """Write public pages and feeds (Atom, RSS) of all published report issues."""
    address = settings.site_url() if url is None else settings.validate_site_url(url)
    target = folder or settings.delivery().folder
    if target is None:
        raise typer.BadParameter("name a folder, or set site.folder in presort.toml", param_hint="DIR")
    with open_workspace(context) as store:
        n_issues = write_site(store, target, url=address)
    out.print(
        f"Pages of {count_text(n_issues, 'report issue')} written to {target}. Start page: {target / 'index.html'}.",
        soft_wrap=True,
    )


def _send_due(context: typer.Context, *, is_dry: bool, as_json: bool) -> None:
    """Send the mail that must be sent now, and update the public pages. Exits with code 1 if anything failed."""
    wanted, server = settings.delivery(), settings.mail_server() if settings.has_mail() else None
    if is_dry:
        with (
            contextlib.closing(find_store(context.obj.workspace, settings.database())) as workspace,
            temporary_copy(workspace) as copy,
        ):
            due = due_mail(copy, wanted, datetime.now(UTC)) if server else []
        _print_due([f"{one.report} {one.issue}: {count_text(one.n_readers, 'reader')}" for one in due], as_json=as_json)
        return
    with open_workspace(context) as store:
        store.default_author = PRESORT
        try:
            with delivery.delivery_lock(store):
                parts = [_write_pages(store, wanted), _send_mail(store, wanted, server)]
        except DataError as error:
            if str(error) not in (delivery.BUSY, mailings.BUSY):
                raise
            if process.is_json():
                LOG.info("%s", error)
            else:
                err.print(f"presort: {error}", soft_wrap=True)
            raise typer.Exit(BUSY_CODE) from error
    problems = [problem for part in parts for problem in part.problems]
    lines = {TITLES[part.step]: part.line for part in parts if part.line}
    if as_json:
        typer.echo(json.dumps({**lines, "errors": problems}))
    elif process.is_json():  # leaves out the problems, because they may contain addresses
        for part in parts:
            state = "failed" if part.problems else "done"
            process.log_result(LOG, TITLES[part.step], state, step=part.step, reason=part.reason)
    else:
        for title, line in lines.items():
            out.print(f"{title}: {line}", soft_wrap=True)
        for problem in problems:
            err.print(f"presort: {problem}", soft_wrap=True)
    if problems:
        raise typer.Exit(1)


class _Part(NamedTuple):
    """Result of writing the pages or sending mail. `step` is the step's name in the weekly job."""

    step: str
    line: str = ""
    problems: Sequence[str] = ()
    reason: str = ""


def _write_pages(store: Store, wanted: Delivery) -> _Part:
    try:
        n_issues = delivery.write_pages(store, wanted)
    except DataError as error:
        return _Part("pages", problems=[str(error)], reason=process.reason_of(error))
    return _Part("pages", "No change." if n_issues is None else f"{count_text(n_issues, 'report issue')}.")


def _send_mail(store: Store, wanted: Delivery, server: MailServer | None) -> _Part:
    if server is None:
        return _Part("send", "No mail server is configured.")
    sent = delivery.send_mail(store, due_mail(store, wanted, datetime.now(UTC)), server)
    return _Part("send", str(sent), sent.problems, process.reason_of(sent.errors[0]) if sent.errors else "")


def _print_due(lines: Sequence[str], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(lines))
    for line in [] if as_json else lines or [NOTHING_DUE]:
        out.print(line, soft_wrap=True)


def _send(store: Store, report: str, issue: date, again: Sequence[str], *, yes: bool, as_json: bool) -> None:
    server = settings.mail_server()
    n_pending = len({*mailings.pending_addresses(store, report, issue), *again})
    if n_pending and is_terminal() and not yes:
        out.print(texts.describe_mailing(report, issue, n_pending), soft_wrap=True)
        typer.confirm("Send it?", abort=True)
    for address in again:
        mailings.send_again(store, report, issue, address)
    try:
        ended = sender.send(store, report, issue, server)
    except KeyboardInterrupt as error:
        err.print(
            (
                "presort: stopped. If this interrupted an email, 'presort send --unsure' lists it. Run the same "
                "command again to send the others."
            ),
            soft_wrap=True,
        )
        raise typer.Exit(exit_code(error)) from error
    if as_json:
        typer.echo(json.dumps({"sent": ended["sent"], "refused": ended["refused"], "later": ended["pending"]}))
    elif ended:
        out.print(texts.describe_result(ended["sent"], ended["refused"], ended["pending"]), soft_wrap=True)
    else:
        out.print(texts.nothing_to_send(report, issue), soft_wrap=True)


def _show_pending(store: Store, report: str, issue: date, *, as_json: bool) -> None:
    sender.check(store, report, issue)
    addresses = mailings.pending_addresses(store, report, issue)
    if as_json:
        typer.echo(json.dumps(addresses))
        return
    out.print(texts.describe_mailing(report, issue, len(addresses)), soft_wrap=True)
    for address in addresses:
        out.print(address, soft_wrap=True)


def _show_unsure(found: Sequence[Mailing], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in found], default=str))
    elif not found:
        out.print("No interrupted emails: each email was accepted or refused, or has not been sent yet.")
    for one in found if not as_json else ():
        out.print(
            (
                f"{one.report} {one.issue} to {one.address}, {one.changed_at:%Y-%m-%d %H:%M} UTC: {one.reason} Resend "
                f"it with 'presort send {one.report} {one.issue} --again ADDRESS', or give up with --give-up ADDRESS."
            ),
            soft_wrap=True,
        )
