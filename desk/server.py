"""Streamlit's command, with the pages loaded before the server listens: else its first visitor waits for them."""

import logging
from importlib import import_module
from pkgutil import iter_modules

from streamlit.web.cli import main

from desk import pages

if __name__ == "__main__":
    logging.disable(logging.WARNING)  # each page warns that no server runs yet
    for module in iter_modules(pages.__path__, f"{pages.__name__}."):
        import_module(module.name)
    logging.disable(logging.NOTSET)
    main(prog_name="streamlit")
