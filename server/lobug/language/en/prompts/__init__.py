"""English prompts: what the chat model reads besides the words of the conversation."""
