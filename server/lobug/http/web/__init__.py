"""Routes of the web pages."""
