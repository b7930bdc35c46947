"""From the chat model to speech: generation, tools, text, audio."""
