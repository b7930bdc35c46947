"""Background work: what is to be done, when, and by whom."""
