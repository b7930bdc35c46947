"""A soak: many devices use one server for a simulated day, and it must not grow."""
