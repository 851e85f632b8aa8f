"""Sentence vectors of all papers in a workspace, computed with the service's sentence model."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from presort.data.errors import RefusedError
from presort.data.learning import vectors
from presort.data.records import SentenceModel
from presort.data.store import Store
from presort.desk.service.sentence_model import N_TOKENS, Encoder
from presort.ranker.plugin_guard import BrokenPlugin
from presort.ranker.recipe import Recipe
from presort.ranker.versions import RECIPES

NO_MODEL = "{} needs sentence vectors. Compute them with 'presort vectors --model FOLDER'."


def known_model(store: Store) -> SentenceModel:
    """Return the service's sentence model. Raises RefusedError if none is configured."""
    model = vectors.sentence_model(store)
    if model is None:
        raise RefusedError("No sentence model is configured. Set it with 'presort vectors --model FOLDER'.")
    return model


def make_vectors(store: Store, folder: Path | None = None, n_tokens: int | None = None) -> Iterator[tuple[int, int]]:
    """Compute the vectors of papers without a vector, and yield the progress as pairs (done, total).

    The caller may stop at any time. Vectors computed so far are stored, and the next call resumes from there.

    Parameters
    ----------
    folder : Path, optional
        Folder that contains the model. Defaults to the folder used before.
    n_tokens : int, optional
        Maximum number of tokens per text. Defaults to the number used before.

    Raises
    ------
    RefusedError
        If no model is configured, the model can't be read, or the existing vectors were computed by another model.
    """
    store = store.without_guard()
    known = vectors.sentence_model(store) if folder else known_model(store)
    if known is not None:
        folder, n_tokens = folder or Path(known.folder), n_tokens or known.n_tokens
    encoder = _encoder(str(folder), n_tokens or N_TOKENS)
    vectors.use_model(store, encoder.model)
    yield from vectors.keep_vectors(store, encoder.model, encoder.encode)


def complete_vectors(store: Store, recipes: Iterable[Recipe]) -> bool:
    """Compute missing vectors if any of the rankers uses vectors. Returns True if any of them does.

    Raises
    ------
    RefusedError
        If no model is configured, or if vectors are missing and the model's files no longer exist.
    """
    store = store.without_guard()
    reading = [recipe.name for recipe in recipes if recipe.method.reads_vectors]
    check_available(store, reading)
    if reading:
        add_new_vectors(store)
    return bool(reading)


def check_available(store: Store, rankers: Iterable[str]) -> None:
    """Raise an error if a ranker can't be loaded, or if it needs vectors but no sentence model is configured."""
    known = available_rankers(store)
    for name in rankers:
        if name in RECIPES and name not in known:
            method = RECIPES[name].method
            raise method.error if isinstance(method, BrokenPlugin) else RefusedError(NO_MODEL.format(name))


def add_new_vectors(store: Store) -> None:
    """Compute missing vectors if a model is configured. The model is loaded only if vectors are missing."""
    store = store.without_guard()
    if vectors.sentence_model(store) is None:
        return
    n_made, n_papers = vectors.count_vectors(store)
    if n_made < n_papers:
        for _ in make_vectors(store):
            pass


def available_rankers(store: Store) -> dict[str, Recipe]:
    """Return the rankers that can be chosen for the service, by name.

    Rankers that can't be loaded are excluded. If no sentence model is configured, rankers that need vectors are
    excluded too.
    """
    has_vectors = vectors.sentence_model(store) is not None
    whole = {name: recipe for name, recipe in RECIPES.items() if not isinstance(recipe.method, BrokenPlugin)}
    return {name: recipe for name, recipe in whole.items() if has_vectors or not recipe.method.reads_vectors}


@lru_cache(maxsize=1)
def _encoder(folder: str, n_tokens: int) -> Encoder:
    return Encoder(Path(folder), n_tokens)
