"""A soak test: many devices live their day against one server."""
