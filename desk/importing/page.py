"""Import: files that the director drops; what they would change is shown first, and one click confirms it."""

from dataclasses import replace
from typing import Literal

import streamlit as st

from presort.data.running import service
from presort.desk.importing import choices, columns, next_steps, queued, words
from presort.desk.importing import outcome as import_outcome
from presort.desk.importing.uploads import Look, Outcome, Wish
from presort.desk.service.queue import Ticket
from presort.desk.text import plain
from presort.desk.ui import cache
from presort.desk.ui.landing import bring_into_sight

LOOK = "import-look"  # in the session: what was found out last, or done
LOOKING = "import-looking"  # there, too: what is looked at, and its place in the queue
JUST_LOOKED = "import-just-looked"
FOUND = "would-change"  # anchor


def show() -> None:
    """Draw the page: files and choices, then what they would change, then what they did."""
    st.title("Import", anchor=False)
    store = cache.store()
    if service.is_demo(store):
        st.info(
            "This is the made-up demo, which takes no other papers. To bring your own, have Presort started with an "
            "empty folder."
        )
        return
    st.caption("New issues, and what was selected from past ones. You see what would change before anything does.")
    if running := queued.running():
        queued.watch(*running, is_trial=False)
        return
    if (ended := queued.ended()) is not None:
        st.session_state[LOOK] = ended
        if ended.is_whole:
            choices.make_room()
    if LOOKING not in st.session_state:
        queued.prepare()
    look: Look | None = st.session_state.get(LOOK)
    wish = choices.ask()
    if wish is not None:
        look = _offer_look(wish, look)
    elif LOOKING in st.session_state:
        _give_up(st.session_state[LOOKING][1])
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


def _offer_look(wish: Wish, look: Look | None) -> Look | None:
    """Offer to find out what would change; while a column is missing, say which. Return the newest look."""
    missing = words.not_yet({upload.name: upload.problem for upload in wish.uploads})
    is_current = look is not None and look.wish == wish
    looking: tuple[Wish, Ticket] | None = st.session_state.get(LOOKING)
    if looking and looking[1].done():
        look = _looked(*looking)
    elif looking:
        if looking[0] == wish:
            queued.watch(looking[1], [upload.name for upload in wish.uploads], is_trial=True)
            return None
        _give_up(looking[1])
    kind: Literal["primary", "secondary"] = "secondary" if is_current else "primary"
    if st.button("See what would change", key="look", type=kind, disabled=bool(missing)):
        st.session_state[LOOKING] = (wish, queued.put(wish, is_trial=True))
        st.rerun()
    if missing:
        st.caption(plain(missing))
    return look


def _looked(wish: Wish, ticket: Ticket) -> Look | None:
    """Keep what a look found out, and draw the page anew; or say what kept it from its end."""
    del st.session_state[LOOKING]
    found, problem = queued.found_by(ticket)
    if problem:
        st.error(plain(problem))
        return None
    st.session_state[LOOK] = Look(wish, found)
    st.session_state[JUST_LOOKED] = True
    st.rerun()


def _give_up(ticket: Ticket) -> None:
    """Let go of a look at other files, or with other choices."""
    del st.session_state[LOOKING]
    ticket.cancel()


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
        if st.button(words.IMPORT, key="import", type="primary"):
            _import(look)
            st.rerun()
    else:
        st.info(
            "Nothing of it is new, so there is nothing to import."
            if any(outcome.report for outcome in look.found)
            else "None of it can be imported like this."
        )


def _import(look: Look) -> None:
    """Have imported what was looked at."""
    del st.session_state[LOOK]
    fit = [upload for upload, found in zip(look.wish.uploads, look.found, strict=True) if found.report]
    for upload in fit:
        columns.remember(upload)
    queued.put(replace(look.wish, uploads=tuple(fit)), look.found, is_trial=False)


def _draw_done(look: Look) -> None:
    st.header("Imported" if look.is_whole else "Not all was imported", anchor=False)
    if look.problem:
        st.error(plain(f"{look.problem} {'All of it had come in by then.' if look.is_whole else ''}".rstrip()))
    if len(look.found) > 1:
        st.caption("Each file came in as a whole or not at all; one that failed undoes none of the others.")
    for number, outcome in enumerate([*look.done, *_unfit(look)], start=1):
        import_outcome.draw(outcome, f"imported-{number}")
    next_steps.show()


def _unfit(look: Look) -> list[Outcome]:
    return [outcome for outcome in look.found if outcome.report is None]
