"""A Monday in a real browser: open the demo, review, issue, and see the score on Quality."""

import csv
import math
import re
from datetime import date

import pytest
from playwright.sync_api import expect

from data import catalogue, rankings, reviews
from data.publish import publish
from data.records import Decision, ListedPaper, Paper
from data.store import open_store
from metrics import MEASURES
from ranker.versions import DEFAULT
from tests.browser.conftest import serving

NEWEST = date(2026, 11, 16)
HOSTILE = [
    "<script>document.title = 'owned'</script> Wages",
    '=HYPERLINK("http://localhost/", "click")',
    "**Bold** _wages_ [link](javascript:alert(1)) :material/delete: :red[taxes]",
    "الأجور والبطالة في الاقتصاد",
    "Bounds of order $O(n^{2})$ and costs of $5 & more < less > \\LaTeX{}",
    "A very long title " * 170,
]


@pytest.fixture
def store(workspace):
    store = open_store(workspace)
    yield store
    store.close()


def shown_titles(page, n):
    return [page.locator(f".st-key-paper-{place} [data-testid=stText]").first.inner_text() for place in range(1, n + 1)]


def decide(page, place, word):
    page.locator("[data-testid=stHorizontalBlock]").filter(has=page.locator(f".st-key-paper-{place}")).get_by_role(
        "radio", name=word
    ).click()


def test_a_week_of_one_report(page, server, store):
    page.goto(f"{server}/?report=lab")
    expect(page.get_by_text("Demo: the papers")).to_be_visible()
    expect(page.get_by_text(re.compile(rf"sorted by {DEFAULT}, from \d+ relevant papers"))).to_be_visible()
    ranking = rankings.newest_rankings(store, "lab", NEWEST)[DEFAULT].ranking
    papers = catalogue.papers(store, NEWEST)
    in_order = [papers[p - 1] for p in ranking.positions.tolist()]
    expect(page.locator(".st-key-paper-50")).to_be_visible()
    assert shown_titles(page, 50) == [paper.title for paper in in_order[:50]]

    for n, place in enumerate((1, 3, 12), start=1):
        decide(page, place, "relevant")
        expect(page.get_by_text(f"{n} relevant · 0 maybe · 0 no · saved")).to_be_visible()
    decide(page, 2, "maybe")
    decide(page, 4, "no")
    expect(page.get_by_text("3 relevant · 1 maybe · 1 no · saved")).to_be_visible()
    assert reviews.words(store, "lab", NEWEST) == {
        in_order[0].paper_id: "yes",
        in_order[1].paper_id: "maybe",
        in_order[2].paper_id: "yes",
        in_order[3].paper_id: "no",
        in_order[11].paper_id: "yes",
    }

    page.locator(".st-key-paper-1").get_by_text("Abstract").click()
    expect(page.locator(".st-key-paper-1").get_by_text(in_order[0].abstract)).to_be_visible()

    page.get_by_role("button", name="Issue lab").click()
    page.get_by_role("button", name="Issue it").click()
    expect(page.get_by_text("lab 2026-11-16 was issued with 3 papers.")).to_be_visible()
    expect(page.get_by_text(f"Your last relevant paper stood at 12 of {len(papers)}")).to_be_visible()
    gone_out = reviews.issued(store, "lab")[NEWEST]
    assert gone_out.published == tuple(ranking.positions[[0, 2, 11]].tolist())

    page.reload()  # what was shown when it went out is judged, also later and beside other rankers
    expect(page.get_by_text(f"Your last relevant paper stood at 12 of {len(papers)}")).to_be_visible()
    page.get_by_role("link", name="Quality").click()
    expect(page.get_by_role("heading", name="Means over the issues")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download all measures as CSV").click()
    with download.value.path().open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["issue"] == "2026-11-16" and row["ranker"] == DEFAULT]
    assert [(row["last_relevant_position"], row["n_relevant"], row["n_papers"]) for row in rows] == [
        ("12.0", "3", str(len(papers)))
    ]


def test_the_light_turns_red_and_ten_of_the_rest_are_still_there_after_a_reload(page, server, store):
    n_papers = len(catalogue.papers(store, NEWEST))
    page.goto(f"{server}/?report=lab")
    box = page.locator(".st-key-light")
    for place in (1, 2):
        decide(page, place, "relevant")
    decide(page, 50, "no")
    expect(box).to_contain_text(f"read to here 50 of {n_papers}")
    box.get_by_role("radio", name="80 %").click()
    rule = page.get_by_text("From here the chance of a missed paper is below 20 %.")
    expect(rule).to_be_attached()
    expect(box).to_contain_text(re.compile(r"Green: a relevant paper .* red expected near paper \d+"))
    first_below = int(re.search(r"near paper (\d+)", box.inner_text())[1]) + 1
    page.get_by_role("button", name=f"Page {math.ceil(first_below / 50)}", exact=True).click()
    expect(rule).to_be_visible()
    top, top_below = (found.bounding_box()["y"] for found in (rule, page.locator(f".st-key-paper-{first_below}")))
    assert 0 < top_below - top < 60
    decide(page, first_below, "no")
    expect(box).to_contain_text("Red: you may stop; the chance of a missed paper is below 20 %.")

    page.get_by_role("button", name="Ten at random from the rest").click()
    rows = page.locator("[class*=st-key-paper-]")
    expect(rows).to_have_count(10)
    expect(box).to_contain_text(
        f"drawn from the {n_papers - first_below} papers below {first_below}: 10 left to decide"
    )
    drawn = rows.all_inner_texts()
    page.get_by_role("radio", name="no").first.click()
    expect(box).to_contain_text("9 left to decide")
    page.reload()
    expect(box).to_contain_text("9 left to decide")
    expect(rows).to_have_count(10)
    assert rows.all_inner_texts() == drawn
    expect(box).to_contain_text(f"read to here {first_below} of {n_papers}")
    expect(box).to_contain_text("Red: you may stop; the chance of a missed paper is below 20 %.")


