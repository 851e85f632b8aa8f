"""A PostgreSQL server for tests: a new one, on a socket of its own, that nothing else knows."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PLACES = Path("/usr/lib/postgresql")
PORT = 5432  # of the socket's name; nothing listens there
QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off", "max_connections=300")


def programs() -> Path | None:
    """Return where the server's programs are; None where it is not installed."""
    found = shutil.which("initdb")
    newest = max(PLACES.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]), default=None)
    return Path(found).parent if found else newest and newest.parent


@contextmanager
def serving(*, is_safe: bool = False) -> Iterator[str]:
    """Yield the address of a new server's database; it goes at the end.

    Parameters
    ----------
    is_safe : bool
        Keep what is committed whatever happens, as a true server does.
    """
    where = programs()
    if where is None:
        raise FileNotFoundError("PostgreSQL is not installed: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="presort-pg-"))
    own = {}
    if os.geteuid() == 0:  # it does not run as root
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        own = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
    options = " ".join(f"-c {one}" for one in (() if is_safe else QUICK))
    options += f" -c listen_addresses='' -c unix_socket_directories={folder} -c port={PORT}"

    def call(name: str, *words: str) -> None:
        subprocess.run([where / name, *words], check=True, cwd="/", stdout=subprocess.DEVNULL, **own)

    try:
        call("initdb", "-D", f"{folder}/data", "-U", "presort", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N")
        call("pg_ctl", "-D", f"{folder}/data", "-w", "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield f"postgresql://presort@/postgres?host={folder}"
        finally:
            call("pg_ctl", "-D", f"{folder}/data", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
