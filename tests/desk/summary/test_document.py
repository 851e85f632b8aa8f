import math
import re
from datetime import date

import numpy as np
import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.errors import RefusedError
from presort.data.records import Report
from presort.data.running import service
from presort.desk.scores.effort import READING_EFFORT
from presort.desk.scores.formats import percent
from presort.desk.scores.table import MEASURED, scores
from presort.desk.summary import document, figures, headlines
from presort.metrics import Outcome, average_precision, compare_natural, copnori_loss, relative_last_position, score
from tests.desk.summary.parsed import Parsed

pytestmark = pytest.mark.whole

KRICHEL, ARXIV = "krichel-2007", "arxiv-sanity"
HOSTILE = '<script>alert("x")</script> & <b onclick=alert(1)>Wages</b> {{ 7 * 7 }}'
FIRST = pd.Timestamp("2026-01-05")


def table_of(last_places, n_papers=200, ranker=KRICHEL):
    """Return scores like `table.scores`, for reports with one relevant paper per issue at these places."""
    rows = [
        {
            "report": report,
            "issue": FIRST + pd.Timedelta(weeks=week),
            "ranker": ranker,
            "replay": pd.NA,
            "was_shown": False,
            "is_trained": True,
            "was_read_whole": True,
            "n_papers": n_papers,
            "n_relevant": 1,
            "outcome": Outcome([place], n_papers),
        }
        for report, places in last_places.items()
        for week, place in enumerate(places)
    ]
    table = pd.DataFrame(rows)
    return pd.concat([table, score(table["outcome"])], axis="columns")


def material_of(scored, ranker):
    return figures.material(scored, scored[scored["ranker"] == ranker])


def test_every_figure_of_a_report_equals_that_of_the_measures(replayed):
    scored = scores(replayed)
    mine = material_of(scored, ARXIV).mine
    table = figures.summarise_by_report(mine).set_index("report")
    assert len(table) > 3
    for report, rows in mine.groupby("report"):
        outcomes, found = rows["outcome"].tolist(), table.loc[report]
        last = [relative_last_position(outcome) for outcome in outcomes]
        gaps = [gap for outcome in outcomes if not math.isnan(gap := copnori_loss(outcome))]
        assert found["report_issues"] == len(outcomes)
        assert found["last"] == pytest.approx(np.mean(last))
        assert found["median"] == pytest.approx(np.median(last))  # all are newest
        assert found["average_precision"] == pytest.approx(np.mean([average_precision(one) for one in outcomes]))
        assert 10 ** found["copnori_power"] == pytest.approx(100 * float(sum(gaps) / len(gaps)))
    assert table["median"].is_monotonic_increasing


def test_medians_are_those_of_the_newest_issues():
    table = figures.summarise_by_report(table_of({"a": [*[100] * 20, *[20] * 13], "gone": [10] * 5}))
    assert table["report"].tolist() == ["a", "gone"]
    assert table["median"].tolist() == pytest.approx([0.1, math.nan], nan_ok=True)


def test_rankers_are_compared_with_the_first_in_natural_order(replayed):
    material = material_of(scores(replayed), KRICHEL)
    assert material.rankers == (KRICHEL, ARXIV)
    first, other = (material.fair[material.fair["ranker"] == name]["outcome"].tolist() for name in material.rankers)
    signs = [compare_natural(a, b) for a, b in zip(first, other, strict=True)]
    row = figures.side_by_side(material.fair, material.rankers).iloc[1]
    shares = [signs.count(sign) / len(signs) for sign in (-1, 0, 1)]
    assert [row["first_earlier"], row["same"], row["first_later"]] == pytest.approx(shares)
    assert shares[0] != shares[2]


