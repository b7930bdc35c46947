"""A Core2 in software: what the first firmware sends, and what it makes of the replies."""
