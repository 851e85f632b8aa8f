"""Command line for tests."""

from collections.abc import Sequence

from typer.testing import CliRunner, Result

from presort.desk.cli import app


def invoke(words: Sequence[str], **options: str) -> Result:
    """Run `presort` with these arguments and return the result. Options are those of `CliRunner.invoke`."""
    return CliRunner().invoke(app, words, **options)
