"""Export and import of all that is remembered."""
