"""Preferences: stored, validated when read, and changed on their page."""

import json
import re
from importlib.resources import files

import pytest

from presort.data import catalogue
from presort.data.editing.preferences import set_preference
from presort.data.errors import RefusedError, WorkspaceError
from presort.data.records import Report
from presort.desk import access
from presort.desk.components.review_list import KEYS
from presort.desk.preferences import key_names
from presort.desk.preferences import keys as module
from presort.desk.preferences.keys import highlights, keys_from, preferences, set_highlights, set_keys, set_plain
from presort.desk.preferences.own_reports import own_reports
from tests.desk.fields import field

DEFAULTS = {action: tuple(keys) for action, keys in KEYS.items()}
SWAPPED = {**DEFAULTS, "down": ("k", "ArrowDown"), "up": ("j", "ArrowUp")}


def preferences_page():
    from presort.desk.preferences import page as preferences

    preferences.show()


# ---- stored preferences


def test_unset_preferences_have_defaults(empty_store):
    assert preferences(empty_store, "Ann") == module.Preferences(DEFAULTS, is_plain=False)
    assert highlights(empty_store, "Ann", "lab") == ()


def test_preferences_apply_to_one_person_only(empty_store):
    set_keys(empty_store, "Ann", SWAPPED)
    set_plain(empty_store, "Ann", True)
    set_highlights(empty_store, "Ann", "lab", ["wage"])
    assert preferences(empty_store, "Ann") == module.Preferences(SWAPPED, is_plain=True)
    assert preferences(empty_store, "Bo") == module.Preferences(DEFAULTS, is_plain=False)
    assert [highlights(empty_store, who, code) for who, code in [("Ann", "lab"), ("Bo", "lab"), ("Ann", "mac")]] == [
        ("wage",),
        (),
        (),
    ]
    set_plain(empty_store, "Ann", False)
    assert not preferences(empty_store, "Ann").is_plain


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        pytest.param([1, 2], {}, id="no-mapping"),
        pytest.param("x", {}, id="text"),
        pytest.param({"fly": ["f"], "maybe": ["5"]}, {"maybe": ("5",)}, id="unknown-action"),
        pytest.param({"maybe": [], "no": ["9"]}, {"no": ("9",)}, id="an-action-without-keys"),
        pytest.param({"maybe": 7, "no": ["9", 9]}, {"no": ("9",)}, id="keys-of-another-type"),
        pytest.param({"maybe": ["F5"], "no": ["9"]}, {"no": ("9",)}, id="a-key-of-the-browser"),
        pytest.param({"maybe": ["Unheard"], "no": ["9"]}, {"no": ("9",)}, id="an-unknown-key"),
        pytest.param({"maybe": ["J"]}, {}, id="key-of-another-action"),
        pytest.param({"back": ["b"], "no": ["9"]}, {}, id="a-fixed-action-changed"),
    ],
)
def test_invalid_stored_keys_are_ignored(empty_store, stored, expected):
    set_preference(empty_store, "Ann", "keys", json.dumps(stored))
    assert preferences(empty_store, "Ann").keys == {**DEFAULTS, **expected}


@pytest.mark.parametrize("stored", ["1", '"true"', "null", "[]"])
def test_an_invalid_stored_switch_is_off(empty_store, stored):
    set_preference(empty_store, "Ann", "plain", stored)
    assert preferences(empty_store, "Ann").is_plain is False


def test_invalid_stored_json_is_ignored(empty_store, monkeypatch):
    monkeypatch.setattr(module, "preference", lambda *_: "{")
    assert preferences(empty_store, "Ann") == module.Preferences(DEFAULTS, is_plain=False)


@pytest.mark.parametrize(
    ("stored", "expected"),
    [({"wage": 1}, ()), (["wage", 7, None], ("wage",)), (["w"] * 101, ("w",) * 100)],
)
def test_invalid_stored_words_are_left_out(empty_store, stored, expected):
    set_preference(empty_store, "Ann", "marked:lab", json.dumps(stored))
    assert highlights(empty_store, "Ann", "lab") == expected


# ---- refused keys


