"""Exports and imports the whole memory of a user."""
