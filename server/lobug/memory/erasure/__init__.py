"""Forgetting: what has to go, and all that was made of it."""
