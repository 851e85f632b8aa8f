"""Sign-in check of `presort doctor`, which uses an invalid code: correct, faulty, slow and unreachable providers."""

import json
import ssl
import threading
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import NameOID

from presort.desk.doctor import sign_in as checks
from presort.desk.doctor.finding import limit_time, run_check
from presort.desk.web import openid
from tests.desk.web.openid_provider import CLIENT, SECRET

DESK = "https://desk.example.org"
OWN = f"{DESK}{checks.CALLBACK}"


@pytest.fixture
def check(provider, monkeypatch):
    """Run the check with correct settings except these. Fails if the finding contains the secret."""

    def run(**settings):
        right = {"METADATA": f"{provider.address}/metadata", "CLIENT": CLIENT, "SECRET": SECRET}
        for name, value in (right | settings).items():
            monkeypatch.setenv(f"PRESORT_SIGN_IN_{name}", value)
        monkeypatch.setenv("PRESORT_DESK_URL", DESK)
        found = run_check("Sign-in", partial(checks.sign_in, Path()))
        for secret in (SECRET, settings.get("SECRET", SECRET)):
            assert secret not in found.says
        assert "\n" not in found.says
        return found

    return run


def test_a_correct_client_is_ok(check, provider):
    for methods in (None, ["client_secret_basic", "client_secret_post"], ["client_secret_post"]):
        provider.metadata = {"token_endpoint_auth_methods_supported": methods}
        found = check()
        assert (found.state, found.says) == (
            "ok",
            f"{provider.address} knows the client {CLIENT!r} and accepts the redirect URI {OWN}.",
        )
        (_, token), (_, authorization) = provider.asked[-2:]
        assert (token["code"], authorization["redirect_uri"], authorization["prompt"]) == (checks.CODE, OWN, "none")


@pytest.mark.parametrize("wrong", [{"CLIENT": "other"}, {"SECRET": "wrong-secret"}], ids=str)
def test_a_wrong_client_or_secret_is_reported(check, wrong):
    found = check(**wrong)
    assert (found.state, "invalid_client" in found.says) == ("wrong", True)
    assert "sign_in.client and sign_in.secret" in found.says


@pytest.mark.parametrize(
    ("path", "answer", "state", "says"),
    [
        ("/token", (401, {"error": "unauthorized_client"}, {}), "wrong", "(unauthorized_client)"),
        ("/token", (400, {"error": "redirect_uri_mismatch"}, {}), "wrong", f"refuses the redirect URI {OWN}"),
        ("/token", (400, {"error": "invalid_request"}, {}), "wrong", "with invalid_request (status 400)"),
        ("/token", (400, {"error": "a secret: <b>\n" * 99}, {}), "wrong", "with no error code (status 400)"),
        ("/token", (500, b"oops", {}), "wrong", "with no error code (status 500)"),
        ("/token", (200, b"[" * 9_000, {}), "wrong", "with no error code (status 200)"),
        ("/token", (200, {"access_token": "x"}, {}), "wrong", "with no error code (status 200)"),
        ("/token", (307, {}, {"Location": "https://evil.example.org"}), "wrong", "(status 307)"),
        ("/token", (200, bytes(checks.LARGEST + 1), {}), "wrong", "is larger than"),
        ("/authorize", (400, b"<h1>Invalid redirect_uri</h1>", {}), "wrong", "(status 400). Register it"),
        ("/authorize", (302, {}, {"Location": f"{OWN}?error=unauthorized_client"}), "wrong", "unauthorized_client"),
        ("/authorize", (302, {}, {"Location": f"{OWN}?code=x&state=y"}), "ok", "accepts the redirect URI"),
        ("/authorize", (200, b"<form>", {}), "ok", "Make sure that the client is registered with the redirect URI"),
        ("/authorize", (302, {}, {"Location": f"{DESK}.evil.example/oauth2callback"}), "ok", "Make sure"),
        ("/metadata", (404, {}, {}), "wrong", "status 404"),
        ("/metadata", (200, {}, {}), "wrong", "Missing: issuer, authorization_endpoint"),
        ("/metadata", (200, b"\xff", {}), "wrong", "Missing: issuer, authorization_endpoint"),
        ("/metadata", (200, dict.fromkeys(checks.NEEDED, "http://id.example.org/x"), {}), "wrong", "https://"),
        ("/metadata", (200, dict.fromkeys(checks.NEEDED, "https://[x/"), {}), "wrong", "can't be reached"),
    ],
)  # fmt: skip
def test_other_responses_of_the_provider(check, provider, monkeypatch, path, answer, state, says):
    status, body, headers = answer
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    usual = provider.answer
    monkeypatch.setattr(
        provider, "answer", lambda asked, *given: (status, body, headers) if asked == path else usual(asked, *given)
    )
    found = check()
    assert (found.state, says in found.says) == (state, True), found.says


def test_an_unreachable_or_slow_provider_is_reported_in_time(check, provider, monkeypatch):
    away = check(METADATA="http://127.0.0.1:9/metadata")
    assert (away.state, "127.0.0.1:9/metadata can't be reached" in away.says) == ("wrong", True)
    is_over = threading.Event()
    monkeypatch.setattr(provider, "answer", lambda *_: is_over.wait(60) and (404, b"", {}))
    monkeypatch.setattr(checks, "PATIENCE", 0.05)
    slow = check()
    assert (slow.state, "no answer in time" in slow.says) == ("wrong", True)
    is_over.set()


def test_an_authority_that_an_administrator_added_to_the_system_is_trusted(monkeypatch, tmp_path):
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Own")])
    own = x509.CertificateBuilder(name, name, key.public_key(), 1, datetime.now(UTC), datetime.now(UTC) + timedelta(1))
    own = own.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(key, SHA256())
    (tmp_path / "ca.pem").write_bytes(own.public_bytes(Encoding.PEM))
    monkeypatch.setattr(ssl.SSLContext, "load_default_certs", lambda it: it.load_verify_locations(tmp_path / "ca.pem"))
    trusted = [authority["subject"] for authority in openid.certificates.__wrapped__().get_ca_certs()]
    assert ((("commonName", "Own"),),) in trusted
    assert len(trusted) > 1


def test_an_unknown_authority_is_reported_with_advice(check, monkeypatch):
    def fail(*_arguments, **_options):
        raise httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed")

    monkeypatch.setattr(httpx.Client, "stream", fail)
    found = check()
    assert (found.state, checks.OWN_AUTHORITY in found.says) == ("wrong", True)


def test_a_hanging_check_times_out_and_its_errors_propagate():
    is_over = threading.Event()
    found = run_check("Slow", limit_time(lambda: is_over.wait(60) and ("ok", "late"), 0.05))
    assert (found.state, "0.05 seconds" in found.says) == ("wrong", True)
    is_over.set()
    with pytest.raises(ZeroDivisionError):
        run_check("Bug", limit_time(lambda: ("ok", str(1 // 0)), 5))