@pytest.mark.parametrize(
    ("action", "typed", "problem"),
    [
        pytest.param("maybe", "tab", "tab moves between fields. Choose another", id="tab"),
        pytest.param("maybe", "m, F5", "F5 is reserved by the browser", id="function-key"),
        pytest.param("maybe", "Ctrl+m", r"Ctrl\+m is used for browser shortcuts", id="ctrl"),
        pytest.param("maybe", "alt m", "alt is used for browser shortcuts", id="alt"),
        pytest.param("maybe", "⌘", "'⌘' can't be assigned", id="character-with-a-modifier"),
        pytest.param("maybe", "meta-m", "meta-m is used for browser shortcuts", id="meta"),
        pytest.param("maybe", "shift+m", r"shift\+m has no effect", id="shift"),
        pytest.param("maybe", "Insert", "Insert is reserved by screen readers", id="screen-reader"),
        pytest.param("maybe", "PageDown", "PageDown scrolls the page", id="page-down"),
        pytest.param("maybe", "ö", "'ö' can't be assigned", id="other-letter"),
        pytest.param("maybe", "mm", "'mm' can't be assigned", id="two-letters"),
        pytest.param("maybe", "m" * 999, "'mmmmmmmmmmmmmmmmmmm…' can't be assigned", id="long"),
        pytest.param("maybe", " , ", '"maybe" has no key. Enter a key.', id="none"),
        pytest.param("maybe", "J", 'j is assigned to both "next paper" and "maybe"', id="another-action's-key"),
        pytest.param("down", "k", 'k is assigned to both "next paper" and "previous paper"', id="a-later-action's-key"),
        pytest.param("open", "esc", 'Esc is assigned to both "return to the list', id="esc"),
        pytest.param(
            "back",
            "b",
            f'The key for "{key_names.ACTIONS["back"]}" must stay Esc, because it also works in text fields',
            id="b",
        ),
    ],
)
def test_keys_are_refused_with_one_line_and_the_old_ones_stay(empty_store, action, typed, problem):
    with pytest.raises(RefusedError, match=problem):
        set_keys(empty_store, "Ann", {**DEFAULTS, action: keys_from(typed)})
    assert preferences(empty_store, "Ann").keys == DEFAULTS


@pytest.mark.parametrize("keys", [{}, {**DEFAULTS, "fly": ("f",)}])
def test_keys_of_unknown_actions_are_an_error(empty_store, keys):
    with pytest.raises(ValueError, match="keys must contain exactly these actions: down, up"):
        set_keys(empty_store, "Ann", keys)


def test_every_key_can_be_typed_by_its_name():
    for key in (*key_names.KEY_NAMES, *(key for keys in KEYS.values() for key in keys), "?", ".", "5"):
        assert keys_from(key_names.keys_text([key])) == (key,)
    assert keys_from("Down, arrowup ESCAPE") == ("ArrowDown", "ArrowUp", "Escape")
    assert keys_from("comma, J j") == (",", "j")


@pytest.mark.parametrize(("name", "table"), [("ACTIONS", key_names.ACTIONS), ("KEY_NAMES", key_names.KEY_NAMES)])
def test_the_list_in_the_browser_has_the_same_names(name, table):
    script = (files("presort.desk.components") / "browser" / "words.js").read_text(encoding="utf-8")
    block = re.search(rf"const {name} = \{{(.*?)\}};", script, re.DOTALL)[1]
    there = {a or b: c for a, b, c in re.findall(r'(?:"([^"]*)"|(\w+)): "([^"]*)"', block)}
    assert there
    assert there.items() <= table.items()


def test_every_action_has_a_label():
    assert set(key_names.ACTIONS) == set(KEYS)


def test_marked_words_are_cleaned_and_each_kept_once(empty_store):
    set_highlights(empty_store, "Ann", "lab", ["Minimum\twage ", "", "  ", "LABOUR", "minimum wage", "Löhne\0"])
    assert highlights(empty_store, "Ann", "lab") == ("Minimum wage", "LABOUR", "Löhne")
    set_highlights(empty_store, "Ann", "lab", [])
    assert highlights(empty_store, "Ann", "lab") == ()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([f"w{n}" for n in range(101)], "There are 101 lines, but the limit is 100"),
        (["w" * 101], "A line has 101 characters: the limit is 100"),
    ],
)
def test_too_many_or_long_marked_words_are_refused(empty_store, given, problem):
    set_highlights(empty_store, "Ann", "lab", ["wage"])
    with pytest.raises(RefusedError, match=problem):
        set_highlights(empty_store, "Ann", "lab", given)
    assert highlights(empty_store, "Ann", "lab") == ("wage",)


def test_marked_words_up_to_the_limits_are_stored_in_any_script(empty_store):
    given = [f"{n:03}" + "ж" * 97 for n in range(100)]
    set_highlights(empty_store, "Ann", "lab", given)
    assert highlights(empty_store, "Ann", "lab") == tuple(given)


# ---- the page


def kept(store):
    return preferences(store, access.PERSON)


def shows_saved(page):
    return ":small[saved]" in [text.value for text in page.markdown]


def test_the_page_shows_every_action_that_can_be_changed(store, open_page):
    page = open_page(preferences_page, store)
    assert not page.exception
    shown = {field.label: field.value for field in page.text_input}
    assert shown == {
        key_names.ACTIONS[action]: key_names.keys_text(keys) for action, keys in KEYS.items() if action != "back"
    }
    assert page.button(key="default-keys").disabled


def test_a_changed_key_is_saved_and_confirmed_once(store, open_page):
    page = open_page(preferences_page, store)
    field(page, "keys-maybe").set_value("M  5,.").run()
    assert kept(store).keys == {**DEFAULTS, "maybe": ("m", "5", ".")}
    assert field(page, "keys-maybe").value == "m, 5, ."
    assert shows_saved(page)
    assert not shows_saved(page.run())
    assert field(open_page(preferences_page, store), "keys-maybe").value == "m, 5, ."


