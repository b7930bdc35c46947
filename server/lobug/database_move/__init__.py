"""Moves everything that Lo-Bug keeps from its files to PostgreSQL, or back."""
