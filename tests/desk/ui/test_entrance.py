"""Entry by invitation, and limits on the number of attempts."""

from datetime import UTC, datetime

import pytest

from presort.data.records import Identity
from presort.data.running import accounts, roles
from presort.desk import access
from presort.desk.access import SignIn
from presort.desk.limits import Limit, Rate
from presort.desk.ui import entrance, visitor

ANN = SignIn(Identity("https://id.example.org", "ann"), datetime.now(UTC))


def page():
    from presort.desk.ui import entrance

    entrance.show()


@pytest.fixture
def clock(store, monkeypatch):
    """Clock of the attempts' rate limit. Ann, an unknown user, has signed in."""
    now = [0.0]
    monkeypatch.setattr(entrance, "TRIES", Limit(Rate(2, 60), lambda: now[0]))
    monkeypatch.setattr(visitor, "sign_in", lambda: ANN)
    monkeypatch.setattr(visitor, "is_signed_out", lambda: False)
    monkeypatch.setattr(visitor, "whole_store", lambda: store)
    return now


def test_codes_can_not_be_guessed_and_the_right_one_works_later(store, open_page, clock):
    code = accounts.invite(store, "Ann Lee", person="Dee")
    desk = open_page(page, store)

    def try_code(given):
        desk.text_input[0].set_value(given)
        desk.button[0].click().run(timeout=30)
        return [one.value for one in desk.error]

    wrong = "x" * len(code)
    assert [try_code(wrong), try_code(wrong)] == [[accounts.OVER], [accounts.OVER]]
    for given in (wrong, code):
        assert try_code(given) == ["Too many attempts. Try again in 60 seconds."]
    assert roles.member(store, *ANN) is None
    clock[0] = 60.0
    assert try_code(code) == []
    assert roles.member(store, *ANN).name == "Ann Lee"


@pytest.mark.parametrize(
    ("is_over", "title", "why"),
    [
        (True, "You are signed out", "Refused to show a page: the sign-in has ended."),
        (False, "Welcome", "Refused to show a page: unknown account."),
    ],
)
@pytest.mark.usefixtures("clock")
def test_a_refused_page_is_logged_without_a_name(store, open_page, monkeypatch, caplog, is_over, title, why):
    monkeypatch.setattr(visitor, "is_signed_out", lambda: is_over)
    assert [one.value for one in open_page(page, store).title] == [title]
    assert [one.message for one in caplog.records if one.name == access.LOG.name] == [why]
