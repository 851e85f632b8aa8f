"""Import: files that the director drops; what they would change is shown first, and one click confirms it."""

from typing import Literal

import streamlit as st

from desk.importing import choices, columns, next_steps, running_imports, words
from desk.importing import outcome as import_outcome
from desk.importing.uploads import Look, Outcome, Wish, run
from desk.service.demo import is_demo
from desk.text import plain
from desk.ui import cache, visitor
from desk.ui.landing import bring_into_sight

LOOK = "import-look"  # in the session: what was found out last, or done
JUST_LOOKED = "import-just-looked"
FOUND = "would-change"  # anchor


def show() -> None:
    """Draw the page: files and choices, then what they would change, then what they did."""
    st.title("Import", anchor=False)
    store = cache.store()
    if is_demo(store):
        st.info(
            "This is the made-up demo, which takes no other papers. To bring your own, have Presort started with an "
            "empty folder."
        )
        return
    st.caption("New issues, and what was selected from past ones. You see what would change before anything does.")
    look: Look | None = running_imports.found() or st.session_state.get(LOOK)
    if look is not None and look.is_begun:
        if not look.is_over:
            running_imports.watch(look)
            return
        running_imports.forget(look)
        st.session_state[LOOK] = look
    wish = choices.ask()
    if wish is not None:
        _offer_look(wish, is_current=look is not None and look.wish == wish)
    if look is None:
        return
    if look.is_begun:
        _draw_done(look)
    elif look.wish == wish:
        _draw_found(look)
    elif wish is None:
        del st.session_state[LOOK]  # it holds the files
    else:
        st.info("The files or choices are others now: see anew what would change.")


def _offer_look(wish: Wish, *, is_current: bool) -> None:
    """Offer to find out what would change; while a column is missing, say which."""
    missing = words.not_yet({upload.name: upload.problem for upload in wish.uploads})
    kind: Literal["primary", "secondary"] = "secondary" if is_current else "primary"
    place = st.empty()  # who waits looks where the button was
    if place.button("See what would change", key="look", type=kind, disabled=bool(missing)):
        with place, st.spinner("Looking; nothing is changed"):
            person, store = visitor.person(), cache.store()
            found = [run(store, wish, upload, person=person, is_trial=True) for upload in wish.uploads]
            st.session_state[LOOK] = Look(wish, found)
            st.session_state[JUST_LOOKED] = True
        st.rerun()  # the button steps back behind the next
    if missing:
        st.caption(plain(missing))


def _draw_found(look: Look) -> None:
    st.header("What would change", anchor=FOUND)
    if st.session_state.pop(JUST_LOOKED, False):
        bring_into_sight(FOUND)  # below the columns it would not be seen
    if len(look.found) > 1:
        st.caption(
            "Each file is an import of its own, in this order, and is looked at here as if it were the only one."
        )
    for number, outcome in enumerate(look.found, start=1):
        import_outcome.draw(outcome, f"would-change-{number}")
    if any(outcome.has_news for outcome in look.found):
        wish, unfit = look.wish, [outcome.name for outcome in _unfit(look)]
        how = words.how_it_comes(wish.issue, wish.selected_by, keeps_going=wish.keeps_going)
        for line in filter(None, (how, words.stays_out(unfit))):
            st.markdown(plain(line))
        place = st.empty()
        if place.button(words.IMPORT, key="import", type="primary"):
            with place, st.spinner("Importing; it goes on if you leave"):
                _import(look)
            st.rerun()
    else:
        st.info(
            "Nothing of it is new, so there is nothing to import."
            if any(outcome.report for outcome in look.found)
            else "None of it can be imported like this."
        )


def _import(look: Look) -> None:
    """Import what was looked at."""
    for upload, found in zip(look.wish.uploads, look.found, strict=True):
        if found.report:
            columns.remember(upload)
    running_imports.note(look)
    look.begin(cache.store(), visitor.person())
    if look.is_whole:
        choices.make_room()


def _draw_done(look: Look) -> None:
    st.header("Imported" if look.is_whole else "Not all was imported", anchor=False)
    if len(look.found) > 1:
        st.caption("Each file came in as a whole or not at all; one that failed undoes none of the others.")
    for number, outcome in enumerate([*look.done, *_unfit(look)], start=1):
        import_outcome.draw(outcome, f"imported-{number}")
    next_steps.show()


def _unfit(look: Look) -> list[Outcome]:
    return [outcome for outcome in look.found if outcome.report is None]
