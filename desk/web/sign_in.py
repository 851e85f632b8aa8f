"""Sign-in with the provider: routes that redirect to the provider and handle the return to the desk.

They replace Streamlit's routes for signing in, which show a bare error, use PKCE only if the provider announces it, and
store all claims and tokens in cookies. If a user has many groups, these cookies are larger than proxies accept. The
routes in this module set the same cookie that Streamlit reads, but store only the account in it.
"""

import hmac
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value, decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import TOKENS_COOKIE_NAME, USER_COOKIE_NAME

from presort.data.errors import DataError
from presort.data.records import Identity
from presort.data.running.given_roles import note_sign_in
from presort.data.store import Store
from presort.desk.access import SIGNED_IN_FOR
from presort.desk.settings import Provider
from presort.desk.settings.group_roles import roles_in
from presort.desk.ui.entrance import INVITATION, WAITING
from presort.desk.web import openid
from presort.desk.web.openid import CALLBACK, Account, Attempt, Failure, SignInError
from presort.desk.web.sign_in_door import (
    SIGN_IN,
    TEN_MINUTES,
    WANTED,
    referring_page,
    remember,
    sign_in_page,
)

LOG = logging.getLogger(__name__)
AGAIN = "/auth/login"  # Streamlit's address, to which `st.login` redirects
ATTEMPT = "presort-sign-in-"  # cookie with the secrets of a sign-in; its name ends with the start of the state
STATE = re.compile(r"[A-Za-z0-9_-]{43}")
NO_DATABASE = Failure(
    503, "Sign-in unavailable", "Presort can't use its database at the moment. Try again in a few minutes."
)
LONGEST_NAME = 1_000  # characters of a name that are read
LARGEST_HINT = 3_000  # characters of an ID token that fit into one cookie
NO_STORE = {"Cache-Control": "no-store"}

Respond = Callable[[Request], Awaitable[Response]]


def routes(provider: Provider, secret: str, whole_store: Callable[[], Store]) -> list[Route]:
    """Return the routes for signing in. They can be used without being signed in.

    Parameters
    ----------
    provider : Provider
    secret : str
        Secret that signs the cookies.
    whole_store : callable
        Function that returns the workspace in which the roles granted by groups are stored.
    """

    async def begin(request: Request) -> Response:
        attempt = Attempt.create()
        response = RedirectResponse(await openid.authorization_url(provider, attempt), 303, headers=NO_STORE)
        name = _cookie_of(attempt.state)
        response.set_cookie(
            name,
            create_signed_value(secret, name, json.dumps(attempt)).decode(),
            max_age=TEN_MINUTES,
            path=CALLBACK,
            httponly=True,
            samesite="lax",
        )
        # The cookie is set again, because the page with the link may have been open for longer than the cookie lasts.
        if wanted := referring_page(request, str(provider.desk)):
            remember(response, wanted)
        return response

    async def end(request: Request) -> Response:
        given = request.query_params
        if "code" not in given and "error" not in given:  # providers redirect here after sign-out, too
            return RedirectResponse(f"{provider.desk.path}/", 303, headers=NO_STORE)
        attempt = _attempt(request, secret)
        if "error" in given:
            raise openid.failure_of(given["error"], "redirect")
        account = await openid.account(provider, attempt, given["code"])
        is_invited = INVITATION in parse_qs(urlsplit(request.cookies.get(WANTED, "")).query)
        try:
            await run_in_threadpool(_store_roles, provider, whole_store, account, may_join=not is_invited)
        except DataError as error:
            raise SignInError(NO_DATABASE, f"workspace: {type(error).__name__}") from error
        response = RedirectResponse(f"{provider.desk.path}/", 303, headers=NO_STORE)
        _set_account(request, response, provider, secret, account)
        return response

    return [
        Route(SIGN_IN, _with_failure_page(provider, begin), methods=["GET"]),
        Route(AGAIN, _with_failure_page(provider, begin), methods=["GET"]),
        Route(CALLBACK, _with_failure_page(provider, end), methods=["GET"]),
    ]


