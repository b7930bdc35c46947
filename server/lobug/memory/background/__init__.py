"""The background worker: runs the due tasks one after another while nobody talks."""
