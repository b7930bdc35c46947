"""English: its grammar and its spoken form; sentences, word lists and templates are data files."""
