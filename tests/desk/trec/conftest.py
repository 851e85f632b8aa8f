import pytest

from presort.desk.console.printing import out
from tests.desk.command_line import invoke
from tests.desk.trec.files import OTHER, QRELS, RUN, SCORES


@pytest.fixture
def presort(tmp_path, monkeypatch):
    """Run a command in a folder with small files. It must not create a workspace there."""
    files = {"run.trec": RUN, "other.trec": OTHER, "qrels.trec": QRELS, "scores.csv": SCORES}
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(out, "_width", 80)

    def call(*words):
        result = invoke([str(word) for word in words])
        assert not (tmp_path / "workspace").exists()
        return result

    return call
