"""The commands `presort export` (report issues) and `presort export-trec` (rankings and decisions)."""

import contextlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from functools import lru_cache, partial
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from presort.data import catalogue
from presort.data.errors import DataError, RefusedError
from presort.data.exporters.trec import topic_of, write_qrels, write_run
from presort.data.learning import rankings
from presort.data.records import ScoredRanking
from presort.data.store import Store
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import DAY, Reports
from presort.desk.console.printing import out
from presort.desk.console.ranker_options import Rankers, find_recipes
from presort.desk.export.formats import FORMATS, GROUPS, Format, PaperList, Write, formats_of
from presort.desk.export.rows import published_issue, title_of, whole_issue
from presort.desk.scores import table
from presort.desk.text import count_text

FORMATS_HELP = " ".join(f"{label}: {', '.join(formats_of(group))}." for group, label in GROUPS.items())
QRELS = "qrels.txt"


def _format_of(name: str) -> str:
    """Look up an export format by its name or file extension, and return its name."""
    by_ending = {kind.ending: known for known, kind in FORMATS.items()}
    known = by_ending.get(name, name)
    if known not in FORMATS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(FORMATS)}")
    return known


def export(
    context: typer.Context,
    report: Annotated[str, typer.Argument(metavar="REPORT", help="Code of the report.")],
    issue: Annotated[datetime, typer.Argument(formats=DAY, metavar="ISSUE", help="Date of the issue.")],
    name: Annotated[
        str,
        typer.Option("--format", "-f", metavar="NAME", callback=_format_of, help=FORMATS_HELP),
    ] = "csv",
    is_exact: Annotated[
        bool,
        typer.Option(
            "--exact",
            help="Write CSV that can be imported again without loss. Don't open the file in a spreadsheet, which may "
            "run formulas in titles.",
        ),
    ] = False,
    is_whole: Annotated[
        bool,
        typer.Option("--all", help="Export all papers of the issue in the editor's order, not only published papers."),
    ] = False,
    path: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file. An existing file is replaced."),
    ] = None,
) -> None:
    """Export a published report issue, in the editor's order, to a file or the terminal."""
    write = _writer(FORMATS[name], is_exact=is_exact)
    if name == "parquet" and path is None and sys.stdout.isatty():
        raise typer.BadParameter("Parquet is a binary format. Name a file to write", param_hint="--output")
    with open_workspace(context) as store:
        listed = _load_list(store, report, issue.date(), is_whole=is_whole)
    content = BytesIO()
    write(listed, content)
    if path is None:
        typer.echo(content.getvalue(), nl=False)
    else:
        _save(content.getvalue(), path)
        out.print(f"{count_text(len(listed.rows), 'paper')} written to {path}.", soft_wrap=True)


def export_trec(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="New or empty folder.")],
    replay: Annotated[
        int | None,
        typer.Option(metavar="N", help="Export only the rankings of this replay. 'presort summary' lists the replays."),
    ] = None,
    first: Annotated[
        datetime | None, typer.Option("--from", formats=DAY, metavar="DATE", help="Date of the first issue.")
    ] = None,
    last: Annotated[
        datetime | None, typer.Option("--to", formats=DAY, metavar="DATE", help="Date of the last issue.")
    ] = None,
    reports: Reports = None,
    rankers: Rankers = None,
) -> None:
    """Export rankings and decisions as TREC files: one run per ranker, and all relevance judgements in qrels.txt.

    A topic consists of a report and the date of an issue, such as lab.2026-11-16.
    Exports all scored rankings by default. For each ranker and report issue, exports the ranking that 'presort summary'
    evaluates.
    """
    names = {recipe.name for recipe in find_recipes(rankers or ())}
    with open_workspace(context) as store:
        scored = [
            one
            for one in _load_rankings(store, replay, reports or ())
            if (not names or one.ranker in names)
            and (first is None or one.issue >= first.date())
            and (last is None or one.issue <= last.date())
        ]
        if not scored:
            raise RefusedError("No scored rankings match these options. Nothing was written.")
        n_topics = _save_folder(store, scored, folder)
    for ranker, n in n_topics.items():
        out.print(f"{ranker}: {count_text(n, 'topic')}")
    out.print(f"The runs and {QRELS} are in {folder}.", soft_wrap=True)


