"""Link that opens an email from a director to a report's editors."""

from collections.abc import Sequence
from urllib.parse import quote

from presort.data.records import PendingIssue

ADDRESSES = r"mailto:([^?]*)"  # the part of the link that tables show
MAX_SUBJECT = 900  # maximum length of an encoded subject, because mail programs truncate long links


def mail_link(report: str, to: Sequence[str], issues: Sequence[PendingIssue]) -> str | None:
    """Return a ``mailto:`` link to a report's editors. Its subject names the report and its pending issues.

    `issues` must be sorted by date, oldest first. If the subject would be too long, the newest issues are left
    out. Returns None if there is no address.

    Examples
    --------
    >>> mail_link("lab", ["ann@example.org"], [])
    'mailto:ann@example.org?subject=Presort%3A%20lab'
    >>> mail_link("lab", [], []) is None
    True
    """
    if not to:
        return None
    days = [str(one.issue) for one in issues]
    subject = f"Presort: {report}, pending: {', '.join(days)}" if days else f"Presort: {report}"
    while len(quote(subject)) > MAX_SUBJECT:
        days.pop()
        subject = f"Presort: {report}, pending: {', '.join(days)}, …"
    return f"mailto:{','.join(quote(address, safe='@') for address in to)}?subject={quote(subject, safe='')}"
