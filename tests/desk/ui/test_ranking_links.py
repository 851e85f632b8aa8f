"""A link from a figure opens exactly the ranking behind the figure, among all rankings of the report issue."""

from dataclasses import replace
from urllib.parse import parse_qsl

import pytest

from presort.data import catalogue
from presort.data.editing.log import published_issues
from presort.data.learning import rankings
from presort.data.running import service
from presort.desk.scores.table import keep_same_conditions, scores, scores_by_source
from presort.desk.service import workflow
from presort.desk.ui.report_choice import ranking_address
from presort.desk.week import published_lists

KRICHEL, ARXIV = "krichel-2007", "arxiv-sanity"


def review_page():
    from presort.desk.review import page as review

    review.show()


def picked_page():
    import streamlit as st

    from presort.desk import pages
    from presort.desk.report import scores as report_scores
    from presort.desk.ui import cache

    scored = cache.all_scores(None)
    mine = scored[scored["report"] == "lab"]
    query = report_scores.ranking_query("lab", mine, int(st.query_params["picked"]))
    st.page_link(pages.link("review"), label="Open", query_params=query)


def compare_page():
    from presort.desk.compare import page as compare

    compare.show()


@pytest.fixture
def crowded(replayed):
    """Workspace with four rankings of each replayed list: a replay with another order, and newer live ones."""
    days = [issue.date for issue in catalogue.issues(replayed)]
    again = rankings.find_replay(replayed, days[1], days[-2], 1)
    for row in scores(replayed, report="lab").itertuples():
        found = rankings.ranking(replayed, row.ranking_id).ranking
        turned = replace(found, positions=found.positions[::-1].copy(), replay=again)
        rankings.add_rankings(replayed, [turned, replace(turned, replay=None)])
    workflow.score(replayed)
    return replayed


def first_title(page):
    texts = [text.value for text in page.text]
    return texts[texts.index("1") + 2]


def title_of(store, number):
    """Return the title of the first paper of a ranking."""
    found = rankings.ranking(store, number).ranking
    return catalogue.papers(store, found.issue)[found.positions[0] - 1].title


def followed(open_plain, store, link):
    page = open_plain(review_page, store, **dict(parse_qsl(link.proto.query_string)))
    assert not page.exception
    return first_title(page)


def links_to_lists(page):
    return [link for link in page.get("page_link") if "ranking=" in link.proto.query_string]


def all_of(store, report):
    """Return the numbers of all scored rankings of a report, replay by replay."""
    found = [scores(store, report=report, replay=one.id) for one in rankings.replays(store)]
    return [number for one in [scores(store, report=report), *found] for number in one["ranking_id"].tolist()]


def test_review_shows_the_ranking_that_the_address_names(crowded, open_plain):
    numbers = all_of(crowded, "lab")
    assert len(set(numbers)) > len(numbers) / 2
    for number in numbers[:: len(numbers) // 6]:
        found = rankings.ranking(crowded, number).ranking
        page = open_plain(review_page, crowded, **ranking_address("lab", found.issue, number))
        assert first_title(page) == title_of(crowded, number)


def test_a_point_of_my_report_opens_its_ranking(crowded, open_page, open_plain, monkeypatch):
    for row in scores(crowded, report="lab").iloc[:3].itertuples():
        page = open_page(picked_page, crowded, picked=row.ranking_id)
        (link,) = links_to_lists(page)
        assert followed(open_plain, crowded, link) == title_of(crowded, row.ranking_id)


def test_the_lists_of_a_pair_on_compare_open_as_they_were_compared(crowded, open_page, open_plain):
    table = keep_same_conditions(scores_by_source(crowded), 2).query("report == 'lab' and n_relevant > 0")
    day = table["issue"].iloc[-1]
    page = open_page(compare_page, crowded, picked=f"lab {day:%Y-%m-%d}", tab="Lists", baseline=KRICHEL)
    links = links_to_lists(page)
    wanted = set(table.loc[table["issue"] == day, "ranking_id"])
    assert {int(dict(parse_qsl(link.proto.query_string))["ranking"]) for link in links} == wanted
    assert {followed(open_plain, crowded, link) for link in links} == {title_of(crowded, one) for one in wanted}


def test_a_published_list_opens_as_it_was_read_despite_a_new_ranker(ranked, newest, open_plain):
    shown = rankings.newest_rankings(ranked, "lab", newest)[KRICHEL]
    turned = replace(shown.ranking, ranker=ARXIV, positions=shown.ranking.positions[::-1].copy())
    rankings.add_rankings(ranked, [turned])
    workflow.publish_report_issue(ranked, "lab", newest, shown, person="ada")
    service.set_rankers(ranked, ARXIV, [], person="ada")
    address = published_lists.address(published_issues(ranked, ["lab"], 1)[0])
    assert address["ranking"] == str(shown.id)
    assert first_title(open_plain(review_page, ranked, **address)) == title_of(ranked, shown.id)


@pytest.mark.parametrize("asked", ["999999", "nothing", "-1"])
def test_an_unknown_ranking_is_reported(replayed, open_page, asked):
    row = scores(replayed, report="lab").iloc[0]
    page = open_page(review_page, replayed, report="lab", issue=f"{row['issue']:%Y-%m-%d}", ranking=asked)
    assert not page.exception
    assert page.warning
    page.button(key="without-ranking").click().run()
    assert "ranking" not in page.query_params
    assert not page.warning


def test_another_issue_forgets_the_ranking(replayed, open_page):
    row = scores(replayed, report="lab").iloc[0]
    page = open_page(review_page, replayed, **ranking_address("lab", row["issue"].date(), row["ranking_id"]))
    other = next(one for one in page.selectbox(key="issue").options if f"{row['issue']:%Y-%m-%d}" not in one)
    page.selectbox(key="issue").select(other).run()
    assert "ranking" not in page.query_params
    assert not page.warning


def test_an_editor_follows_a_link_to_a_shadow_too(replayed, open_plain, monkeypatch):
    monkeypatch.setattr("presort.desk.ui.report_choice.frame.role", lambda: "editor")
    by_ranker = scores(replayed, report="lab").groupby("ranker")["ranking_id"].last()
    for number in by_ranker:
        found = rankings.ranking(replayed, number).ranking
        page = open_plain(review_page, replayed, **ranking_address("lab", found.issue, number))
        assert first_title(page) == title_of(replayed, number)