def _writer(kind: Format, *, is_exact: bool) -> Write:
    if not is_exact:
        return kind.write
    if kind.write_exact is None:
        raise typer.BadParameter(f"this option is only for CSV; {kind.label} is always exact", param_hint="--exact")
    return kind.write_exact


def _load_list(store: Store, report: str, issue: date, *, is_whole: bool) -> PaperList:
    rows, note = (whole_issue(store, report, issue), "") if is_whole else published_issue(store, report, issue)
    return PaperList(rows, title_of(store, report, issue), note)


def _load_rankings(store: Store, replay: int | None, reports: Sequence[str]) -> list[ScoredRanking]:
    known = [old.id for old in rankings.replays(store)]
    if replay is not None and replay not in known:
        raise RefusedError(f"There is no replay {replay}. Known replays: {', '.join(map(str, known)) or 'none'}.")
    codes = [report.code for report in catalogue.reports(store, retired=True)]
    if unknown := sorted(set(reports) - set(codes)):
        raise RefusedError(f"There is no report {unknown[0]!r}. Known reports: {', '.join(codes) or 'none yet'}.")
    return [one for one in table.official_rankings(store, replay=replay) if not reports or one.report in reports]


def _save(content: bytes, path: Path) -> None:
    """Write a file atomically. An existing file is replaced."""
    with _temporary_path(path) as unfinished:
        unfinished.write_bytes(content)
        unfinished.replace(path)


def _save_folder(store: Store, scored: Sequence[ScoredRanking], folder: Path) -> dict[str, int]:
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise RefusedError(f"{folder} already exists and is not empty. Choose a new or empty folder.")
    with _temporary_path(folder) as unfinished:
        unfinished.mkdir()
        n_topics = _write_trec(store, scored, unfinished)
        unfinished.replace(folder)
    return n_topics


@contextlib.contextmanager
def _temporary_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path on the same file system as `path`, which allows an atomic move to `path`."""
    try:
        with TemporaryDirectory(prefix=".presort-", dir=path.parent) as folder:
            yield Path(folder) / "unfinished"
    except OSError as error:
        raise DataError(f"Can't write {path}: {error.strerror}.") from error


def _write_trec(store: Store, scored: Sequence[ScoredRanking], folder: Path) -> dict[str, int]:
    """Write TREC runs and judgements, and return each ranker's number of topics.

    Each ranking contains the papers that were in its issue when the ranking was scored. Measures computed from the
    files therefore equal those in the workspace. Every paper has a judgement: 1 if it is relevant, and 0 otherwise.

    Parameters
    ----------
    store : Store
    scored : sequence of ScoredRanking
        At most one ranking per report, issue and ranker.
    folder : Path
        Empty folder. Each ranker gets a file named after it, with the extension ``.run``. The judgements are written
        to the file `QRELS`.
    """
    n_topics = Counter(one.ranker for one in scored)
    # Rankings are processed issue by issue, so a cache with one entry is enough to read each issue only once.
    papers_of = lru_cache(maxsize=1)(partial(catalogue.papers, store))
    judgements: dict[str, dict[str, int]] = {}
    with contextlib.ExitStack() as stack:
        files = {name: stack.enter_context((folder / f"{name}.run").open("wb")) for name in n_topics}
        for one in sorted(scored, key=lambda one: (one.issue, one.report)):
            topic, papers = topic_of(one.report, one.issue), papers_of(one.issue)
            ranking = rankings.ranking(store, one.ranking_id).ranking
            positions = rankings.whole_order(ranking.positions, one.n_papers).tolist()
            ids = [papers[position - 1].paper_id for position in positions]
            scores = ranking.scores[ranking.positions[: len(ranking.scores)] <= one.n_papers].tolist()
            write_run(files[one.ranker], topic, ids, scores, tag=one.ranker)
            places = set(one.places.tolist())
            of_topic = {paper_id: int(place in places) for place, paper_id in enumerate(ids, start=1)}
            judgements[topic] = judgements.get(topic, {}) | of_topic
    with (folder / QRELS).open("wb") as file:
        for topic, of_topic in judgements.items():
            write_qrels(file, topic, of_topic)
    return n_topics
