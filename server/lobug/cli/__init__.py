"""The command line. Kept light: ``lobug --help`` must not load an engine."""


def main() -> None:
    """Entry point of the ``lobug`` command."""
    # Imported here, so that importing lobug.cli costs nothing.
    from lobug.cli.app import app

    app()
