"""The *Preferences* page: the user's own reports, the review list's keys, the plain list, and words to highlight."""

from collections.abc import Callable, Sequence

import streamlit as st

from presort.data import catalogue
from presort.data.errors import DataError
from presort.desk.components.review_list import KEYS
from presort.desk.preferences import key_names
from presort.desk.preferences.keys import FIXED, highlights, keys_from, preferences, set_highlights, set_keys, set_plain
from presort.desk.preferences.own_reports import own_reports, set_own_reports
from presort.desk.text import escape, report_option
from presort.desk.ui import cache, empty, field, visitor
from presort.desk.ui.choice import report_choice

CHANGEABLE = [action for action in KEYS if action not in FIXED]
COLUMNS = 3
PLAIN = "plain"
DEFAULTS = "default-keys"
OWN = "own-reports"


@visitor.one_snapshot()
def show() -> None:
    """Draw the preferences. Each change is saved immediately."""
    st.title("Preferences", anchor=False)
    _draw_own_reports()
    _draw_keys()
    _draw_plain()
    _draw_highlights()


def _draw_own_reports() -> None:
    reports = {report.code: report_option(report) for report in catalogue.reports(cache.store())}
    if len(reports) < 2:
        return
    st.header("My reports", anchor=False)
    own = own_reports(cache.store(), visitor.person())
    st.multiselect(
        "Reports shown on This week",
        list(reports),
        own,
        key=_key_showing(OWN, own),
        format_func=reports.__getitem__,
        placeholder="all reports",
        on_change=_save_own_reports,
    )
    _show_result(OWN)


def _draw_keys() -> None:
    st.header("Keys of the review list", anchor=False)
    st.write(
        "Use letters, digits, symbols, space, Enter, ↑, ↓, ← or →. Separate several keys for the same action with "
        "commas. Keys work while a paper in the list has the focus. Esc always returns to the list, even from a field."
    )
    keys = preferences(cache.store(), visitor.person()).keys
    per_column = -(-len(CHANGEABLE) // COLUMNS)
    for n, column in enumerate(st.columns(COLUMNS)):
        with column:
            for action in CHANGEABLE[n * per_column : (n + 1) * per_column]:
                name, text = _name_of_keys(action), key_names.keys_text(keys[action])
                key = _key_showing(name, text)
                st.text_input(key_names.ACTIONS[action], text, key=key, on_change=_save_keys, args=(action,))
                _show_result(name)
    st.button("Restore default keys", key=DEFAULTS, on_click=_restore_defaults, disabled=keys == _defaults())
    _show_result(DEFAULTS)


def _draw_plain() -> None:
    st.header("Review list", anchor=False)
    is_plain = preferences(cache.store(), visitor.person()).is_plain
    st.toggle("Plain list", is_plain, key=field.key_showing(PLAIN, is_plain), on_change=_save_plain)
    st.markdown(
        ":small[Review and reorder papers with ordinary buttons instead of the keyboard-driven list. Slower, but works "
        "without Presort's own scripts.]"
    )
    _show_result(PLAIN)


def _draw_highlights() -> None:
    st.header("Words to highlight", anchor=False)
    reports = catalogue.reports(cache.store())
    if not reports:
        empty.draw("No reports yet. Words are highlighted per report.", empty.TO_REPORTS)
        return
    left, right = st.columns([1, 2])
    report = report_choice(left, reports)
    name = f"marked-{report}"
    text = "\n".join(highlights(cache.store(), visitor.person(), report))
    key = _key_showing(name, text)
    with right:
        st.text_area("Words, one per line", text, key=key, height=200, on_change=_save_highlights, args=(report, name))
        st.markdown(":small[A line can be a phrase. Highlights appear in this report's papers. Only you can see them.]")
        _show_result(name)


def _save_keys(action: str) -> None:
    """Save the keys typed for an action. Also retry refused entries, because the user may be swapping two keys."""
    refused = [one for one in CHANGEABLE if st.session_state.get(_problem_key(_name_of_keys(one)))]
    if not refused or not _save_typed_keys([action, *refused], action):
        _save_typed_keys([action], action)


def _save_typed_keys(actions: Sequence[str], changed: str) -> bool:
    store, person = cache.store(), visitor.person()
    typed = {action: keys_from(field.text_of(_name_of_keys(action))) for action in actions}
    keys = {**preferences(store, person).keys, **typed}
    is_saved = _save(_name_of_keys(changed), lambda: set_keys(store, person, keys))
    if is_saved:
        for action in actions:
            st.session_state[_problem_key(_name_of_keys(action))] = ""
    return is_saved


def _restore_defaults() -> None:
    if _save(DEFAULTS, lambda: set_keys(cache.store(), visitor.person(), KEYS)):
        for action in CHANGEABLE:
            st.session_state.pop(_problem_key(_name_of_keys(action)), None)


def _save_own_reports() -> None:
    _save(OWN, lambda: set_own_reports(cache.store(), visitor.person(), st.session_state[field.key_of(OWN)]))


def _save_plain() -> None:
    _save(PLAIN, lambda: set_plain(cache.store(), visitor.person(), st.session_state[field.key_of(PLAIN)]))


def _save_highlights(report: str, name: str) -> None:
    lines = field.text_of(name).splitlines()
    _save(name, lambda: set_highlights(cache.store(), visitor.person(), report, lines))


def _save(name: str, save: Callable[[], None]) -> bool:
    """Save a change, and return True if it was saved. `_show_result` shows the result under the same name."""
    try:
        save()
    except DataError as error:
        st.session_state[_problem_key(name)] = str(error)
        return False
    st.session_state[_problem_key(name)] = ""
    return True


def _show_result(name: str) -> None:
    """Show "saved" once after a change. If the change failed, show the error until the entry is corrected."""
    problem = st.session_state.get(_problem_key(name))
    if problem == "":
        st.markdown(":small[saved]")
        del st.session_state[_problem_key(name)]
    elif problem:
        st.error(escape(problem))


def _problem_key(name: str) -> str:
    return f"result-{name}"


def _key_showing(name: str, saved: str | bool | list[str]) -> str:
    """Return the key of a field's widget. Invalid entries stay in the field until the user corrects them."""
    if field.key_of(name) not in st.session_state:  # the page was just opened
        st.session_state.pop(_problem_key(name), None)
    return field.key_of(name) if st.session_state.get(_problem_key(name)) else field.key_showing(name, saved)


def _name_of_keys(action: str) -> str:
    return f"keys-{action}"


def _defaults() -> dict[str, tuple[str, ...]]:
    return {action: tuple(keys) for action, keys in KEYS.items()}
