"""Models on the disk, in the folder of a workspace."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from data.models import find_models, keep_model, load_model
from data.records import Model
from data.store import Store


@dataclass(frozen=True)
class ModelFolder:
    """A shelf for rankers whose models are files."""

    path: Path

    def find(self, ranker: str, trained_before: date, layout: int, settings: Mapping[str, Any]) -> Model | None:
        """Give the model that was kept, None if there is none.

        Raises
        ------
        DataError
            If the file is damaged, or was made by another version of the ranker.
        """
        for path in find_models(self.path, ranker):
            if path.stem.endswith(str(trained_before)):
                return load_model(path, ranker=ranker, layout=layout, settings=settings)
        return None

    def keep(self, model: Model) -> None:
        """Write a model; older ones go."""
        keep_model(self.path, model)


def models_of(store: Store) -> ModelFolder:
    """Give the shelf of a workspace."""
    return ModelFolder(store.path.parent / "models")
