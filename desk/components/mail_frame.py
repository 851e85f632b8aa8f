"""Preview of an email in a sandboxed frame. The email can't run scripts, load resources or access the page."""

import streamlit as st

from presort.desk.components.scripts import script, style

FRAME = st.components.v2.component("presort_mail_frame", css=style("mail_frame"), js=script("mail_frame"))


def mail_frame(html: str, *, title: str, key: str) -> None:
    """Draw a preview of an email.

    Parameters
    ----------
    html : str
        Complete HTML document of the email. May be untrusted.
    title : str
        Label of the frame for screen readers.
    key : str
        Widget key.
    """
    FRAME(key=key, data={"html": html, "title": title})
