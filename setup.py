"""Packages of this repository, under the one name they are installed as: `data` is `presort.data`."""

from setuptools import find_namespace_packages, setup

PACKAGES = find_namespace_packages(include=["data*", "desk*", "metrics*", "ranker*"])

# `presort` itself is the top of the repository, of which app.py is installed. setuptools leaves out its script by name.
setup(packages=["presort", *(f"presort.{name}" for name in PACKAGES)], script_name="setup.py")
