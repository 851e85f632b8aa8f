"""Measure the reading effort with each ranker in a replay, in the same way as `presort replay`.

Run as ``OPENBLAS_NUM_THREADS=1 python -m benchmarks.replays [FOLDER]``, with ``arxiv.parquet`` and ``nber.parquet`` in
the folder. Imports each file into a temporary workspace, and replays all rankers over its span, retrained at regular
intervals. Prints a table and writes a figure for each file.
"""

import argparse
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from presort.data.store import open_store
from presort.desk.importing.importer import import_path
from presort.desk.replay import commands, figures
from presort.ranker.recipe import Recipe
from presort.ranker.versions import RECIPES


class Span(NamedTuple):
    """First and last issue to rank."""

    first: date
    last: date


SPANS = {
    "arxiv": Span(date(2019, 1, 1), date(2019, 6, 30)),
    "nber": Span(date(2016, 1, 1), date(2021, 12, 31)),
}


def run(path: Path, span: Span, recipes: Sequence[Recipe], figure: Path, options: argparse.Namespace) -> None:
    """Replay one file, print its table and write its figure."""
    names = [recipe.name for recipe in recipes]
    with TemporaryDirectory() as workspace, closing(open_store(Path(workspace))) as store:
        import_path(store, path, person="import")
        start = time.perf_counter()
        steps, replay = commands.replay_issues(store, recipes, *span, options.retrain_every, n_jobs=options.jobs)
        seconds = time.perf_counter() - start
        scored = commands.replayed_scores(store, replay, names, min_papers=options.min_papers)
    print(f"{path.name}: {steps[-1].done:,} rankings in {seconds:,.0f} s with --jobs {options.jobs}")
    commands.show(scored, names, replay)
    commands.draw(scored, names, replay, figure)
    print(f"figure: {figure}\n", flush=True)


def main() -> None:
    """Replay each file in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("../shared/corpus"))
    parser.add_argument("--corpus", action="append", choices=SPANS, help="corpus to replay; default all")
    parser.add_argument(
        "--ranker",
        action="append",
        choices=RECIPES,
        help="ranker to replay, and to compare with the first; default all",
    )
    parser.add_argument("--from", dest="first", type=date.fromisoformat, help="first issue")
    parser.add_argument("--to", dest="last", type=date.fromisoformat, help="last issue")
    parser.add_argument("--retrain-every", type=int, default=13, help="issues ranked per training; default %(default)s")
    parser.add_argument(
        "--min-papers", type=int, default=280, help="minimum papers of an issue in the table; default %(default)s"
    )
    parser.add_argument("--figures", type=Path, default=Path(), help="folder for the figures; default the current one")
    parser.add_argument(
        "--ending", choices=figures.ENDINGS, default=".svg", help="file format of the figures; default %(default)s"
    )
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    recipes = [RECIPES[name] for name in options.ranker or RECIPES]
    figure_of = {name: options.figures / f"replay-{name}{options.ending}" for name in options.corpus or SPANS}
    for figure in figure_of.values():
        figures.check_path(figure)
    for name, figure in figure_of.items():
        path = options.folder / f"{name}.parquet"
        if not path.exists():
            print(f"skipped: {path} does not exist")
            continue
        span = Span(options.first or SPANS[name].first, options.last or SPANS[name].last)
        run(path, span, recipes, figure, options)


if __name__ == "__main__":
    main()
