"""The files that run a service: systemd and nginx read them, and their settings are settings."""

import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from presort.desk import settings

DEPLOY = Path(__file__).parents[3] / "deploy"
UNITS = ["presort.service", "presort-weekly.service", "presort-weekly.timer"]


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_takes_the_units(tmp_path):
    for name in UNITS:
        unit = (DEPLOY / name).read_text().replace("/opt/presort/bin/presort", "/bin/true")
        (tmp_path / name).write_text(unit)
    command = ["systemd-analyze", "verify", *(str(tmp_path / name) for name in UNITS)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("nginx", path="/usr/sbin:/usr/bin"), reason="nginx is not installed")
@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_nginx_takes_its_configuration(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=desk.example.org"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    server = (DEPLOY / "nginx.conf").read_text()
    server = server.replace("/etc/ssl/presort/fullchain.pem", str(certificate))
    server = server.replace("/etc/ssl/presort/privkey.pem", str(key))
    whole = tmp_path / "nginx.conf"
    whole.write_text(f"pid {tmp_path}/pid; events {{}} http {{ access_log off; {server} }}")
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin")
    command = [nginx, "-t", "-e", str(tmp_path / "errors"), "-c", str(whole)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_the_settings_of_the_example_are_settings(monkeypatch):
    monkeypatch.setenv(settings.FILE, str(DEPLOY / "presort.toml"))
    monkeypatch.delenv(settings.WORKSPACE, raising=False)
    week = settings.week()
    assert week.director == "director@example.org"
    assert settings.from_environment().workspace == Path("/var/lib/presort/workspace")
    assert settings.site_url() == "https://reports.example.org"
    assert tomllib.loads((DEPLOY / "presort.toml").read_text())["mail"]["host"] == "mail.example.org"


def test_the_guide_names_each_of_these_files():
    guide = (DEPLOY.parent / "docs" / "running.md").read_text()
    assert [file.name for file in DEPLOY.iterdir() if file.name not in guide] == []
