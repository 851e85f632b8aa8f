"""Where this Presort finds its workspace; the only place that reads the environment."""

import os
from dataclasses import dataclass
from pathlib import Path

WORKSPACE = "PRESORT_WORKSPACE"


@dataclass(frozen=True)
class Settings:
    """Places that differ from machine to machine."""

    workspace: Path = Path("workspace")


def from_environment() -> Settings:
    """Read the settings of this process."""
    return Settings(workspace=Path(os.environ.get(WORKSPACE) or Settings.workspace))


def to_environment(settings: Settings) -> dict[str, str]:
    """Give an environment in which a child process finds the same settings."""
    return {**os.environ, WORKSPACE: str(settings.workspace.resolve())}
