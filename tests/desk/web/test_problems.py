"""Error messages of pages: a problem number for a bug, and a single line for an external error."""

import logging
import re

from starlette.middleware import Middleware
from streamlit.testing.v1 import AppTest

from presort.data.errors import WorkspaceError
from presort.desk.web import server
from presort.desk.web.guard import Guard
from presort.desk.web.server import Desk
from presort.desk.web.token_door import TokenDoor


def page(error):
    from presort.desk.web import server

    server.show_error(error)


def shown(error):
    test = AppTest.from_function(page, args=(error,)).run(timeout=30)
    assert not test.exception
    (text,) = [one.value for one in test.error]
    return text


def test_a_bug_has_the_same_number_on_the_page_and_in_the_log(caplog):
    with caplog.at_level(logging.ERROR, server.LOG.name):
        shown_text = shown(ValueError("/home/someone/secret.py"))
    number = re.search(r"problem \*\*([0-9A-F]{6})\*\*", shown_text)[1]
    assert "secret" not in shown_text
    logged = [record.message for record in caplog.records if record.name == server.LOG.name]
    assert logged == [f"The error above (ValueError) was shown to the user as problem {number}."]


def test_an_external_error_is_shown_as_one_line(caplog):
    assert shown(WorkspaceError("presort.db is *away*; start again.")) == r"presort.db is \*away\*; start again."
    assert server.LOG.name not in {record.name for record in caplog.records}


def test_the_desk_uses_this_display_and_hides_error_details(tmp_path):
    script = tmp_path / "page.py"
    script.write_text("")
    door = TokenDoor("token")
    app = server.make_app(str(script), Desk(door, [], []), Middleware(Guard, door=door, origins=[], is_local=True))
    assert app._on_script_error is server.show_error
    assert server.OPTIONS["client.showErrorDetails"] == "none"
