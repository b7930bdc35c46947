"""Engines: speech-to-text, chat model, embedder, text-to-speech. One module an implementation."""
