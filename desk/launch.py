"""Start the web server of the desk."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from desk.settings import Settings, to_environment

LOCALHOST = "127.0.0.1"


def serve(settings: Settings, *, host: str = LOCALHOST, port: int = 8501) -> None:
    """Become the server of `app.py`; returns only if the server can't be started."""
    os.execve(sys.executable, command(host, port), to_environment(settings))


def command(host: str, port: int) -> list[str]:
    """Give the command that serves the app; all of Streamlit's settings are in it."""
    spec = find_spec("app")
    if spec is None or spec.origin is None:
        raise RuntimeError("app.py is not installed beside the package desk")
    options = {
        "server.address": host,
        "server.port": port,
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "minimal",
        "runner.postScriptGC": "false",  # a full garbage collection after every saved decision takes 45 ms
        "theme.light.primaryColor": "#0B6B4F",
        "theme.dark.primaryColor": "#4CC29B",
        "theme.headingFontSizes": '["1.75rem", "1.25rem", "1.125rem"]',
    }
    flags = [f"--{name}={value}" for name, value in options.items()]
    return [sys.executable, "-m", "desk.server", "run", str(Path(spec.origin)), *flags]
