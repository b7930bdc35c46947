"""Routes of memory."""
