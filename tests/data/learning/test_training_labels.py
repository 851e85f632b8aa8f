"""Training labels read by column equal those of a loop over decisions."""

import random
from datetime import date

import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.learning.history import read_history
from presort.data.records import Report, ReviewProgress
from tests.data.workspaces import FIRST, SECOND, THIRD, make_issue, say, take_in

DAYS, REPORTS, SIZE = (FIRST, SECOND, THIRD), ("big", "his", "lab"), 6
WORDS = ("yes", "no", "maybe", "undecided")


def one_by_one(words, published_issue, n_papers):
    """Return the relevant papers and the papers without a label, by report, with loops over decisions."""
    relevant, maybe = {}, {}
    for (report, day), labels in sorted(words.items()):
        start, size = n_papers * DAYS.index(day), n_papers
        yes = [start + place for place in range(size) if labels.get(place) == "yes"]
        nothing = []
        if (report, day) in published_issue:
            n_then, unread = published_issue[report, day]
            unseen = [place for place in range(size) if place in unread or place >= n_then]
            nothing = [place for place in range(size) if labels.get(place) == "maybe"]
            nothing += [place for place in unseen if labels.get(place) not in ("yes", "no", "maybe")]
        elif yes:
            nothing = [place for place in range(size) if labels.get(place) not in ("yes", "no")]
        relevant.setdefault(report, []).extend(yes)
        maybe.setdefault(report, []).extend(sorted(start + place for place in nothing))
    return relevant, maybe


@pytest.mark.parametrize("seed", range(4))
def test_labels_agree_with_a_loop_over_decisions(store, seed):
    dice = random.Random(seed)
    catalogue.add_reports(store, [Report(code, code) for code in REPORTS])
    take_in(store, *(make_issue(SIZE, day) for day in DAYS))
    words, published_issue = {}, {}
    for day in DAYS:
        for report in dice.sample(REPORTS, 2):
            labels = words.setdefault((report, day), {})
            for _ in range(dice.randrange(1, 9)):
                place, word = dice.randrange(SIZE), dice.choice(WORDS)
                labels[place] = word
                paper = catalogue.papers(store, day)[place].paper_id
                decisions.decide(store, [say(report, paper, word, day)])
            if dice.random() < 0.7:
                unread = [place for place in range(SIZE) if place not in labels and dice.random() < 0.5]
                review_progress = (
                    ReviewProgress(tuple(place + 1 for place in unread), "early")
                    if unread
                    else ReviewProgress((), "all")
                )
                publications.publish_report_issue(
                    store, report, day, [], ranking_id=None, person="Ann", review_progress=review_progress
                )
                published_issue[report, day] = SIZE, unread
    take_in(store, *(make_issue(SIZE + 2, day) for day in DAYS))
    history = read_history(store, date.max)
    found = tuple({code: rows.tolist() for code, rows in some.items()} for some in (history.relevant, history.maybe))
    assert found == one_by_one(words, published_issue, SIZE + 2)
