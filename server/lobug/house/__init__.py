"""Home Assistant, which is asked about the house before the chat model is."""
