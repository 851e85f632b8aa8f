"""The commands that work on plain files, without a workspace: `presort score` and `presort compare`.

The code behind them is imported when a command runs, so that `--help` doesn't wait for pandas and SciPy.
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
        help="A measure that 'presort score' shows, or one of ir-measures such as P(rel=2)@10; may be repeated.",
    ),
]
CollectionSize = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Number of papers per topic. Relevant papers that a run never returned count as the last ones.",
    ),
]


def score_run(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Lines of 'topic Q0 paper rank score tag'.")],
    qrels: Annotated[Path, typer.Argument(metavar="QRELS", help="Lines of 'topic iteration paper judgement'.")],
    measures: Measures = None,
    collection_size: CollectionSize = None,
    as_json: AsJson = False,
    as_csv: Annotated[
        bool,
        typer.Option("--csv", help="Print CSV with one row per topic. --json has means and medians, too."),
    ] = False,
) -> None:
    """Score a TREC run by every measure or by some; tied papers go by descending id, as in trec_eval.

    Files may be compressed by gzip. A paper is relevant from judgement 1.
    Topics that only one of the two files has are left out.
    """
    if as_json and as_csv:
        raise typer.BadParameter("choose one of --json and --csv", param_hint="--csv")
    from presort.desk.trec.scoring import print_scores

    print_scores(run, qrels, measures, collection_size, form="json" if as_json else "csv" if as_csv else "text")


def compare(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="RUN... QRELS | SCORES.csv", help="Runs and the judgements, or one table of scores."),
    ],
    measures: Measures = None,
    rows: Annotated[
        Literal["topics", "systems"] | None, typer.Option(help="Meaning of the rows of SCORES.csv; default topics.")
    ] = None,
    collection_size: CollectionSize = None,
    as_json: AsJson = False,
) -> None:
    """Compare systems on the same topics: unanimous improvement and significance tests.

    Give two TREC runs or more and then the judgements, or one table of scores.
    Of scores in a table the higher is the better.
    """
    from presort.desk.trec.scoring import print_comparison

    print_comparison(paths, measures, rows, collection_size, as_json=as_json)
