"""A server on a PostgreSQL, to be killed. Run as a program:

python leased_server.py FOLDER PORT URL [SERVERS]
"""

from __future__ import annotations

import sys
from pathlib import Path

import uvicorn

sys.path.insert(0, str(Path(__file__).parents[1]))

from lobug.app import create_app
from support.app_server import scripted_assembler, settings_for
from support.memory_app import quiet_engines


def main() -> None:
    """Serve until killed."""
    folder, port, url = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    servers = sys.argv[4] if len(sys.argv) > 4 else "one"
    settings = settings_for(
        folder,
        database={"url": url, "servers": servers},
        # As docs/engines.md has it where several servers share engines.
        limits={"max_concurrent_turns": 32},
    )
    app = create_app(settings, assembler=scripted_assembler(quiet_engines()))
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main()
