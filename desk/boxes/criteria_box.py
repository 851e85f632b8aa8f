"""What a report wants, in its editors' words, and a field to write it."""

import streamlit as st

from data.criteria import criteria, set_criteria
from data.errors import DataError
from desk import access, cache
from desk.words import criteria as words
from desk.words.text import plain


@st.fragment
def show(report: str) -> None:
    """Draw the criteria of a report, closed until somebody opens them."""
    known = criteria(cache.store(), report)
    text = known.text if known else ""
    name = f"criteria-{report}"
    with st.expander(words.LABEL if text else words.LABEL_EMPTY, type="compact", key=f"box-{name}"):
        if known and text and not st.session_state.get(_is_edited(name)):
            st.text(text)
            st.markdown(f":small[{plain(words.written(known))}]")
            st.button(words.EDIT, key=f"edit-{name}", on_click=_edit, args=(name, text))
        else:
            _draw_field(report, name, has_text=bool(text))
        if problem := st.session_state.pop(f"problem-{name}", None):
            st.error(plain(problem))


def _draw_field(report: str, name: str, *, has_text: bool) -> None:
    if not has_text:
        st.write(words.INVITATION)
    with st.form(f"form-{name}", border=False):  # sends the text with the click
        st.text_area(words.FIELD, key=name, height=200)
        with st.container(horizontal=True):
            st.form_submit_button(words.SAVE, key=f"save-{name}", type="primary", on_click=_save, args=(report, name))
            if has_text:
                st.form_submit_button(words.CANCEL, key=f"cancel-{name}", on_click=_stop, args=(name,))


def _edit(name: str, text: str) -> None:
    st.session_state[name] = text
    st.session_state[_is_edited(name)] = True


def _save(report: str, name: str) -> None:
    try:
        set_criteria(cache.store(), report, st.session_state[name], person=access.current_person())
    except DataError as error:
        st.session_state[f"problem-{name}"] = str(error)
    else:
        _stop(name)


def _stop(name: str) -> None:
    st.session_state[name] = ""
    st.session_state[_is_edited(name)] = False


def _is_edited(name: str) -> str:
    return f"editing-{name}"
