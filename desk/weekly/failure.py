"""The command `presort notify-failure`, which notifies the director that a systemd unit failed."""

import logging
import re
from contextlib import closing
from typing import Annotated

import typer

from presort.data.errors import DataError, RefusedError
from presort.data.running.weekly import newest_steps
from presort.data.store import find_store
from presort.desk import process, settings
from presort.desk.console.printing import out
from presort.desk.sending.mail import Recipient, deliver, mail_connection
from presort.desk.service.weekly_job import has_succeeded
from presort.desk.settings import Settings
from presort.desk.weekly import mail_texts
from presort.desk.weekly.notices import automatic_message

LOG = logging.getLogger(__name__)
UNIT = re.compile(r"[A-Za-z0-9:_.@\\-]{1,255}")
NOTIFIED = "{} failed. The director was notified by email."


def notify_failure(
    context: typer.Context,
    unit: Annotated[str, typer.Argument(help="Name of the unit, such as presort-weekly.service.")],
) -> None:
    """Notify the director by email that a systemd unit failed. Used by deploy/presort-failed@.service.

    If the email can't be sent, the error is printed or logged, and the exit code is 1.
    """
    if not UNIT.fullmatch(unit):
        raise RefusedError("The unit has an invalid name. Example of a valid name: presort-weekly.service.")
    week = settings.week()
    if not (week.director and settings.has_mail()):
        raise RefusedError(f"{unit} failed. Set weekly.director and a mail server to notify the director by email.")
    server = settings.mail_server()
    text = mail_texts.unit_failure_text(unit, _has_failed_step(context.obj), week.desk_url)
    message = automatic_message(mail_texts.unit_failure_subject(unit), Recipient(week.director), text, server)
    with mail_connection(server) as client:
        delivery = deliver(client, server.sender, Recipient(week.director), message)
    if delivery.state != "sent":
        raise DataError(f"{unit} failed, and the email about it was not delivered: {delivery.reason}.")
    if process.is_json():
        LOG.info(NOTIFIED.format(unit))
    else:
        out.print(NOTIFIED.format(unit))


def _has_failed_step(given: Settings) -> bool:
    """Return True if a step of the newest weekly job failed or was interrupted.

    Returns False if the workspace can't be read.
    """
    try:
        with closing(find_store(given.workspace, settings.database())) as store:
            return not has_succeeded(newest_steps(store))
    except DataError:
        return False  # this may be the cause of the failure, so the email is sent anyway
