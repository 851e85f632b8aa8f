"""The *Import* page, opened on a workspace."""

import pytest

from presort.data.importers.preview import preview
from presort.desk.importing import columns
from presort.desk.jobs import background, worker


def page_of_imports():
    from presort.desk.importing import page as import_files

    import_files.show()


@pytest.fixture(autouse=True)
def read_here(monkeypatch):
    """Preview tables in this process, because starting a worker for each takes most of the time.

    Browser tests use workers.
    """
    monkeypatch.setattr(columns, "preview_in_worker", preview)


@pytest.fixture(autouse=True)
def done_at_once(monkeypatch):
    """Run queued jobs immediately in this process."""

    def tend(jobs):
        while jobs.active_jobs():
            worker.work(jobs.workspace, "a worker")

    monkeypatch.setattr(background, "supervise", tend)
    monkeypatch.setattr(background.BackgroundJobs, "prepare_import", lambda _: None)


@pytest.fixture
def open_import(open_page, monkeypatch, tmp_path):
    """Open the page, with an empty folder for its temporary files."""
    (tmp_path / "for-a-while").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "for-a-while"))
    return lambda store: open_page(page_of_imports, store)
