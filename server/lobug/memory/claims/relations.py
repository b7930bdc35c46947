"""Relations that memory itself knows by name; all others are data of the language room."""

from __future__ import annotations

NAME = "name"
"""The relation that names a subject."""
KIND = "kind"
"""What sort of animal or thing something is."""
DEAD = "dead"
JOB = "job"
PARTNER = "partner"
RELATIVE = "relative"
PET = "pet"
LENT = "lent"

DEPARTED = frozenset({DEAD, "gone", "rehomed"})
"""Relations of pets that their owner has no more."""
LASTING = frozenset({NAME, RELATIVE, PARTNER, PET, "owns", "car", "home"})
"""Relations that end by words of their own."""
HOLDERS = frozenset({PET, RELATIVE, "car", "owns", PARTNER})
"""Relations whose value is a subject itself: who has sold the car has no car to speak of."""
