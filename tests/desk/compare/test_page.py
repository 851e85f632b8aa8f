"""Compare as `AppTest` sees it."""

import json
import re

import pandas as pd
import pytest

from presort.data import catalogue
from presort.data.running import service
from presort.desk.compare import page as compare
from presort.desk.compare import tables, words
from presort.desk.scores import pairs
from presort.desk.scores import table as scores_table
from presort.desk.scores.differences import NATURAL, differences, leads
from presort.desk.scores.pairs import pair_up
from presort.desk.text import plain
from presort.desk.ui import cache
from presort.metrics import Outcome, f_curve, score
from presort.ranker.versions import DEFAULT

OPENED = dict.fromkeys(["each", "ratios", "weights", "lists"], "true")
OLD, NEW = "arxiv-sanity", "krichel-2007"


def compare_page():
    from presort.desk.compare import page

    page.show()


def test_nothing_to_compare_says_what_to_do(empty_store, open_page):
    page = open_page(compare_page, empty_store)
    assert not page.exception
    assert "once a report issue has gone out" in page.info[0].value
    assert [link.proto.label for link in page.get("page_link")] == ["What waits this week"]


def test_one_ranker_only_says_so(finished, open_page):
    page = open_page(compare_page, finished)
    assert not page.exception
    assert page.info[0].value.startswith("Only krichel-2007 has sorted")
    assert [link.proto.query_string for link in page.get("page_link")] == ["part=rankers"]


def test_one_ranker_chosen_asks_for_another(replayed, open_page):
    page = open_page(compare_page, replayed, rankers=OLD)
    assert not page.exception
    assert page.info[0].value == "Choose two rankers or more."


def test_what_stands_on_the_page_is_what_the_functions_say(replayed, open_page):
    page = open_page(compare_page, replayed, against=OLD, **OPENED)
    assert not page.exception
    paired = pair_up(scores_table.scores(replayed), [OLD, NEW])
    found = pd.concat([leads(paired, OLD), differences(paired, OLD)], ignore_index=True)
    table, improved, points = (frame.value for frame in page.dataframe)
    pd.testing.assert_frame_equal(table[found.columns], found)
    counts = pairs.win_tie_loss(paired, OLD)
    (pair_result,) = tables.pair_results(counts, found[found["measure"] == NATURAL], OLD).values()
    assert page.header[0].value == plain(words.verdict(pair_result, DEFAULT))
    answers = " ".join(text.value for text in page.markdown)
    assert plain(words.chance_says(pair_result, 2)) in answers
    assert not any("pairs" in caption.value or "not read to the end" in caption.value for caption in page.caption)
    assert len(points) == len(paired.cases)
    assert set(improved["ranker"]) == {OLD, NEW}
    assert len(page.get("vega_lite_chart")) == 5
    assert len(page.get("download_button")) == 4


def test_three_rankers_are_tested_at_once_too(open_with):
    def with_third(table):
        return pd.concat([table, far_better(table[table["ranker"] == NEW]).assign(ranker="third")], ignore_index=True)

    page = open_with(with_third, against=OLD, candidate="third", each="true")
    assert not page.exception
    (answer,) = [text.value for text in page.markdown if text.value.startswith("**Is it chance?**")]
    found = page.dataframe[0].value.set_index(["measure", "ranker"])
    p = found.loc[(NATURAL, "third"), "tukey"]
    at_once = f"Tested all at once (Tukey), chance seldom sets any two of these rankers so far apart: p {p:.3f}."
    assert answer.endswith(plain(at_once))
    assert words.many_says(3) in [caption.value for caption in page.caption]
    assert found["tukey"].notna().sum() == 2 * (len(scores_table.MEASURED) - 1) + 2  # all but the medians of 2-Ponori
    assert "tukey_text" not in page.dataframe[0].proto.column_order
    page.toggle(key="more-figures").set_value(True).run(timeout=30)
    assert "tukey_text" in page.dataframe[0].proto.column_order
    assert any("all at once (randomised Tukey HSD)" in one.value for one in page.caption)


