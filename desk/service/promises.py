"""What editors were told of the papers below where they may stop, kept to be held against what was found there."""

from contextlib import closing

from data.learning import promises
from data.learning.sorted_lists import counting, sorted_lists
from data.store import Store
from ranker.parallel import in_processes
from ranker.promised import promises_of

AT_ONCE = 7  # issues


def make_promises(store: Store, n_jobs: int = 1) -> int:
    """Make what is missing, each promise from the lists of earlier days alone, and return how many are new.

    It is for the night, or for the time after a report went out: a year of a large service takes half a minute.
    """
    n_new = 0
    for (ranker, replay), numbers in promises.missing(store).items():
        named = [one for of_report in counting(store, ranker, replay=replay) for one in of_report]
        days = sorted({one.issue for one in named if one.ranking_id in numbers})
        if not days:  # others count in their place
            continue
        lists = sorted_lists(store, ranker, replay=replay)
        calls = [(days[start : start + AT_ONCE],) for start in range(0, len(days), AT_ONCE)]
        with closing(in_processes(promises_of, (lists, numbers), calls, n_jobs)) as ready:
            for new in ready:
                promises.add_promises(store, new)
                n_new += len(new)
    return n_new
