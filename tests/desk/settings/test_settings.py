"""Settings in the environment and in a file: which counts, and what is refused in one line."""

import os
from datetime import date, timedelta
from errno import EACCES
from pathlib import Path

import pytest

from presort.data.errors import RefusedError
from presort.data.harvest.formats import FORMATS
from presort.desk import settings
from presort.desk.settings import BackupPlan, Harvest, backup_plan

TABLE = "[[weekly.harvest]]\nurl = 'https://a.example/oai'\n"
MAIL = """
workspace = "/srv/presort"
[mail]
host = "mail.example.org"
port = 2525
from = "Reports <reports@example.org>"
user = "presort"
password = " s3cret "
starttls = true
[weekly]
harvest = ["https://a.example/oai", "http://b.example/oai"]
import = "/srv/incoming"
director = "dee@example.org"
[desk]
url = "https://desk.example.org/"
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file of settings in the current folder, where nothing else is set."""
    monkeypatch.chdir(tmp_path)
    for name in (settings.FILE, settings.WORKSPACE):
        monkeypatch.delenv(name, raising=False)
    return lambda text, name="presort.toml": (tmp_path / name).write_text(text, encoding="utf-8")


def test_the_file_sets_what_the_environment_does_not(write, monkeypatch):
    write(MAIL)
    server = settings.mail_server()
    assert (server.host, server.port, server.sender, server.user) == (
        "mail.example.org",
        2525,
        "reports@example.org",
        "presort",
    )
    assert (server.password, server.has_starttls) == (" s3cret ", True)
    assert str(settings.from_environment().workspace) == "/srv/presort"
    week = settings.week()
    assert week.harvest == (Harvest("https://a.example/oai"), Harvest("http://b.example/oai"))
    assert (str(week.folder), week.director, week.desk_url) == (
        "/srv/incoming",
        "dee@example.org",
        "https://desk.example.org",
    )
    monkeypatch.setenv("PRESORT_SMTP_HOST", "other.example.org")
    monkeypatch.setenv("PRESORT_WEEKLY_HARVEST", "")
    assert settings.mail_server().host == "other.example.org"
    assert settings.week().harvest == ()


@pytest.mark.parametrize("head", ["[[weekly.harvest]]", "[weekly.harvest]", "[weekly.harvest.econ]"])
def test_a_harvest_is_a_table_with_what_is_asked_for(write, head):
    write(f"""{head}
url = "http://repository.local/oai"
set = "econ:th"
format = "arXiv"
from = 2026-01-01
private = true
""")
    assert settings.week().harvest == (
        Harvest("http://repository.local/oai", "econ:th", "arXiv", date(2026, 1, 1), is_private=True),
    )


def test_harvests_are_tables_beside_the_other_settings_of_the_week(write):
    write("""[weekly]
director = "dee@example.org"
[[weekly.harvest]]
url = "https://a.example/oai"
from = "2026-02-03"
[[weekly.harvest]]
url = "https://b.example/index.php?page=oai"
""")
    week = settings.week()
    assert week.director == "dee@example.org"
    assert week.harvest == (
        Harvest("https://a.example/oai", begin=date(2026, 2, 3)),
        Harvest("https://b.example/index.php?page=oai"),
    )


def test_the_formats_of_a_harvest_are_those_that_are_read():
    assert set(settings.OAI_FORMATS) == set(FORMATS)


def test_the_environment_names_another_file_which_a_child_finds_too(write, monkeypatch, tmp_path):
    write('workspace = "here"')
    write('workspace = "there"', "other.toml")
    monkeypatch.setenv(settings.FILE, "other.toml")
    found = settings.from_environment()
    assert str(found.workspace) == "there"
    assert settings.to_environment(found)[settings.FILE] == str(tmp_path / "other.toml")
    monkeypatch.setenv(settings.FILE, "none.toml")
    with pytest.raises(RefusedError, match=r"^Can't read the settings file none\.toml: No such file or directory\.$"):
        settings.from_environment()


