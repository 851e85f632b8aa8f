"""First steps in an empty desk."""

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from presort.data import catalogue
from presort.data.errors import WorkspaceError
from presort.data.intake.commit_import import commit_import
from presort.data.records import ListedPaper, Report
from presort.desk.jobs.background import BackgroundJobs
from presort.desk.service import demo_desk
from presort.desk.topic.past_issues import begin_report
from presort.desk.ui import reranking, visitor
from presort.desk.week import first_steps


def page_after_adding_a_report():
    from presort.desk.ui import reranking

    reranking.rank_report("new")
    reranking.rank_unranked(["new"])


def week_page():
    from presort.desk.week import page

    page.show()


def first_issue(listings):
    return [ListedPaper(one.paper, one.issue) for one in listings if one.issue == listings[0].issue]


def n_ticked(page):
    return sum(":green[" in text.value for text in page.markdown)


def test_an_empty_workspace_names_two_steps_and_ticks_those_done(empty_store, listings, open_page):
    page = open_page(week_page, empty_store)
    assert [link.proto.label for link in page.get("page_link")] == ["**Import papers**", "**Add a report**"]
    assert n_ticked(page) == 0
    catalogue.add_reports(empty_store, [Report("lab", "Labour")])
    assert n_ticked(open_page(week_page, empty_store)) == 1


def test_a_list_that_can_not_be_ranked_yet_is_not_queued(empty_store, listings, open_page):
    catalogue.add_reports(empty_store, [Report("new", "New")])
    commit_import(empty_store, first_issue(listings), person="import")
    page = open_page(week_page, empty_store)
    assert n_ticked(page) == 0  # the steps are done
    assert not page.session_state[reranking.QUEUED]


def test_a_list_that_is_being_ranked_is_not_queued_again(empty_store, listings, open_page):
    commit_import(empty_store, first_issue(listings), person="import")
    begin_report(empty_store, "new", "New", ["Wages and jobs"], person="dee")
    page = open_page(page_after_adding_a_report, empty_store)
    assert list(page.session_state[reranking.NAME]) == ["new"]


def test_a_list_without_a_ranking_is_queued_once(empty_store, listings, open_page):
    commit_import(empty_store, first_issue(listings), person="import")
    begin_report(empty_store, "new", "New", ["Wages and jobs"], person="dee")
    page = open_page(week_page, empty_store)
    (queued,) = page.session_state[reranking.QUEUED]
    job = page.session_state[reranking.NAME][reranking.NEW]
    assert queued[0] == "new"
    assert job.n_issues == 1
    assert page.run().session_state[reranking.NAME][reranking.NEW] is job


def test_a_workspace_with_only_past_issues_has_nothing_to_rank(empty_store, listings, open_page):
    oldest = [replace(one, selected_by=("lab",)) for one in first_issue(listings)]
    commit_import(empty_store, oldest, person="import")
    page = open_page(week_page, empty_store)
    assert len(page.success) == 1
    assert not page.session_state[reranking.QUEUED]


def test_a_demo_is_built_separately_and_opened_by_a_click(empty_store, open_page, monkeypatch):
    monkeypatch.setattr(demo_desk, "begin", lambda folder, environment: f"http://127.0.0.1:9/{folder.name}")
    page = open_page(week_page, empty_store)
    page.button(key="build-demo").click().run()
    assert len(page.info) == 1
    reranking.queue().demo.set_result(None)
    page.run()
    (link,) = page.get("link_button")
    assert (link.proto.label, link.proto.url) == ("Open the demo", f"http://127.0.0.1:9/{empty_store.folder.name}-demo")
    assert any("delete the folder" in caption.value for caption in page.caption)
    assert not page.code
    assert not catalogue.issues(empty_store)


def test_a_demo_that_could_not_be_built_can_be_tried_again(empty_store, open_page):
    page = open_page(week_page, empty_store)
    page.button(key="build-demo").click().run()
    reranking.queue().demo.set_exception(WorkspaceError("the disk is full"))
    assert page.run().error[0].value == "the disk is full"
    assert "build-demo" in {button.key for button in page.run().button}


def test_a_demo_that_does_not_open_is_reported(empty_store, open_page, monkeypatch):
    def fail(*_):
        raise WorkspaceError("no port is free")

    monkeypatch.setattr(demo_desk, "begin", fail)
    page = open_page(week_page, empty_store)
    page.button(key="build-demo").click().run()
    reranking.queue().demo.set_result(None)
    assert page.run().error[0].value == "no port is free"
    assert "build-demo" in {button.key for button in page.run().button}


def test_a_bug_in_the_demo_has_a_traceback(empty_store, open_page):
    page = open_page(week_page, empty_store)
    page.button(key="build-demo").click().run()
    reranking.queue().demo.set_exception(ZeroDivisionError("of the demo"))
    assert page.run().exception[0].message == "of the demo"


@pytest.fixture
def served(tmp_path, monkeypatch):
    """Replace Python with a script that serves as the demo's server."""

    def make(does):
        script = tmp_path / "fake"
        script.write_text(f"#!/bin/sh\n{does}\n")
        script.chmod(0o755)
        monkeypatch.setattr("sys.executable", str(script))

    return make


def test_the_demo_server_runs_once_and_restarts_after_it_ended(tmp_path, served, monkeypatch):
    monkeypatch.setattr(demo_desk, "_BEGUN", begun := {})
    called = tmp_path / "called"
    served(f"echo $@ >> {called}; echo '  The desk is open:'; echo '  URL: http://127.0.0.1:9/?token=t'; exec cat")
    queue = BackgroundJobs(tmp_path / "desk")
    for n in (1, 2):
        assert [queue.open_demo() for _ in range(2)] == ["http://127.0.0.1:9/?token=t"] * 2
        begun["http://127.0.0.1:9/?token=t"].communicate()  # closes its pipe, which ends the server
        lines = called.read_text().splitlines()
        assert len(lines) == n
        assert f"--workspace {tmp_path / 'desk-demo'} app --port" in lines[-1]


def test_the_demo_process_ends_with_its_server():
    command = [sys.executable, "-m", demo_desk.__name__, "true"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as begun:
        assert begun.wait(timeout=120) == 0


def test_a_demo_server_that_does_not_start_is_reported(tmp_path, served):
    served("exit 1")
    with pytest.raises(WorkspaceError, match="Can't start the desk"):
        BackgroundJobs(tmp_path / "desk").open_demo()


def test_the_demo_server_ends_with_its_parent():
    command = [sys.executable, "-m", demo_desk.__name__, "sh", "-c", "echo begun; exec sleep 600"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as begun:
        assert begun.stdout.readline() == "begun\n"
        assert begun.poll() is None
        begun.stdin.close()  # as when the other process ends
        assert begun.wait(timeout=120) == 0


def test_an_editor_of_an_empty_workspace_sees_only_their_own_steps(empty_store, open_page, monkeypatch):
    monkeypatch.setattr(visitor, "may_open", lambda address: address == "week")
    page = open_page(week_page, empty_store)
    assert len(page.info) == 1
    assert not page.get("page_link")
    assert not page.button


def test_no_demo_is_offered_with_sign_in_because_it_would_open_on_the_server(empty_store, open_page, monkeypatch):
    director = SimpleNamespace(may_open=lambda address: True, must_sign_in=lambda: True)
    monkeypatch.setattr(first_steps, "visitor", director)
    page = open_page(week_page, empty_store)
    assert len(page.get("page_link")) == 2
    assert not page.button
