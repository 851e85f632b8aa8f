"""Limits on reading: a file that needs too much memory is rejected in one line, and the process continues."""

import resource

import pytest

from presort.data.errors import UnreadableFileError, WorkspaceError
from presort.data.importers import process_limits
from presort.data.importers.preview import ColumnMapping, preview
from presort.data.importers.process_limits import limit_memory, limit_time
from presort.data.workspace.scratch import scratch_folder
from tests import forked


def bounds():
    return [resource.getrlimit(kind) for kind in (resource.RLIMIT_DATA, resource.RLIMIT_CPU)]


def test_exceeding_the_memory_limit_is_an_error_and_the_limit_is_lifted(tmp_path, monkeypatch):
    monkeypatch.setattr(process_limits, "MOST_MEMORY", 100 * 1024**2)
    before = bounds()
    with (
        pytest.raises(UnreadableFileError, match=r"^week\.csv: .* 100 MB "),
        limit_memory(tmp_path / "week.csv"),
    ):
        bytearray(200 * 1024**2)
    assert bounds() == before
    assert len(bytearray(200 * 1024**2)) == 200 * 1024**2


def test_the_limit_is_lifted_after_any_error_and_after_none(tmp_path):
    before = bounds()
    with limit_memory(tmp_path), limit_time():
        assert bounds() != before
    assert bounds() == before
    with pytest.raises(KeyError), limit_memory(tmp_path), limit_time():
        raise KeyError
    assert bounds() == before


def test_a_nested_limit_never_raises_the_outer_one(tmp_path, monkeypatch):
    with limit_memory(tmp_path):
        outer = bounds()[0]
        monkeypatch.setattr(process_limits, "MOST_MEMORY", 2**40)
        with limit_memory(tmp_path):
            assert bounds()[0] == outer


@pytest.mark.whole
def test_code_that_computes_for_too_long_is_killed():
    code, _ = forked.run(
        "from presort.data.importers import process_limits\n"
        "process_limits.MOST_SECONDS = 1\n"
        "with process_limits.limit_time():\n"
        "    10 ** 10 ** 9\n"
    )
    assert code == -24  # SIGXCPU


def test_a_preview_survives_json(tmp_path):
    path = tmp_path / "week.csv"
    path.write_text("paper_id,title,when\n" + "".join(f"x{n},Löhne,2030-01-07\n" for n in range(30)))
    found = preview(path)
    assert found.like_issues
    assert ColumnMapping.from_json(found.as_json()) == found


def test_a_full_temporary_folder_is_named(monkeypatch, tmp_path):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("os.mkdir", full)
    with pytest.raises(WorkspaceError, match=r"^The temporary folder .* can't be written to: No space left"):
        scratch_folder().__enter__()
