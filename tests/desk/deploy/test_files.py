"""The example settings file has only known settings, and the guides name each file of `deploy`."""

import tomllib
from pathlib import Path

from presort.desk import settings
from presort.desk.settings import BackupPlan, Delivery, backup_plan

DEPLOY = Path(__file__).parents[3] / "deploy"


def test_the_example_has_only_known_settings(monkeypatch):
    monkeypatch.setenv(settings.FILE, str(DEPLOY / "presort.toml"))
    monkeypatch.delenv(settings.WORKSPACE, raising=False)
    week = settings.week()
    assert week.director == "director@example.org"
    assert settings.from_environment().workspace == Path("/var/lib/presort/workspace")
    assert settings.site_url() == "https://reports.example.org"
    assert settings.delivery() == Delivery(folder=Path("/var/www/presort"), url="https://reports.example.org")
    assert backup_plan() == BackupPlan(Path("/var/lib/presort/backups"))
    assert tomllib.loads((DEPLOY / "presort.toml").read_text())["mail"]["host"] == "mail.example.org"


def test_services_that_write_public_pages_have_write_access():
    folder = tomllib.loads((DEPLOY / "presort.toml").read_text())["site"]["folder"]
    may = [file.name for file in sorted(DEPLOY.glob("*.service")) if f"ReadWritePaths=-{folder}\n" in file.read_text()]
    assert may == ["presort-send.service", "presort-weekly.service", "presort.service"]
    assert f"root {folder};" in (DEPLOY / "nginx.conf").read_text()


def test_the_guides_name_each_of_these_files():
    guides = "".join(
        (DEPLOY.parent / "docs" / name).read_text() for name in ("install.md", "running.md", "container.md")
    )
    assert [file.name for file in DEPLOY.iterdir() if file.name not in guides] == []
