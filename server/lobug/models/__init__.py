"""The embedded models: which files, where from, whether they are whole."""
