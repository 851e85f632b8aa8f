"""What Publish says of mail: who has a report issue, who waits for it, and how sending went."""

import re
from collections.abc import Mapping

from presort.data.records import MailingState
from presort.desk.access import Role
from presort.desk.text import counted

MAIL = "Mail it to its readers"

# As mail servers write them, in < > or not.
AN_ADDRESS = re.compile(r"<?[^\s<>()\"',;:]+@[^\s<>()\"',;:]+>?")
STATES: Mapping[MailingState, str] = {
    "sent": "sent to {:,}",
    "refused": "{:,} refused",
    "unsure": "{:,} unsure",
    "given up": "{:,} let be",
    "sending": "{:,} on the way",
}


def not_set_up(role: Role, problem: str) -> str:
    """Explain why nothing is mailed yet: an editor learns what to do instead, a director how to set mail up.

    Examples
    --------
    >>> not_set_up("editor", "No mail is sent before PRESORT_SMTP_HOST is set.")
    "Mail isn't set up: ask your director. To send it yourself, copy or download the text above."
    >>> not_set_up("director", "No mail is sent before PRESORT_SMTP_HOST is set.")
    "Mail isn't set up. Tell whoever runs Presort: No mail is sent before PRESORT_SMTP_HOST is set."
    """
    if role == "editor":
        return "Mail isn't set up: ask your director. To send it yourself, copy or download the text above."
    return f"Mail isn't set up. Tell whoever runs Presort: {problem}"


def who_has_it(report: str, states: Mapping[MailingState, int], n_pending: int) -> str:
    """Describe how many readers a report issue has, and how many of them have got it.

    There are no states before the first is sent; who left the report does not wait.

    Examples
    --------
    >>> who_has_it("lab", {}, 24)
    '24 readers wait for it.'
    >>> who_has_it("lab", {"sent": 22, "refused": 1, "unsure": 1}, 0)
    '24 readers; sent to 22, 1 refused, 1 unsure. What is unsure is decided on Manage.'
    >>> who_has_it("lab", {"sent": 1, "pending": 2}, 1), who_has_it("lab", {}, 0)
    ('3 readers; sent to 1, 1 waiting, 1 left the report.', 'Nobody reads lab yet. Readers are added on Manage.')
    """
    if not states and not n_pending:
        return f"Nobody reads {report} yet. Readers are added on Manage."
    if not states:
        return f"{counted(n_pending, 'reader')} {'waits' if n_pending == 1 else 'wait'} for it."
    parts = [text.format(states[state]) for state, text in STATES.items() if states.get(state)]
    n_left = states.get("pending", 0) - n_pending
    parts += [f"{n:,} {what}" for n, what in ((n_pending, "waiting"), (n_left, "left the report")) if n > 0]
    decided = " What is unsure is decided on Manage." if states.get("unsure") else ""
    return f"{counted(sum(states.values()), 'reader')}; {', '.join(parts)}.{decided}"


def not_mailed(problem: str, sender: str) -> str:
    r"""State in one line why not all was mailed, without any address but the sender's: editors don't see readers.

    Examples
    --------
    >>> not_mailed("Stopped: 550 no <ann@example.org> here\nfor us@example.org", "us@example.org")
    'Stopped: 550 no a reader here for us@example.org'
    """
    line = " ".join(problem.split())
    return AN_ADDRESS.sub(lambda found: found[0] if found[0].strip("<>") == sender else "a reader", line)
