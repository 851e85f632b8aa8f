"""The command that builds the demo."""

import shlex
from functools import partial

from presort.data import catalogue
from presort.data.demo import make_world
from presort.data.mail.editors import editor_addresses
from presort.data.running import service
from presort.data.store import find_store
from presort.desk.service import demo
from tests.desk.command_line import invoke


def test_demo_prints_how_to_open_it(tmp_path, monkeypatch):
    """With a smaller demo. A browser test checks the real one."""
    monkeypatch.setattr(demo, "make_world", partial(make_world, n_issues=3, papers_per_issue=20))
    folder = tmp_path / "a demo"
    ended = invoke(["--workspace", str(folder), "demo", "--jobs", "1", "--seed", "2"])
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert ended.stdout == f"The demo is ready. Open it with: presort app --workspace {shlex.quote(str(folder))}\n"
    store = find_store(folder)
    assert service.is_demo(store)
    assert len(catalogue.issues(store)) == 3
    mail = editor_addresses(store).values()
    assert mail
    assert all(address.endswith("@example.org") for address in mail)  # a reserved domain, so that no mail is delivered
    store.close()
