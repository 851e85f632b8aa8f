"""Entry point of ``python -m presort.desk``, for systems on which the `presort` command is not on the path."""

from presort.desk.cli import app

app(prog_name="presort")
