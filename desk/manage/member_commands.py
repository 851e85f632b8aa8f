"""The commands `presort people …`: accounts and roles."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from presort.data.errors import RefusedError
from presort.data.mail.addresses import validate_address
from presort.data.records import Role
from presort.data.running import accounts, roles
from presort.data.running.personal_data import as_json
from presort.data.workspace.file_copy import write_private
from presort.desk import settings
from presort.desk.console.asking import PERSON, apply_change, group, show_table
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import AsJson, Yes
from presort.desk.console.printing import out
from presort.desk.jobs import background
from presort.desk.manage import tables
from presort.desk.sending.invitations import mail_invitation
from presort.desk.settings import MailServer

ERASED = (
    "Deletes the name, affiliation, address, accounts and preferences of {name}. Their decisions are attributed to a "
    "former editor. Older backups still contain the name. This can't be undone."
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the user, as in the log.")]
Director = Annotated[bool, typer.Option("--director", help="The role of director, who has all rights.")]
Mail = Annotated[
    str,
    typer.Option("--mail", metavar="ADDRESS", help="Email the link to this address. By default, it is only printed."),
]
Viewer = Annotated[str, typer.Option("--viewer", metavar="CODE", help="The role of a viewer of this report.")]

people_app = group("List users with their accounts and roles, or invite, remove, export or erase a user.")


@people_app.callback()
def list_people(context: typer.Context, as_json: AsJson = False) -> None:
    """List all users: directors, viewers and editors, with accounts and invitations."""
    if context.invoked_subcommand is None:
        show_table(
            context,
            tables.member_table,
            "Nobody has been invited yet. Run 'presort people invite NAME --director'.",
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
    """Print an invitation link that is valid for two weeks. The account that signs in with it is linked to NAME.

    Editors of reports need no --director or --viewer.
    """
    new = _role(name, director=director, viewer=viewer)
    server = _mail_server(mail) if mail else None
    is_service = settings.sign_in() is not None
    # Inviting the first director is the first step of setting up a service, so it may create the workspace.
    with open_workspace(context, begins=director and is_service) as store:

        def change() -> None:
            if new is not None and new not in roles.all_roles(store):
                roles.grant(store, new, person=PERSON)
            link = settings.invitation_link(accounts.invite(store, name, person=PERSON))
            out.print(link, soft_wrap=True)  # printed first, because sending the mail may fail
            if server is not None:
                mail_invitation(server, name, mail, link)
                out.print(f"Invitation for {name} sent to {mail}.", soft_wrap=True)

        role = tables.role_label(new) if new else "editor of their reports"
        apply_change(f"Invited {name}. Role: {role}.", change, yes=yes)


@people_app.command("take-away")
def take_away(
    context: typer.Context, name: Name, director: Director = False, viewer: Viewer = "", yes: Yes = False
) -> None:
    """Take away a user's role as director or as viewer of a report."""
    old = _role(name, director=director, viewer=viewer)
    if old is None:
        raise typer.BadParameter("choose a role: --director, or --viewer CODE")
    with open_workspace(context) as store:
        apply_change(
            f"{name} is no longer {tables.role_label(old)}.",
            partial(roles.revoke, store, old, person=PERSON),
            yes=yes,
        )


@people_app.command("remove")
def remove(context: typer.Context, name: Name, yes: Yes = False) -> None:
    """Remove all accounts, invitations and roles of a user, with immediate effect."""
    with open_workspace(context) as store:
        member = next((one for one in roles.members(store) if one.name == name), None)
        if member is None:
            raise RefusedError(f"There is no user {name!r}. 'presort people' lists all users.")
        still = (
            f" Still editor of {', '.join(sorted(member.edits))}. Use 'presort editors end'." if member.edits else ""
        )
        says = f"{name} can no longer sign in.{still}"
        apply_change(says, partial(accounts.remove, store, name, person=PERSON), yes=yes)


@people_app.command("erase")
def erase(context: typer.Context, name: Name, yes: Yes = False) -> None:
    """Delete a user's name and personal data. Their decisions remain."""
    with open_workspace(context) as store:

        def change() -> None:
            background.erase(store, name, person=PERSON)

        apply_change(ERASED.format(name=name), change, yes=yes)


@people_app.command("export")
def export(
    context: typer.Context,
    name: Name,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="New JSON file. Only its owner can read it.")],
) -> None:
    """Write all data about a user to a file: accounts, roles, decisions, notes, emails, log entries and more.

    Example: presort people export "Ann Lee" ann.json
    """
    with open_workspace(context) as store:
        write_private(path, lambda: as_json(background.export_person(store, name, person=PERSON)))
    out.print(f"Exported the data about {name} to {path}.", soft_wrap=True)


def _mail_server(address: str) -> MailServer:
    """Return the mail server. Raises RefusedError if an invitation can't be mailed.

    Call this function before creating an invitation, because an invitation must not be created if it can't be mailed.
    """
    validate_address(address)
    if not settings.is_link(settings.invitation_link("")):
        raise RefusedError("Can't mail an invitation link without the address of the desk. Set desk.url.")
    return settings.mail_server()


def _role(name: str, *, director: bool, viewer: str) -> Role | None:
    if director and viewer:
        raise typer.BadParameter("choose either --director or --viewer; a director can view all reports")
    if director:
        return Role(name, "director")
    return Role(name, "viewer", viewer) if viewer else None
