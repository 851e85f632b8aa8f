"""A mail as its readers see it, in a frame of its own: nothing in it runs, loads anything or reaches the page."""

from importlib.resources import files

import streamlit as st

BROWSER = files("presort.desk.components") / "browser"
FRAME = st.components.v2.component(
    "presort_mail_frame",
    css=(BROWSER / "mail_frame.css").read_text(encoding="utf-8"),
    js="\n".join((BROWSER / f"{name}.js").read_text(encoding="utf-8") for name in ("elements", "mail_frame")),
)


def mail_frame(html: str, *, title: str, key: str) -> None:
    """Draw a mail.

    Parameters
    ----------
    html : str
        The whole document, as it is sent; it need not be trusted.
    title : str
        What the frame is called for who does not see it.
    key : str
        Names the frame.
    """
    FRAME(key=key, data={"html": html, "title": title})
