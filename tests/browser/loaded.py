"""Everything that a server loads, imported before servers are forked."""

import inspect

import streamlit.web.server  # noqa: F401

from presort.desk.measures.tables import constraints
from presort.desk.web.server import load_pages

load_pages()
inspect.stack()  # Streamlit looks this up once per process, and reads the file of each module for it
constraints()  # seconds of computing, for the first visitor of *Measures*
