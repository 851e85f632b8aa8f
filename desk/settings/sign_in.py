"""Settings for sign-in with an OpenID Connect provider."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from presort.data.errors import RefusedError
from presort.data.text.cleaning import clean
from presort.desk.settings.server import SECRET_ADDRESS, DeskUrl, desk_url
from presort.desk.settings.sources import DESK_URL, SIGN_IN, name_of, table_of, value_of

if TYPE_CHECKING:
    from presort.desk.settings.group_roles import GroupRoles


@dataclass(frozen=True)
class Provider:
    """OpenID Connect provider for sign-in.

    Attributes
    ----------
    name : str
        Display name on the sign-in button.
    metadata : str
        URL of the discovery document, which usually ends with /.well-known/openid-configuration.
    client, secret : str
        Client ID and client secret of this desk. The secret is left out of the repr.
    desk : DeskUrl
        Address of the desk. The provider redirects users back to it.
    scope : str
        OAuth scopes to request, separated by spaces.
    claim : str
        Name of the claim that contains a user's groups, or the path to a nested claim. Empty if groups grant no roles.
    roles : mapping
        Roles granted by groups, by group name.
    """

    name: str
    metadata: str
    client: str
    secret: str = field(repr=False)
    desk: DeskUrl
    scope: str = "openid"
    claim: str = ""
    roles: "GroupRoles" = field(default_factory=dict)


def sign_in() -> Provider | None:
    """Read the sign-in settings. None for a local desk without sign-in.

    Raises
    ------
    RefusedError
        If a setting is missing or invalid, or an address is not encrypted. The message doesn't quote the secret.
    """
    name, metadata, client = (value_of(f"{SIGN_IN}{part}") for part in ("NAME", "METADATA", "CLIENT"))
    secret, address = value_of(f"{SIGN_IN}SECRET", is_stripped=False), value_of(DESK_URL)
    if not (metadata or client or secret):
        return None
    parts = {f"{SIGN_IN}METADATA": metadata, f"{SIGN_IN}CLIENT": client, f"{SIGN_IN}SECRET": secret, DESK_URL: address}
    desk = desk_url()
    missing = [part for part, value in parts.items() if not value]
    if missing or desk is None:
        raise RefusedError(f"Sign-in is incomplete. Set {' and '.join(map(name_of, missing))}.")
    for part in (f"{SIGN_IN}METADATA", DESK_URL):
        if not SECRET_ADDRESS.match(parts[part]):
            raise RefusedError(f"{name_of(part)} is {parts[part]!r}. For sign-in, it must begin with https://.")
    scope, claim, roles = _group_roles()
    return Provider(clean(name) or "your account", metadata, client, secret, desk, scope, claim, roles)


def _group_roles() -> tuple[str, str, "GroupRoles"]:
    """Return the scopes to request, the claim that contains the groups, and the roles that groups grant."""
    from presort.desk.settings.group_roles import parse_roles  # imports NumPy, which would slow down every command

    of_roles, claim = f"{SIGN_IN}ROLES", value_of(f"{SIGN_IN}CLAIM")
    roles = parse_roles(table_of(of_roles), name_of(of_roles))
    if bool(claim) != bool(roles):
        raise RefusedError(f"Set both {name_of(f'{SIGN_IN}CLAIM')} and {name_of(of_roles)}, or neither.")
    # Accounts are identified by issuer and subject. The profile is needed only if groups grant roles. Presort then adds
    # new users when they sign in, and takes their names from the profile.
    scope = value_of(f"{SIGN_IN}SCOPE") or ("openid profile" if roles else Provider.scope)
    if "openid" not in scope.split():
        raise RefusedError(f"{name_of(f'{SIGN_IN}SCOPE')} is {scope!r}. It must contain openid.")
    return scope, claim, roles


def path_of_pages() -> str:
    """Return the path under which this server serves its pages, such as ``/presort``. Empty without sign-in.

    A desk without sign-in can be reached only from its own computer, so no proxy adds a path.
    """
    provider = sign_in()
    return "" if provider is None else provider.desk.path
