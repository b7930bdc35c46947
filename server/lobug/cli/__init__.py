"""The command line. Kept light: ``lobug --help`` must not load an engine."""

import io
import sys


def main() -> None:
    """Entry point of the ``lobug`` command."""
    # Imported here, so that importing lobug.cli costs nothing.
    from lobug.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Not every terminal knows every letter: a "?" is better than a failure.
            stream.reconfigure(errors="replace")
    app()
