"""The built wheel carries all it needs: installed alone, it imports, ranks and serves the app."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from socket import socket
from urllib.request import urlopen

import pytest

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[2]
TABLE = (
    "paper_id,title,issue,reports\na,Wages and jobs,2026-01-05,lab\nb,Prices,2026-01-05,\nc,Wages again,2026-01-12,\n"
)
WEEK = """
from presort.desk.cli import app
from presort.metrics import Outcome, nosel
print(nosel(Outcome([1, 2], 4)))
for words in (["import", "table.csv"], ["rank", "--jobs", "1"]):
    app(words, standalone_mode=False)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder of the commands of an environment that has the wheel and, beside it, only what it depends on."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"  # a copy: building leaves files behind
    for name in ("data", "metrics", "ranker", "desk"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    offline = ["--no-deps", "--no-index"]
    subprocess.run([*pip, "wheel", *offline, "--no-build-isolation", "--wheel-dir", folder, source], check=True)
    (wheel,) = folder.glob("presort-*.whl")
    environment = folder / "environment"
    venv.create(environment)
    (packages,) = environment.glob("lib/python*/site-packages")
    subprocess.run([*pip, "--python", environment, "install", "--no-compile", *offline, wheel], check=True)
    # A plain path: the link to this source folder in our own environment is not followed from there.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return environment / "bin"


@pytest.fixture
def empty_folder(tmp_path):
    """A folder, and an environment in which Python first searches it: it has modules named like Presort's parts."""
    for name in ("data/__init__.py", "metrics.py", "ranker/__init__.py", "desk.py", "app.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("raise ImportError('the wrong module')\n")
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return tmp_path, own | {"PYTHONPATH": str(tmp_path)}


def test_the_wheel_measures_imports_and_ranks(installed, empty_folder):
    """A notebook may be beside a package `data` of its own."""
    folder, environment = empty_folder
    (folder / "table.csv").write_text(TABLE)
    command = [installed / "python", "-c", WEEK]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("1.0\n")
    assert "3 new papers" in ran.stdout
    assert "1 ranking made" in ran.stdout
    assert (folder / "workspace" / "presort.db").exists()


def test_the_wheel_serves_the_app_on_this_computer_alone(installed, empty_folder):
    folder, environment = empty_folder
    with socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [installed / "presort", "app", "--port", str(port)]
    server = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert any(f"URL: http://127.0.0.1:{port}" in line for line in server.stdout)
        with urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=30) as answer:
            assert answer.read() == b"ok"
    finally:
        server.terminate()
        server.communicate()


def test_every_file_that_is_not_code_is_in_the_wheel(installed):
    (packages,) = installed.parent.glob("lib/python*/site-packages")
    sources = [path.relative_to(ROOT) for path in (ROOT / "desk" / "components" / "browser").iterdir()]
    assert sources
    ours = (
        "app.py",
        "desk/ui/icon.svg",
        "desk/ui/style.css",
        "data/migrations/env.py",
        "data/migrations/versions/0100_baseline.py",
    )
    for name in (*ours, *sources):
        assert (packages / "presort" / name).exists(), name
