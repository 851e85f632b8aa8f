"""A local OpenID provider that accepts everybody, checks PKCE, and simulates errors."""

import json
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from urllib.parse import parse_qs, parse_qsl, unquote_plus, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

from presort.desk.settings import Provider, parse_desk_url
from presort.desk.web import launch

CLIENT, SECRET = "presort", "a secret: with/odd&signs"
KEY = RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})


class OpenIdProvider:
    """Configurable responses of the provider, and the requests that it received.

    Attributes
    ----------
    claims : dict
        Claims of ID tokens that replace the usual ones. None removes a claim.
    of_userinfo : dict
        Response of the userinfo endpoint.
    answers : dict of str to (int, bytes)
        Status and body by path, instead of the correct response.
    key, algorithm
        Signature of ID tokens. They are unsigned if the key is None.
    metadata : dict
        Fields that replace the usual metadata. None removes a field.
    asked : list of (str, dict)
        Path and fields of each request to the authorization or token endpoint.
    """

    def __init__(self, address):
        self.address = address
        self.reset()

    def reset(self):
        self.claims, self.of_userinfo, self.answers, self.metadata = {}, {"sub": "ann"}, {}, {}
        self.key, self.algorithm = KEY, "RS256"
        self.asked, self.codes = [], {}

    def settings(self, desk, **others):
        """Return the settings for a desk that uses this provider."""
        return Provider("Example <ID>", f"{self.address}/metadata", CLIENT, SECRET, parse_desk_url(desk), **others)

    def answer(self, path, fields, headers):
        """Return status, body and further headers."""
        if path in self.answers:
            return *self.answers[path], {}
        match path:
            case "/metadata":
                return self._json(self._metadata())
            case "/jwks":
                return self._json(KeySet([KEY]).as_dict(private=False))
            case "/userinfo":
                return self._json(self.of_userinfo)
            case "/authorize":
                self.asked.append((path, fields))
                code = token_urlsafe()
                self.codes[code] = fields
                return (
                    302,
                    b"",
                    {"Location": f"{fields['redirect_uri']}?{urlencode({'code': code, 'state': fields['state']})}"},
                )
            case "/token":
                self.asked.append((path, fields))
                return self._token(fields, headers)
        return self._json({}, 404)

    def _metadata(self):
        usual = {
            "issuer": self.address,
            **{f"{name}_endpoint": f"{self.address}/{at}" for name, at in ENDPOINTS.items()},
            "jwks_uri": f"{self.address}/jwks",
        }
        return {name: value for name, value in (usual | self.metadata).items() if value is not None}

    def _token(self, fields, headers):
        kind, _, credentials = headers.get("Authorization", "").partition(" ")
        if kind == "Basic":
            given = tuple(map(unquote_plus, b64decode(credentials).decode().split(":")))
        else:
            given = fields.get("client_id"), fields.get("client_secret")
        if given != (CLIENT, SECRET):
            return self._json({"error": "invalid_client"}, 401)
        asked = self.codes.pop(fields.get("code"), None)
        challenge = urlsafe_b64encode(sha256(fields.get("code_verifier", "").encode()).digest()).rstrip(b"=").decode()
        if (
            asked is None
            or (asked["code_challenge_method"], asked["code_challenge"]) != ("S256", challenge)
            or asked["redirect_uri"] != fields["redirect_uri"]
        ):
            return self._json({"error": "invalid_grant", "error_description": "<b>not this one</b>"}, 400)
        now = int(time.time())
        usual = {
            "iss": self.address,
            "sub": "ann",
            "aud": CLIENT,
            "exp": now + 300,
            "iat": now,
            "nonce": asked["nonce"],
        }
        claims = {name: value for name, value in (usual | self.claims).items() if value is not None}
        header = {"alg": self.algorithm, "kid": "one"}
        if self.key is None:
            signed = ".".join(
                urlsafe_b64encode(json.dumps(one).encode()).decode().rstrip("=") for one in (header, claims)
            )
            signed += "."
        else:
            signed = jwt.encode(header, claims, self.key, algorithms=[self.algorithm])
        return self._json({"id_token": signed, "access_token": "an-access-token", "token_type": "Bearer"})

    @staticmethod
    def _json(value, status=200):
        return status, json.dumps(value).encode(), {"Content-Type": "application/json"}


ENDPOINTS = {"authorization": "authorize", "token": "token", "userinfo": "userinfo", "end_session": "end"}


@contextmanager
def provided():
    """Run a provider."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            path, _, query = self.path.partition("?")
            self._respond(path, dict(parse_qsl(query)))

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._respond(self.path, {name: one for name, (one,) in parse_qs(body).items()})

        def _respond(self, path, fields):
            status, body, others = provider.answer(path, fields, self.headers)
            self.send_response(status)
            for name, value in {**others, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer((launch.LOCALHOST, 0), Handler) as server:
        server.daemon_threads = True
        provider = OpenIdProvider(f"http://{launch.LOCALHOST}:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield provider
        server.shutdown()
        thread.join()


def query_of(address):
    """Return the query of an address as a dict."""
    return dict(parse_qsl(urlsplit(address).query))
