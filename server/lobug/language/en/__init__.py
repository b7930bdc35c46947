"""English: its grammar, its sentences, its spoken forms."""
