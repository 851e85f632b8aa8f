"""In a real browser: rankers and reports judge each other, a scores file is shown, tables are taken along."""

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from tests.browser.pages import choose_in, downloaded, look_as, scrolls_sideways, wait_until_calm

HOSTILE = (
    'topic,"=HYPERLINK(""http://localhost/"")","<script>document.title = \'owned\'</script>",plain\n'
    "**bold**,0.9,0.5,0.1\n[link](javascript:alert(1)),0.2,0.3,0.4\n$x$,0.4,0.1,0.6\n"
)


def test_rankers_and_reports_of_the_demo(page, looked_at):
    page.goto(f"{looked_at}/systems-topics")
    expect(page.get_by_role("heading", name="Systems and topics")).to_be_visible()
    expect(page.get_by_text("sorted and that Relative last position is defined for.")).to_be_visible()
    expect(page.locator(".stVegaLiteChart canvas, .stVegaLiteChart svg").nth(3)).to_be_visible()
    for width in (400, 1300):
        look_as(page, width=width)
        wait_until_calm(page)
        assert not scrolls_sideways(page), width

    pale = page.locator('.stVegaLiteChart svg [opacity="0.05"]')
    expect(pale).to_have_count(0)
    page.locator(".stVegaLiteChart svg text", has_text="lab").first.click(force=True)
    expect(pale).not_to_have_count(0)

    choose_in(page, "Measure", "Nosel")
    expect(page.get_by_text("sorted and that Nosel is defined for.")).to_be_visible()
    choose_in(page, "Against the mean", "Authority")
    expect(page.get_by_text("Authority: a ranker that telling reports find good")).to_be_visible()
    page.get_by_role("slider").press("ArrowRight")
    expect(page.get_by_text("These 4 of 12 reports keep the order of the rankers")).to_be_visible()
    expect(page).to_have_url(re.compile(r"[?&]k=4\b"))

    page.goto(page.url)  # the address brings back what was seen
    expect(page.get_by_text("sorted and that Nosel is defined for.")).to_be_visible()
    expect(page.get_by_text("Authority: a ranker that telling reports find good")).to_be_visible()
    expect(page.get_by_text("These 4 of 12 reports keep the order of the rankers")).to_be_visible()
    lines = downloaded(page, "All lines as CSV")
    assert set(lines[0]) == {"ranker", "report", "weight"}
    weights = [abs(float(row["weight"])) for row in lines]
    assert weights == sorted(weights, reverse=True)
    assert len(downloaded(page, "All reports as CSV")) == len({row["report"] for row in lines})

    picked = [row["report"] for row in downloaded(page, "Picked as CSV")]
    page.get_by_role("link", name="Compare the rankers on these reports only").click()
    expect(page.get_by_role("heading", name="Compare")).to_be_visible()
    for report in picked:
        expect(page.get_by_test_id("stMultiSelect").filter(has_text=report)).to_have_count(1)
    assert parse_qs(urlsplit(page.url).query)["reports"] == picked


def test_a_scores_file_from_elsewhere(page, looked_at, tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(HOSTILE)
    page.goto(f"{looked_at}/systems-topics?from=file")
    page.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_text("3 systems, 3 topics.")).to_be_visible()
    expect(page.get_by_text(re.compile(r"topics keep|topic keeps|of 3 topics"))).to_be_visible()
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
