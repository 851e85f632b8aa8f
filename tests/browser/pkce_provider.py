"""Run `oidc_provider_mock` as a program, with the PKCE checks of Authlib that it lacks."""

from authlib.oauth2.rfc7636 import CodeChallenge
from oidc_provider_mock import __main__, _app

CHALLENGES: dict[str, tuple[str, str]] = {}  # challenge and method by code


class PkceGrant(_app.AuthorizationCodeGrant):
    """Grant that stores the challenge of each code."""

    def save_authorization_code(self, code, request):
        asked = request.payload.data
        CHALLENGES[code] = asked["code_challenge"], asked["code_challenge_method"]
        super().save_authorization_code(code, request)


class Pkce(CodeChallenge):
    """PKCE check with the stored challenges."""

    def get_authorization_code_challenge(self, authorization_code):
        return CHALLENGES[authorization_code.code][0]

    def get_authorization_code_challenge_method(self, authorization_code):
        return CHALLENGES[authorization_code.code][1]


def with_pkce(register):
    def register_grant(server, grant, extensions=None):
        if issubclass(grant, _app.AuthorizationCodeGrant):
            grant, extensions = PkceGrant, [*extensions, Pkce(required=True)]
        register(server, grant, extensions)

    return register_grant


if __name__ == "__main__":
    server = _app.flask_oauth2.AuthorizationServer
    server.register_grant = with_pkce(server.register_grant)
    __main__.run()
