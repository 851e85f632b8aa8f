"""Packages of this repository and their namespace: `data` is installed as `presort.data`."""

from setuptools import find_namespace_packages, setup

PACKAGES = find_namespace_packages(include=["data*", "desk*", "metrics*", "ranker*"])

# `presort` is the root of the repository; of its modules only app.py is installed. setuptools skips the script by name.
setup(packages=["presort", *(f"presort.{name}" for name in PACKAGES)], script_name="setup.py")
