"""``python -m presort.desk``: the command line, where nobody knows where the command `presort` lies."""

from presort.desk.cli import app

app(prog_name="presort")
