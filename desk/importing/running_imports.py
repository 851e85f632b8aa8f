"""Imports that run on this server: who reloads the page meanwhile finds theirs, and then what it brought."""

from pathlib import Path

import streamlit as st

from desk.importing import words
from desk.importing.uploads import Look
from desk.text import plain
from desk.ui import cache, visitor

LOOKED_AFTER = 1.0  # seconds


def note(look: Look) -> None:
    """Know what this visitor is about to import, until `forget`."""
    _by_person(cache.store().folder)[visitor.person()] = look


def found() -> Look | None:
    """Return what this visitor has begun to import, in this window or another, and not seen the end of."""
    return _by_person(cache.store().folder).get(visitor.person())


def forget(look: Look) -> None:
    """Let go of what was imported, now that it is shown."""
    if found() is look:
        _by_person(cache.store().folder).pop(visitor.person(), None)


@st.fragment(run_every=LOOKED_AFTER)
def watch(look: Look) -> None:
    """Draw that an import is running; the page is drawn anew when it is over."""
    if look.is_over:
        st.rerun()
    st.info(plain(words.is_running([outcome.name for outcome in look.found])), icon=":material/autorenew:")


@st.cache_resource(show_spinner=False)
def _by_person(workspace: Path) -> dict[str, Look]:
    return {}
