"""The *Import* page: the preview applies to the files and options shown, and each import runs once."""

import io
import json
import signal
from datetime import date
from itertools import count
from pathlib import Path

import pytest

from presort.data import catalogue
from presort.data.demo import sample
from presort.data.editing import decisions
from presort.data.editing.pending import pending
from presort.data.errors import UnreadableFileError, WorkspaceError
from presort.data.importers import process_limits
from presort.data.importers.problems import Repair
from presort.data.records import ImportReport, ImportSummary, Issue, Origin, PaperChange, Report
from presort.data.records.papers import CODE_RULE
from presort.data.running import service
from presort.data.running.service import DEMO
from presort.desk.importing import import_job, importer
from presort.desk.importing import page as import_page
from presort.desk.importing import uploads as import_uploads
from presort.desk.importing.choices import next_issue
from presort.desk.importing.columns import missing_columns_text
from presort.desk.importing.uploads import ImportRequest, Outcome, upload_of
from presort.desk.jobs import supervisor, worker
from presort.desk.jobs.background import JobHandle
from presort.desk.jobs.queue import CANCELLED, JobQueue
from presort.desk.topic.past_issues import begin_report
from presort.desk.ui import reranking
from tests.desk.importing.dropping import WEEK, box, drop, figures, keys, messages, press

REDIF = (
    "Template-Type: ReDIF-Paper 1.0\nTitle: Minimum wages\nHandle: RePEc:abc:wpaper:1\n\n"
    "Template-Type: ReDIF-Paper 1.0\nHandle: RePEc:abc:wpaper:2\n"
)


def test_an_import_runs_once_and_only_after_confirmation(open_import, empty_store, tmp_path):
    page = drop(open_import(empty_store), ("week.csv", WEEK)).run()
    assert not page.date_input  # the file contains the issue
    before = catalogue.revision(empty_store)
    assert page.button(key="import").label == "Import 2 papers"
    assert figures(page) == {"New": "2", "Updated": "0", "Duplicates": "0", "Skipped": "0"}
    assert page.dataframe[-1].value["title"].tolist() == ["Wages and jobs", "Money"]
    assert catalogue.issues(empty_store) == []
    press(page, "import")
    assert catalogue.revision(empty_store) > before
    assert catalogue.issues(empty_store) == [Issue(date(2030, 1, 7), 2)]
    (logged,) = service.imports(empty_store)
    assert (logged.file, logged.person) == ("week.csv", "editor")
    assert [header.value for header in page.header] == ["Imported"]
    assert "import" not in keys(page)
    assert list((tmp_path / "for-a-while").iterdir()) == []


def test_a_preview_follows_its_files_and_options(open_import, empty_store):
    page = drop(open_import(empty_store), ("papers.rdf", REDIF)).run()
    problem = page.error[0].value.replace("\\", "")
    assert "line 5: the template has no Title" in problem
    assert "Nothing was imported. Fix the line, or choose *Skip invalid records*." in problem
    assert "import" not in keys(page)
    page.toggle(key="import-keep-going").set_value(True).run()
    assert (figures(page)["New"], figures(page)["Skipped"]) == ("1", "1")
    page.date_input(key="import-issue").set_value(date(2030, 1, 14)).run()
    press(page, "import")
    assert catalogue.issues(empty_store) == [Issue(date(2030, 1, 14), 1)]


def test_all_invalid_rows_are_in_a_table(open_import, empty_store):
    week = "paper_id,title,issue\nx1,Wages,2030-01-07\nx2,,2030-01-07\nx3,Prices,soon\n"
    page = drop(open_import(empty_store), ("week.csv", week)).run()
    assert "week.csv, row 3, column title" in page.error[0].value.replace("\\", "")
    assert list(page.dataframe[-1].value["where"]) == ["row 3", "row 4"]
    assert "import" not in keys(page)


