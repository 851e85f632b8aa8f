"""Health checks of `presort doctor`. They use the real system, such as the mail server, but change nothing."""

import platform
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from importlib.metadata import version
from pathlib import Path

from presort import metrics
from presort.data.errors import DataError
from presort.data.running.health import examine
from presort.data.running.trials import temporary_copy
from presort.data.store import find_store
from presort.data.workspace.folder import FILE_NAME, may_write
from presort.desk import settings
from presort.desk.doctor import delivery_checks, service_checks
from presort.desk.doctor.finding import Finding, Found, limit_time, run_check
from presort.desk.doctor.sign_in import sign_in
from presort.desk.importing.harvesting import failed_contacts
from presort.desk.scores import registry
from presort.desk.sending.mail import mail_connection
from presort.desk.settings import Harvest
from presort.ranker.versions import RECIPES

ROOM = 1e9  # minimum free disk space in bytes
OTHERS = 0o077  # permission bits of users other than the owner
AT_MOST = 60.0  # time limit in seconds for a check that sends requests to a server
LIBRARIES = ("streamlit", "scikit-learn", "pandas", "numpy", "SQLAlchemy")


def versions(_: Path) -> Found:
    """Return the versions of Presort, Python, SQLite and the main libraries."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    python = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    return "ok", f"Presort {version('presort')}, {python}, {libraries}."


def configuration(_: Path) -> Found:
    """Check that the settings file is valid and, if it contains a password, that only its owner can read it."""
    path = settings.settings_file()
    if path is None:
        return "missing", f"No {settings.FILE_NAME} in this folder. Settings come only from environment variables."
    settings.from_environment()
    if path.stat().st_mode & OTHERS and settings.has_password():
        return "wrong", f"Other users can read the passwords in {path}. Run chmod 600 {path}."
    return "ok", f"Settings come from {path}."


def workspace(folder: Path) -> Found:
    """Check that the database is not damaged and that this user can write to it."""
    url = settings.database()
    health = examine(folder, url)
    if health.problems:
        return "wrong", f"{health.name} is damaged: {health.problems[0]}. Run 'presort db check' to list all problems."
    if not may_write(folder if url else folder / FILE_NAME):
        return "wrong", f"This user can't write to {folder if url else health.name}."
    return "ok", f"{health.name} is not damaged. Size: {health.n_bytes / 1e6:,.1f} MB."


def disk_space(folder: Path) -> Found:
    """Check that the workspace's disk has enough free space."""
    there = next(place for place in (folder.resolve(), *folder.resolve().parents) if place.exists())
    free = shutil.disk_usage(there).free
    finding = f"{free / 1e9:,.1f} GB free on the disk of {folder}."
    return ("ok", finding) if free > ROOM else ("wrong", f"{finding} Imports and backups need more free space.")


def mail(_: Path) -> Found:
    """Check that Presort can sign in to the mail server. No mail is sent."""
    if not settings.has_mail():
        return "missing", "No mail server is configured, so no mail is sent."
    server = settings.mail_server()
    with mail_connection(server) as client:
        client.noop()
    return "ok", f"Signed in to {server.host}:{server.port}. Sender: {server.sender}."


def week(_: Path) -> Found:
    """Check the weekly job's settings, the import folder, and the connection to each repository."""
    wanted = settings.week()
    if wanted.folder and not (wanted.folder.is_dir() and may_write(wanted.folder)):
        return "wrong", f"The import folder {wanted.folder} is missing, or this user can't write to it."
    if silent := _silent_repositories(wanted.harvest):
        return "wrong", " ".join(silent)
    sources = [*(harvest.url for harvest in wanted.harvest), *([str(wanted.folder)] if wanted.folder else [])]
    lacking = [
        *([] if sources else ["a source of papers"]),
        *([] if wanted.director else ["the director's email address"]),
        *([] if wanted.desk_url else ["the address of the desk, for links in emails"]),
    ]
    if lacking:
        return "missing", f"The weekly job lacks {'; '.join(lacking)}."
    return "ok", f"Papers come from {', '.join(sources)}. The summary goes to {wanted.director}."


def _silent_repositories(harvests: Iterable[Harvest]) -> list[str]:
    """Contact each repository within a time limit. Return a message for each repository that can't be harvested."""
    found = []
    for one in harvests:
        state, says = limit_time(partial(_identify, one), AT_MOST)()
        if state == "wrong":
            found.append(says if one.url in says else f"{one.url}: {says}")
    return found


def _identify(harvest: Harvest) -> Found:
    errors = failed_contacts([harvest])
    return ("wrong", errors[0]) if errors else ("ok", "")


def rankers(_: Path) -> Found:
    """Check that the rankers from other packages can be loaded."""
    if faults := RECIPES.faults():
        return "wrong", " ".join(faults)
    if others := RECIPES.plugins:
        return "ok", f"From other packages: {', '.join(others)}."
    return "ok", "Only Presort's own rankers."


def measures(_: Path) -> Found:
    """Check that the measures from other packages can be loaded."""
    if faults := registry.problems():
        return "wrong", " ".join(f"{fault.removesuffix('.')}." for fault in faults)
    if others := [measure.label for name, measure in registry.MEASURES.items() if name not in metrics.MEASURES]:
        return "ok", f"From other packages: {', '.join(others)}."
    return "ok", "Only Presort's own measures."


CHECKS: tuple[tuple[str, Callable[[Path], Found]], ...] = (
    ("Versions", versions),
    ("Settings", configuration),
    ("Workspace", workspace),
    ("Disk", disk_space),
    ("Mail", mail),
    ("Sign-in", sign_in),
    ("Weekly job", week),
    ("Webhooks", delivery_checks.webhook_messages),
    ("Installed rankers", rankers),
    ("Installed measures", measures),
)
ASKING = (mail, sign_in)  # checks that have a single time limit; the check of the weekly job has one per repository


def findings(folder: Path) -> Iterator[Finding]:
    """Run all checks and yield their findings. Checks of the workspace's data run on a copy of the database."""
    said = []  # messages of the findings so far, to avoid reporting an unreadable workspace twice
    for about, check in CHECKS:
        bound = partial(check, folder)
        found = run_check(about, limit_time(bound, AT_MOST) if check in ASKING else bound)
        said.append(found.says)
        yield found
    try:
        with closing(find_store(folder, settings.database())) as store, temporary_copy(store) as copy:
            for about, look in (*service_checks.CHECKS, *delivery_checks.CHECKS):
                yield run_check(about, partial(look, copy))
    except DataError as error:
        if str(error) not in said:
            yield Finding("Service", "wrong", str(error))