@pytest.mark.parametrize(
    ("address", "origin", "path"),
    [
        pytest.param("https://desk.example.org", "https://desk.example.org", "", id="host"),
        pytest.param("https://Desk.Example.org:443/", "https://desk.example.org", "", id="usual-port"),
        pytest.param("https://example.org:8443/presort/", "https://example.org:8443", "/presort", id="path"),
        pytest.param("http://127.0.0.1:8000/a/B-1.0_~x", "http://127.0.0.1:8000", "/a/B-1.0_~x", id="long-path"),
    ],
)
def test_the_address_of_the_desk_has_an_origin_and_a_path(monkeypatch, address, origin, path):
    monkeypatch.setenv(settings.DESK_URL, address)
    assert settings.desk_url() == settings.DeskUrl(origin, path)
    assert settings.week().desk_url == f"{origin}{path}"
    assert settings.invitation_link("code") == f"{origin}{path}/?invitation=code"
    assert settings.is_link(settings.invitation_link("code"))
    assert settings.path_of_pages() == ""  # without sign-in, no proxy adds a path


@pytest.mark.parametrize(
    "address",
    [
        *("desk", "ftp://example.org/presort", "https://", "https://example.org//presort", "https://example.org/a//b"),
        *("https://example.org/presort//", "https://example.org/..", "https://example.org/a/../b"),
        *("https://example.org/.", "https://example.org/.hidden", "https://example.org/_stcore", "https://e.org/-a"),
        *("https://example.org/presort?a=b", "https://example.org/?", "https://example.org/presort#top"),
        *(
            "https://example.org/pre%20sort",
            "https://example.org/%2e%2e",
            "https://example.org/pré",
            "https://e.org/a b",
        ),
        *("https://example.org/a;b", 'https://example.org/"', "https://example.org/a\nb", "https://example.org/a\\b"),
        *("https://user@example.org/presort", "https://example.org:/a", "https://example.org\n/a"),
    ],
)
def test_any_other_address_of_the_desk_is_refused_in_one_line(monkeypatch, address):
    monkeypatch.setenv(settings.DESK_URL, address)
    for read in (settings.desk_url, settings.week, lambda: settings.invitation_link("code")):
        with pytest.raises(RefusedError) as refused:
            read()
        assert str(refused.value).startswith(f"{settings.DESK_URL} is {address!r}. ")
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("[mail\nhost", r"presort\.toml is not valid TOML: .*line 1", id="damaged"),
        pytest.param('[mail]\nhots = "x"', r"unknown setting mail\.hots\. Did you mean mail\.host\?", id="near"),
        pytest.param("[colours]\nzzzzz = 1", "Valid settings: workspace, database.url", id="unknown"),
        pytest.param('mail = "x"', "unknown setting mail", id="no-table"),
        pytest.param("[mail]\npassword = {a = 's3cret'}", r"mail\.password must be a string, not dict\.$", id="type"),
        pytest.param("[weekly]\nharvest = [1]", r"weekly\.harvest must be a list of tables", id="list-of-numbers"),
        pytest.param("[mail]\nport = 1.5", r"mail\.port must be a string, not float", id="float"),
        pytest.param("[weekly]\nharvest = 'ftp://x'", r"weekly\.harvest in presort\.toml: 'ftp://x'", id="harvest"),
        pytest.param("[[weekly.harvest]]\nset = 'a'", r"'' is not a web address", id="harvest-without-url"),
        pytest.param(TABLE + "sett = 'a'", r"unknown key sett\. Valid keys: url, set", id="harvest-key"),
        pytest.param(
            TABLE + "set = 'a b'", r"'a b' is not a valid set name for https://a\.example/oai", id="harvest-set"
        ),
        pytest.param(TABLE + "format = 'marc'", r"unknown format 'marc' .* oai_dc, arXiv", id="harvest-format"),
        pytest.param(TABLE + "from = 'May'", r"'from' must be a date .* for https://a\.example/oai", id="harvest-from"),
        pytest.param(TABLE + "private = 'yes'", r"'private' must be true or false", id="harvest-private"),
        pytest.param("[desk]\nurl = 'desk'", r"desk\.url in presort\.toml is 'desk'", id="desk"),
        pytest.param("[weekly]\ndirector = 'dee'", "dee", id="director"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(write, text, says):
    write(text)
    with pytest.raises(RefusedError, match=says) as refused:
        settings.week()
    assert "s3cret" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_wrong_value_is_named_where_it_stands(write, monkeypatch):
    write("[mail]\nhost = 'a'\nfrom = 'r@example.org'\nport = 70000")
    with pytest.raises(RefusedError, match=r"^mail\.port in presort\.toml is '70000'"):
        settings.mail_server()
    monkeypatch.setenv("PRESORT_SMTP_PORT", "x")
    with pytest.raises(RefusedError, match=r"^PRESORT_SMTP_PORT is 'x'"):
        settings.mail_server()


def test_a_current_folder_that_this_user_may_not_open_has_no_settings(write, monkeypatch):
    write(MAIL)

    def refuse(path):
        raise PermissionError(EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refuse)
    assert settings.log_format() == "text"


def test_a_settings_file_of_another_user_is_refused_with_the_command_to_run(write, monkeypatch):
    write(MAIL)

    def refuse(path):
        raise PermissionError(EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(RefusedError, match=r"chown presort: presort\.toml$"):
        settings.log_format()


def test_a_login_without_a_password_is_named_as_in_the_file(write):
    write("[mail]\nhost = 'a'\nfrom = 'r@example.org'\nuser = 'u'")
    with pytest.raises(RefusedError, match=r"mail\.user in presort\.toml and mail\.password in presort\.toml"):
        settings.mail_server()


def test_the_address_of_a_database_is_one_of_postgresql_and_never_quoted(write, monkeypatch):
    assert settings.database() == ""
    write('[database]\nurl = "postgresql://ann:hush@db.example.org/presort"')
    assert settings.database() == "postgresql://ann:hush@db.example.org/presort"
    monkeypatch.setenv(settings.DATABASE, "mysql://ann:hush@db.example.org/presort")
    with pytest.raises(
        RefusedError, match=r"PRESORT_DATABASE_URL is not a PostgreSQL URL\. .* postgresql://"
    ) as caught:
        settings.database()
    assert "hush" not in str(caught.value)


def test_a_change_of_the_file_is_noticed_though_neither_its_size_nor_its_time_differs(write, tmp_path):
    for path in ("/srv/a", "/srv/b"):
        write(f'workspace = "{path}"\n')
        os.utime(tmp_path / "presort.toml", (0, 0))
        assert str(settings.from_environment().workspace) == path


def test_scheduled_backups_have_a_folder_a_time_and_what_is_kept(write, monkeypatch):
    assert backup_plan() is None
    write("[backup]\nfolder = '/srv/backups'\n")
    assert backup_plan() == BackupPlan(Path("/srv/backups"), timedelta(hours=24), 7, 4)
    write("[backup]\nfolder = '/srv/backups'\nevery = 6\nkeep_daily = 30\nkeep_weekly = 12\n")
    assert backup_plan() == BackupPlan(Path("/srv/backups"), timedelta(hours=6), 30, 12)
    monkeypatch.setenv("PRESORT_BACKUP_EVERY", "12")
    assert backup_plan().every == timedelta(hours=12)


@pytest.mark.parametrize("key", ["every", "keep_daily", "keep_weekly"])
@pytest.mark.parametrize("value", ["0", "-1", "'daily'", "9999", "'1e3'", "'" + "9" * 5_000 + "'"])
def test_a_number_of_backups_that_is_none_is_refused(write, key, value):
    write(f"[backup]\nfolder = '/srv/backups'\n{key} = {value}\n")
    with pytest.raises(RefusedError, match=rf"^backup\.{key} in presort\.toml is .* whole number from 1 to "):
        backup_plan()
