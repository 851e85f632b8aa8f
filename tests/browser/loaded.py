"""All that a server loads: imported before servers are forked."""

import inspect

import streamlit.web.server  # noqa: F401

from presort.desk.measures.tables import constraints
from presort.desk.web.server import load_pages

load_pages()
inspect.stack()  # Streamlit asks once a process, and looks at the file of each module for it
constraints()  # seconds of computing, for the first visitor of Measures
