"""``python -m lobug`` is ``lobug``."""

from lobug.cli import main

if __name__ == "__main__":
    main()
