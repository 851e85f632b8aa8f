"""Checks of `presort doctor`. Each check really tries its subject, and changes nothing."""

import platform
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from importlib.metadata import version
from pathlib import Path

import httpx

from presort import metrics
from presort.data.errors import DataError
from presort.data.running.trials import on_a_copy
from presort.data.store import find_store
from presort.data.workspace.folder import FILE_NAME, may_write
from presort.data.workspace.health import examine
from presort.desk import settings, settings_file
from presort.desk.doctor import of_service
from presort.desk.doctor.finding import Finding, Found, tried
from presort.desk.importing.harvesting import unanswered
from presort.desk.scores import registry
from presort.desk.sending.mail import connected
from presort.ranker.versions import RECIPES

ROOM = 1e9  # bytes that should be free
OTHERS = 0o077  # who may read or write a file that is not theirs
NEEDED = ("issuer", "authorization_endpoint", "token_endpoint", "jwks_uri")  # of a provider of OpenID Connect
PATIENCE = 10  # seconds
LIBRARIES = ("streamlit", "scikit-learn", "pandas", "numpy", "SQLAlchemy")


def versions(_: Path) -> Found:
    """Return which Presort runs on what."""
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    python = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    return "ok", f"Presort {version('presort')}, {python}, {libraries}."


def written(_: Path) -> Found:
    """Read the file of settings."""
    path = settings_file.file()
    if path is None:
        return "missing", f"There is no {settings_file.FILE_NAME} here; only the environment counts."
    settings.from_environment()
    if path.stat().st_mode & OTHERS and settings.has_password():
        return "wrong", f"Others can read the password of mail, or the secret of sign-in, in {path}; chmod 600 {path}."
    return "ok", f"{path} is read."


def workspace(folder: Path) -> Found:
    """Read the whole database."""
    url = settings.database()
    health = examine(folder, url)
    if health.problems:
        return "wrong", f"{health.name} is damaged: {health.problems[0]}. 'presort db check' says all."
    if not may_write(folder if url else folder / FILE_NAME):
        return "wrong", f"{folder if url else health.name} can't be written by this user."
    return "ok", f"{health.name} is whole, {health.n_bytes / 1e6:,.1f} MB."


def room(folder: Path) -> Found:
    """Return the free space on the disk of the workspace."""
    there = next(place for place in (folder.resolve(), *folder.resolve().parents) if place.exists())
    free = shutil.disk_usage(there).free
    finding = f"{free / 1e9:,.1f} GB are free where {folder} is."
    return ("ok", finding) if free > ROOM else ("wrong", f"{finding} Make room: an import or a backup may need more.")


def mail(_: Path) -> Found:
    """Sign in at the mail server, and send nothing."""
    if not settings.has_mail():
        return "missing", "No mail is sent: no mail server is set."
    server = settings.mail_server()
    with connected(server) as client:
        client.noop()
    return "ok", f"{server.host}:{server.port} lets us in, and mail comes from {server.sender}."


def sign_in(_: Path) -> Found:
    """Ask the provider at which people sign in how it describes itself."""
    provider = settings.sign_in()
    if provider is None:
        return "missing", "Nobody signs in: the desk serves its own computer alone."
    try:
        answer = httpx.get(provider.metadata, timeout=PATIENCE, follow_redirects=False).raise_for_status()
        claims = answer.json()
    except (httpx.HTTPError, ValueError) as error:
        return "wrong", f"{provider.metadata} can't be read: {error}"
    lacking = [name for name in NEEDED if not (isinstance(claims, dict) and isinstance(claims.get(name), str))]
    if lacking:
        return "wrong", f"{provider.metadata} describes no provider of OpenID Connect: it lacks {', '.join(lacking)}."
    return (
        "ok",
        f"People sign in at {claims['issuer']}, which must know {provider.desk}/oauth2callback as the way back.",
    )


def week(_: Path) -> Found:
    """Describe the weekly job, check the folder of new files, and request the identity of each repository."""
    wanted = settings.week()
    if wanted.folder and not (wanted.folder.is_dir() and may_write(wanted.folder)):
        return "wrong", f"The folder of new files, {wanted.folder}, is not there, or this user can't write to it."
    if silent := unanswered(wanted.harvest):
        return "wrong", " ".join(silent)
    sources = [*(harvest.url for harvest in wanted.harvest), *([str(wanted.folder)] if wanted.folder else [])]
    lacking = [
        *([] if sources else ["where papers come from"]),
        *([] if wanted.director else ["the director's mail address"]),
        *([] if wanted.desk_url else ["the address of the desk, for links in mails"]),
    ]
    if lacking:
        return "missing", f"Not set for the weekly job: {'; '.join(lacking)}."
    return "ok", f"Papers come from {', '.join(sources)}; {wanted.director} hears how it went."


def rankers(_: Path) -> Found:
    """Load the rankers of other packages."""
    if faults := RECIPES.faults():
        return "wrong", " ".join(faults)
    if others := RECIPES.plugins:
        return "ok", f"In addition to Presort's own: {', '.join(others)}."
    return "ok", "Presort's own are all there are."


def measures(_: Path) -> Found:
    """Load the measures of other packages."""
    if faults := registry.problems():
        return "wrong", " ".join(f"{fault.removesuffix('.')}." for fault in faults)
    if others := [measure.label for name, measure in registry.MEASURES.items() if name not in metrics.MEASURES]:
        return "ok", f"In addition to Presort's own: {', '.join(others)}."
    return "ok", "Presort's own are all there are."


def site(_: Path) -> Found:
    """Return where the public pages are."""
    url = settings.site_url()
    return ("ok", f"Public pages are at {url}.") if url else ("missing", "No address of public pages is set.")


CHECKS: tuple[tuple[str, Callable[[Path], Found]], ...] = (
    ("Versions", versions),
    ("Settings", written),
    ("Workspace", workspace),
    ("Room", room),
    ("Mail", mail),
    ("Sign-in", sign_in),
    ("Weekly job", week),
    ("Public pages", site),
    ("Installed rankers", rankers),
    ("Installed measures", measures),
)


def findings(folder: Path) -> Iterator[Finding]:
    """Yield the finding of each check. The workspace is checked on a copy, if it can be opened."""
    for about, check in CHECKS:
        yield tried(about, partial(check, folder))
    try:
        with closing(find_store(folder, settings.database())) as store, on_a_copy(store) as copy:
            for about, look in of_service.CHECKS:
                yield tried(about, partial(look, copy))
    except DataError as error:
        yield Finding("Service", "wrong", str(error))
