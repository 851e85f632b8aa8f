"""Downloads that are generated at a click: they are kept until the browser has requested them."""

import time

import pytest
from streamlit.runtime import media_file_manager
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from presort.desk.web import server


def test_a_generated_file_outlives_the_scripts_of_other_windows_and_is_then_deleted(monkeypatch):
    monkeypatch.setattr(media_file_manager, "MediaFileMetadata", media_file_manager.MediaFileMetadata)
    server.keep_downloads()
    storage = MemoryMediaFileStorage("/media")
    manager = MediaFileManager(storage)
    button = manager.add_deferred(lambda: b"title\nWages\n", "text/csv", "1.1", file_name="list.csv")
    name = manager.execute_deferred(button).rpartition("/")[2]
    for _ in range(5):
        manager.remove_orphaned_files()
    assert storage.get_file(name).content == b"title\nWages\n"
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + server.KEPT + 1)
    manager.remove_orphaned_files()
    with pytest.raises(MediaFileStorageError):
        storage.get_file(name)
