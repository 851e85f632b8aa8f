"""Pages on a desk with sign-in: an editor and a viewer can read each of theirs, before and after publication."""

from datetime import UTC, datetime

import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.read_papers import mark_read
from presort.data.learning import rankings
from presort.data.records import Decision, Editorship, Identity, Role
from presort.data.running import accounts, people, roles
from presort.desk import pages
from presort.desk.access import SignIn
from presort.desk.service import workflow
from presort.desk.ui import visitor

RANKER = "krichel-2007"
PAGES = ("week", "review", "publish", "report", "measures", "preferences")


@pytest.fixture
def script(tmp_path):
    """Return a function that writes the script of a page."""

    def write(address):
        path = tmp_path / f"{address}.py"
        path.write_text(f"from {pages.BY_ADDRESS[address].module} import show\n\nshow()\n")
        return path

    return write


@pytest.fixture
def members(ranked, ranked_workspace, monkeypatch):
    """Ann edits lab, and Vic may view it. Returns a function that signs one of them in."""
    people.add_editorship(ranked, Editorship("lab", "Ann", catalogue.issues(ranked)[0].date), person="manage")
    roles.grant(ranked, Role("Vic", "viewer", "lab"), person="manage")
    for name in ("Ann", "Vic"):
        accounts.accept(
            ranked, accounts.invite(ranked, name, person="manage"), Identity("https://id.example.org", name)
        )
    monkeypatch.setattr(visitor, "must_sign_in", lambda: True)

    def sign_in(name):
        account = Identity("https://id.example.org", name)
        monkeypatch.setattr(visitor, "sign_in", lambda: SignIn(account, datetime.now(UTC)))

    return sign_in


def publish(store, issue):
    """Publish an issue of lab that Ann has read to the end."""
    shown = rankings.newest_rankings(store, "lab", issue)[RANKER]
    papers = catalogue.papers(store, issue)
    relevant = [Decision("lab", issue, one.paper_id, "yes", "Ann", ranking_id=shown.id) for one in papers[:4]]
    decisions.decide(store, relevant)
    mark_read(store, "lab", issue, shown.id, len(papers), person="Ann")
    workflow.publish_report_issue(store, "lab", issue, shown, person="Ann")


@pytest.mark.parametrize("name", ["Ann", "Vic"])
@pytest.mark.parametrize("is_published", [False, True], ids=["pending", "published"])
@pytest.mark.parametrize("address", PAGES)
def test_a_page_can_be_read(open_page, members, script, ranked, newest, address, is_published, name):
    if is_published:
        publish(ranked, newest)
    members(name)
    page = open_page(script(address), ranked, report="lab", issue=newest)
    assert not page.exception, page.exception
    assert not page.error, [one.value for one in page.error]
