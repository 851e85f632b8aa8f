"""What forecasts are made from: the lists of all reports that a ranker sorted and editors finished before an issue."""

from datetime import date

from data import catalogue
from data.learning.sorted_lists import sorted_lists
from data.store import Store
from ranker.finished_list import FinishedList
from ranker.recall import NEEDED, Recall, fit_recalls


def recalls_before(store: Store, ranker: str, issue: date) -> dict[str, Recall]:
    """Return what is known of every report before an issue, for lists that a ranker sorts."""
    lists = sorted_lists(store, ranker, issue, newest=NEEDED)
    known = {code: [FinishedList.of(one) for one in of_report] for code, of_report in lists.items()}
    reports = [report.code for report in catalogue.reports(store, retired=True)]
    return fit_recalls({code: known.get(code, []) for code in reports}, before=issue)
