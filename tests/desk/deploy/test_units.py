"""systemd units: valid, restricted, and sufficient for the desk and the weekly job."""

import ctypes.util
import json
import re
import shutil
import subprocess
import sys

import pytest

from presort.desk.cli import OF_SYSTEMD
from presort.desk.jobs.queue import JobQueue
from tests.desk.deploy import syscall_filter
from tests.desk.deploy.nginx_server import DEPLOY, free_port
from tests.desk.deploy.syscall_filter import allowed_calls, settings_of
from tests.desk.jobs.queued_jobs import wait_for
from tests.desk.web.test_guard import ask
from tests.desk.weekly.conftest import DEE

SERVICES = sorted(DEPLOY.glob("*.service"))
UNITS = [*SERVICES, *sorted(DEPLOY.glob("*.timer"))]
PROGRAM = "/opt/presort/bin/presort"
LARGEST_EXPOSURE = 2.0

needs_systemd = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
needs_filter = pytest.mark.skipif(not ctypes.util.find_library("seccomp"), reason="libseccomp is not installed")


def analyze(*words):
    return subprocess.run(["systemd-analyze", *map(str, words)], capture_output=True, text=True, check=False)


@needs_systemd
def test_systemd_accepts_the_units(tmp_path):
    for unit in UNITS:
        (tmp_path / unit.name).write_text(unit.read_text().replace(PROGRAM, "/bin/true"))
    checked = analyze("verify", *(tmp_path / unit.name for unit in UNITS))
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_errors_of_a_service_go_into_its_log(unit):
    (command,) = settings_of(unit, "ExecStart")
    program, name, *words = command.split()
    assert name == "app" or OF_SYSTEMD[name] <= set(words)
    # The guide reads the log with "journalctl -t presort". systemd takes this identifier from the name of the program.
    assert (program, settings_of(unit, "SyslogIdentifier")) == (PROGRAM, [])


@needs_systemd
@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_a_service_has_a_low_exposure_level(unit):
    shown = analyze("security", "--offline=yes", unit).stdout
    assert float(re.search(r"Overall exposure level for \S+: ([\d.]+)", shown)[1]) <= LARGEST_EXPOSURE, shown


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_services_have_the_same_sandbox_except_for_code_generation(unit):
    """A service without a restriction would let an attacker circumvent it."""

    def sandbox(path):
        _, _, block = path.read_text().partition("# Sandbox")
        lines = [line for line in block.partition("\n\n[")[0].splitlines() if "=" in line and not line.startswith("#")]
        return [line for line in lines if not line.startswith(("MemoryDenyWriteExecute", "ReadWritePaths"))]

    assert sandbox(unit) == sandbox(SERVICES[0]) != []
    expected = ["no"] if unit.name == "presort.service" else ["yes"]
    assert settings_of(unit, "MemoryDenyWriteExecute") == expected
    assert settings_of(unit, "User") == ["presort"]


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_the_director_is_notified_of_each_failed_service(unit):
    if unit.name not in ("presort.service", "presort-failed@.service"):  # restarted forever; sends the mail itself
        assert settings_of(unit, "OnFailure") == ["presort-failed@%n.service"]


@needs_systemd
def test_dangerous_calls_are_refused_and_resource_limits_allowed():
    for unit in SERVICES:
        allowed = allowed_calls(unit)
        assert not allowed & {"mount", "ptrace", "reboot", "init_module", "setuid", "chown", "bpf", "clock_settime"}
        assert allowed >= {"read", "openat", "execve", "clone", "setrlimit", "prlimit64", "setpriority"}


def restricted(unit, *words):
    """Return the command that runs Presort with only the system calls of a unit."""
    program = [sys.executable, "-c", "from presort.desk.cli import app; app()", *map(str, words)]
    return [sys.executable, syscall_filter.__file__, str(DEPLOY / unit), *program]


@needs_systemd
@needs_filter
def test_the_filter_is_in_force():
    words = "import os, sys; sys.exit(os.chown('.', 0, 0))"
    command = [sys.executable, syscall_filter.__file__, str(DEPLOY / "presort.service"), sys.executable, "-c", words]
    assert "PermissionError" in subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.whole
@needs_systemd
@needs_filter
def test_the_weekly_job_ranks_and_mails_under_the_filter_of_its_unit(weekly, inbox, tmp_path):
    mail = f'[mail]\nhost = "{weekly.server.host}"\nport = {weekly.server.port}\nfrom = "{weekly.server.sender}"\n'
    settings = f'[log]\nformat = "json"\n{mail}starttls = false\n[weekly]\ndirector = "{DEE}"\n'
    (tmp_path / "presort.toml").write_text(settings)
    command = restricted("presort-weekly.service", "--workspace", weekly.store.folder, "weekly", "--jobs", "2")
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    states = {line["step"]: line["state"] for line in map(json.loads, ended.stderr.splitlines())}
    assert (states["rank"], states["tell"], states["learn"], states["summary"]) == ("done",) * 4
    assert len(inbox.got[DEE]) == 1


@pytest.mark.whole
@needs_systemd
@needs_filter
def test_the_desk_and_its_worker_run_under_the_filter_of_their_unit(weekly):
    folder = weekly.store.folder
    jobs = JobQueue(folder)
    name = jobs.put("rank", {"reports": ["lab"]}, person="Ann")
    port = free_port()
    command = restricted("presort.service", "--workspace", folder, "app", "--port", port)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as desk:
        try:
            address = next(line for line in desk.stdout if "URL:" in line).split()[-1]
            path = address.partition(str(port))[2]
            assert ask(port, path)[0] < 400
            assert ask(port, "/_stcore/health")[::2] == (200, b"ok")
            assert wait_for(jobs, name).state == "done"
        finally:
            desk.terminate()
