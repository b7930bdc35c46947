"""Erasure: what is to be forgotten, and everything that was made from it."""
