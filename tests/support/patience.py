"""How long a test waits for what must happen."""

PATIENCE_S = 60.0
"""Longest wait for an event, seconds. It guards against hanging and measures nothing, so it is
long: on a machine that does much else an answer may take half a minute."""
