"""From an audio stream to a transcript: endpointing, transcription, echo."""
