"""A Core2 in software: the client of the HTTP contract."""
