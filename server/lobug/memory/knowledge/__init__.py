"""Entries: what is remembered, in versions, and how they get along."""
