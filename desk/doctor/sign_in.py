"""Health check for sign-in. It sends the requests of a sign-in, but with an invalid code, so nobody is signed in."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from presort.data.errors import DataError
from presort.desk import settings
from presort.desk.doctor.finding import Found
from presort.desk.settings import SECRET_ADDRESS, Provider
from presort.desk.web.openid import (
    CALLBACK,
    ERROR_CODE,
    LARGEST,
    PATIENCE,
    Attempt,
    authorization_request,
    certificates,
    token_request,
)

# Fields that an OpenID Connect discovery document must contain.
NEEDED = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")
ATTEMPT = Attempt.create()  # never used to sign in
CODE = "presort-doctor"  # not a valid authorization code
UNKNOWN_CLIENT = ("invalid_client", "unauthorized_client")  # Keycloak returns the second code if the secret is wrong
UNKNOWN_ADDRESS = "redirect_uri_mismatch"  # only Google returns this code
ASK_USER = ("login_required", "interaction_required", "consent_required", "account_selection_required")
REDIRECTS = (301, 302, 303, 307, 308)
REFUSALS = (400, 401, 403)
OWN_AUTHORITY = (
    " Install the certificate of your own certificate authority with update-ca-certificates, and restart the app."
)


def sign_in(_: Path) -> Found:
    """Check that the sign-in provider responds, knows the client and its secret, and accepts the redirect URI."""
    provider = settings.sign_in()
    if provider is None:
        return "missing", "Sign-in is not set up, so the desk can only be used on this computer."
    asked = {"Accept": "application/json"}
    with httpx.Client(verify=certificates(), timeout=PATIENCE, headers=asked, follow_redirects=False) as client:
        metadata = _metadata(client, provider)
        _demand_known_client(client, provider, metadata)
        is_accepted = _accepts_redirect(client, provider, metadata)
    known = f"{metadata['issuer']} knows the client {provider.client!r}"
    if is_accepted:
        return "ok", f"{known} and accepts the redirect URI {provider.desk}{CALLBACK}."
    return "ok", f"{known}. Make sure that the client is registered with the redirect URI {provider.desk}{CALLBACK}."


def _metadata(client: httpx.Client, provider: Provider) -> Mapping[str, Any]:
    response, found = _request_json(client, "GET", provider.metadata)
    if not response.is_success:
        raise DataError(f"{provider.metadata} can't be read: the provider answered with status {response.status_code}.")
    if lacking := [name for name in NEEDED if not isinstance(found.get(name), str)]:
        raise DataError(
            f"{provider.metadata} is not an OpenID Connect discovery document. Missing: {', '.join(lacking)}."
        )
    if unsafe := [name for name in NEEDED[1:] if not SECRET_ADDRESS.match(found[name])]:
        raise DataError(f"{provider.metadata}: {unsafe[0]} does not begin with https://, so sign-in is refused.")
    return found


def _demand_known_client(client: httpx.Client, provider: Provider, metadata: Mapping[str, Any]) -> None:
    """Check that the provider knows the client and its secret, by exchanging an invalid code.

    A provider that knows the client responds with `invalid_grant` (RFC 6749, section 5.2).

    Raises
    ------
    DataError
        If the provider responds with anything else.
    """
    request = token_request(provider, metadata, ATTEMPT, CODE)
    response, found = _request_json(client, "POST", metadata["token_endpoint"], **request)
    error = _error_code(found.get("error"))
    if error in UNKNOWN_CLIENT:
        raise DataError(
            f"{metadata['issuer']} refuses the client {provider.client!r} with this secret ({error}). Check "
            "sign_in.client and sign_in.secret."
        )
    if error == UNKNOWN_ADDRESS:
        raise DataError(_unregistered_text(provider, metadata, error))
    if error != "invalid_grant":
        raise DataError(
            f"{metadata['token_endpoint']} answered with {error or 'no error code'} (status {response.status_code}) "
            "instead of invalid_grant, so sign-in may not work."
        )


def _accepts_redirect(client: httpx.Client, provider: Provider, metadata: Mapping[str, Any]) -> bool:
    """Return True if the provider redirects to the desk, or False if only a real sign-in could show whether it does.

    Raises
    ------
    DataError
        If the provider refuses the request.
    """
    own = f"{provider.desk}{CALLBACK}"
    # With `prompt=none`, the provider redirects back at once with an error, because nobody is signed in.
    asked = authorization_request(provider, ATTEMPT) | {"prompt": "none"}
    response, _ = _request_json(client, "GET", metadata["authorization_endpoint"], query=asked)
    target = response.headers.get("Location", "")
    if response.status_code in REDIRECTS and target.partition("?")[0].partition("#")[0] == own:
        error = _error_code(parse_qs(urlsplit(target).query).get("error", [""])[0])
        if error and error not in ASK_USER:
            raise DataError(f"{metadata['issuer']} refuses sign-ins of the client {provider.client!r}: {error}.")
        return True
    if response.status_code in REFUSALS:
        raise DataError(_unregistered_text(provider, metadata, f"status {response.status_code}"))
    return False


def _unregistered_text(provider: Provider, metadata: Mapping[str, Any], why: str) -> str:
    return (
        f"{metadata['issuer']} refuses the redirect URI {provider.desk}{CALLBACK} ({why}). Register it for the client "
        f"{provider.client!r}."
    )


def _request_json(
    client: httpx.Client, method: str, url: str, *, query: Mapping[str, str] = MappingProxyType({}), **options: Any
) -> tuple[httpx.Response, Mapping[str, Any]]:
    """Return the response to a request, and the JSON object in it. Without a JSON object, the mapping is empty.

    Raises
    ------
    DataError
        If the provider can't be reached or its response is too large. The message contains neither the secret nor the
        query of the address.
    """
    where = url.partition("?")[0]
    body = bytearray()
    try:
        with client.stream(method, httpx.URL(url).copy_merge_params(query), **options) as response:
            for part in response.iter_bytes():
                body += part
                if len(body) > LARGEST:
                    raise DataError(f"{where}: the answer is larger than {LARGEST:,} bytes.")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = "no answer in time" if isinstance(error, httpx.TimeoutException) else str(error)
        advice = OWN_AUTHORITY if "CERTIFICATE_VERIFY_FAILED" in reason else ""
        raise DataError(f"{where} can't be reached: {reason.rstrip('.') or type(error).__name__}.{advice}") from error
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):  # RecursionError if the JSON is nested too deeply
        found = None
    return response, found if isinstance(found, dict) else {}


def _error_code(error: object) -> str:
    """Return the OAuth error code in a response, or an empty string if the code is missing or malformed.

    The code is validated because messages quote it and the response is untrusted.
    """
    return error if isinstance(error, str) and ERROR_CODE.fullmatch(error) else ""
