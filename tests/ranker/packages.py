"""Packages with rankers, as installed by pip next to Presort."""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from presort.ranker import plugins

Install = Callable[..., None]


@contextmanager
def packages_at(folder: Path, patch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Yield a function that installs a package, from the text of its module and its entry points.

    All are removed at the end.
    """
    modules: list[str] = []

    def install(text: str, *names: str, package: str = "stranger", variable: str = "RECIPE") -> None:
        module = package.replace("-", "_")
        (folder / f"{module}.py").write_text(text)
        info = folder / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [f"{name} = {module}:{variable}" for name in names]
        (info / "entry_points.txt").write_text("\n".join([f"[{plugins.GROUP}]", *lines, ""]))
        modules.append(module)
        forget()

    patch.syspath_prepend(folder)
    try:
        yield install
    finally:
        for module in modules:
            sys.modules.pop(module, None)
        patch.undo()
        forget()


def forget() -> None:
    """Clear the cache of installed packages."""
    importlib.invalidate_caches()
    plugins.points.cache_clear()
    plugins.load_recipe.cache_clear()


MODULE = """
import os, sys, time
import numpy as np
from presort.ranker.recipe import Reason, Recipe, ReportScores, Similar

class Explainer:
    def __init__(self, task):
        self.task = task

    def scores(self, report):
        return [len(paper.title) for paper in self.task.new]

    def reasons(self, report, row):
        {reasons}

    def similar(self, report, row, n):
        {similar}

class Method:
    learns_together = needs_past_texts = False

    def score(self, task, reports, n_jobs):
        for report in reports:
            scores = [len(paper.title) for paper in task.new]
            {score}

    def explainer(self, task):
        return Explainer(task)

RECIPE = Recipe("stranger", "The longest titles first.", Method(), minutes={minutes})
"""


def stranger(
    score: str = "yield ReportScores(report, scores)",
    *,
    reasons: str = "return None",
    similar: str = "return []",
    minutes: object = 10,
) -> str:
    """Return the text of a module with a ranker by title length. `lines` replaces some of its methods."""
    return MODULE.format(score=score, reasons=reasons, similar=similar, minutes=minutes)