def test_the_page_has_the_figures_of_the_tables(replayed):
    scored = scores(replayed)
    page = Parsed(document.summary_html(replayed, scored, ranker=ARXIV, made=date(2026, 12, 1)))
    mine = scored[(scored["ranker"] == ARXIV) & (scored["n_relevant"] > 0)]
    last = mine["relative_last_position"]
    assert f"{READING_EFFORT} {percent(last.mean())} about paper" in page.text
    assert f"median {percent(last.median())}; {len(mine)} report issues" in page.text
    n_issues, n_reports = mine["issue"].nunique(), mine["report"].nunique()
    n_papers = sum(
        issue.n_papers for issue in catalogue.issues(replayed) if pd.Timestamp(issue.date) in set(mine["issue"])
    )
    counts = f"{n_issues} issues · {n_papers} papers · {n_reports} reports · {len(mine)} report issues"
    assert f"ranked by {ARXIV} · {counts}" in page.text
    n_newest, n_before = figures.issues_to_compare(mine)
    assert headlines.verdict(material_of(scored, ARXIV)) in page.text
    assert 0 < n_newest <= n_issues
    assert n_before == 0
    assert f"({len(mine)} of {len(mine)} replayed)" in page.text
    assert "Created 2026-12-01" in page.text
    for report in catalogue.reports(replayed):
        assert (report.name in page.text) == (report.code in set(mine["report"]))


def test_each_issue_counts_with_the_ranker_in_use_at_the_time(replayed):
    service.set_rankers(replayed, KRICHEL, [], person="ada")
    days = [issue.date for issue in catalogue.issues(replayed)]
    scored = scores(replayed)
    shown = scored[(scored["ranker"] == ARXIV) & (scored["issue"] == pd.Timestamp(days[-2]))].index
    scored.loc[shown, "was_shown"] = True
    page = Parsed(document.summary_html(replayed, scored))
    some = scored[scored["n_relevant"] > 0]
    n_issues = some.loc[~some.index.isin(shown), "issue"].nunique() - 1
    assert f"ranked by {KRICHEL} ({n_issues} issues), {ARXIV} (1 issue) ·" in page.text


def test_papers_saved_are_counted_from_positions_in_list_order(replayed):
    scored = scores(replayed)
    mine = scored[(scored["ranker"] == KRICHEL) & (scored["n_relevant"] > 0)]
    saved, received = 0, []
    for row in mine.itertuples():
        day = row.issue.date()
        decided = decisions.labels(replayed, row.report, day)
        papers = [paper.paper_id for paper in catalogue.papers(replayed, day)]
        place = max(place for place, paper in enumerate(papers, start=1) if decided.get(paper) == "yes")
        saved += place - row.outcome.last
        received.append(place / len(papers))
    page = Parsed(document.summary_html(replayed, scored, ranker=KRICHEL))
    assert saved > 0
    assert f"In list order {percent(np.mean(received))}" in page.text
    assert f"{saved:,} papers and about" in page.text
    assert f"own pace in 0 of {len(mine)} report issues" in page.text


def test_a_replay_is_named(replayed):
    page = Parsed(document.summary_html(replayed, scores(replayed, replay=1), replay=1))
    assert "Rankings Replay 1: " in page.text
    assert "trained every 9 issues" in page.text


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        pytest.param(60, "worse", id="from-15-to-30-percent"),
        pytest.param(10, "better", id="from-15-to-5-percent"),
        pytest.param(30, "chance", id="as-before"),
    ],
)
def test_a_quarter_is_compared_with_the_one_before(late, expected):
    rng = np.random.default_rng(1)
    places = {f"r{n}": [*rng.poisson(30, 13) + 1, *rng.poisson(late, 13) + 1] for n in range(12)}
    change = figures.change(table_of(places))
    newest = np.mean([place[13:] for place in places.values()]) / 200
    before = np.mean([place[:13] for place in places.values()]) / 200
    assert (change.newest, change.before, change.n_reports) == (pytest.approx(newest), pytest.approx(before), 12)
    assert ("chance" if not change.is_sure else "better" if change.is_better else "worse") == expected


@pytest.mark.whole
def test_good_and_bad_weeks_shared_by_all_reports_are_rarely_a_change():
    rng = np.random.default_rng(2)
    n_sure = 0
    for _ in range(30):
        of_the_week = rng.uniform(20, 60, 26)
        noise = table_of({f"r{n}": rng.poisson(of_the_week) + 1 for n in range(20)})
        n_sure += figures.change(noise).is_sure
    assert n_sure <= 5  # 1.5 are expected at 5 % missed; more than 5 occur once in 300 times


