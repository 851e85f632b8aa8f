"""The command `presort webhooks test`, which sends a test message to each webhook."""

import json
from datetime import UTC, datetime
from uuid import uuid4

import typer

from presort.data.errors import RefusedError
from presort.desk.console.printing import out
from presort.desk.service.webhooks import send
from presort.desk.settings.api import webhooks

TEST = "presort.test"

webhooks_app = typer.Typer(help="Test the webhooks in the settings.", no_args_is_help=True)


@webhooks_app.callback()
def main() -> None:
    """Test the webhooks in the settings."""


@webhooks_app.command("test")
def test_webhooks() -> None:
    """Send a signed message of type presort.test to each webhook. The exit code is 1 if a message isn't delivered."""
    hooks = webhooks()
    if not hooks:
        raise RefusedError("No webhooks are configured. Add a table [[webhook]] to presort.toml.")
    is_well = True
    for hook in hooks:
        number, now = str(uuid4()), datetime.now(UTC)
        at = now.isoformat(timespec="seconds")
        body = json.dumps({"id": number, "type": TEST, "timestamp": at, "data": {}}).encode()
        _, error = send(hook, number, body, now)
        out.print(f"{hook.host}: {error or 'delivered'}", markup=False)
        is_well = is_well and not error
    if not is_well:
        raise typer.Exit(1)
