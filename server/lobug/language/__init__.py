"""Words and sentences: what can be decided about them without a model."""
