"""Distributions: the wheel, built from the sdist and installed alone, imports, ranks and serves the app."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path
from socket import socket
from urllib.request import urlopen
from zipfile import ZipFile

import pytest

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[2]
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
OFFLINE = ["--no-deps", "--no-index"]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
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
def source(tmp_path_factory):
    """Copy of the source folder, because building leaves files behind."""
    source = tmp_path_factory.mktemp("source")
    for name in ("data", "metrics", "ranker", "desk"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "pyproject.toml", "setup.py", "README.md", "LICENSE", "py.typed"):
        shutil.copy(ROOT / name, source)
    return source


@pytest.fixture(scope="module")
def distributions(source, tmp_path_factory):
    """Folder with the sdist, and the wheel that pip builds from it."""
    folder = tmp_path_factory.mktemp("wheel")
    build = ["-c", "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])", folder]
    subprocess.run([sys.executable, *build], cwd=source, check=True, stdout=subprocess.DEVNULL)
    (sdist,) = folder.glob("presort-*.tar.gz")
    subprocess.run([*PIP, "wheel", *OFFLINE, "--no-build-isolation", "--wheel-dir", folder, sdist], check=True)
    return folder


@pytest.fixture(scope="module")
def installed(distributions):
    """Folder with the commands of an environment that has only the wheel and its dependencies."""
    (wheel,) = distributions.glob("presort-*.whl")
    environment = distributions / "environment"
    venv.create(environment)
    (packages,) = environment.glob("lib/python*/site-packages")
    subprocess.run([*PIP, "--python", environment, "install", "--no-compile", *OFFLINE, wheel], check=True)
    # A plain path, because the link to this source folder in our own environment is not followed from there.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return environment / "bin"


@pytest.fixture
def empty_folder(tmp_path):
    """Folder with modules named like Presort's packages, and an environment that searches it first."""
    for name in ("data/__init__.py", "metrics.py", "ranker/__init__.py", "desk.py", "app.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("raise ImportError('the wrong module')\n")
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return tmp_path, own | {"PYTHONPATH": str(tmp_path)}


def test_the_wheel_measures_imports_and_ranks(installed, empty_folder):
    """A notebook may be next to a package called `data`."""
    folder, environment = empty_folder
    (folder / "table.csv").write_text(TABLE)
    command = [installed / "python", "-c", WEEK]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("1.0\n")
    assert "3 new papers" in ran.stdout
    assert "1 ranking stored" in ran.stdout
    assert (folder / "workspace" / "presort.db").exists()


def test_the_wheel_serves_the_app_locally(installed, empty_folder):
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


def test_a_wheel_has_no_file_that_an_earlier_build_left_behind(source, tmp_path):
    left = source / "build" / "lib" / "presort" / "data" / "migrations" / "versions" / "9999_left.py"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.touch()
    subprocess.run([*PIP, "wheel", *OFFLINE, "--no-build-isolation", "--wheel-dir", tmp_path, source], check=True)
    with ZipFile(*tmp_path.glob("*.whl")) as wheel:
        names = wheel.namelist()
    assert "presort/data/migrations/env.py" in names
    assert [name for name in names if left.name in name] == []


def test_the_distributions_can_be_uploaded(distributions):
    """The metadata and README are valid, and the wheel contains no unwanted files."""
    files = sorted(distributions.glob("presort-*"))
    assert [path.name for path in files] == [f"presort-{VERSION}-py3-none-any.whl", f"presort-{VERSION}.tar.gz"]
    for check in (["twine", "check", "--strict", *files], ["check_wheel_contents", files[0]]):
        ran = subprocess.run([sys.executable, "-m", *check], cwd=ROOT, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_command_prints_the_version_of_the_wheel(installed, empty_folder):
    folder, environment = empty_folder
    printed = subprocess.check_output([installed / "presort", "--version"], cwd=folder, env=environment, text=True)
    assert printed == f"presort {VERSION}\n"


def test_every_data_file_is_in_the_wheel(installed):
    (packages,) = installed.parent.glob("lib/python*/site-packages")
    sources = [path.relative_to(ROOT) for path in (ROOT / "desk" / "components" / "browser").iterdir()]
    assert sources
    ours = (
        "app.py",
        "py.typed",
        "desk/ui/icon.svg",
        "desk/ui/style.css",
        "data/migrations/env.py",
        "data/migrations/versions/0100_baseline.py",
    )
    for name in (*ours, *sources):
        assert (packages / "presort" / name).exists(), name
