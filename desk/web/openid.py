"""Client for the sign-in provider, using OpenID Connect with the authorization code flow and PKCE.

Each sign-in reads the provider's metadata and keys again. New keys therefore take effect at once, and an unavailable
provider is noticed before the browser is sent there.
"""

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from secrets import token_urlsafe
from ssl import SSLContext
from typing import Any, NamedTuple
from urllib.parse import quote_plus

import httpx
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry
from joserfc.jwt import JWTClaimsRegistry

from presort.desk.settings import SECRET_ADDRESS, Provider
from presort.desk.settings.group_roles import claim_of

CALLBACK = "/oauth2callback"  # path of the redirect URI
PATIENCE = 10  # seconds
LARGEST = 1_000_000  # maximum number of bytes in a response
LONGEST = 255  # maximum length of a subject according to OpenID Connect Core
CLOCKS = 120  # seconds by which the clocks of provider and desk may differ
# Algorithms that sign with a key pair. All others use the client secret or no key at all, and must not be accepted.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
ERROR_CODE = re.compile(r"[a-z_]{1,40}")


class Failure(NamedTuple):
    """Kind of failed sign-in.

    Attributes
    ----------
    status : int
        HTTP status of the page.
    title, says : str
        Heading and text of the page. `says` contains the placeholder ``{name}`` for the provider's name.
    """

    status: int
    title: str
    says: str


DOWN = Failure(503, "Sign-in unavailable", "{name} can't be reached at the moment. Try again in a few minutes.")
REFUSED = Failure(
    502,
    "Sign-in failed",
    "{name} did not accept the request. If it happens again, ask the administrator, who can find the reason in the "
    "log.",
)
CANCELLED = Failure(403, "Sign-in cancelled", "You cancelled the sign-in, or {name} did not allow it.")
EXPIRED = Failure(
    400, "Sign-in expired", "The sign-in with {name} took longer than ten minutes, or its page was opened again."
)
UNVERIFIED = Failure(
    403,
    "Sign-in failed",
    "The response of {name} could not be verified. If it happens again, ask the administrator, who can find the reason "
    "in the log.",
)
# Failures by the provider's error code. All other codes mean that the client is configured incorrectly.
FAILURES: Mapping[str, Failure] = {
    "access_denied": CANCELLED,
    "login_required": CANCELLED,
    "consent_required": CANCELLED,
    "interaction_required": CANCELLED,
    "account_selection_required": CANCELLED,
    "server_error": DOWN,
    "temporarily_unavailable": DOWN,
    "invalid_grant": EXPIRED,
}


class SignInError(Exception):
    """A sign-in failed.

    Parameters
    ----------
    failure : Failure
    cause : str
        Cause to be logged. It must not contain secrets, personal data or wording from the provider, except error codes.
    """

    def __init__(self, failure: Failure, cause: str) -> None:
        super().__init__(cause)
        self.failure = failure


class Attempt(NamedTuple):
    """Secrets of one sign-in, stored in a cookie until the browser returns from the provider.

    Attributes
    ----------
    state : str
        Links the provider's response to the browser that started the sign-in.
    nonce : str
        Links the ID token to this sign-in.
    verifier : str
        PKCE code verifier, without which nobody can exchange the authorization code.
    """

    state: str
    nonce: str
    verifier: str

    @classmethod
    def create(cls) -> "Attempt":
        """Return an attempt with new secrets."""
        return cls(token_urlsafe(32), token_urlsafe(32), token_urlsafe(48))

    @property
    def challenge(self) -> str:
        """PKCE code challenge: hash of the verifier."""
        return urlsafe_b64encode(sha256(self.verifier.encode()).digest()).rstrip(b"=").decode()


class Account(NamedTuple):
    """Verified response from the provider: the user's claims and the ID token."""

    claims: Mapping[str, Any]
    id_token: str


async def authorization_url(provider: Provider, attempt: Attempt) -> str:
    """Return the address at the provider where the user signs in.

    Raises
    ------
    SignInError
        If the provider can't be reached, or its metadata is invalid.
    """
    async with _client() as client:
        metadata = await _metadata(client, provider)
    # Without this prompt, providers would sign the user in to the account used last without asking.
    asked = authorization_request(provider, attempt) | {"prompt": "select_account"}
    return str(httpx.URL(_endpoint(metadata, "authorization_endpoint")).copy_merge_params(asked))


def authorization_request(provider: Provider, attempt: Attempt) -> dict[str, str]:
    """Return the query parameters of an authorization request, without the prompt."""
    return {
        "response_type": "code",
        "client_id": provider.client,
        "redirect_uri": f"{provider.desk}{CALLBACK}",
        "scope": provider.scope,
        "state": attempt.state,
        "nonce": attempt.nonce,
        "code_challenge": attempt.challenge,
        "code_challenge_method": "S256",
    }


async def account(provider: Provider, attempt: Attempt, code: str) -> Account:
    """Exchange an authorization code for the user's account.

    Raises
    ------
    SignInError
        If the provider can't be reached or refuses the code, or one of its responses is invalid.
    """
    async with _client() as client:
        metadata = await _metadata(client, provider)
        request = token_request(provider, metadata, attempt, code)
        token = await _json(client, "POST", "token", _endpoint(metadata, "token_endpoint"), **request)
        keys = await _json(client, "GET", "jwks", _endpoint(metadata, "jwks_uri"))
        id_token = token.get("id_token")
        if not isinstance(id_token, str):
            raise SignInError(UNVERIFIED, "token endpoint: no ID token")
        claims = _verify_token(id_token, keys, metadata.get("issuer"), provider.client, attempt.nonce)
        if provider.claim and claim_of(claims, provider.claim) is None and "userinfo_endpoint" in metadata:
            claims = await _with_userinfo(client, metadata, token.get("access_token"), claims)
    return Account(claims, id_token)


