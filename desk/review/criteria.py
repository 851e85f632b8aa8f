"""A report's selection criteria, with a field to edit them."""

import streamlit as st

from presort.data.editing.criteria import criteria, set_criteria
from presort.desk import access
from presort.desk.text import escape
from presort.desk.ui import cache, field, problem, visitor


@st.fragment
@visitor.one_snapshot()
def show(report: str) -> None:
    """Draw a report's criteria, or the field to edit them."""
    known = criteria(cache.store(), report)
    text = known.text if known else ""
    name = f"criteria-{report}"
    if known and text and not st.session_state.get(_editing_key(name)):
        st.text(text)
        st.markdown(f":small[{escape(f'{access.person_name(known.person)}, {known.made_at:%Y-%m-%d %H:%M} UTC')}]")
        st.button("Edit", key=f"edit-{name}", on_click=_edit, args=(name,))
    else:
        _draw_field(report, name, text)
    problem.show(name)


def _draw_field(report: str, name: str, text: str) -> None:
    st.session_state[_editing_key(name)] = True  # the field stays, even if somebody else saves criteria
    if field.key_of(name) not in st.session_state:
        st.session_state[_shown_key(name)] = text
    if not text:
        st.write(
            "Describe which papers belong to this report and which don't. Everyone who can view this report sees the "
            "criteria. The ranker doesn't use them."
        )
    with st.form(f"form-{name}", border=False):  # a form, because it submits the text together with the click
        st.text_area("Criteria", st.session_state[_shown_key(name)], key=field.key_of(name), height=200)
        with st.container(horizontal=True):
            st.form_submit_button("Save", key=f"save-{name}", type="primary", on_click=_save, args=(report, name))
            if text:
                st.form_submit_button("Cancel", key=f"cancel-{name}", on_click=_stop_editing, args=(name,))


def _edit(name: str) -> None:
    field.renew(name)
    st.session_state[_editing_key(name)] = True


def _save(report: str, name: str) -> None:
    criteria, person, shown = field.text_of(name), visitor.person(), st.session_state[_shown_key(name)]
    if problem.try_save(lambda: set_criteria(cache.store(), report, criteria, person=person, shown=shown), name):
        _stop_editing(name)


def _stop_editing(name: str) -> None:
    field.renew(name)
    st.session_state[_editing_key(name)] = False


def _editing_key(name: str) -> str:
    return f"editing-{name}"


def _shown_key(name: str) -> str:
    """Return the session key of the criteria that the field showed when it was opened."""
    return f"shown-{name}"