def _with_failure_page(provider: Provider, respond: Respond) -> Respond:
    """Return an endpoint that shows an error page if the sign-in fails, and remembers the page that the user wanted."""

    async def answer(request: Request) -> Response:
        try:
            response = await respond(request)
        except SignInError as error:
            status, title, says = error.failure
            LOG.warning("Sign-in failed with status %d: %s.", status, error)
            response = sign_in_page(str(provider.desk), status, title, says.format(name=provider.name), "Try again")
            if wanted := referring_page(request, str(provider.desk)) or request.cookies.get(WANTED):
                remember(response, wanted)
        if STATE.fullmatch(state := request.query_params.get("state", "")):
            response.delete_cookie(_cookie_of(state), path=CALLBACK)  # each attempt is used once
        return response

    return answer


def _store_roles(provider: Provider, whole_store: Callable[[], Store], account: Account, *, may_join: bool) -> None:
    """Store the roles granted by an account's groups, before the user is signed in.

    An account that gets a role but is not linked to a user yet becomes a new user if `may_join` is True. Roles that are
    not stored wait in memory until the user accepts an invitation.
    """
    store, claims = whole_store(), account.claims
    if store.is_read_only:  # roles can't be stored, but roles from an earlier sign-in still expire
        return
    names = (claims.get(one) for one in ("name", "preferred_username"))
    name = next((one[:LONGEST_NAME] for one in names if isinstance(one, str) and one), "")
    given = roles_in(claims, provider.claim, provider.roles) if provider.roles else frozenset()
    until = datetime.now(UTC) + SIGNED_IN_FOR
    account_id = Identity(claims["iss"], claims["sub"])
    is_stored = note_sign_in(store, account_id, given, name=name, until=until, may_join=may_join)
    WAITING.put(account_id, frozenset() if is_stored else given, until)


def _cookie_of(state: str) -> str:
    return f"{ATTEMPT}{state[:8]}"  # one cookie for each attempt, so that a user can sign in from several tabs


def _attempt(request: Request, secret: str) -> Attempt:
    """Return the attempt to which the provider is responding. Raises SignInError if this browser did not start it."""
    state = request.query_params.get("state", "")
    if STATE.fullmatch(state):
        name = _cookie_of(state)
        value = request.cookies.get(name, "").encode("latin-1")
        found = decode_signed_value(secret, name, value, TEN_MINUTES / 86_400)
        if found is not None:
            attempt = Attempt(*json.loads(found))
            if hmac.compare_digest(attempt.state, state):
                return attempt
    raise SignInError(openid.EXPIRED, "redirect: state is unknown or older than ten minutes")


def _set_account(request: Request, response: Response, provider: Provider, secret: str, account: Account) -> None:
    """Set the cookies of a signed-in user: the account and, unless it is too long, the ID token.

    The provider needs the ID token for sign-out.
    """
    values = {
        USER_COOKIE_NAME: {
            "iss": account.claims["iss"],
            "sub": account.claims["sub"],
            "iat": int(time.time()),  # not the provider's clock, which may differ
            "is_logged_in": True,
            "origin": provider.desk.origin,
            "provider": "default",
        }
    }
    if len(account.id_token) <= LARGEST_HINT:
        values[TOKENS_COOKIE_NAME] = {"id_token": account.id_token}
    for name in request.cookies:
        if name.startswith(USER_COOKIE_NAME) and name not in values:  # parts of larger cookies from earlier versions
            response.delete_cookie(name)
    for name, value in values.items():
        signed = create_signed_value(secret, name, json.dumps(value)).decode()
        lasting = int(SIGNED_IN_FOR.total_seconds())
        response.set_cookie(name, signed, max_age=lasting, httponly=True, samesite="lax")
