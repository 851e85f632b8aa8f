"""Papers that the weekly job imports from a folder and harvests from repositories."""

from datetime import date
from pathlib import Path

import pytest

from presort.data import catalogue
from presort.data.errors import RefusedError, UnreadableFileError
from presort.data.harvest.stored_harvest import Query
from presort.data.importers.problems import Findings
from presort.data.records import ImportReport, ImportSummary
from presort.desk.settings import Harvest, Week
from presort.desk.weekly import papers
from presort.desk.weekly.job import PartlyDoneError, SkipStep
from presort.desk.weekly.papers import import_papers, plan
from tests.data.harvest.repository import FakeTime, Reply, dc_record, envelope, paged, repository

CSV = "paper_id,title\nx1,A new one\nx2,Another\n"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "incoming"
    folder.mkdir()
    return folder


@pytest.fixture
def job(weekly, folder):
    return weekly.job(week=Week(folder=folder))


def test_files_are_imported_into_the_weeks_issue_and_moved(job, folder):
    (folder / "week.csv").write_text(CSV)
    (folder / ".half").write_text("being copied")
    assert plan(job) == "Would import week.csv."
    assert import_papers(job) == "week.csv: 2 new papers."
    assert catalogue.issues(job.store)[-1].date == job.day
    assert sorted(path.name for path in folder.rglob("*")) == [".half", "imported", "week.csv"]
    assert (folder / "imported" / "week.csv").is_file()
    with pytest.raises(SkipStep, match="No new file"):
        import_papers(job)
    (folder / "week.csv").write_text(CSV.replace("x2", "x3"))
    import_papers(job)
    assert sorted(path.name for path in (folder / "imported").iterdir()) == ["2-week.csv", "week.csv"]


def test_an_invalid_file_is_named_and_the_others_are_imported(job, folder):
    (folder / "bad.csv").write_text("paper_id,title\nx1\n,\n")
    (folder / "good.csv").write_text(CSV)
    with pytest.raises(PartlyDoneError, match=r"bad\.csv.* good\.csv: 2 new papers\.$"):
        import_papers(job)
    with pytest.raises(RefusedError, match="bad") as again:
        import_papers(job)
    assert not isinstance(again.value, PartlyDoneError)
    assert (folder / "bad.csv").is_file()
    assert not (folder / "good.csv").exists()


def test_a_missing_folder_is_named_and_repositories_are_harvested(weekly, folder, monkeypatch):
    came = ImportReport(ImportSummary(9, 1, 7, 0, 7, 0, 0, 0)), Findings()
    monkeypatch.setattr(papers, "import_harvest", lambda *_, **__: came)
    job = weekly.job(week=Week((Harvest("https://a.example/oai"),), folder / "none"))
    with pytest.raises(
        RefusedError, match=r"Can't read the import folder .*none: No such .* a\.example: 7 new papers\.$"
    ):
        import_papers(job)


def test_invalid_records_of_a_repository_are_skipped_and_counted(weekly, monkeypatch):
    left_out = (UnreadableFileError(Path("a.example"), f"record {n} has no title") for n in (3, 5))
    came = ImportReport(ImportSummary(9, 1, 7, 0, 7, 0, 0, 0), unfinished="No room for tokens."), Findings(left_out)
    monkeypatch.setattr(papers, "import_harvest", lambda *_, **__: came)
    assert import_papers(weekly.job(week=Week((Harvest("https://a.example/oai"),)))) == (
        "a.example: 7 new papers, 2 records skipped, such as a.example: record 3 has no title. No room for tokens."
    )


def test_a_file_that_can_t_be_moved_is_named(job, folder):
    (folder / "week.csv").write_text(CSV)
    (folder / "imported").write_text("a file")
    with pytest.raises(PartlyDoneError, match=r"week\.csv was imported, but can't be moved"):
        import_papers(job)
    assert catalogue.issues(job.store)[-1].date == job.day


def test_each_repository_is_harvested_even_if_one_is_unreachable(weekly, monkeypatch):
    asked = []

    def harvest(store, place, query, issue, **options):
        asked.append((query, issue, options["allow_private"], place == store.folder))
        if "gone" in query.url:
            raise RefusedError("gone.example can't be reached.")
        return ImportReport(ImportSummary(9, 1, 7, 0, 7, 0, 0, 0)), Findings()

    monkeypatch.setattr(papers, "import_harvest", harvest)
    gone = Harvest("https://gone.example/oai", "econ", "arXiv", date(2026, 1, 2))
    job = weekly.job(week=Week(harvest=(gone, Harvest("https://a.example/oai", is_private=True))))
    with pytest.raises(RefusedError, match=r"^gone\.example can't be reached\. a\.example: 7 new papers\.$"):
        import_papers(job)
    assert asked == [
        (Query("https://gone.example/oai", "arXiv", "econ", begin=date(2026, 1, 2)), job.day, False, True),
        (Query("https://a.example/oai", "oai_dc"), job.day, True, True),
    ]


def test_a_dry_run_requests_the_identity_of_each_repository(weekly):
    who = envelope("<Identify><repositoryName>Papers</repositoryName></Identify>")
    with repository(lambda asked: who) as open_, repository(lambda asked: Reply(status=500)) as broken:
        good, bad = Harvest(open_.url, is_private=True), Harvest(broken.url, is_private=True)
        assert plan(weekly.job(week=Week((good,)))) == f"Would harvest {open_.url}."
        assert plan(weekly.job(week=Week((good, bad)))).endswith("the server responded with status 500.")
        closed = plan(weekly.job(week=Week((Harvest(open_.url),))))
    assert f"set private = true for {open_.url} if it is yours" in closed
    assert all(asked == {"verb": "Identify"} for asked in (*open_.asked, *broken.asked))


def test_a_repository_in_the_own_network_requires_a_setting(weekly):
    records = [dc_record(f"oai:e.org:{n}", f"Wages of group {n}") for n in range(2)]
    with repository(paged(records)) as server:
        harvest = Harvest(server.url, is_private=True)
        host = server.url.split("/")[2]
        assert import_papers(weekly.job(week=Week((harvest,)), clock=FakeTime().clock)) == f"{host}: 2 new papers."
        with pytest.raises(RefusedError, match="set private = true"):
            import_papers(weekly.job(week=Week((Harvest(server.url),)), clock=FakeTime().clock))
