"""Routes under `/memory`."""
