"""Stop audits: numbers of relevant papers expected and found below the stop point of each published list."""

from contextlib import closing
from datetime import date

from presort.data import catalogue
from presort.data.learning import stop_audits
from presort.data.learning.sorted_lists import official_lists, sorted_lists
from presort.data.store import Store
from presort.ranker.parallel import run_in_processes
from presort.ranker.stopping.audit import AuditTask, audits_of
from presort.ranker.stopping.relevance_model import NEWEST

AT_ONCE = 7  # issues per call of a worker process


def make_stop_audits(store: Store, n_jobs: int = 1) -> int:
    """Compute and store the missing stop audits, and return their number.

    The forecast in each audit uses only lists from earlier days. Run this function at night or after a publication,
    because it takes half a minute for one year of a large service.
    """
    # The revision is read before the lists, so that audits of report issues that change in the meantime are skipped.
    as_of = catalogue.revision(store)
    tasks: list[AuditTask] = []
    calls: list[tuple[int, list[date]]] = []
    for (ranker, replay), numbers in stop_audits.rankings_without_audit(store).items():
        named = [one for of_report in official_lists(store, ranker, replay=replay) for one in of_report]
        days = sorted({one.issue for one in named if one.ranking_id in numbers})
        if not days:  # none of these rankings is its report issue's official ranking
            continue
        lists = sorted_lists(store, ranker, replay=replay, newest=NEWEST, since=days[0])
        calls += [(len(tasks), days[start : start + AT_ONCE]) for start in range(0, len(days), AT_ONCE)]
        tasks.append(AuditTask.of(lists, numbers))
    if not calls:
        return 0
    n_new = 0
    # Submit the calls of all rankers together, so that workers don't wait between rankers.
    with closing(run_in_processes(audits_of, (tasks,), calls, n_jobs)) as ready:
        for new in ready:
            stop_audits.add_stop_audits(store, new, as_of=as_of)
            n_new += len(new)
    return n_new
