"""The commands `presort score` and `presort compare`, which work on files without a workspace.

Their code is imported when a command runs, so that `--help` doesn't load pandas and SciPy.
"""

from pathlib import Path
from typing import Annotated, Literal

import typer

from presort.desk.console.options import AsJson

Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        help="A measure that 'presort score' prints, or a measure from ir-measures, such as P(rel=2)@10. Repeatable.",
    ),
]
CollectionSize = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Number of papers per topic. Relevant papers that a run did not return are put last.",
    ),
]


def score_run(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="File with lines 'topic Q0 paper rank score tag'.")],
    qrels: Annotated[Path, typer.Argument(metavar="QRELS", help="File with lines 'topic iteration paper judgement'.")],
    measures: Measures = None,
    collection_size: CollectionSize = None,
    as_json: AsJson = False,
    as_csv: Annotated[
        bool,
        typer.Option("--csv", help="Print CSV with one row per topic. --json also includes means and medians."),
    ] = False,
) -> None:
    """Score a TREC run by all measures, or by those given with --measure.

    Files may be compressed with gzip. Papers with a judgement of at least 1 are relevant.
    Tied papers are sorted by descending ID, as in trec_eval.
    Topics that are in only one of the two files are left out.
    """
    if as_json and as_csv:
        raise typer.BadParameter("choose one of --json and --csv", param_hint="--csv")
    from presort.desk.trec.scoring import print_scores

    print_scores(run, qrels, measures, collection_size, form="json" if as_json else "csv" if as_csv else "text")


def compare(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN... QRELS | SCORES.csv", help="Runs followed by the judgements, or one table of scores."
        ),
    ],
    measures: Measures = None,
    rows: Annotated[
        Literal["topics", "systems"] | None, typer.Option(help="Meaning of the rows of SCORES.csv. Defaults to topics.")
    ] = None,
    collection_size: CollectionSize = None,
    as_json: AsJson = False,
) -> None:
    """Compare systems on the same topics: unanimous improvement and significance tests.

    Pass at least two TREC runs followed by the judgements, or one table of scores.
    In a table of scores, higher must be better.
    """
    from presort.desk.trec.comparing import print_comparison

    print_comparison(paths, measures, rows, collection_size, as_json=as_json)
