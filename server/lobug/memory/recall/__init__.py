"""Finding former turns: by words, meaning and surroundings, without a language model."""
