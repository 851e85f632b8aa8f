"""What forecasts are made from: the lists of all reports that a ranker sorted and editors finished before an issue."""

from datetime import date

from presort.data import catalogue
from presort.data.learning.sorted_lists import sorted_lists
from presort.data.records import StoredRanking
from presort.data.store import Store
from presort.ranker.stopping.finished_list import FinishedList
from presort.ranker.stopping.relevance_model import NEEDED, RelevanceModel, fit_relevance_models


def relevance_models_before(
    store: Store, ranker: str, issue: date, shown_id: int | None = None
) -> dict[str, RelevanceModel]:
    """Return the forecast model of every report before an issue, for lists ranked by a ranker.

    Parameters
    ----------
    shown_id : int, optional
        Id of a ranking: leave out lists that were first published after it was made. Defaults to all lists.
    """
    lists = sorted_lists(store, ranker, issue, newest=NEEDED, shown_id=shown_id)
    known = {code: [FinishedList.of(one) for one in of_report] for code, of_report in lists.items()}
    reports = [report.code for report in catalogue.reports(store, retired=True)]
    return fit_relevance_models({code: known.get(code, []) for code in reports}, before=issue)


def relevance_model_of(store: Store, shown: StoredRanking) -> RelevanceModel:
    """Return the forecast model of a report for the list that a ranking shows.

    Only lists that were published when the ranking was made count. So its stop advice comes from the same model from
    the first look to its publication, whatever others publish meanwhile and whichever process computes it. Imported
    selections count too: an import is a decision about the past, and a new user's history often comes in last.
    """
    ranking = shown.ranking
    return relevance_models_before(store, ranking.ranker, ranking.issue, shown.id)[ranking.report]
