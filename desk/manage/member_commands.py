"""The commands `presort people …`: accounts and roles of the desk."""

from functools import partial
from typing import Annotated

import typer

from presort.data.errors import RefusedError
from presort.data.mail.addresses import checked_address
from presort.data.records import Role
from presort.data.running import accounts, roles
from presort.desk import settings
from presort.desk.console.asking import PERSON, changed, group, show
from presort.desk.console.opening import opened
from presort.desk.console.options import AsJson, Yes
from presort.desk.console.printing import out
from presort.desk.jobs import background
from presort.desk.manage import tables
from presort.desk.sending.invitations import mail_invitation
from presort.desk.settings import MailServer

ERASED = (
    "The name of {name}, their affiliation, address, sign-ins and preferences are deleted. Their decisions stay, as "
    "those of a former editor. Older backups still contain the name. This can't be undone."
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the person in the logs.")]
Director = Annotated[bool, typer.Option("--director", help="Give the person all rights.")]
Mail = Annotated[
    str, typer.Option("--mail", metavar="ADDRESS", help="Mail the link there. Without it, pass the link on yourself.")
]
Viewer = Annotated[str, typer.Option("--viewer", metavar="CODE", help="May view this report.")]

people_app = group("List people with their accounts and roles; invite, remove or erase a person.")


@people_app.callback()
def list_people(context: typer.Context, as_json: AsJson = False) -> None:
    """List people who have a role, edit a report, can sign in, or are invited."""
    if context.invoked_subcommand is None:
        show(
            context,
            tables.member_table,
            "Nobody is invited yet. Run 'presort people invite NAME --director'.",
            as_json=as_json,
        )


@people_app.command("invite")
def invite(
    context: typer.Context,
    name: Name,
    director: Director = False,
    viewer: Viewer = "",
    mail: Mail = "",
    yes: Yes = False,
) -> None:
    """Print an invitation link, valid for two weeks. Signing in with it links the account to that person.

    Editors need no role in addition.
    """
    new = _role(name, director=director, viewer=viewer)
    server = _mail_server(mail) if mail else None
    is_service = settings.sign_in() is not None
    with opened(context, begins=director and is_service) as store:  # which begins with its first director

        def change() -> None:
            if new is not None and new not in roles.all_roles(store):
                roles.grant(store, new, person=PERSON)
            link = settings.invitation_link(accounts.invite(store, name, person=PERSON))
            out.print(link, soft_wrap=True)  # first: where mail fails it can be passed on
            if server is not None:
                mail_invitation(server, name, mail, link)
                out.print(f"Invitation of {name} mailed to {mail}.", soft_wrap=True)

        role = tables.role_label(new) if new else "editor of the reports that name them"
        changed(f"{name} is invited. Role: {role}.", change, yes=yes)


@people_app.command("take-away")
def take_away(
    context: typer.Context, name: Name, director: Director = False, viewer: Viewer = "", yes: Yes = False
) -> None:
    """Remove the role of director, or of viewer of a report."""
    old = _role(name, director=director, viewer=viewer)
    if old is None:
        raise typer.BadParameter("say which role: --director, or --viewer CODE")
    with opened(context) as store:
        changed(
            f"{name} is no longer {tables.role_label(old)}.",
            partial(roles.take_away, store, old, person=PERSON),
            yes=yes,
        )


@people_app.command("remove")
def remove(context: typer.Context, name: Name, yes: Yes = False) -> None:
    """Remove a person's accounts, invitation and roles at once."""
    with opened(context) as store:
        member = next((one for one in roles.members(store) if one.name == name), None)
        if member is None:
            raise RefusedError(f"Nobody called {name!r} can sign in or has a role; 'presort people' lists who does.")
        still = (
            f" Still editor of {', '.join(sorted(member.edits))}; see 'presort editors end'." if member.edits else ""
        )
        says = f"{name} can't sign in any more.{still}"
        changed(says, partial(accounts.remove, store, name, person=PERSON), yes=yes)


@people_app.command("erase")
def erase(context: typer.Context, name: Name, yes: Yes = False) -> None:
    """Delete a person's name and personal data. Their decisions stay."""
    with opened(context) as store:

        def change() -> None:
            background.erase(store, name, person=PERSON)

        changed(ERASED.format(name=name), change, yes=yes)


def _mail_server(address: str) -> MailServer:
    """Return the mail server. Refuses before anybody is invited, if the invitation can't be mailed."""
    checked_address(address)
    if not settings.is_link(settings.invitation_link("")):
        raise RefusedError("Without the address of the desk there is no link to mail; set desk.url.")
    return settings.mail_server()


def _role(name: str, *, director: bool, viewer: str) -> Role | None:
    if director and viewer:
        raise typer.BadParameter("choose one of --director and --viewer; a director may look at all")
    if director:
        return Role(name, "director")
    return Role(name, "viewer", viewer) if viewer else None
