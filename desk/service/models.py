"""Models on the disk, in the folder of a workspace: what can be learned again, so that none is ever in the way."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from presort.data.errors import DataError, WorkspaceError
from presort.data.learning.array_file import Holding, in_memory, on_disk
from presort.data.learning.models import find_models, keep_model, load_model
from presort.data.records import Model
from presort.data.store import Store

NOT_USED = "A model that was kept can't be used, so all is learned anew: {}"
NOT_KEPT = "What was learned could not be kept, so it will be learned anew: {}"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ModelFolder:
    """A shelf for rankers whose models are files.

    Attributes
    ----------
    path : Path
        The folder; there may be none yet.
    tell : callable
        Told what a person should know: a file that could not be used, or not be written.
    held : callable
        How what is found is held, as `load_model` has it.
    """

    path: Path
    tell: Callable[[str], object] = log.warning
    held: Holding = on_disk

    def find(self, ranker: str, trained_before: date, layout: int, settings: Mapping[str, Any]) -> Model | None:
        """Return the model that was kept; None if there is none, or it is damaged or was made by another version."""
        for path in find_models(self.path, ranker):
            if path.stem.endswith(str(trained_before)):
                try:
                    return load_model(path, ranker=ranker, layout=layout, settings=settings, held=self.held)
                except DataError as error:
                    self.tell(NOT_USED.format(error))
        return None

    def refuse(self, model: Model, fault: str) -> None:
        """Report a model whose arrays are not what its ranker wrote."""
        self.tell(NOT_USED.format(f"{self.path.name}/{model.ranker}-{model.trained_before}.npz {fault}."))

    def keep(self, model: Model) -> None:
        """Write a model; older ones, and those of no more use, go."""
        try:
            keep_model(self.path, model)
        except WorkspaceError as error:
            self.tell(NOT_KEPT.format(error))


def models_of(store: Store, tell: Callable[[str], object] = log.warning) -> ModelFolder:
    """Return the shelf of a workspace, which tells what a person should know; the log unless told otherwise."""
    return ModelFolder(store.folder / "models", tell)


def models_to_keep(store: Store) -> ModelFolder:
    """Return the shelf of a workspace for what the desk holds for an hour, and which nobody's file may take down."""
    return ModelFolder(store.folder / "models", held=in_memory)
