"""The command that serves the desk."""

from typing import Annotated

import typer

from presort.desk.serving import launch


def run_app(
    context: typer.Context,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the server.")] = 8501,
    host: Annotated[
        str, typer.Option(help="Address to listen on; others can reach it only if you say so.")
    ] = launch.LOCALHOST,
) -> None:
    """Serve the desk, and print its address: where nobody signs in, with the token that opens it in a browser.

    It listens on this computer alone unless told otherwise, as for a proxy elsewhere: presort app --host 0.0.0.0
    """
    launch.serve(context.obj, host=host, port=port)
