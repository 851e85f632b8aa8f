"""``python -m presort.desk``: the command line, if the command `presort` is not on the path."""

from presort.desk.cli import app

app(prog_name="presort")
