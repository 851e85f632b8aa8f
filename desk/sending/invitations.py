"""Mail an invitation link to the address given for it. The mail isn't stored."""

from presort.data.errors import DataError
from presort.desk.sending.mail import Recipient, addressed, connected, deliver
from presort.desk.settings import MailServer

SUBJECT = "Your invitation to Presort"
TEXT = """{name},

you are invited to Presort, where editors select new papers for reports.
Open this link within two weeks and sign in:

{link}

The link is personal and works once: signing in with it gives access as {name}.
If you did not expect this mail, ignore it. The link expires automatically.
"""


def mail_invitation(server: MailServer, name: str, address: str, link: str) -> None:
    """Mail the link of an invitation.

    Raises
    ------
    DataError
        If it can't be, is no address, or may not have arrived; the link is good all the same.
    """
    recipient = Recipient(address.strip(), name)
    made = addressed(SUBJECT, recipient, server)
    made["Auto-Submitted"] = "auto-generated"
    made.set_content(TEXT.format(name=name, link=link), cte="quoted-printable")
    with connected(server) as client:
        delivery = deliver(client, server.sender, recipient, made)
    if delivery.state != "sent":
        why = f"{recipient.address} was not reached: {delivery.reason}"
        raise DataError(f"{why}. Pass the link on by hand, or try again.")
