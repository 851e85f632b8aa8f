"""The command `presort summary`, which shows ranking quality in the terminal or writes it to a page."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from presort.data.errors import RefusedError
from presort.data.learning import rankings
from presort.data.records import Replay
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import DAY, AsJson, MinPapers
from presort.desk.console.printing import out, print_table, table_of
from presort.desk.console.ranker_options import Rankers, find_recipes
from presort.desk.scores.formats import replay_label
from presort.desk.scores.outcomes import not_evaluable_note
from presort.desk.scores.table import (
    LATE,
    comparison_scores,
    keep_common_issues,
    large_reports,
    mean_copnori,
    n_not_evaluable,
    scores_and_not_evaluable,
    summarise,
)
from presort.desk.summary import document, headlines
from presort.desk.text import count_text
from presort.ranker.versions import RECIPES


def _check_page(path: Path | None) -> Path | None:
    try:
        if path is not None:
            document.check_path(path)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    return path


def summary(
    context: typer.Context,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", help="Group by 'ranker' (default) or by 'report' (rankings shown to editors). Repeatable."
        ),
    ] = None,
    rankers: Rankers = None,
    replay: Annotated[
        int | None, typer.Option(help="Only rankings of this replay. The replays are listed below the table.")
    ] = None,
    first: Annotated[datetime | None, typer.Option("--from", formats=DAY, metavar="DATE", help="First issue.")] = None,
    last: Annotated[datetime | None, typer.Option("--to", formats=DAY, metavar="DATE", help="Last issue.")] = None,
    min_papers: MinPapers = 0,
    page: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            callback=_check_page,
            help="Also write a page to mail or print (.html). It summarises the first ranker given with --ranker or, "
            "by default, the rankings shown to editors.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show ranking quality: relative last position (lower is better) and other measures."""
    groups = list(dict.fromkeys(by or ["ranker"]))
    if unknown := set(groups) - {"ranker", "report"}:
        raise typer.BadParameter(f"must be 'ranker' or 'report', not {unknown.pop()!r}", param_hint="--by")
    recipes = {recipe.name for recipe in find_recipes(rankers or RECIPES)}
    with open_workspace(context) as store:
        replays = {old.id: old for old in rankings.replays(store)}
        if replay is not None and replay not in replays:
            raise RefusedError(
                f"Replay {replay} does not exist. Existing replays: {', '.join(map(str, replays)) or 'none'}."
            )
        scored, left_out = scores_and_not_evaluable(store, replay=replay)
        large = large_reports(store, min_papers)
        is_asked = scored["report"].isin(large) & scored["ranker"].isin(recipes)
        span = {"first": first, "last": last}
        is_asked &= scored["issue"].between(pd.Timestamp(first or datetime.min), pd.Timestamp(last or datetime.max))
        chosen = scored[is_asked]
        if page is not None:
            about = rankers[0] if rankers else None
            document.save(document.summary_html(store, chosen, ranker=about, replay=replay), page)
        one_each = document.one_ranking_per_issue(store, chosen, rankers[0] if rankers and len(recipes) == 1 else None)
    table = keep_common_issues(comparison_scores(store, chosen)) if "ranker" in groups else one_each
    summarised = summarise(table, by=groups)
    if as_json:
        typer.echo(summarised.to_json(orient="records"))
    elif scored.empty:
        out.print("No ranking has been scored yet. Publish a report, or run 'presort replay'.")
    elif chosen.empty:
        out.print("No scored ranking matches these options.")
    else:
        summarised["mean_copnori"] = mean_copnori(table, groups)
        show_summary(
            summarised,
            left_out=_n_left_out(chosen, table) if "ranker" in groups else {},
            rankers_used="" if "ranker" in groups else headlines.describe_rankers(table),
            replays=replays.values(),
        )
    if not as_json and (left_out_text := not_evaluable_note(n_not_evaluable(left_out, recipes, large, **span))):
        out.print(left_out_text)
    if page is not None and not as_json:
        out.print(f"Wrote {page}.", soft_wrap=True)


def _n_left_out(chosen: pd.DataFrame, table: pd.DataFrame) -> dict[str, int]:
    """Count the chosen rankings that are not in the table of comparable rankings, by reason."""
    # If all rankings were computed after publication, they are compared with each other, so none is left out.
    n_late = int((chosen["source"] == LATE).sum()) if len(set(chosen["source"])) > 1 else 0
    return {
        "they were computed after publication": n_late,
        "not every ranker ranked the issue under the same conditions": len(chosen) - len(table) - n_late,
    }


def show_summary(
    summarised: pd.DataFrame, *, left_out: Mapping[str, int], rankers_used: str, replays: Iterable[Replay]
) -> None:
    """Print a table of means, a legend, the number of rankings left out for each reason, and the given replays.

    If there is one ranking per report issue, `rankers_used` lists the rankers that made these rankings.
    Otherwise, it is empty.
    """
    shown = summarised.drop(columns="all_relevant")
    print_table(table_of(shown.assign(nothing_relevant=summarised["nothing_relevant"] + summarised["all_relevant"])))
    out.print(
        "last, median: mean and median relative last position. Lower is better. Other measures: means. Higher is "
        "better.\n"
        "none: report issues in which no paper is relevant (left out) or every paper is relevant (left out of Aselt, "
        "Nosel and Copnori).\n"
        "as is: report issues in list order, because there were too few decisions to train on."
    )
    for reason, n_rankings in left_out.items():
        if n_rankings:
            out.print(f"Left out because {reason}: {count_text(n_rankings, 'ranking')}.", soft_wrap=True)
    if rankers_used:
        out.print(f"One ranking per report issue: {rankers_used}.")
    for replay in replays:
        out.print(replay_label(replay))
