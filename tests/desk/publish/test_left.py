"""Texts on *Publish* about unread papers."""

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.read_papers import add_draw, mark_read
from presort.data.learning import rankings
from presort.data.records import Decision, Draw


def line(page):
    return " ".join(caption.value for caption in page.caption if "Unread relevant papers" in caption.value)


def test_the_page_shows_the_expected_missed_papers_and_their_basis(finished, newest, open_page):
    shown = rankings.newest_rankings(finished, "lab", newest)["krichel-2007"]
    order, papers = shown.ranking.positions, catalogue.papers(finished, newest)
    n_papers = len(order)
    mark_read(finished, "lab", newest, shown.id, n_papers - 4, person="ada")
    before = line(open_page(finished))
    assert "earlier list" in before
    assert "No spot check in this list" in before
    drawn = int(order[n_papers - 2])
    add_draw(finished, "lab", newest, Draw(shown.id, n_papers - 4, 4, [drawn]), person="ada")
    assert "1 of 1 paper left to decide" in line(open_page(finished))
    one = Decision("lab", newest, papers[drawn - 1].paper_id, "no", "ada", ranking_id=shown.id, is_alone=True)
    decisions.decide(finished, [one])
    assert "0 of 1 relevant" in line(open_page(finished))
    mark_read(finished, "lab", newest, shown.id, n_papers, person="ada")
    assert line(open_page(finished)) == ""


def test_a_list_without_stop_advice_shows_no_expected_missed_papers(ranked, open_page):
    assert line(open_page(ranked)) == ""
