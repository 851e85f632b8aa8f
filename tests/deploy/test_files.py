"""The files that run a service: systemd and nginx read them, and their settings are settings."""

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from presort.desk import settings
from presort.desk.backup_settings import BackupPlan, backup_plan
from presort.desk.settings import Delivery

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = [
    *("presort.service", "presort-weekly.service", "presort-weekly.timer"),
    *("presort-backup.service", "presort-backup.timer"),
    *("presort-send.service", "presort-send.timer"),
]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_takes_the_units(tmp_path):
    for name in UNITS:
        unit = (DEPLOY / name).read_text().replace("/opt/presort/bin/presort", "/bin/true")
        (tmp_path / name).write_text(unit)
    command = ["systemd-analyze", "verify", *(str(tmp_path / name) for name in UNITS)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_settings_of_the_example_are_settings(monkeypatch):
    monkeypatch.setenv(settings.FILE, str(DEPLOY / "presort.toml"))
    monkeypatch.delenv(settings.WORKSPACE, raising=False)
    week = settings.week()
    assert week.director == "director@example.org"
    assert settings.from_environment().workspace == Path("/var/lib/presort/workspace")
    assert settings.site_url() == "https://reports.example.org"
    assert settings.delivery() == Delivery(folder=Path("/var/www/presort"), url="https://reports.example.org")
    assert backup_plan() == BackupPlan(Path("/var/lib/presort/backups"))
    assert tomllib.loads((DEPLOY / "presort.toml").read_text())["mail"]["host"] == "mail.example.org"


def test_services_that_write_the_public_pages_may_do_so():
    folder = tomllib.loads((DEPLOY / "presort.toml").read_text())["site"]["folder"]
    may = [file.name for file in sorted(DEPLOY.glob("*.service")) if f"ReadWritePaths=-{folder}\n" in file.read_text()]
    assert may == ["presort-send.service", "presort-weekly.service", "presort.service"]
    assert f"root {folder};" in (DEPLOY / "nginx.conf").read_text()


def test_all_services_have_the_same_restrictions():
    def restrictions(unit):
        lines = (DEPLOY / unit).read_text().partition("UMask=")[2].partition("[Install]")[0].splitlines()
        return {line for line in lines if line and not line.startswith(("#", "ReadWritePaths="))}

    services = [file.name for file in DEPLOY.glob("*.service")]
    assert [name for name in services if restrictions(name) != restrictions("presort.service")] == []


def test_the_guides_name_each_of_these_files():
    guides = "".join((DEPLOY.parent / "docs" / name).read_text() for name in ("running.md", "container.md"))
    assert [file.name for file in DEPLOY.iterdir() if file.name not in guides] == []
