"""Names and limits that several modules of the integration need."""

from __future__ import annotations

import logging
from typing import Final

DOMAIN: Final = "lobug"

LOGGER = logging.getLogger(__package__)

CONF_AUTHORITY: Final = "authority"
"""PEM certificate of the server's own authority; absent: public authorities are trusted."""
CONF_WORDS: Final = "words"
"""Option: whether what was heard is shown in the states of Home Assistant."""

PERSON: Final = "person"
"""Type of the subentries that say who of Home Assistant talks with which token."""
CONF_USER: Final = "user"
"""Id of the Home Assistant user of a person."""
CONF_SATELLITES: Final = "satellites"
"""Ids of the Home Assistant devices that a person talks to."""

MAX_ANNOUNCEMENT_CHARS: Final = 500
"""Longest announcement that the server takes, characters."""
