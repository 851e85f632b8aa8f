"""The commands `presort rank`, `presort learn` and `presort vectors`."""

import json
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from data.errors import RefusedError
from desk.console.asking import changed
from desk.console.opening import opened
from desk.console.options import DAY, JOBS, AsJson, Jobs, Rankers, Reports, Yes, recipes_named
from desk.console.printing import follow, follow_count, out, say_made
from desk.service import vectors, workflow
from desk.service.pending import rank_pending
from desk.text import counted


def rank(
    context: typer.Context,
    rankers: Rankers = None,
    reports: Reports = None,
    issue: Annotated[
        datetime | None, typer.Option(formats=DAY, metavar="DATE", help="Issue to rank; default the newest.")
    ] = None,
    is_pending: Annotated[
        bool, typer.Option("--pending", help="All issues that have yet to go out, by what was decided since.")
    ] = False,
    jobs: Jobs = JOBS,
    as_json: AsJson = False,
) -> None:
    """Rank the newest issue for every report, or those named; by the rankers in use unless told.

    With --pending, unless told, each issue by the rankers that ranked it before.
    """
    if is_pending and issue:
        raise typer.BadParameter("choose one of --issue and --pending", param_hint="--pending")
    recipes = recipes_named(rankers or ())
    with opened(context) as store:
        if is_pending:
            work = rank_pending(store, recipes, reports=reports or (), n_jobs=jobs)
        else:
            day = issue.date() if issue else None
            work = workflow.rank(store, recipes, issue=day, reports=reports or (), n_jobs=jobs)
        say_made(follow("Ranking", work), as_json=as_json)


def learn(context: typer.Context, jobs: Jobs = JOBS) -> None:
    """Learn ahead what the rankers in use start from in the weeks to come, if it is due: for the night.

    Ranking never waits for it. From cron, say: 'presort harvest && presort learn && presort rank'.
    """
    with opened(context) as store:
        names = workflow.learn(store, n_jobs=jobs)
        out.print(f"Learned ahead: {', '.join(names)}." if names else "Nothing is due: all was learned already.")


def make_vectors(
    context: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Option("--model", metavar="FOLDER", help="With model.onnx and tokenizer.json; default the one before."),
    ] = None,
    n_tokens: Annotated[
        int | None,
        typer.Option("--tokens", min=8, max=8192, metavar="N", help="Word pieces read of a text; 128 unless told."),
    ] = None,
    is_to_forget: Annotated[
        bool, typer.Option("--forget", help="Let go of all vectors, to make them with another model.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Make sentence vectors of all papers that have none, with a model of yours: presort-2-vectors reads them.

    Any sentence model will do as ONNX with its tokenizer, all-MiniLM-L6-v2 for one; nothing is downloaded. New papers
    get theirs at import. It can be stopped, and goes on from there when called again; newest issues come first.
    """
    if is_to_forget and (folder or n_tokens):
        raise typer.BadParameter("choose one of --model and --forget", param_hint="--forget")
    with opened(context) as store:
        if is_to_forget:
            model, n_made, _ = vectors.state(store)
            if model is None:
                raise RefusedError("There are no sentence vectors.")
            says = f"{counted(n_made, 'vector')} made by {model.named} will be gone; other rankers stay as they are."
            if vectors.is_read(store):
                raise RefusedError(
                    "A ranker in use reads the vectors; choose another with 'presort rankers use' first."
                )
            changed(says, partial(vectors.forget, store), yes=yes)
            return
        n_new = follow_count("Vectors", vectors.make_vectors(store, folder, n_tokens))
        model, n_made, n_papers = vectors.state(store)
        if model is None:
            raise RefusedError("There are no sentence vectors.")
        if as_json:
            told = {"model": model.name, "digest": model.digest, "tokens": model.n_tokens}
            typer.echo(json.dumps({**told, "new": n_new, "made": n_made, "papers": n_papers}))
        else:
            whole = f"{n_made:,} of {counted(n_papers, 'paper')} have a vector by {model.named}"
            out.print(f"{counted(n_new, 'vector')} made; {whole}.", soft_wrap=True)
