"""The indexes that recall searches: words and vectors of entries and of turns."""
