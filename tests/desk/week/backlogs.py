"""A report with three pending issues, and actions on them."""

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.read_papers import mark_read
from presort.data.learning import rankings
from presort.data.records import Decision
from presort.desk.service import workflow
from presort.ranker.versions import RECIPES

FAST, OTHER = RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]
REPORT = "own"  # has published all but the three newest issues


def read_and_issue(store, day, shown):
    number = None if shown is None else shown.id
    mark_read(store, REPORT, day, number, len(catalogue.papers(store, day)), person="ada")
    workflow.publish_report_issue(store, REPORT, day, shown, person="ada")


def say(store, day, positions, word="yes", person="ada"):
    papers = catalogue.papers(store, day)
    decisions.decide(store, [Decision(REPORT, day, papers[p - 1].paper_id, word, person) for p in positions])


def finish_oldest(store, days):
    """Decide a paper of the oldest pending issue, and publish the issue."""
    say(store, days[-3], [4, 5])
    read_and_issue(store, days[-3], None)


def made(work):
    return [(step.report, step.ranker, step.done, step.total) for step in work]


def last_ranking(store, day, ranker=FAST.name):
    return rankings.newest_rankings(store, REPORT, day)[ranker]


def texts(elements):
    return [element.value for element in elements]


def links(page):
    """Texts and targets of the links."""
    return [(link.proto.label, link.proto.query_string) for link in page.get("page_link")]
