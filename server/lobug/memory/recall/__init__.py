"""Finding former turns: by words, by meaning and by their surroundings, without a language model."""
