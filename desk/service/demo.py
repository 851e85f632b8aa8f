"""Fill a workspace with the made-up service, ready to look at."""

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
from presort.desk.service.vectors import offered
from presort.desk.service.workflow import Progress
from presort.ranker.versions import OURS

REPLAYED = timedelta(weeks=34)  # enough issues for the alarms on Overview
RETRAIN_EVERY = 12
UNEDITED = {"nrd", "spo"}  # reports that nobody is named for
NOWHERE = "example.org"  # reserved: nobody gets mail there


def build_demo(store: Store, *, seed: int = 1, n_jobs: int = 1) -> Iterator[Progress]:
    """Generate the world of a seed, import it, replay its last weeks, and rank the pending issues.

    Raises
    ------
    RefusedError
        If the workspace holds something else: made-up and real papers must not mix.
    """
    store = store.cleared()
    if catalogue.setting(store, DEMO) not in (None, str(seed)) or (
        catalogue.setting(store, DEMO) is None and (catalogue.issues(store) or catalogue.reports(store))
    ):
        raise RefusedError(f"{store.folder} holds other papers already; choose another folder with --workspace.")
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
    recipes = [recipe for name, recipe in offered(store).items() if name in OURS]  # what else is installed may break
    yield from workflow.replay(
        store,
        recipes,
        first=newest - REPLAYED,
        last=newest - timedelta(days=1),
        retrain_every=RETRAIN_EVERY,
        n_jobs=n_jobs,
    )
    yield from pending.rank_pending(store, n_jobs=n_jobs)
