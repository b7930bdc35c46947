"""The `lobug` command line."""
