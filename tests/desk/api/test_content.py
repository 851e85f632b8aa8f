"""The API returns what is public, in stable pages, and nothing else."""

from datetime import timedelta

import pytest

from presort.data import catalogue
from presort.data.editing.publications import published as published_issues
from presort.data.editing.publications import reopen
from presort.data.records import Paper
from presort.desk.api.routes import RESOURCES
from presort.desk.scores.sorters import SORTED, rows_of
from presort.desk.scores.table import MEASURED, scores
from presort.desk.sending.letters import published_letter
from presort.desk.settings.api import API
from tests.desk.api.conftest import HERE, PRIVATE


def walk(api, path):
    """Return the items of all pages, and the number of pages."""
    items, n_pages = [], 0
    while path:
        answer = api.get(path)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        items += page["items"]
        n_pages += 1
        path = page["next"] and page["next"].removeprefix(API)
    return items, n_pages


def test_issues_and_reports(api, published):
    issues, _ = walk(api, "/issues")
    known = catalogue.issues(published)
    assert [(one["date"], one["n_papers"]) for one in issues] == [(str(one.date), one.n_papers) for one in known[::-1]]
    catalogue.retire_report(published, "mac")
    reports, _ = walk(api, "/reports")
    assert {one["code"]: (one["name"], one["is_retired"]) for one in reports} == {
        one.code: (one.name, one.code == "mac") for one in catalogue.reports(published, retired=True)
    }


def test_a_published_report_issue_has_the_content_of_its_public_page(api, published, newest):
    found = api.get(f"/report-issues/lab/{newest}").json()
    letter = published_letter(published, "lab", newest)
    papers = catalogue.papers(published, newest)
    assert [one["paper_id"] for one in found["papers"]] == [papers[at - 1].paper_id for at in (9, 2, 5)]
    assert [one["paper_id"] for one in found["papers"]] == [one.paper_id for one in letter.papers]
    assert (found["note"], found["name"], found["n_papers"]) == (letter.note, letter.name, 3)
    assert found["editors"] == [{"name": "Ann Lee", "affiliation": "U of X"}]
    assert found["published_at"] == letter.published_at.isoformat(timespec="seconds")
    first = found["papers"][0]
    assert [name for name in Paper.__slots__ if name != "url" and name not in first] == []
    assert (first["title"], first["authors"]) == (papers[8].title, list(papers[8].authors))


def test_the_list_has_every_published_report_issue_and_no_other(api, published, newest):
    items, _ = walk(api, "/report-issues?limit=500")
    expected = {
        (code, str(day), len(one.published))
        for code in [report.code for report in catalogue.reports(published)]
        for day, one in published_issues(published, code).items()
        if one.source == "desk"
    }
    assert expected == {("lab", str(newest), 3)}
    assert expected <= {(one["report"], one["issue"], one["n_papers"]) for one in items}
    n_published = sum(len(published_issues(published, one.code)) for one in catalogue.reports(published))
    assert len(items) == n_published > 20
    assert ("mac", str(newest)) not in {(one["report"], one["issue"]) for one in items}
    for one in items[:30]:
        detail = api.get(one["url"].removeprefix(API)).json()
        assert {name: detail[name] for name in one} == one
        assert len(detail["papers"]) == one["n_papers"]


def test_pages_join_into_the_whole_list(api):
    for path in ("/issues", "/reports", "/report-issues", "/quality"):
        whole, n_pages = walk(api, f"{path}?limit=500")
        assert n_pages == 1
        parts, n_pages = walk(api, f"{path}?limit=3")
        assert parts == whole
        assert n_pages == -(-len(whole) // 3) > 1


def test_a_page_stays_the_same_when_a_newer_issue_is_published(api, published, newest):
    before, _ = walk(api, f"/report-issues?to={newest - timedelta(days=1)}")
    cursor = api.get("/report-issues?limit=1").json()["next"].removeprefix(API)
    reopen(published, "lab", newest, "A wrong paper.", person="Ann Lee")
    assert api.get(cursor.replace("limit=1", "limit=500")).json()["items"] == before


def test_filters(api, newest):
    for path in ("/report-issues", "/quality"):
        whole, _ = walk(api, path)
        days = sorted({one["issue"] for one in whole})
        items, _ = walk(api, f"{path}?report=lab&from={days[1]}&to={days[-2]}&limit=1")
        assert items == [one for one in whole if one["report"] == "lab" and days[1] <= one["issue"] <= days[-2]] != []
    assert [one["date"] for one in walk(api, f"/issues?from={newest}")[0]] == [str(newest)]


def test_quality_is_that_of_the_rankings_shown(api, published, newest):
    """As on *Overview* and *My report* with the default ranker, which read the same table."""
    items, _ = walk(api, "/quality?limit=500")
    table = rows_of(published, scores(published), SORTED)
    assert len(items) == len(table) > 20
    found = {(one["report"], one["issue"]): one for one in items}
    for row in table.to_dict("records"):
        one = found[row["report"], str(row["issue"].date())]
        assert (one["ranker"], one["n_papers"], one["n_relevant"]) == (
            row["ranker"],
            row["n_papers"],
            row["n_relevant"],
        )
        for name in MEASURED:
            assert one["measures"][name] == pytest.approx(None if row[name] != row[name] else row[name])
    assert found["lab", str(newest)]["was_shown"]
    assert ("mac", str(newest)) not in found


def test_nothing_private_is_in_any_answer(api, published, newest):
    paths = [f"{HERE}{API}{one.path}" for one in RESOURCES if "{" not in one.path]
    items, _ = walk(api, "/report-issues")
    paths += [one["url"].removeprefix(API) for one in items]
    everything = "".join(api.get(path).text for path in paths)
    assert "A short week." in everything
    unpublished = catalogue.papers(published, newest)[6].paper_id  # relevant for mac, which is not published
    for private in (*PRIVATE, "Not out yet.", unpublished):
        assert private not in everything


def test_a_reopened_report_issue_is_gone(api, published, newest):
    reopen(published, "lab", newest, "A wrong paper.", person="Ann Lee")
    assert api.get(f"/report-issues/lab/{newest}").status_code == 404
    assert (str(newest), "lab") not in {(one["issue"], one["report"]) for one in walk(api, "/report-issues")[0]}
    assert ("lab", str(newest)) not in {(one["report"], one["issue"]) for one in walk(api, "/quality")[0]}


def test_an_unknown_or_unpublished_report_issue_is_not_found(api, newest):
    for path in (f"mac/{newest}", f"no/{newest}", "lab/1999-01-04", "lab/20261116", "lab/x", f"LAB/{newest}"):
        answer = api.get(f"/report-issues/{path}")
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


def test_an_empty_workspace_has_empty_lists(use, empty_store):
    api = use(empty_store)
    for path in ("/issues", "/reports", "/report-issues", "/quality"):
        assert api.get(path).json() == {"items": [], "next": None}


def test_links_begin_with_the_address_of_the_desk(api, monkeypatch, newest):
    monkeypatch.setenv("PRESORT_DESK_URL", "https://example.org/presort/")
    page = api.get("/report-issues?limit=1").json()
    assert page["items"][0]["url"] == f"https://example.org/presort/api/v1/report-issues/lab/{newest}"
    assert page["next"].startswith("https://example.org/presort/api/v1/report-issues?limit=1&cursor=")
    assert api.get("/openapi.json").json()["servers"] == [{"url": "https://example.org/presort/api/v1"}]
