"""How a connection to PostgreSQL works on a schema of ours."""

from __future__ import annotations

from typing import Any

from psycopg.types.numeric import FloatLoader
from psycopg.types.string import StrDumper

from lobug.storage.postgres.connections import Raw, WholeCursor

SEARCH_PATH = """
SELECT set_config('search_path', concat_ws(', ', quote_ident(%s),
    (SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
     WHERE e.extname = 'vector' AND n.nspname <> 'public'), 'public'), false)
"""
"""For a schema: pgvector may be in one of its own (at Supabase: "extensions")."""

SESSION = """
SELECT set_config('lock_timeout', %s, false),
       -- a computer of ours that vanished must not keep its locks for hours
       set_config('tcp_keepalives_idle', '10', false),
       set_config('tcp_keepalives_interval', '5', false),
       set_config('tcp_keepalives_count', '3', false),
       -- To start other processes, or to compile a statement, takes longer than most of ours do;
       -- of words PostgreSQL has no statistics (``schemas``), so it expects far too many rows.
       set_config('max_parallel_workers_per_gather', '0', false),
       set_config('jit', 'off', false),
       -- what was promised to be kept or forgotten survives a crash
       CASE current_setting('synchronous_commit')
           WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END
"""

STATEMENTS = 500
"""How many statements a connection keeps planned: more than a server has, else each would drive
another one out before it comes again."""


def configure(raw: Raw, schema: str, patience_s: float) -> None:
    """Let a connection work on a schema. Raises what psycopg raises."""
    raw.prepared_max = STATEMENTS
    raw.cursor_factory = WholeCursor
    raw.adapters.register_loader("numeric", _NumberLoader)
    raw.adapters.register_dumper(str, StrDumper)  # as text, not as of an unknown type
    raw.execute(SEARCH_PATH, (schema,))
    raw.execute(SESSION, (milliseconds(patience_s),))


def milliseconds(seconds: float) -> str:
    """A time as PostgreSQL's settings have it."""
    return f"{round(seconds * 1000)}ms"


class _NumberLoader(FloatLoader):
    """Sums of whole numbers as ``int``, other exact numbers as ``float``."""

    def load(self, data: Any) -> Any:
        """Read the text of a number."""
        text = bytes(data)
        return int(text) if text.lstrip(b"-").isdigit() else float(text)