@pytest.mark.parametrize(
    ("apart", "n_small"), [pytest.param(0.2, 0, id="far-apart"), pytest.param(0.004, 1, id="hardly-apart")]
)
def test_swaps_between_rankers_about_as_good_are_small(apart, n_small):
    curve = f_curve([[0.5], [0.5 + apart]], [[0.5 + apart], [0.5]])
    assert len(curve.swaps) == 1
    assert tables.small_swaps(curve, 0.01) == n_small


def test_the_sentence_and_the_table_have_one_direction(replayed, open_page):
    for against in (OLD, NEW):
        page = open_page(compare_page, replayed, against=against, each="true")
        (lead,) = [text.value for text in page.markdown if "the lead of" in text.value]
        ahead, low, high = re.search(r"the lead of (\S+) over \S+ is (-?\d+) to (-?\d+) points", lead).groups()
        table = page.dataframe[0]
        heads = json.loads(table.proto.columns)
        assert heads["difference_text"]["label"] == f"{ahead} better by"
        natural = table.value.set_index("measure").loc[NATURAL]
        found = [round(float(end)) for end in re.findall(r"[+-][\d.]+", natural["interval_text"])]
        assert found == [int(low), int(high)]
        assert natural["difference_text"].startswith("+")
        # Of last positions the lower is better, and yet has the same sign.
        assert (natural["effect"] > 0) == (
            table.value.set_index("measure").loc["search_length", "difference_text"][0] == "+"
        )


def test_figures_are_drawn_only_once_they_are_opened(replayed, open_page, monkeypatch):
    monkeypatch.setattr(compare, "differences", lambda *_: pytest.fail("nobody asked for them"))
    page = open_page(compare_page, replayed)
    assert not page.exception
    assert len(page.get("vega_lite_chart")) == 1
    assert not page.dataframe
    questions = ["Is it chance?", "Does it depend on the measure?", "And on how much each", "How far apart are they?"]
    texts = [text.value for text in page.markdown if text.value.startswith("**")]
    assert all(text.startswith(f"**{question}") for text, question in zip(texts, questions, strict=True))


def test_span_and_reports_narrow_it_down(replayed, open_page):
    days = sorted({issue.date for issue in catalogue.issues(replayed)})
    page = open_page(compare_page, replayed, first=days[4], last=days[5], reports="lab", **OPENED)
    points = page.dataframe[2].value
    assert set(points["report"]) == {"lab"}
    assert set(points["issue"].dt.date) <= {days[4], days[5]}
    assert not page.exception
    assert "nothing can be told from chance" in " ".join(caption.value for caption in page.caption)


def test_lists_that_were_not_read_whole_are_said_to_favour_the_ranker_they_were_read_in(replayed, open_with):
    def two_in_part(table):
        keys = table[["report", "issue"]].drop_duplicates().head(2)
        is_part = pd.MultiIndex.from_frame(table[["report", "issue"]]).isin(pd.MultiIndex.from_frame(keys))
        return table.assign(was_read_whole=~is_part)

    n = len(pair_up(scores_table.scores(replayed), [OLD, NEW]).cases)
    page = open_with(two_in_part)
    assert page.caption[0].value == words.partly_read(2, n)


def test_the_address_brings_back_what_is_shown(replayed, open_page):
    asked = {"against": NEW, "measure": "copnori", "one": "reliability_at_30", "other": "sensitivity_at_30"}
    page = open_page(compare_page, replayed, **asked, **OPENED)
    assert {name: page.query_params[name] for name in asked} == asked
    all_text = " ".join(text.value for text in page.markdown)
    assert "by Reliability of the first 30 and Sensitivity of the first 30 at once" in all_text


def test_two_measures_that_follow_the_natural_order_are_said_to_tell_nothing(replayed, open_page):
    """In the answer itself: what a closed box says is not read."""
    page = open_page(compare_page, replayed, one="nosel", other="copnori")
    (answer,) = [text.value for text in page.markdown if text.value.startswith("**Does it depend on the measure?**")]
    assert "These two can't tell: Nosel and Copnori follow the natural order" in answer
    page = open_page(compare_page, replayed)
    (answer,) = [text.value for text in page.markdown if text.value.startswith("**Does it depend on the measure?**")]
    assert "by Nosel and Average precision at once" in answer


