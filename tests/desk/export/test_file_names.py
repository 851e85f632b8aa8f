"""Imports of files whose names are not in UTF-8, as in old archives."""

import os
from contextlib import closing

import pytest

from presort.data.importers.choices import Choices
from presort.data.running import service
from presort.data.store import open_store
from presort.desk.importing.importer import import_path
from tests.desk.sending.test_mail import DAY

PAPER = "Template-Type: ReDIF-Paper 1.0\nTitle: Wages\nHandle: RePEc:abc:wpaper:1\n"


@pytest.mark.parametrize("is_folder", [pytest.param(False, id="file"), pytest.param(True, id="folder")])
def test_a_file_name_that_is_not_utf_8_is_kept_as_far_as_possible(tmp_path, is_folder):
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    path = folder / os.fsdecode(b"\xe9t\xe9.rdf")
    path.write_text(PAPER)
    with closing(open_store(tmp_path / "workspace")) as store:
        import_path(store, folder if is_folder else path, Choices(issue=DAY), person="Dee")
        (one,) = service.imports(store)
    assert one.file == ("caf\ufffd" if is_folder else "\ufffdt\ufffd.rdf")
    assert one.summary.new_papers == 1