async def _with_userinfo(
    client: httpx.AsyncClient, metadata: Mapping[str, Any], access_token: object, claims: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Add the claims from the userinfo endpoint, because some providers leave groups out of the ID token."""
    bearer = {"Authorization": f"Bearer {access_token}"}
    more = await _json(client, "GET", "userinfo", _endpoint(metadata, "userinfo_endpoint"), headers=bearer)
    if more.get("sub") != claims["sub"]:  # OpenID Connect Core, section 5.3.2
        raise SignInError(UNVERIFIED, "userinfo: the subject differs from that of the ID token")
    return {**claims, **more, "iss": claims["iss"]}


def token_request(provider: Provider, metadata: Mapping[str, Any], attempt: Attempt, code: str) -> dict[str, Any]:
    """Return the form data and authentication for a token request, as arguments for `httpx`."""
    given = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": f"{provider.desk}{CALLBACK}",
        "code_verifier": attempt.verifier,
    }
    credentials = {"client_id": provider.client, "client_secret": provider.secret}
    methods = metadata.get("token_endpoint_auth_methods_supported")
    if isinstance(methods, list) and "client_secret_basic" not in methods:
        return {"data": given | credentials}
    # RFC 6749, section 2.3.1: both parts are form-encoded first.
    return {"data": given, "auth": httpx.BasicAuth(*map(quote_plus, credentials.values()))}


def failure_of(error: object, where: str) -> SignInError:
    """Return the error for an OAuth error code.

    The log quotes the code only if it consists of lower-case letters and underscores, because it is untrusted text.
    """
    code = error if isinstance(error, str) and ERROR_CODE.fullmatch(error) else "unknown error code"
    return SignInError(FAILURES.get(code, REFUSED), f"{where}: {code}")


def _verify_token(id_token: str, keys: Mapping[str, Any], issuer: object, client: str, nonce: str) -> Mapping[str, Any]:
    """Return the claims of an ID token after the checks that OpenID Connect Core requires (section 3.1.3.7)."""
    if not isinstance(issuer, str):
        raise SignInError(REFUSED, "metadata: issuer is missing")
    registry = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
    checks = JWTClaimsRegistry(
        leeway=CLOCKS,
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": client},
        nonce={"essential": True, "value": nonce},
        sub={"essential": True},
        exp={"essential": True},
        iat={"essential": True},
    )
    try:
        claims = jwt.decode(id_token, KeySet.import_key_set(keys), registry=registry).claims  # type: ignore[arg-type]
        checks.validate(claims)
    except (JoseError, ValueError, KeyError, TypeError) as error:  # the last three: malformed keys or tokens
        raise SignInError(UNVERIFIED, f"ID token: {type(error).__name__}") from error
    subject, party = claims["sub"], claims.get("azp", client)
    if not (isinstance(subject, str) and 0 < len(subject) <= LONGEST and party == client):
        raise SignInError(UNVERIFIED, "ID token: invalid subject or authorised party")
    return claims


def _client() -> httpx.AsyncClient:
    asked = {"Accept": "application/json"}
    return httpx.AsyncClient(verify=certificates(), timeout=PATIENCE, headers=asked, follow_redirects=False)


@cache
def certificates() -> SSLContext:
    """Return the trusted certificate authorities: the ones from certifi and any that were added to the system.

    They are cached, because loading them takes 0.1 s, during which the server can't respond to any request.
    """
    context = httpx.create_ssl_context()
    context.load_default_certs()
    return context


async def _metadata(client: httpx.AsyncClient, provider: Provider) -> Mapping[str, Any]:
    return await _json(client, "GET", "metadata", provider.metadata)


def _endpoint(metadata: Mapping[str, Any], name: str) -> str:
    address = metadata.get(name)
    if not isinstance(address, str) or not SECRET_ADDRESS.match(address):
        raise SignInError(REFUSED, f"metadata: {name} is missing or does not begin with https://")
    return address


async def _json(client: httpx.AsyncClient, method: str, where: str, url: str, **options: Any) -> Mapping[str, Any]:
    """Send a request to the provider and return the JSON object of its response.

    Raises SignInError if the request fails or the response is not a JSON object. The error calls the request `where`.
    """
    try:
        async with client.stream(method, url, **options) as response:
            body = bytearray()
            async for part in response.aiter_bytes():
                body += part
                if len(body) > LARGEST:
                    raise SignInError(REFUSED, f"{where}: response larger than {LARGEST} bytes")
        found = json.loads(body)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise SignInError(DOWN, f"{where}: {type(error).__name__}") from error
    except (ValueError, RecursionError) as error:  # RecursionError if JSON is nested too deeply
        raise SignInError(DOWN, f"{where}: status {response.status_code}, no valid JSON") from error
    if not isinstance(found, dict):
        raise SignInError(DOWN, f"{where}: status {response.status_code}, no JSON object")
    if response.is_server_error:
        raise SignInError(DOWN, f"{where}: status {response.status_code}")
    if not response.is_success:
        raise failure_of(found.get("error"), f"{where}: status {response.status_code}")
    return found
