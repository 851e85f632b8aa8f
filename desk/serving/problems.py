"""What a page shows of an error: a number, never a path or a piece of code."""

import logging
from secrets import token_hex

import streamlit as st

from presort.data.errors import DataError
from presort.desk.operation.counters import ERRORS
from presort.desk.text import plain

LOG = logging.getLogger(__name__)
BUG = (
    "This is a mistake in Presort, not yours. What you saved is kept. Reload the page to go on; "
    "if it happens again, tell whoever runs the desk problem **{number}**: its log says what happened."
)


def show(error: Exception) -> bool:
    """Show an error that no page expected, and say that Streamlit need not.

    What is wrong outside the program is one line that says so. Anything else is a bug: its traceback is in the log,
    followed by the number that the page shows.
    """
    if isinstance(error, DataError):
        st.error(plain(str(error)))
        return True
    number = token_hex(3).upper()
    ERRORS.inc()
    LOG.error("The error above (%s) is problem %s.", type(error).__name__, number)
    st.error(BUG.format(number=number))
    return True
