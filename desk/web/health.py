"""Health check of a running desk, for container engines: ``python -m presort.desk.web.health``.

The exit code is 0 if the desk answers on port 8501 of this computer. The guard refuses unknown hosts, so the request
uses the desk's own address as its host: `desk.url` with sign-in, and localhost otherwise. This module imports little,
because it runs twice a minute.
"""

import sys
from http.client import HTTPConnection, HTTPException

from presort.data.errors import DataError
from presort.desk import settings

LIVES = "/_stcore/health"
LOCALHOST = "127.0.0.1"
PORT = 8501
PATIENCE = 5  # seconds


def main() -> None:
    """Exit with a one-line reason if the desk isn't responding."""
    if fault := find_fault():
        sys.exit(f"presort: {fault}")


def find_fault(port: int = PORT) -> str:
    """Return the reason the desk on this computer isn't responding, or an empty string if it is."""
    connection = HTTPConnection(LOCALHOST, port, timeout=PATIENCE)
    try:
        desk = _address(port)
        connection.request("GET", desk.path + LIVES, headers={"Host": desk.origin.partition("://")[2]})
        status = connection.getresponse().status
    except DataError as error:
        return str(error)
    except (OSError, HTTPException) as error:
        return f"The desk doesn't answer on port {port}: {error}."
    finally:
        connection.close()
    return "" if status == 200 else f"The desk answers its health check with status {status}."


def _address(port: int) -> settings.DeskUrl:
    provider = settings.sign_in()
    return settings.DeskUrl(f"http://{LOCALHOST}:{port}") if provider is None else provider.desk


if __name__ == "__main__":
    main()
