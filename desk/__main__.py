"""``python -m desk``: the command line, where nobody knows where the command `presort` lies."""

from desk.cli import app

app(prog_name="presort")
