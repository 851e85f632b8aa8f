"""The command `presort vectors`."""

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from presort.data.errors import RefusedError
from presort.data.learning.vectors import count_vectors, forget_vectors
from presort.data.store import Store
from presort.desk.console.asking import apply_change
from presort.desk.console.opening import open_workspace
from presort.desk.console.options import AsJson, Yes
from presort.desk.console.printing import out
from presort.desk.console.progress import follow_count
from presort.desk.service import vectors
from presort.desk.service.rankers import recipes_in_use
from presort.desk.text import count_text


def make_vectors(
    context: typer.Context,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="FOLDER",
            help="Folder with model.onnx and tokenizer.json. Defaults to the previous folder.",
        ),
    ] = None,
    n_tokens: Annotated[
        int | None,
        typer.Option(
            "--tokens",
            min=8,
            max=8192,
            metavar="N",
            help="Maximum number of tokens per text. Defaults to the previous number, and at first to 128.",
        ),
    ] = None,
    is_to_forget: Annotated[
        bool, typer.Option("--forget", help="Delete all vectors, so that another model can be used.")
    ] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Compute missing sentence vectors of papers with your own model. The ranker presort-2-vectors uses them.

    Accepts any ONNX sentence model with its tokenizer, such as all-MiniLM-L6-v2. Nothing is downloaded. Starts with the
    newest issues. If the command is stopped, run it again to continue. Later, new papers get their vectors at import.
    """
    if is_to_forget and (folder or n_tokens):
        raise typer.BadParameter("--model and --tokens are not allowed with --forget", param_hint="--forget")
    with open_workspace(context) as store:
        if is_to_forget:
            _forget(store, yes=yes)
            return
        n_new = follow_count("Vectors", vectors.make_vectors(store, folder, n_tokens))
        model, (n_made, n_papers) = vectors.known_model(store), count_vectors(store)
    if as_json:
        summary = {"model": model.name, "digest": model.digest, "tokens": model.n_tokens}
        typer.echo(json.dumps({**summary, "new": n_new, "made": n_made, "papers": n_papers}))
    else:
        whole = f"{n_made:,} of {count_text(n_papers, 'paper')} have a vector computed by {model.description}"
        out.print(f"{count_text(n_new, 'new vector')}. {whole}.", soft_wrap=True)


def _forget(store: Store, *, yes: bool) -> None:
    model, (n_made, _) = vectors.known_model(store), count_vectors(store)
    if any(recipe.method.reads_vectors for recipe in recipes_in_use(store)):
        raise RefusedError("A ranker in use needs the vectors. First choose another ranker with 'presort rankers use'.")
    says = f"Deletes {count_text(n_made, 'vector')} computed by {model.description}."
    apply_change(says, partial(forget_vectors, store), yes=yes)
