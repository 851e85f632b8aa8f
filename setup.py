"""Packages of this repository and their namespace: `data` is installed as `presort.data`."""

import shutil
from pathlib import Path

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py

PACKAGES = find_namespace_packages(include=["data*", "desk*", "metrics*", "ranker*"])


class FreshBuild(build_py):
    """Build that doesn't include files from earlier builds.

    setuptools never deletes files from its build folder. Without this class, a wheel would include modules and
    migrations that have since been deleted, for example by a rollback.
    """

    def run(self) -> None:
        """Delete the build folder, and then build."""
        if Path(self.build_lib).exists():
            shutil.rmtree(self.build_lib)
        super().run()


# `presort` is the root of the repository, and app.py is the only module there that is installed. setuptools skips this
# script by name.
setup(
    packages=["presort", *(f"presort.{name}" for name in PACKAGES)],
    script_name="setup.py",
    cmdclass={"build_py": FreshBuild},
)
