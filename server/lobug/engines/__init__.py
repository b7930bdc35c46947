"""Engines: chat model, embedder, speech gate, speech-to-text, text-to-speech."""