def test_an_error_stays_at_its_field_until_it_is_corrected(store, open_page):
    page = open_page(preferences_page, store)
    field(page, "keys-maybe").set_value("x").run()
    (text,) = [error.value for error in page.error]
    assert text.startswith('x is assigned to both "relevant; press again to undo" and "maybe". Choose another')
    assert field(page, "keys-maybe").value == "x"
    field(page, "keys-no").set_value("9").run()
    assert [error.value for error in page.error] == [text]
    assert kept(store).keys == {**DEFAULTS, "no": ("9",)}
    field(page, "keys-maybe").set_value("5").run()
    assert not page.error
    assert kept(store).keys == {**DEFAULTS, "no": ("9",), "maybe": ("5",)}


def test_two_keys_can_be_swapped(store, open_page):
    page = open_page(preferences_page, store)
    field(page, "keys-down").set_value("k, ↓").run()
    assert len(page.error) == 1
    field(page, "keys-up").set_value("j, up").run()
    assert not page.error
    assert kept(store).keys == SWAPPED
    assert field(page, "keys-up").value == "j, ↑"


def test_a_problem_is_shown_as_plain_text(store, open_page):
    page = open_page(preferences_page, store)
    field(page, "keys-maybe").set_value("**m**").run()
    assert r"'\*\*m\*\*' can't be assigned" in page.error[0].value


def test_keys_can_be_reset_to_the_defaults(store, open_page):
    set_keys(store, access.PERSON, SWAPPED)
    page = open_page(preferences_page, store)
    field(page, "keys-maybe").set_value("tab").run()
    page.button(key="default-keys").click().run()
    assert kept(store).keys == DEFAULTS
    assert field(page, "keys-down").value == "j, ↓"
    assert field(page, "keys-maybe").value == "m"
    assert not page.error
    assert shows_saved(page)
    assert page.button(key="default-keys").disabled


def test_the_switch_is_saved_and_restored(store, open_page):
    page = open_page(preferences_page, store)
    field(page, "plain").set_value(True).run()
    assert kept(store).is_plain
    assert shows_saved(page)
    page = open_page(preferences_page, store)
    assert field(page, "plain").value is True
    field(page, "plain").set_value(False).run()
    assert not kept(store).is_plain


def test_a_change_that_cannot_be_saved_is_reported_and_not_shown(store, open_page, monkeypatch):
    page = open_page(preferences_page, store)

    def full(*_):
        raise WorkspaceError("the disk is full")

    monkeypatch.setattr(module, "set_preference", full)
    field(page, "plain").set_value(True).run()
    assert page.error[0].value == "the disk is full"
    assert field(page, "plain").value is False


def test_marked_words_are_stored_by_report(store, open_page):
    page = open_page(preferences_page, store, report="mac")
    field(page, "marked-mac").set_value("prices\n\n  Prices\nmonetary   policy ").run()
    assert highlights(store, access.PERSON, "mac") == ("prices", "monetary policy")
    assert field(page, "marked-mac").value == "prices\nmonetary policy"
    assert shows_saved(page)
    page.selectbox(key="report").select("lab").run()
    assert field(page, "marked-lab").value == ""
    page.selectbox(key="report").select("mac").run()
    assert field(page, "marked-mac").value == "prices\nmonetary policy"


def test_a_marked_word_that_is_too_long_is_reported(store, open_page):
    page = open_page(preferences_page, store, report="mac")
    field(page, "marked-mac").set_value("w" * 101).run()
    assert page.error[0].value == "A line has 101 characters: the limit is 100. Shorten it."
    assert field(page, "marked-mac").value == "w" * 101
    assert highlights(store, access.PERSON, "mac") == ()


def test_without_reports_the_rest_of_the_page_is_shown(empty_store, open_page):
    page = open_page(preferences_page, empty_store)
    assert not page.exception
    assert "No reports yet. Words are highlighted per report." in page.info[0].value
    assert field(page, "plain")


def test_the_page_of_a_report_of_any_name(store, open_page):
    catalogue.add_reports(store, [Report("a b*:c", "Odd")])
    page = open_page(preferences_page, store, report="a b*:c")
    field(page, "marked-a b*:c").set_value("wage").run()
    assert not page.exception
    assert highlights(store, access.PERSON, "a b*:c") == ("wage",)


def test_my_reports_are_stored_and_deleted_ones_left_out(store, open_page):
    page = open_page(preferences_page, store)
    page.multiselect(key="own-reports").set_value(["mac", "lab"]).run()
    assert shows_saved(page)
    assert own_reports(store, access.PERSON) == ["mac", "lab"]
    catalogue.retire_report(store, "mac")
    assert own_reports(store, access.PERSON) == ["lab"]
    assert own_reports(store, "somebody else") == []


@pytest.mark.parametrize("stored", ['"lab"', "{}", "[1]"])
def test_invalid_stored_my_reports_mean_all_reports(store, stored):
    set_preference(store, "ada", "reports", stored)
    assert own_reports(store, "ada") == []