def test_a_failed_preview_is_tried_again_only_on_request(open_import, empty_store, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(import_job, "run_job", fail)
        page = drop(open_import(empty_store), ("week.csv", WEEK)).run()
        assert "the disk is full" in page.error[0].value
        page.run()
    assert "import" not in keys(page)
    press(page, "look")
    assert "import" in keys(page)


def fail(*_):
    raise WorkspaceError("the disk is full")


def test_an_empty_workspace_offers_a_sample_file_that_can_be_imported(open_import, empty_store):
    page = open_import(empty_store)
    assert len(page.get("download_button")) == 1
    press(drop(page, (sample.NAME, sample.sample_file())).run(), "import")
    assert [report.code for report in catalogue.reports(empty_store)] == [sample.REPORT]
    assert len(catalogue.issues(empty_store)) == sample.N_ISSUES
    newest = pending(empty_store, [sample.REPORT], today=date.today())
    assert len(newest) == 1  # the newest list is to be reviewed
    assert not open_import(empty_store).get("download_button")


def test_a_large_import_notes_the_papers_read(empty_store, monkeypatch):
    monkeypatch.setattr(importer, "NOTED_EVERY", 1)
    handle = put_import(empty_store, ("week.csv", WEEK))
    seen = []
    note = JobQueue.store_note

    def noting(jobs, job, name, value):
        seen.append(value) if name == import_job.READ and value else None
        note(jobs, job, name, value)

    monkeypatch.setattr(JobQueue, "store_note", noting)
    worker.work(empty_store.folder, "a worker")
    assert seen == [1, 2]
    assert import_job.progress_of(handle.queue, handle.id, 1)[0] == 1.0


def test_the_result_is_shown_as_soon_as_the_papers_are_imported(open_import, empty_store, monkeypatch):
    """Data for rankers is computed afterwards in the same job, and the user doesn't have to wait for it."""
    put_import(empty_store, ("week.csv", WEEK))
    pages = []

    def look(_):
        pages.append(open_import(empty_store))
        return ""

    monkeypatch.setattr(importer, "prepare_ranking", look)
    worker.work(empty_store.folder, "a worker")
    assert [header.value for header in pages[0].header] == ["Imported"]
    assert pages[0].file_uploader


def test_skipped_records_are_in_a_table_with_reasons(open_import, empty_store):
    page = drop(open_import(empty_store), ("papers.rdf", REDIF)).run()
    page.toggle(key="import-keep-going").set_value(True).run()
    page.segmented_control(key="kind-would-change-1").set_value("skipped").run()
    (row,) = page.dataframe[0].value.itertuples(index=False)
    assert (row.where, row.reason.startswith("the template has no Title")) == ("line 5", True)
    page.segmented_control(key="kind-would-change-1").set_value("new").run()
    (row,) = page.dataframe[0].value.itertuples(index=False)
    assert tuple(row) == ("line 1", "Minimum wages", "RePEc:abc:wpaper:1")


def test_a_past_report_issue_is_taken_as_selected(open_import, empty_store):
    page = drop(open_import(empty_store), ("past.ris", "TY  - JOUR\nTI  - Wages\nDO  - 10.1234/a\nER  - \n")).run()
    page.date_input(key="import-issue").set_value(date(2026, 11, 9))
    page.multiselect(key="import-selected-by").set_value(["lab", " "]).run()
    assert CODE_RULE.split(",")[0] in page.error[0].value
    assert "import" not in keys(page)
    page.multiselect(key="import-selected-by").set_value(["lab"]).run()
    press(page, "import")
    assert [report.code for report in catalogue.reports(empty_store)] == ["lab"]
    assert list(decisions.labels(empty_store, "lab", date(2026, 11, 9)).values()) == ["yes"]


def test_missing_data_is_requested_with_the_labels_of_the_page(open_import, empty_store):
    page = open_import(empty_store)
    drop(page, ("no-issue.csv", "paper_id,title,issue\nx1,Wages,\n")).run()
    assert "choose *not in the file* for Issue and enter the date" in page.error[0].value.replace("\\", "")
    assert "--" not in page.error[0].value.replace("\\", "")
    drop(page, ("no-title.csv", "paper_id,Überschrift\nx1,Löhne\n")).run()
    assert "import" not in keys(page)
    assert f"no-title.csv: {missing_columns_text(['Title'])}" in [
        shown.value.replace("\\", "") for shown in page.caption
    ]
    box(page, "Title").set_value("Überschrift").run()
    assert page.error or "import" in keys(page)


def test_imported_papers_are_ranked_automatically(open_import, empty_store):
    page = press(drop(open_import(empty_store), ("week.csv", WEEK)).run(), "import")
    assert "add-a-report" in keys(page)
    assert [job.request for job in JobQueue(empty_store.folder).ended_jobs("rank")] == [{"reports": []}]
    begin_report(empty_store, "lab", "Labour", ["Wages and jobs"], person="dee")  # in another window
    page.run()
    assert "add-a-report" not in keys(page)
    assert [report for report, _ in page.session_state[reranking.QUEUED]] == ["lab"]


def test_after_an_import_of_past_papers_nothing_is_pending(open_import, empty_store):
    past = "paper_id,title,issue,reports\nx1,Wages,2020-01-06,lab\nx2,Money,2020-01-06,mac;lab\n"
    page = drop(open_import(empty_store), ("past.csv", past)).run()
    assert "import-selected-by" not in [box.key for box in page.multiselect]  # the file contains the issue
    assert any("new reports: lab, mac" in shown for shown in messages(page))
    press(page, "import")
    assert page.get("page_link")[0].proto.label == "This week"


def test_after_an_import_the_newest_pending_list_is_one_click_away(open_import, empty_store):
    catalogue.add_reports(empty_store, [Report("lab", "Labour")])
    weeks = WEEK + "x3,Prices,2030-01-14\n"
    page = press(drop(open_import(empty_store), ("weeks.csv", weeks)).run(), "import")
    first = page.get("page_link")[0].proto
    assert (first.label, first.query_string) == ("Review lab 2030-01-14", "report=lab&issue=2030-01-14")


def put_import(store, *named, person="editor"):
    """Queue an import as after its preview, and return its handle. The job doesn't run."""
    uploads = tuple(upload_of(name, name, io.BytesIO(content.encode())) for name, content in named)
    request = ImportRequest(uploads, None, (), keeps_going=False, is_matched=False)
    nothing = ImportReport(ImportSummary(*[0] * 8))
    job, notes = (
        import_job.job_request(request, is_trial=False),
        import_job.notes_of([Outcome(one[0], nothing) for one in named]),
    )
    jobs = JobQueue(store.folder)
    files = [(upload.name, upload.content.getbuffer()) for upload in uploads]
    return JobHandle(jobs, jobs.put("import", job, person=person, files=files, notes=notes))


def progress(page):
    (found,) = page.get("progress")
    return found.proto.text.replace("\\", "")


def test_a_reload_during_an_import_shows_its_progress_and_result(open_import, empty_store):
    handle = put_import(empty_store, ("week.csv", WEEK))
    page = open_import(empty_store)
    assert progress(page).startswith("Importing week.csv · queued")
    assert not page.file_uploader
    handle.queue.begin(handle.id, "another worker")
    assert "queued" not in progress(page.run())
    worker.work(empty_store.folder, "this worker")
    page.run()
    assert [header.value for header in page.header] == ["Imported"]
    assert figures(page)["New"] == "2"
    page = open_import(empty_store)  # again: the result was already shown
    assert not page.header
    assert page.file_uploader


def test_a_cancelled_import_imports_nothing_and_says_so(open_import, empty_store):
    put_import(empty_store, ("week.csv", WEEK))
    page = press(open_import(empty_store), "cancel-import")
    page.run()
    assert [header.value for header in page.header] == ["Partly imported"]
    assert [error.value for error in page.error] == [CANCELLED]
    assert catalogue.issues(empty_store) == []


def test_an_import_cancelled_after_the_papers_were_imported_says_so(open_import, empty_store, monkeypatch):
    handle = put_import(empty_store, ("week.csv", WEEK))
    monkeypatch.setattr(importer, "prepare_ranking", lambda _: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        worker.work(empty_store.folder, "a worker")
    handle.cancel()
    page = open_import(empty_store)
    assert [header.value for header in page.header] == ["Imported"]
    assert [error.value for error in page.error] == [f"{CANCELLED} All papers had already been imported."]
    assert figures(page)["New"] == "2"
    assert [issue.n_papers for issue in catalogue.issues(empty_store)] == [2]


def test_an_unreadable_import_result_does_not_break_the_page(open_import, empty_store):
    handle = put_import(empty_store, ("week.csv", WEEK))
    worker.work(empty_store.folder, "a worker")
    handle.queue.store_note(handle.id, import_job.DONE, [{"name": "of another version"}])
    page = open_import(empty_store)
    assert page.exception  # shown once
    page.run()
    assert not page.exception
    assert page.file_uploader


def test_imports_of_other_users_are_not_shown(open_import, empty_store):
    put_import(empty_store, ("week.csv", WEEK), person="Bo")
    page = open_import(empty_store)
    assert not page.info
    worker.work(empty_store.folder, "a worker")
    assert not page.run().header


def test_a_file_that_fails_undoes_no_other(open_import, empty_store):
    page = drop(open_import(empty_store), ("a.csv", WEEK), ("b.rdf", REDIF), ("c.csv", WEEK.replace("x", "y"))).run()
    assert "b.rdf" in page.warning[0].value
    press(page, "import")
    assert [header.value for header in page.header] == ["Partly imported"]
    assert [one.file for one in service.imports(empty_store)] == ["c.csv", "a.csv"]
    assert catalogue.issues(empty_store) == [Issue(date(2030, 1, 7), 4)]
    page.file_uploader[0].set_value(None).run()
    assert "import" not in keys(page)


def test_known_papers_are_not_imported_again(open_import, empty_store):
    page = open_import(empty_store)
    for _ in range(2):
        drop(page, ("week.csv", WEEK)).run()
        if "import" in keys(page):
            press(page, "import")
    assert [shown.value for shown in page.info] == [import_page.NOTHING_NEW]
    assert len(service.imports(empty_store)) == 1


def test_an_interrupted_import_resumes_after_the_imported_files(empty_store, monkeypatch):
    named = [("a.csv", WEEK), ("b.csv", WEEK.replace("x", "y")), ("c.csv", WEEK.replace("x", "z"))]
    handle = put_import(empty_store, *named, person="ann")
    note, n_done = handle.queue.store_note, count(1)

    def cut_off(job, name, value):  # after the second file, before its note is stored; the first file has two notes
        if name == import_job.DONE and next(n_done) == 3:
            raise SystemError("as if killed")
        note(job, name, value)

    monkeypatch.setattr(JobQueue, "store_note", lambda _, *words: cut_off(*words))
    with pytest.raises(SystemError):
        worker.work(empty_store.folder, "one")
    assert not handle.done()
    assert [one.file for one in service.imports(empty_store)] == ["b.csv", "a.csv"]
    monkeypatch.undo()
    worker.work(empty_store.folder, "another")
    assert handle.exception() is None
    assert [one.file for one in service.imports(empty_store)] == ["c.csv", "b.csv", "a.csv"]
    (job,) = handle.queue.ended_jobs("import")
    done = import_job.preview_of(handle.queue, job).done
    assert [(one.name, one.report.summary.new_papers) for one in done] == [("a.csv", 2), ("b.csv", 2), ("c.csv", 2)]


def test_a_file_that_fails_during_the_import_does_not_affect_the_others(empty_store, monkeypatch):
    named = [("a.csv", WEEK), ("b.csv", WEEK.replace("x", "y")), ("c.csv", WEEK.replace("x", "z"))]
    whole = import_uploads.import_path

    def fails_once(store, path, choices, **how):
        if path.name == "b.csv":
            raise WorkspaceError("The disk is full.")
        return whole(store, path, choices, **how)

    monkeypatch.setattr(import_uploads, "import_path", fails_once)
    handle = put_import(empty_store, *named)
    worker.work(empty_store.folder, "a worker")
    (job,) = handle.queue.ended_jobs("import")
    preview = import_job.preview_of(handle.queue, job)
    assert [outcome.problem for outcome in preview.done] == ["", "The disk is full.", ""]
    assert not preview.is_whole
    assert [one.file for one in service.imports(empty_store)] == ["c.csv", "a.csv"]
    assert catalogue.issues(empty_store) == [Issue(date(2030, 1, 7), 4)]


def test_a_file_that_takes_too_much_memory_stops_no_other(empty_store, monkeypatch):
    monkeypatch.setattr(process_limits, "MOST_MEMORY", 60 * 1024**2)
    large = "paper_id,title,issue,abstract\n" + "".join(f"l{n},Large,2030-01-07,{'a' * 900_000}\n" for n in range(200))
    handle = put_import(empty_store, ("a.csv", WEEK), ("large.csv", large), ("c.csv", WEEK.replace("x", "z")))
    worker.work(empty_store.folder, "a worker")
    (job,) = handle.queue.ended_jobs("import")
    problems = [outcome.problem for outcome in import_job.preview_of(handle.queue, job).done]
    assert [problem.partition(":")[0] for problem in problems] == ["", "large.csv", ""]
    assert problems[1].endswith("Import it in parts")
    assert [one.file for one in service.imports(empty_store)] == ["c.csv", "a.csv"]
    assert [issue.n_papers for issue in catalogue.issues(empty_store)] == [4]


def test_a_file_that_crashed_the_worker_is_skipped(empty_store):
    """The supervisor stores this note when a worker crashes."""
    handle = put_import(empty_store, ("crafted.csv", WEEK), ("b.csv", WEEK))
    handle.queue.store_note(handle.id, supervisor.CRASHED, 0)
    worker.work(empty_store.folder, "a worker")
    (job,) = handle.queue.ended_jobs("import")
    problems = [outcome.problem for outcome in import_job.preview_of(handle.queue, job).done]
    assert problems == [str(process_limits.overrun(Path("crafted.csv"))), ""]
    assert [one.file for one in service.imports(empty_store)] == ["b.csv"]


def test_import_results_survive_the_queue_unchanged(empty_store):
    origin = Origin("week.csv", 2)
    change = PaperChange("x1", "Wages", origin, "y1", "doi")
    report = ImportReport(ImportSummary(*range(9)), (change,), (), (change,), (), (change,), ("lab",), "no room")
    wrong = UnreadableFileError(Path("week.csv"), "is empty", row=7, column="title", missing="title")
    repair = Repair("week.csv", "not UTF-8, read as Windows-1252", row=3, column="title")
    for outcome in (Outcome("week.csv", report, (wrong,), "", (repair,)), Outcome("b.csv", None, (), "What?")):
        answer = json.loads(json.dumps(import_job._outcome_object(outcome)))
        back = import_job._outcome_of(answer)
        assert (back.name, back.report, back.problem) == (outcome.name, outcome.report, outcome.problem)
        assert back.repairs == outcome.repairs
        assert list(map(str, back.skipped)) == list(map(str, outcome.skipped))
        assert [vars(error) for error in back.skipped] == [vars(error) for error in outcome.skipped]


def test_repairs_and_records_left_out_are_shown_by_line(open_import, empty_store):
    page = drop(
        open_import(empty_store), ("week.csv", WEEK.encode() + b"x8,L\xf6hne,2030-01-07\nx9,,2030-01-07\n")
    ).run()
    page.toggle(key="import-keep-going").set_value(True)
    page.run()
    kinds = page.segmented_control(key="kind-would-change-1")
    assert [option for option in kinds.options if option.startswith(("Repaired", "Skipped"))] == [
        "Skipped 1",
        "Repaired 1",
    ]
    kinds.set_value("repairs").run()
    assert page.dataframe[-1].value["where"].tolist() == ["row 4"]


def test_the_demo_refuses_imports(open_import, empty_store):
    catalogue.set_setting(empty_store, DEMO, "3")
    page = open_import(empty_store)
    assert len(page.info) == 1
    assert not page.file_uploader


@pytest.mark.parametrize(
    ("issues", "today", "expected"),
    [
        pytest.param([], date(2026, 11, 18), date(2026, 11, 16), id="first"),
        pytest.param([date(2026, 11, 9)], date(2026, 11, 16), date(2026, 11, 16), id="this-week"),
        pytest.param([date(2026, 11, 16)], date(2026, 11, 16), date(2026, 11, 23), id="there-already"),
        pytest.param([date(2026, 11, 30)], date(2026, 11, 16), date(2026, 12, 7), id="ahead"),
        pytest.param([date(2020, 1, 2)], date(2026, 11, 16), date(2026, 11, 19), id="after-a-pause-on-its-own-day"),
    ],
)
def test_the_suggested_issue_does_not_exist_yet(issues, today, expected):
    assert next_issue([Issue(day, 9) for day in issues], today) == expected
