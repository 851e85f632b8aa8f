"""The API behind its guard in this process, and a workspace with a report issue published at the desk."""

import asyncio
import shutil
from contextlib import closing

import httpx
import pytest
from starlette.applications import Starlette

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.drafts import save_draft
from presort.data.mail.readers import add_readers
from presort.data.records import Decision, Draft, Editorship
from presort.data.running import people, service
from presort.data.store import open_store
from presort.desk import settings
from presort.desk.api.door import ApiDoor
from presort.desk.api.routes import routes
from presort.desk.service import rankers, workflow
from presort.desk.settings.api import API, Client
from presort.desk.web.guard import Guard
from presort.desk.web.monitoring import ERRORS
from presort.desk.web.sign_in_door import SignInDoor
from presort.desk.web.token_door import TokenDoor
from presort.ranker.versions import RECIPES

HERE = "http://localhost:8501"
TOKEN, OTHER, METRICS = "token-of-the-library-8f3c", "token-of-the-archive-77d1", "token-for-metrics-0e9a"
CLIENTS = (Client("library", TOKEN), Client("archive", OTHER))
PRIVATE = ("Seen at a workshop", "reader@example.org", "Rita Reader", "Too applied", "Dee Director")


class Caller:
    """Sends requests to the API, at any time and from any address."""

    def __init__(self, door, *, is_local, clients=CLIENTS):
        self.now = 0.0
        self.door = ApiDoor(clients, clock=lambda: self.now)
        self.guard = Guard(
            Starlette(routes=[routes(ERRORS.inc)]),
            door,
            [HERE],
            is_local=is_local,
            metrics_token=METRICS,
            api=self.door,
            clock=lambda: self.now,
        )

    def get(self, path, *, token=TOKEN, method="GET", by="203.0.113.7", **headers):
        headers = {"Authorization": f"Bearer {token}", **headers} if token else headers

        async def once():
            transport = httpx.ASGITransport(app=self.guard, client=(by, 1), raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
                url = path if path.startswith("http") else f"{HERE}{API}{path}"
                return await client.request(method, url, headers=headers)

        return asyncio.run(once())


@pytest.fixture(scope="session")
def api_workspace(tmp_path_factory, filled_workspace, listings):
    """Past issues replayed by the ranker in use; the newest published for lab at the desk, only reviewed for mac."""
    folder = shutil.copytree(filled_workspace, tmp_path_factory.mktemp("published") / "workspace")
    ranker, newest = RECIPES["krichel-2007"], listings[-1].issue
    with closing(open_store(folder)) as store:
        service.set_active_ranker(store, ranker.name, person="Dee Director")
        days = [issue.date for issue in catalogue.issues(store)]
        list(workflow.replay(store, [ranker], first=days[1], last=days[-2], retrain_every=9))
        list(workflow.rank(store, [ranker], reports=["lab", "mac"]))
        new = Editorship("lab", "Ann Lee", newest)
        people.add_editorship(store, new, person="Dee Director", affiliation="U of X")
        add_readers(store, "lab", [("reader@example.org", "Rita Reader")], person="Dee Director")
        papers = catalogue.papers(store, newest)
        for report, positions in (("lab", (5, 2, 9)), ("mac", (7,))):
            relevant = [Decision(report, newest, papers[at - 1].paper_id, "yes", "Ann Lee") for at in positions]
            decisions.decide(store, relevant)
        save_draft(store, Draft("lab", newest, (9, 2, 5), "A short week.", PRIVATE[0]), person="Ann Lee")
        save_draft(store, Draft("mac", newest, (), "Not out yet.", "Too applied"), person="Ann Lee")
        shown = rankers.review_ranking(store, "lab", newest).id
        publications.publish_report_issue(store, "lab", newest, [], ranking_id=shown, person="Ann Lee")
        workflow.score(store)
    return folder


@pytest.fixture
def published(tmp_path, api_workspace):
    """A copy of that workspace."""
    with closing(open_store(shutil.copytree(api_workspace, tmp_path / "workspace"))) as store:
        yield store


@pytest.fixture
def use(monkeypatch, tmp_path, no_cache):
    """Serve a workspace by the API of this process."""
    monkeypatch.chdir(tmp_path)  # without settings file

    def serve(store, door=None, *, is_local=True, **how):
        monkeypatch.setenv(settings.WORKSPACE, str(store.folder))
        return Caller(door or TokenDoor("token-of-the-desk"), is_local=is_local, **how)

    return serve


@pytest.fixture
def api(use, published):
    return use(published)


@pytest.fixture(params=["local", "sign-in"])
def either(request, use, empty_store):
    """The API of a local desk, or of a desk with sign-in."""
    is_local = request.param == "local"
    door = TokenDoor("token-of-the-desk") if is_local else SignInDoor("Example ID", "secret")
    return use(empty_store, door, is_local=is_local)
