"""The first steps of an empty desk."""

from dataclasses import replace

from data import catalogue
from data.errors import WorkspaceError
from data.intake.commit_import import commit_import
from data.records import ListedPaper, Report
from desk.service.sorting_again import Queue, demo_of
from desk.week import again


def week_page():
    from desk.week import page

    page.show()


def first_issue(listings):
    return [ListedPaper(one.paper, one.issue) for one in listings if one.issue == listings[0].issue]


def n_ticked(page):
    return sum(":green[" in text.value for text in page.markdown)


def test_an_empty_desk_names_three_steps_and_ticks_those_done(empty_store, listings, open_page):
    page = open_page(week_page, empty_store)
    assert [link.proto.label for link in page.get("page_link")] == ["**Import papers**", "**Add a report**"]
    assert n_ticked(page) == 0
    catalogue.add_reports(empty_store, [Report("lab", "Labour")])
    assert n_ticked(open_page(week_page, empty_store)) == 1


def test_the_last_step_sorts_what_waits_and_stands_there_once(empty_store, listings, open_page, monkeypatch):
    asked = []
    monkeypatch.setattr(again, "begin", lambda reports, n_issues: asked.append((reports, n_issues)))
    catalogue.add_reports(empty_store, [Report("new", "New")])
    commit_import(empty_store, first_issue(listings), person="import")
    page = open_page(week_page, empty_store)
    assert [button.label for button in page.button if "Sort" in button.label] == ["Sort it now"]
    assert n_ticked(page) == 0  # the steps are done
    page.button(key="sort-pending").click().run()
    assert not page.exception
    assert asked == [(["new"], 1)]


def test_a_desk_of_past_papers_alone_has_nothing_to_sort(empty_store, listings, open_page):
    oldest = [replace(one, selected_by=("lab",)) for one in first_issue(listings)]
    commit_import(empty_store, oldest, person="import")
    page = open_page(week_page, empty_store)
    assert "Nothing waits" in page.success[0].value
    assert not [button for button in page.button if "Sort" in button.label]


def test_a_demo_is_built_beside_and_the_page_says_how_to_open_it(empty_store, open_page):
    page = open_page(week_page, empty_store)
    page.button(key="build-demo").click().run()
    assert "The demo is being built" in page.info[0].value
    again.queue().demo.set_result(None)
    page.run()
    folder = demo_of(empty_store.folder)
    assert page.code[0].value == f"presort --workspace {folder} app --port 8502"
    assert any("delete the folder" in caption.value for caption in page.caption)
    assert not catalogue.issues(empty_store)


def test_a_demo_that_could_not_be_built_can_be_tried_again(empty_store, open_page):
    page = open_page(week_page, empty_store)
    page.button(key="build-demo").click().run()
    again.queue().demo.set_exception(WorkspaceError("the disk is full"))
    assert page.run().error[0].value == "the disk is full"
    assert "build-demo" in {button.key for button in page.run().button}


def test_the_demo_has_a_folder_of_its_own(tmp_path, monkeypatch):
    called = tmp_path / "called"
    fake = tmp_path / "fake"
    fake.write_text(f'#!/bin/sh\necho "$4 $5" > {called}\n')
    fake.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(fake))
    queue = Queue(tmp_path / "desk")
    queue.build_demo()
    queue.demo.result(timeout=120)
    assert called.read_text().split() == [str(tmp_path / "desk-demo"), "demo"]
