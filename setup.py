"""Packages of this repository and their namespace: `data` is installed as `presort.data`."""

import shutil
from pathlib import Path

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py

PACKAGES = find_namespace_packages(include=["data*", "desk*", "metrics*", "ranker*"])


class FreshBuild(build_py):
    """Build without files of earlier builds.

    setuptools never deletes files from its build folder. A wheel would include modules and migrations that have been
    deleted since, for example by a rollback.
    """

    def run(self) -> None:
        """Delete the build folder, and build."""
        if Path(self.build_lib).exists():
            shutil.rmtree(self.build_lib)
        super().run()


# `presort` is the root of the repository; of its modules only app.py is installed. setuptools skips the script by name.
setup(
    packages=["presort", *(f"presort.{name}" for name in PACKAGES)],
    script_name="setup.py",
    cmdclass={"build_py": FreshBuild},
)
