"""Build the demo, a synthetic service with past rankings that is ready to explore."""

from collections.abc import Iterator
from datetime import timedelta

from presort.data import catalogue
from presort.data.demo import make_world
from presort.data.errors import RefusedError
from presort.data.intake.commit_import import commit_import
from presort.data.mail import editors
from presort.data.records import Editorship, Report
from presort.data.running import people
from presort.data.running.service import DEMO
from presort.data.store import Store
from presort.desk.service import pending, workflow
from presort.desk.service.ranking_run import Progress
from presort.ranker.versions import DEFAULT, RECIPES

# The baselines, Presort's first ranker, and the default ranker. The other rankers would double the time to build the
# demo, although their rankings are similar to the default ranker's.
RANKERS = ("krichel-2007", "arxiv-sanity", "asreview-u4", "presort-1", DEFAULT)
REPLAYED = timedelta(weeks=34)  # the alerts on Overview need this many issues
RETRAIN_EVERY = 12
UNEDITED = {"nrd", "spo"}  # reports left without an editor, as examples
NOWHERE = "example.org"  # reserved domain, so that mail can't reach anybody


def build_demo(store: Store, *, seed: int = 1, n_jobs: int = 1) -> Iterator[Progress]:
    """Generate synthetic papers and decisions, import them, replay the last weeks, and rank the pending issues.

    Raises
    ------
    RefusedError
        If the workspace contains other papers, because synthetic and real papers must not be mixed.
    """
    store = store.without_guard()
    if catalogue.setting(store, DEMO) not in (None, str(seed)) or (
        catalogue.setting(store, DEMO) is None and (catalogue.issues(store) or catalogue.reports(store))
    ):
        raise RefusedError(f"{store.folder} already contains other papers. Choose another folder with --workspace.")
    world = make_world(seed=seed)
    catalogue.set_setting(store, DEMO, str(seed))
    known = {report.code for report in catalogue.reports(store, retired=True)}
    catalogue.add_reports(store, [Report(r.code, r.name) for r in world.reports if r.code not in known])
    commit_import(store, world.listings, person="demo")
    first, newest = (catalogue.issues(store)[at].date for at in (0, -1))
    if not people.editorships(store):
        for report in world.reports:
            if report.code not in UNEDITED:
                people.add_editorship(store, Editorship(report.code, report.editor, first), person="demo")
                editors.set_address(store, report.editor, f"editor-of-{report.code}@{NOWHERE}")
    yield from workflow.replay(
        store,
        [RECIPES[name] for name in RANKERS],
        first=newest - REPLAYED,
        last=newest - timedelta(days=1),
        retrain_every=RETRAIN_EVERY,
        n_jobs=n_jobs,
    )
    yield from pending.rank_pending(store, n_jobs=n_jobs)
