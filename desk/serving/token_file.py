"""The token that opens the desk of a workspace, kept in a file that nobody else can read."""

import os
import re
import stat
from pathlib import Path
from secrets import token_urlsafe
from tempfile import NamedTemporaryFile

from presort.data.errors import WorkspaceError
from presort.data.workspace.folder import make_folder

FILE_NAME = "desk-token"
BYTES = 32
TOKEN = re.compile(rb"[A-Za-z0-9_-]{43}")  # so many bytes in base64


def read_token(workspace: Path) -> str:
    """Return the token of a workspace, the same after every start; a new one is made where there is none.

    A token that others could have read, or that is damaged, is replaced.

    Raises
    ------
    WorkspaceError
        If the file can't be read or written.
    """
    path = workspace / FILE_NAME
    try:
        return _kept(path) or _make(path)
    except OSError as error:
        what = (
            "delete it, or choose another folder" if path.exists() else "the desk writes there; choose another folder"
        )
        raise WorkspaceError(f"{path} can't be used: {error.strerror}; {what}.") from error


def _kept(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            is_secret = not stat.S_IMODE(os.fstat(file.fileno()).st_mode) & 0o077
            token = file.read(100)
    except FileNotFoundError:
        return None
    return token.decode() if is_secret and TOKEN.fullmatch(token) else None


def _make(path: Path) -> str:
    make_folder(path.parent)
    token = token_urlsafe(BYTES)
    with NamedTemporaryFile("w", dir=path.parent, prefix=path.name, delete=False) as file:  # for its owner alone
        file.write(token)
    Path(file.name).replace(path)
    return token