def test_clicks_faster_than_the_server_answers_are_all_kept(page, server, store):
    page.goto(f"{server}/?report=mon")
    decide(page, 1, "relevant")
    expect(page.get_by_text("1 relevant · 0 maybe · 0 no · saved")).to_be_visible()
    page.get_by_role("radio", name="relevant").evaluate_all(
        """async boxes => {
            for (const box of boxes.slice(1, 20)) {
                box.click();
                await new Promise(next => setTimeout(next, 40));
            }
        }"""
    )
    expect(page.get_by_text("20 relevant · 0 maybe · 0 no · saved")).to_be_visible()
    assert sorted(reviews.words(store, "mon", NEWEST).values()) == ["yes"] * 20


def test_the_original_order_and_the_other_pages_of_the_list(page, looked_at, store):
    page.goto(f"{looked_at}/?report=mac")
    page.get_by_role("radio", name="as received").click()
    papers = catalogue.papers(store, NEWEST)
    expect(page.locator(".st-key-paper-1").get_by_text(papers[0].title, exact=True)).to_be_visible()
    page.get_by_role("button", name="Page 2").click()
    expect(page.locator(".st-key-paper-51").get_by_text(papers[50].title, exact=True)).to_be_visible()
    expect(page.locator(".st-key-paper-50")).to_have_count(0)


def test_an_address_brings_back_what_it_showed(page, looked_at):
    page.goto(f"{looked_at}/quality?report=mac&measure=nosel&replay=1")
    expect(page.get_by_role("combobox", name="Rankings")).to_have_value(re.compile("Replay 1: 2026-07-27"))
    expect(page.get_by_role("combobox", name="Measure")).to_have_value("Nosel")
    page.get_by_role("link", name="Review").click()
    expect(page.get_by_role("combobox", name="Report")).to_have_value(re.compile("mac"))
    page.wait_for_url(re.compile("report=mac"))


def test_measures_are_explained(page, looked_at):
    page.goto(f"{looked_at}/measures")
    strict = page.get_by_role("cell", name="kept strictly: a better outcome always scores better")
    expect(strict).to_have_count(sum(measure.natural_order == "strict" for measure in MEASURES.values()))
    nosel = MEASURES["nosel"]
    page.locator("summary").get_by_text(nosel.label, exact=True).click()
    expect(page.get_by_text(f"{nosel.worked} = 0.2")).to_be_visible()
    expect(page.get_by_text(nosel.misleads)).to_be_visible()


@pytest.mark.parametrize("look", [{"color_scheme": "dark"}, {"viewport": {"width": 400, "height": 800}}])
def test_every_page_opens_in_the_dark_and_narrow(chromium, looked_at, look):
    context = chromium.new_context(**look)
    page = context.new_page()
    for path, text in {"": "sorted by", "quality": "Means over the issues", "measures": "natural order"}.items():
        page.goto(f"{looked_at}/{path}")
        expect(page.get_by_text(text).first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    context.close()


def test_hostile_titles_are_text(page, workspace, store):
    day = date(2026, 11, 23)
    publish(
        store,
        [ListedPaper(Paper(f"h{n}", title.strip(), title, (title[:60],)), day) for n, title in enumerate(HOSTILE)],
        person="import",
    )
    with serving(workspace) as address:
        page.goto(f"{address}/?report=lab&issue={day}")
        expect(page.locator(".st-key-paper-6")).to_be_visible()
        shown = shown_titles(page, 6)
        assert shown[:5] == HOSTILE[:5]
        assert shown[5].endswith("…")
        assert page.title() != "owned"
        assert page.locator(".st-key-paper-3 a").count() == 0
        decide(page, 2, "relevant")
        expect(page.get_by_text("1 relevant")).to_be_visible()


def test_an_empty_workspace_says_what_to_do_on_every_page(page, tmp_path):
    with serving(tmp_path / "new") as address:
        page.goto(address)
        expect(page.get_by_text("No issue yet")).to_be_visible()
        page.goto(f"{address}/quality")
        expect(page.get_by_text("No report yet")).to_be_visible()
        page.goto(f"{address}/measures")
        expect(page.get_by_text("Relative last position")).to_be_visible()


def test_a_decision_survives_a_killed_server(page, workspace, store):
    with serving(workspace) as address:
        page.goto(f"{address}/?report=env")
        decide(page, 7, "relevant")
        expect(page.get_by_text("1 relevant · 0 maybe · 0 no · saved")).to_be_visible()
    with serving(workspace) as address:
        page.goto(f"{address}/?report=env")
        expect(page.get_by_text("1 relevant · 0 maybe · 0 no · saved")).to_be_visible()


def test_two_people_on_one_report_see_each_other(page, server, store):
    papers = catalogue.papers(store, NEWEST)
    page.goto(f"{server}/?report=pub")
    decide(page, 1, "relevant")
    expect(page.get_by_text("1 relevant")).to_be_visible()
    other = next(paper.paper_id for paper in papers if paper.paper_id not in reviews.words(store, "pub", NEWEST))
    reviews.decide(store, [Decision("pub", NEWEST, other, "yes", "somebody else")])
    decide(page, 2, "maybe")
    expect(page.get_by_text(re.compile("[12] relevant · [01] maybe"))).to_be_visible()
    assert len(reviews.words(store, "pub", NEWEST)) in (2, 3)
