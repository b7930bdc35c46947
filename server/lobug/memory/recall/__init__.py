"""Recall: what of all that was told and said fits a turn."""
