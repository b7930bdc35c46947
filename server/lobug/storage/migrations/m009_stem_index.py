"""Step 9: an index over the stems of the vocabulary: a search asks which words have a stem."""

from __future__ import annotations

from lobug.storage.driver import Connection


def m009_stem_index(connection: Connection, _legacy_user: str) -> None:
    """Make the index."""
    connection.execute("CREATE INDEX turn_words_by_stem ON turn_words (stem)")