@pytest.mark.parametrize(
    "n_weeks",
    [pytest.param(18, id="five-weeks-before"), pytest.param(1, id="one-week"), pytest.param(13, id="one-quarter")],
)
def test_a_quarter_without_one_before_is_not_judged(n_weeks):
    assert figures.change(table_of({"a": [5] * n_weeks, "b": [7] * n_weeks})) is None


def test_reports_in_only_one_quarter_do_not_count():
    table = table_of({"old": [5] * 26, "a": [8] * 26})
    is_new = table["issue"] > table["issue"].max() - figures.QUARTER
    table = table[(table["report"] == "a") | ~is_new]
    assert figures.change(table).n_reports == 1
    deeper = figures.summarise_by_report(table).set_index("report")["deeper"]
    assert math.isnan(deeper["old"])
    assert deeper["a"] == pytest.approx(0)


def test_deeper_counts_pairs_of_issues_of_both_quarters():
    rng = np.random.default_rng(3)
    before, newest = rng.integers(1, 40, (2, 13))
    found = figures.summarise_by_report(table_of({"a": [*before, *newest]})).set_index("report")["deeper"]["a"]
    assert found == pytest.approx(np.sign(newest[:, None] - before).mean())


def test_more_relevant_papers_are_no_change_for_the_worse():
    """The relative last position grows with the number of relevant papers, although the ranker is as good as before."""
    rng = np.random.default_rng(4)
    quarters = [table_of({f"r{n}": [1] * 13 for n in range(12)}) for _ in range(2)]
    quarters[1]["issue"] += figures.QUARTER
    for rows, n_relevant in zip(quarters, (4, 12), strict=True):
        rows["outcome"] = [
            Outcome(np.sort(rng.choice(200, n_relevant, replace=False)) + 1, 200) for _ in range(len(rows))
        ]
        rows["n_relevant"], rows["relative_last_position"] = n_relevant, [one.last / 200 for one in rows["outcome"]]
    change = figures.change(pd.concat(quarters, ignore_index=True))
    assert change.newest > change.before + 0.05
    assert not change.is_sure


def test_the_trend_is_a_mean_of_four_issues():
    table = table_of({"a": [10, 30, 20, 60, 100], "b": [2]})
    running = figures.running_last(table)
    assert running["running"].tolist() == pytest.approx([0.05, 0.1, 0.1, 0.15, 0.2625, 0.01])
    assert document.sparks(table) == {"a": "0.0,16.2 25.0,12.4 50.0,12.4 75.0,8.6 100.0,0.0", "b": "0.0,0.0"}


def test_distances_below_the_smallest_float_are_averaged():
    assert figures.mean_power(pd.Series([-400.0, -math.inf, -400.0])) == pytest.approx(-400 + math.log10(2 / 3))
    assert document.distance_text(figures.mean_power(pd.Series([-400.0, -400.0]))) == "1.0e-400 %"


def test_a_lead_over_another_ranker_may_be_chance():
    rng = np.random.default_rng(4)
    places = {f"r{n}": rng.poisson(30, 20) + 1 for n in range(10)}
    as_good = {report: rng.permutation(mine) for report, mine in places.items()}
    worse = {report: mine + 6 for report, mine in places.items()}
    table = pd.concat([table_of(places), table_of(as_good, ranker="as-good"), table_of(worse, ranker="worse")])
    assert not figures.is_clear_winner(table, KRICHEL, "as-good")
    assert figures.is_clear_winner(table, KRICHEL, "worse")
    assert figures.is_clear_winner(table, "as-good", "worse")
    assert not figures.is_clear_winner(table, "worse", "as-good")
    assert not figures.is_clear_winner(table[(table["report"] == "r0") & (table["issue"] == FIRST)], KRICHEL, "worse")


@pytest.mark.parametrize(("first", "other"), [(KRICHEL, ARXIV), (ARXIV, KRICHEL)])
def test_the_best_ranker_is_named_in_the_summary_of_any_ranker(replayed, first, other):
    scored = scores(replayed)
    material = material_of(scored, first)
    means = material.fair.groupby("ranker")["relative_last_position"].mean().map(percent)
    page = Parsed(document.summary_html(replayed, scored, ranker=first))
    assert means[ARXIV] != means[KRICHEL]
    best = ARXIV if float(means[ARXIV].split()[0]) < float(means[KRICHEL].split()[0]) else KRICHEL
    behind = other if best == first else first
    note = page.text.partition(f"{best} {means[best]}")[2][:60]
    assert means[behind] in note
    assert behind in note


