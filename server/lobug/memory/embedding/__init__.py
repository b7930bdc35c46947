"""Vectors of facts, turns and questions: the only callers of the embedding engine."""
