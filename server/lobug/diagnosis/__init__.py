"""Checks of what a server needs: for `lobug doctor`, and for the page of a running server."""
