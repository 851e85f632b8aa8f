"""In a real browser: graph of rankers and reports, upload of a scores file, and downloads of tables."""

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from presort.desk.systems_topics.page import TABS
from tests.browser.pages import choose_in, downloaded, look_as, scrolls_sideways, wait_until_calm

GRAPH, _, SUBSET = TABS
HOSTILE = (
    'topic,"=HYPERLINK(""http://localhost/"")","<script>document.title = \'owned\'</script>",plain\n'
    "**bold**,0.9,0.5,0.1\n[link](javascript:alert(1)),0.2,0.3,0.4\n$x$,0.4,0.1,0.6\n"
)


def test_rankers_and_reports_of_the_demo(page, looked_at):
    page.goto(f"{looked_at}/systems-topics?tab={GRAPH}")
    expect(page.get_by_role("heading", name="Systems and topics")).to_be_visible()
    expect(page.get_by_test_id("stMetric")).to_have_count(4)
    expect(page.locator(".stVegaLiteChart :is(canvas, svg)").nth(1)).to_be_visible()
    for width in (400, 1300):
        look_as(page, width=width)
        wait_until_calm(page)
        assert not scrolls_sideways(page), width

    pale = page.locator('.stVegaLiteChart svg [opacity="0.05"]')
    expect(pale).to_have_count(0)
    page.locator(".st-key-reserved-graph svg text", has_text="lab").first.click(force=True)
    expect(pale).not_to_have_count(0)

    lines = downloaded(page, "All lines as CSV")
    assert set(lines[0]) == {"ranker", "report", "weight"}
    weights = [abs(float(row["weight"])) for row in lines]
    assert weights == sorted(weights, reverse=True)
    reports = downloaded(page, "All reports as CSV")
    assert len(reports) == len({row["report"] for row in lines})
    assert {"mean", "hub", "authority", "inlinks", "pagerank"} < set(reports[0])
    hardest = min(reports, key=lambda row: float(row["mean"]))
    expect(page.get_by_test_id("stMetric").first).to_contain_text(hardest["report"])

    choose_in(page, "Measure", "Nosel")
    page.get_by_role("tab", name=SUBSET).click()
    expect(page.get_by_test_id("stMetric")).to_have_count(6)
    page.get_by_role("slider").press("ArrowRight")
    expect(page).to_have_url(re.compile(r"[?&]k=4\b"))
    page.goto(page.url)  # the address restores the view
    expect(page.get_by_role("combobox", name="Measure")).to_have_value("Nosel")
    picked = [row["report"] for row in downloaded(page, "Subset as CSV")]
    assert len(picked) == 4
    page.get_by_role("link", name="Compare the rankers on these reports").click()
    expect(page.get_by_role("heading", name="Compare")).to_be_visible()
    for report in picked:
        expect(page.get_by_test_id("stMultiSelect").filter(has_text=report)).to_have_count(1)
    assert parse_qs(urlsplit(page.url).query)["reports"] == picked


def test_a_point_selects_the_row_that_opens_its_report(page, looked_at):
    page.goto(f"{looked_at}/systems-topics")
    expect(page.get_by_test_id("stMetric")).to_have_count(4)
    wait_until_calm(page)
    page.locator(".st-key-points .mark-symbol.role-mark path").nth(3).click(force=True)
    expect(page).to_have_url(re.compile(r"[?&]topic=\w+"))
    topic = parse_qs(urlsplit(page.url).query)["topic"][0]
    wait_until_calm(page)
    page.get_by_role("link", name=f"Open {topic}").click()
    expect(page).to_have_url(re.compile(rf"/report\?.*report={topic}"))
    expect(page.get_by_role("heading", name="Report", exact=True)).to_be_visible()


def test_the_figures_of_the_paper_are_in_advanced(page, looked_at):
    page.goto(f"{looked_at}/systems-topics")
    expect(page.get_by_test_id("stMetric")).to_have_count(4)
    wait_until_calm(page)
    page.get_by_test_id("stExpander").get_by_text("Advanced").click()
    expect(page.get_by_role("button", name="Correlations as CSV")).to_be_visible()
    choose_in(page, "Figure to plot", "Authority")
    expect(page).to_have_url(re.compile("figure=authority"))
    assert {"first", "second", "systems", "topics"} == set(downloaded(page, "Correlations as CSV")[0])


def test_a_scores_file_from_elsewhere(page, looked_at, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(HOSTILE)
    page.goto(f"{looked_at}/systems-topics?from=file&advanced=true")
    page.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_text("3 systems · 3 topics")).to_be_visible()
    rows = downloaded(page, "Scores as CSV")
    assert [row["system"] for row in rows] == [
        '\'=HYPERLINK("http://localhost/")',
        "<script>document.title = 'owned'</script>",
        "plain",
    ]
    assert page.title() != "owned"

    wrong = tmp_path / "wrong.csv"
    wrong.write_text("topic,a,b\n1,0.5,high\n2,1,1\n")
    page.locator("input[type=file]").set_input_files(wrong)
    expect(page.get_by_text("wrong.csv, row 2, column b: 'high' is not a number")).to_be_visible()
