"""Health check of webhooks."""

from pathlib import Path

from presort.desk.doctor.finding import Found
from presort.desk.service.webhooks import undelivered
from presort.desk.settings.api import webhooks


def hooks(folder: Path) -> Found:
    """Check the settings of webhooks, and that no message failed in the last two weeks."""
    known = webhooks()
    if not known:
        return "missing", "No webhooks are set."
    if lines := list(undelivered(folder, known)):
        return "wrong", " ".join(lines)
    return "ok", f"Messages go to {', '.join(one.host for one in known)}."