def test_a_ranker_with_a_single_good_list_is_not_the_best():
    one_list = table_of({"lab": [4]}, ranker=ARXIV)
    assert figures.best_ranker(pd.concat([one_list, table_of({"mac": [10] * 40})])) == KRICHEL
    assert figures.best_ranker(one_list) == ARXIV
    assert figures.best_ranker(one_list.assign(n_relevant=0)) is None


def test_the_best_ranker_is_the_best_on_the_lists_that_all_ranked():
    """A report with hard lists, which the other ranker never ranked, must not be a disadvantage."""
    both = [table_of({"lab": [10] * 20, "hard": [150] * 20}), table_of({"lab": [12] * 20}, ranker=ARXIV)]
    assert figures.best_ranker(pd.concat(both)) == KRICHEL


def test_a_ranker_that_ranked_little_is_named_but_not_compared(replayed):
    scored = scores(replayed)
    few = scored[(scored["ranker"] == KRICHEL) | (scored["issue"] == scored["issue"].max())]
    material = material_of(few, KRICHEL)
    assert (material.rankers, material.too_few) == ((KRICHEL,), (ARXIV,))
    assert len(material.fair) == len(material.mine)
    page = Parsed(document.summary_html(replayed, few, ranker=KRICHEL))
    assert f"Rankers with too few lists in common {ARXIV}" in page.text
    assert "Earlier: share of report issues" not in page.text


def test_names_are_escaped(replayed):
    for report in catalogue.reports(replayed):
        catalogue.rename_report(replayed, report.code, HOSTILE)
    page = document.summary_html(replayed, scores(replayed))
    assert "script" not in Parsed(page).tags
    assert "b" not in Parsed(page).tags
    assert HOSTILE in Parsed(page).text


def test_the_page_is_self_contained(replayed):
    page = document.summary_html(replayed, scores(replayed))
    parsed = Parsed(page)
    assert not {"script", "link", "img", "iframe", "object", "embed", "a", "form", "base", "use"} & set(parsed.tags)
    addresses = re.findall(r"""\b[a-z]+://[^\s"'<]+""", page)
    # names of namespaces, never fetched
    assert set(addresses) <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert not re.search(r"url\(|@import", page)
    assert not [name for name, _ in parsed.attributes if name.startswith("on") or name in ("src", "href")]
    assert "default-src 'none'" in page
    assert parsed.tags.count("svg") > len(figures.summarise_by_report(material_of(scores(replayed), ARXIV).mine))


def test_65_reports_over_a_year_are_a_small_file(empty_store):
    rng = np.random.default_rng(3)
    codes = [f"report-{n}" for n in range(65)]
    catalogue.add_reports(empty_store, [Report(code, f"The subject of {code}") for code in codes])
    rankers = [KRICHEL, ARXIV, "asreview-u4", "presort-1"]
    year = [table_of({code: rng.integers(1, 201, 52) for code in codes}, ranker=name) for name in rankers]
    page = document.summary_html(empty_store, pd.concat(year, ignore_index=True))
    assert page.count("<polyline") == 65
    assert len(page.encode()) < 1_000_000 / 5


@pytest.mark.parametrize("ranker", [None, "asreview-u4"])
def test_without_anything_relevant_there_is_no_page(replayed, ranker):
    scored = scores(replayed)
    with pytest.raises(RefusedError, match="Nothing to summarise"):
        document.summary_html(replayed, scored if ranker else scored[scored["n_relevant"] == 0], ranker=ranker)


def test_report_issues_without_relevant_papers_are_left_out_and_counted(replayed):
    scored = scores(replayed)
    none = scored[scored["ranker"] == KRICHEL].head(2).assign(n_relevant=0, outcome=Outcome([], 40))
    none = none.assign(issue=none["issue"] - pd.Timedelta(weeks=50))
    none[list(MEASURED)] = math.nan
    page = Parsed(document.summary_html(replayed, pd.concat([scored, none], ignore_index=True), ranker=KRICHEL))
    assert "No relevant paper 2 report issues (left out)" in page.text
