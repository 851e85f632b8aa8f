"""The command line as tests call it."""

from collections.abc import Sequence

from typer.testing import CliRunner, Result

from presort.desk.cli import app


def invoke(words: Sequence[str], **options: str) -> Result:
    """Run `presort` with these words, and return how it ended; options are those of `CliRunner.invoke`."""
    return CliRunner().invoke(app, words, **options)