def test_who_is_ahead_whatever_the_weight_is_named(replayed, open_page):
    page = open_page(compare_page, replayed, one="reliability_at_30", other="sensitivity_at_30")
    (answer,) = [
        text.value for text in page.markdown if text.value.startswith("**And on how much each measure weighs?**")
    ]
    curve = pairs.f_curves(pair_up(scores_table.scores(replayed), [OLD, NEW]), pairs.PAIR_OF_F)
    ahead = [OLD, NEW][int(curve.mean_f[:, 50].argmax())]
    assert f"in the same order, {plain(ahead)} first." in answer


def test_a_report_issue_that_is_picked_is_opened(replayed, open_page):
    point = open_page(compare_page, replayed, lists="true").dataframe[0].value.iloc[0]
    page = open_page(compare_page, replayed, picked=point["at"])
    assert not page.exception
    assert any(one.value.startswith(f"**{point['report']} · {point['issue']:%Y-%m-%d}") for one in page.markdown)
    assert len(page.get("vega_lite_chart")) == 3
    assert {link.label for link in page.get("page_link")[-2:]} == {f"Open the list by {name}" for name in (OLD, NEW)}


@pytest.fixture
def open_with(monkeypatch, open_page, replayed):
    """Open the page on other scores than those of the workspace."""

    def run(change, **query):
        table = change(scores_table.scores(replayed))
        monkeypatch.setattr(cache, "all_scores", lambda replay: table)
        return open_page(compare_page, replayed, **query)

    return run


def with_outcomes(table, outcomes):
    sizes = {"n_papers": [each.n for each in outcomes], "n_relevant": [each.r for each in outcomes]}
    scores = score(outcomes)
    return table.assign(outcome=outcomes, **sizes, **{name: scores[name] for name in scores})


def test_equal_outcomes_leave_nothing_to_choose(replayed, open_with):
    first = scores_table.scores(replayed).iloc[0]
    picked = f"{first['report']} {first['issue']:%Y-%m-%d}"
    page = open_with(lambda table: with_outcomes(table, [Outcome([1, 4], 9)] * len(table)), picked=picked, **OPENED)
    assert not page.exception
    assert re.search("No difference: .* the same places in all .* Keep what you have", page.header[0].value)
    assert "use-ranker" not in [button.key for button in page.button]
    assert any("the last one stands at 4" in one.value for one in page.markdown)


def test_no_relevant_paper_anywhere_is_said(open_with):
    page = open_with(lambda table: with_outcomes(table, [Outcome([], 9)] * len(table)))
    assert not page.exception
    assert "have nothing relevant" in page.info[0].value


def test_everything_relevant_everywhere_is_said(open_with):
    page = open_with(lambda table: with_outcomes(table, [Outcome([1, 2], 2)] * len(table)), measure="copnori", **OPENED)
    assert not page.exception
    assert page.info[0].value == "There is nothing to show: on no report issue are both measures defined."


def test_no_common_report_issue_is_said(open_with):
    page = open_with(lambda table: table[(table["ranker"] == OLD) == (table["report"] == "lab")])
    assert not page.exception
    assert "were not ranked by all of them" in page.info[0].value


def far_better(table):
    """Let the new ranker put everything relevant first, and the old one last."""
    cases = zip(table["ranker"], table["n_papers"], strict=True)
    outcomes = [Outcome([1, 2] if ranker == NEW else [n - 1, n], n) for ranker, n in cases]
    return with_outcomes(table, outcomes)


def test_a_clear_winner_is_used_once_that_is_confirmed(replayed, open_with):
    service.set_active_ranker(replayed, OLD, person="Dee")
    page = open_with(far_better)
    assert page.header[0].value.endswith("Use it.")
    button = page.button(key="use-ranker")
    assert button.label == f"Use {NEW} from the next issue"
    button.click().run()
    assert service.active_ranker(replayed) == OLD
    n_reports = len(catalogue.reports(replayed))
    assert any(f"{NEW} sorts for all {n_reports} reports" in one.value for one in page.markdown)
    page.button(key="change-it").click().run()
    assert not page.exception
    assert service.active_ranker(replayed) == NEW
    assert page.header[0].value.endswith("Keep it.")
    assert "use-ranker" not in [button.key for button in page.button]
    assert any(f"{NEW} sorts for the editors." in one.value.replace("\\", "") for one in page.caption)
