"""Commands to memory in words: recognition, and what each command does."""
