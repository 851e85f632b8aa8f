"""The setting of roles by groups, and groups in claims as providers send them."""

import pytest

from presort.data.errors import RefusedError
from presort.data.records import GivenRole
from presort.desk import settings
from presort.desk.settings.group_roles import claim_of, parse_roles, roles_in
from tests.desk.web.test_sign_in import SIGN_IN

DIRECTOR, EDITOR, VIEWER = GivenRole("director"), GivenRole("editor", "lab"), GivenRole("viewer", "lab")
FILE = """
[desk]
url = "https://desk.example.org"

[sign_in]
metadata = "https://id.example.org/.well-known/openid-configuration"
client = "presort"
secret = "s3cret"
claim = "realm_access.roles"

[sign_in.roles]
director = ["presort-directors", "Vorstand (Köln)"]
editor.lab = ["presort-lab"]
viewer.lab = "staff"
viewer."j.5" = ["staff"]
"""


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write the settings file, and read what it says of sign-in."""
    monkeypatch.setenv("PRESORT_CONFIG", str(tmp_path / "presort.toml"))

    def write(content=FILE):
        (tmp_path / "presort.toml").write_text(content)
        return settings.sign_in()

    return write


def test_groups_are_set_in_the_file(written):
    found = written()
    assert (found.claim, found.scope) == ("realm_access.roles", "openid profile")
    assert found.roles == {
        "presort-directors": {DIRECTOR},
        "Vorstand (Köln)": {DIRECTOR},
        "presort-lab": {EDITOR},
        "staff": {VIEWER, GivenRole("viewer", "j.5")},
    }
    assert written(FILE.partition("claim =")[0]).scope == "openid"
    assert written(FILE.replace("[sign_in.roles]", 'scope = "openid groups"\n[sign_in.roles]')).scope == "openid groups"


def test_groups_are_set_in_the_environment(monkeypatch):
    for name, value in SIGN_IN.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PRESORT_SIGN_IN_CLAIM", "groups")
    monkeypatch.setenv("PRESORT_SIGN_IN_ROLES", '{director = ["admins"], editor = {lab = ["lab"]}}')
    assert settings.sign_in().roles == {"admins": {DIRECTOR}, "lab": {EDITOR}}
    for wrong in ("admins", "{director", '["admins"]', "{}\nother = 1"):
        monkeypatch.setenv("PRESORT_SIGN_IN_ROLES", wrong)
        with pytest.raises(RefusedError, match="PRESORT_SIGN_IN_"):
            settings.sign_in()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("director =", "directors =", "directors is not a valid role"),
        ("editor.lab =", "editor =", "editor is not a valid role"),
        ("editor.lab =", "editor.lab.x =", "editor.lab must be a list of group names"),
        ("editor.lab =", 'editor."no code!" =', "'no code!' is not the code of a report"),
        ('["presort-lab"]', "[7]", "editor.lab must be a list of group names"),
        ('["presort-lab"]', '[""]', "editor.lab must be a list of group names"),
        ('["presort-lab"]', '["x", " "]', "editor.lab must be a list of group names"),
        ('["presort-lab"]', "true", "editor.lab must be a list of group names"),
        ('claim = "realm_access.roles"\n', "", "Set both sign_in.claim"),
        ("[sign_in.roles]", "[sign_in.rules]", "unknown setting sign_in.rules. Did you mean sign_in.roles?"),
        ("[sign_in.roles]\n", "roles = 7\n[weekly]\n", "sign_in.roles must be a table"),
        ("[sign_in.roles]", 'scope = "profile"\n[sign_in.roles]', "must contain openid"),
    ],
)
def test_a_wrong_setting_is_one_line(written, old, new, message):
    with pytest.raises(RefusedError) as refused:
        written(FILE.replace(old, new))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "s3cret" not in str(refused.value)


OF_GROUPS = parse_roles({"director": ["admins"], "editor": {"lab": ["lab", "admins"]}}, "sign_in.roles")


@pytest.mark.parametrize(
    ("claims", "path", "expected"),
    [
        pytest.param({"groups": ["lab", "other"]}, "groups", {EDITOR}, id="a-list"),
        pytest.param({"groups": "admins"}, "groups", {DIRECTOR, EDITOR}, id="a-text"),
        pytest.param({"realm_access": {"roles": ["lab"]}}, "realm_access.roles", {EDITOR}, id="nested"),
        pytest.param({"a.b": "lab", "a": {"b": "admins"}}, "a.b", {EDITOR}, id="a-name-with-a-dot"),
        pytest.param({"groups": ["lab"] * 100_000}, "groups", {EDITOR}, id="many"),
        pytest.param({}, "groups", set(), id="none"),
        pytest.param({"groups": None}, "groups", set(), id="null"),
        pytest.param({"groups": []}, "groups", set(), id="empty"),
        pytest.param({"groups": {"admins": True}}, "groups", set(), id="an-object"),
        pytest.param({"groups": [["admins"], {"name": "admins"}, 7, True, None]}, "groups", set(), id="no-texts"),
        pytest.param({"groups": "lab,admins"}, "groups", set(), id="is-not-split-at-commas"),
        pytest.param({"groups": "lab admins"}, "groups", set(), id="is-not-split-at-blanks"),
        pytest.param(
            {"groups": ["ADMINS", "admins ", "/admins", "admin\u200bs", "\u0430dmins"]}, "groups", set(), id="alike"
        ),
        pytest.param({"groups": "admins"}, "groups.0", set(), id="a-path-into-a-text"),
        pytest.param({"groups": ["admins"]}, "groups.0", set(), id="a-path-into-a-list"),
        pytest.param({"a": {"b": {}}}, "a.b.c.d", set(), id="a-path-too-long"),
    ],
)
def test_roles_are_those_of_groups_with_exactly_that_name(claims, path, expected):
    assert roles_in(claims, path, OF_GROUPS) == expected


def test_a_deep_claim_is_no_trouble():
    deep = {}
    for _ in range(10_000):
        deep = {"a": deep}
    assert claim_of(deep, ".".join("a" * 9_999)) == {"a": {}}
