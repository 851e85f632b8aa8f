"""Send invitation links by email. Neither the email nor the link is stored."""

from presort.data.errors import DataError
from presort.desk.sending.mail import Recipient, create_email, deliver, mail_connection
from presort.desk.settings import MailServer

SUBJECT = "Your invitation to Presort"
TEXT = """{name},

You are invited to Presort, where editors select new papers for reports.
Open this link within two weeks and sign in:

{link}

The link is personal and works once: signing in with it gives access as {name}.
If you did not expect this email, ignore it. The link expires automatically.
"""


def mail_invitation(server: MailServer, name: str, address: str, link: str) -> None:
    """Email an invitation link.

    Raises
    ------
    DataError
        If the address is invalid, or if the email was not sent or may not have arrived. The link remains valid.
    """
    recipient = Recipient(address.strip(), name)
    made = create_email(SUBJECT, recipient, server)
    made["Auto-Submitted"] = "auto-generated"
    made.set_content(TEXT.format(name=name, link=link), cte="quoted-printable")
    with mail_connection(server) as client:
        delivery = deliver(client, server.sender, recipient, made)
    if delivery.state != "sent":
        why = f"The email to {recipient.address} was not delivered: {delivery.reason}"
        raise DataError(f"{why}. Try again, or pass on the link yourself.")
